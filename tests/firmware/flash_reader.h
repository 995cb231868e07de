// SPDX-License-Identifier: Apache-2.0
//
// Reads the cells of a RAM drive as docs/SPEC.md says, with nothing of the firmware's own: drives
// with data_mode 2, whose cells keep every byte.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "tests/firmware/drive_bench.h"

namespace ssdvp::test {

/// CRC-16/CCITT-FALSE and CRC-32 of IEEE 802.3, bit by bit.
std::uint32_t slow_crc16(const std::string& bytes);

std::uint32_t slow_crc32(const std::string& bytes);

/// The check of a unit's content, SPEC section 2.
std::uint32_t slow_content_check(const std::string& bytes);

/// Little-endian number at an offset.
std::uint64_t number_at(const std::string& bytes, std::size_t offset, std::size_t size);

enum class kind : std::uint32_t { padding = 0, data = 1, map = 2, journal = 3, anchor = 4 };

struct found_page {
    nand_place at{};
    std::uint32_t page = 0;
    std::uint64_t sequence = 0;
    std::vector<std::uint64_t> words; // of its units
    std::string bytes;

    [[nodiscard]] kind what(std::size_t slot) const
    {
        return static_cast<kind>((words[slot] >> 36) & 0xF);
    }
    [[nodiscard]] std::uint64_t index(std::size_t slot) const
    {
        return words[slot] & ((1ull << 35) - 1);
    }
    [[nodiscard]] std::uint64_t check(std::size_t slot) const { return words[slot] >> 40; }
};

struct found_unit {
    std::uint64_t index = 0;
    std::uint64_t address = 0;
    std::uint64_t sequence = 0;
    std::string bytes;
};

class flash_reader {
public:
    explicit flash_reader(const ram_nand& nand);

    std::vector<found_page> pages; // whole ones that are programmed

    /// Of each index the newest version; the check of its content is held against it.
    [[nodiscard]] std::map<std::uint64_t, found_unit> newest(kind what) const;

    /// Pages of the anchor record with that number, in order; of the copy on that LUN.
    [[nodiscard]] std::vector<found_page> record(std::uint64_t wanted, bool last_lun) const;
    [[nodiscard]] std::uint64_t newest_record() const;

    static unsigned bits_for(std::uint64_t count)
    {
        unsigned bits = 0;
        for (; (1ull << bits) < count; ++bits) {
        }
        return bits;
    }
    [[nodiscard]] std::uint32_t lun_of(const nand_place& p) const
    {
        return p.lun * m_p.geometry.channels + p.channel;
    }
    /// SPEC, section 1.
    [[nodiscard]] std::uint64_t address_of(const found_page& page, std::uint64_t slot) const;

private:
    void read_block(const ram_block& b, const nand_place& p);

    boot_params m_p;
};

/// Power goes and comes back; what was under way may or may not have happened.
void power_cycle(drive& d);

void flush(drive& d);

/// CC.SHN until it is complete.
void shut_down(drive& d);

void write_all(drive& d, std::uint64_t from, std::uint64_t sectors, std::uint32_t each);

} // namespace ssdvp::test
