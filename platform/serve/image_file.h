// SPDX-License-Identifier: Apache-2.0
//
// The file of --image: a log of records, each about one block of the flash, behind two header
// slots that are written in turns. A header says how much of the log counts; what lies behind it
// was never promised. So whatever interrupts a write, the file holds one of the promised states.
// When dead records outweigh what lives, the living are copied to FILE.tmp, which replaces FILE.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/regs/nor_records.h"
#include "platform/serve/nbd_address.h"

namespace ssdvp::platform {

/// What an image must fit, in the order of the header.
struct image_geometry {
    std::uint32_t dies = 0;
    std::uint32_t planes = 0;
    std::uint32_t blocks_per_plane = 0;
    std::uint32_t pages_per_block = 0;
    std::uint32_t page_size = 0;  // bytes
    std::uint32_t spare_size = 0; // bytes kept of a page's out-of-band area
    bool operator==(const image_geometry& o) const
    {
        return dies == o.dies && planes == o.planes && blocks_per_plane == o.blocks_per_plane &&
               pages_per_block == o.pages_per_block && page_size == o.page_size &&
               spare_size == o.spare_size;
    }
};

/// Of a record about a block; its payload follows: a bit for each page of the block that is in the
/// record, then one for each that is torn, then the spare bytes and data of those pages.
struct image_record {
    /// Or of the boot flash: `block` is an area, the payload its bytes; or ACTIVE, and `erases` is
    /// the area whose image runs from power-up.
    static constexpr std::uint32_t BOOT_FLASH = ~0u;
    static constexpr std::uint32_t ACTIVE = NOR_AREAS;
    static constexpr std::uint32_t MAGIC = 0x314b4c42; // "BLK1"
    static constexpr std::uint8_t FAILED = 1;
    static constexpr std::uint8_t SLC = 2;
    static constexpr std::uint8_t WHOLE = 4; // forget what earlier records say of the block
    std::uint32_t magic = MAGIC;
    std::uint32_t die = 0;
    std::uint32_t block = 0; // counted over all planes
    std::uint32_t erases = 0;
    std::uint32_t shallow_from = ~0u;
    std::uint8_t flags = 0;
    std::uint8_t torn = 0; // torn_state
    std::uint16_t reserved = 0;
    std::uint32_t pages = 0;   // in the payload
    std::uint32_t payload = 0; // bytes
    std::uint32_t crc = 0;     // CRC-32 of the record with 0 here, and of the payload
};
static_assert(sizeof(image_record) == 36);

class image_file {
public:
    static constexpr std::uint32_t format_version = 2;
    /// Bytes of dead records that are not worth a copy.
    static constexpr std::uint64_t usual_slack = 64u << 20;

    /// Opens the file, or makes a new one; locks it against other servers. Throws serve_error and
    /// leaves the file as it is when it does not fit or is damaged.
    image_file(std::string path, const image_geometry& geometry, const std::string& digest,
               std::uint64_t slack = usual_slack);
    ~image_file();
    image_file(const image_file&) = delete;
    image_file& operator=(const image_file&) = delete;

    /// What a user should hear of the file as it was found; empty: nothing.
    [[nodiscard]] const std::string& remark() const { return m_remark; }
    /// Nothing has ever been promised.
    [[nodiscard]] bool is_new() const { return m_committed == log_begin; }
    /// All living records, oldest first. Throws serve_error when one is damaged.
    void read(const std::function<void(const image_record&, const unsigned char* payload)>& each);

    /// Throws serve_error when a record is damaged: before anything else is touched.
    void verify();
    /// Adds whole records, whose crc is not yet set: a part of a batch, which counts with
    /// promise(). Throws serve_error when the host's disk takes no more.
    void append(std::vector<unsigned char>& records);
    /// Makes durable what was appended. Throws serve_error; then nothing of it counts, ever.
    void promise();
    /// Bytes of the file, and those that still say something.
    [[nodiscard]] std::uint64_t bytes() const { return m_committed; }
    [[nodiscard]] std::uint64_t living() const { return m_living; }

private:
    struct place {
        std::uint64_t offset;
        std::uint64_t length;
    };
    struct header {
        std::array<char, 8> magic;
        std::uint32_t version;
        std::uint32_t byte_order;
        std::uint32_t geometry[6];
        char digest[64];
        std::uint64_t sequence;
        std::uint64_t committed; // bytes of the file
        std::uint32_t reserved;
        std::uint32_t crc; // CRC-32 of all before it
    };

    static constexpr std::uint64_t slot_size = 4096; // of a header: a sector is never shared
    static constexpr std::uint64_t log_begin = 2 * slot_size;

    void open_locked();
    [[nodiscard]] bool at_its_name() const;
    void check_header();
    [[nodiscard]] std::string mismatch(const header& h) const;
    [[noreturn]] void give_up(const std::string& why);
    void write_header(int file, std::uint64_t sequence, std::uint64_t committed) const;
    void note(const image_record& r, std::uint64_t offset);
    [[nodiscard]] bool fits(const image_record& r) const;
    void sync_folder() const;
    void compact();
    [[noreturn]] void damaged(const std::string& what) const;

    std::string m_path;  // as the user gave it
    std::string m_place; // where its links end
    image_geometry m_geometry;
    std::string m_digest; // 64 characters
    std::uint64_t m_slack;
    int m_file = -1;
    bool m_made = false;
    std::uint64_t m_sequence = 0; // of the header that counts; 0 = none yet
    std::uint64_t m_committed = 0;
    std::uint64_t m_end = 0; // of what was appended; the same between batches
    std::vector<std::pair<image_record, std::uint64_t>> m_added; // not yet promised; its offset
    std::uint64_t m_living = 0;
    std::string m_remark;
    std::unordered_map<std::uint64_t, std::vector<place>> m_places; // by die and block
};

} // namespace ssdvp::platform
