// SPDX-License-Identifier: Apache-2.0
//
// A RAM drive with a SATA front end, and ATA commands for it.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "models/regs/ata_records.h"
#include "models/regs/choices/host_interface.h"
#include "tests/support/ram_nand.h"

namespace ssdvp::test {

inline ram_config sata_drive()
{
    ram_config c = tiny_drive();
    c.params.host.interface = HOST_INTERFACE_SATA;
    c.slots = SFE_SLOTS_RESET;
    return c;
}

/// What a completion's status is for a command that went well, or failed with that Error.
constexpr std::uint16_t ata_good = ATA_STATUS_GOOD;
constexpr std::uint16_t ata_bad(std::uint32_t error)
{
    return static_cast<std::uint16_t>(ATA_STATUS_GOOD | ATA_STATUS_ERR | error << 8);
}

inline sata_fe_request ata(std::uint8_t code, std::uint64_t lba = 0, std::uint32_t count = 0,
                           std::uint32_t features = 0)
{
    sata_fe_request r{};
    std::uint8_t* f = r.fis;
    f[0] = ATA_FIS_REGISTER_H2D;
    f[1] = ATA_FIS_COMMAND;
    f[2] = code;
    f[3] = static_cast<std::uint8_t>(features);
    for (unsigned i = 0; i < 3; ++i) {
        f[4 + i] = static_cast<std::uint8_t>(lba >> (8 * i));
        f[8 + i] = static_cast<std::uint8_t>(lba >> (24 + 8 * i));
    }
    f[7] = ATA_DEVICE_LBA;
    f[11] = static_cast<std::uint8_t>(features >> 8);
    f[12] = static_cast<std::uint8_t>(count);
    f[13] = static_cast<std::uint8_t>(count >> 8);
    return r;
}

inline sata_fe_request queued(std::uint8_t code, std::uint32_t tag, std::uint64_t lba,
                              std::uint32_t sectors, bool fua = false)
{
    sata_fe_request r = ata(code, lba, tag << 3, sectors);
    r.fis[7] = static_cast<std::uint8_t>(r.fis[7] | (fua ? ATA_DEVICE_FUA : 0u));
    return r;
}

inline sata_fe_request with_lba28(std::uint8_t code, std::uint32_t lba, std::uint32_t count)
{
    sata_fe_request r = ata(code, lba & 0xFFFFFF, count);
    r.fis[7] = static_cast<std::uint8_t>(r.fis[7] | lba >> 24);
    return r;
}

inline sata_fe_request smart(std::uint32_t what)
{
    return ata(ATA_SMART, std::uint64_t{ATA_SMART_KEY} << 8, 0, what);
}

class ata_drive {
public:
    explicit ata_drive(const ram_config& c = sata_drive())
        : nand(c), m_sectors(c.params.ftl.user_units * (c.params.ftl.map_unit / 512))
    {
        nand.set_fe_register(SFE_REG_SPEED, 3);
        nand.enable();
    }

    [[nodiscard]] std::uint64_t sectors() const { return m_sectors; }

    host_completion run(const sata_fe_request& r, std::vector<std::uint8_t>* data = nullptr)
    {
        const std::int64_t id = nand.submit_ata(r, data);
        REQUIRE(id >= 0);
        for (;;) {
            host_completion c;
            while (nand.completion(c)) {
                if (c.id == id) {
                    return c;
                }
            }
            if (!nand.step()) {
                throw std::runtime_error("the command never completes: " + nand.panic_text());
            }
        }
    }
    /// Sectors whose first 8 bytes are `first`, `first` + 1, ...: what the drive keeps of them.
    static std::vector<std::uint8_t> tagged(std::uint64_t first, std::uint32_t n)
    {
        std::vector<std::uint8_t> bytes(std::size_t{n} * 512);
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint64_t tag = first + i;
            std::memcpy(bytes.data() + std::size_t{i} * 512, &tag, sizeof tag);
        }
        return bytes;
    }
    std::uint16_t write(const sata_fe_request& r, std::uint64_t first, std::uint32_t n)
    {
        std::vector<std::uint8_t> data = tagged(first, n);
        return run(r, &data).status;
    }
    void write(std::uint64_t lba, std::uint32_t n, std::uint64_t first, bool fua = false)
    {
        REQUIRE(write(queued(ATA_WRITE_FPDMA_QUEUED, 0, lba, n, fua), first, n) == ata_good);
    }
    /// First 8 bytes of a sector.
    std::uint64_t tag_at(std::uint64_t lba)
    {
        std::vector<std::uint8_t> data(512, 0xEE);
        REQUIRE(run(queued(ATA_READ_FPDMA_QUEUED, 1, lba, 1), &data).status == ata_good);
        std::uint64_t tag = 0;
        std::memcpy(&tag, data.data(), sizeof tag);
        return tag;
    }
    std::vector<std::uint8_t> page(const sata_fe_request& r, std::uint32_t pages = 1)
    {
        std::vector<std::uint8_t> data(std::size_t{pages} * 512, 0xEE);
        const host_completion c = run(r, &data);
        REQUIRE(c.status == ata_good);
        REQUIRE((c.flags & FE_MOVE_METADATA) != 0);
        return data;
    }
    std::vector<std::uint8_t> identify() { return page(ata(ATA_IDENTIFY_DEVICE)); }
    std::uint16_t feature(std::uint32_t what, std::uint32_t count = 0)
    {
        return run(ata(ATA_SET_FEATURES, 0, count, what)).status;
    }

    ram_nand nand;

private:
    std::uint64_t m_sectors;
};

inline std::uint32_t word(const std::vector<std::uint8_t>& page, std::size_t i)
{
    return page[2 * i] | std::uint32_t{page[2 * i + 1]} << 8;
}
inline std::uint64_t number(const std::vector<std::uint8_t>& page, std::size_t at, unsigned bytes)
{
    std::uint64_t v = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        v |= std::uint64_t{page[at + i]} << (8 * i);
    }
    return v;
}
inline std::uint32_t sum(const std::vector<std::uint8_t>& page)
{
    std::uint32_t s = 0;
    for (std::size_t i = 0; i < 512; ++i) {
        s += page[i];
    }
    return s & 0xFF;
}

} // namespace ssdvp::test
