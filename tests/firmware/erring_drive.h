// SPDX-License-Identifier: Apache-2.0
//
// A RAM drive whose reads go as a test says.
#pragma once

#include <functional>
#include <memory>
#include <random>

#include "tests/firmware/drive_bench.h"

namespace ssdvp::test {

inline constexpr std::uint16_t unrecovered = NVME_SC_UNRECOVERED_READ_ERROR;

/// The spare word of every unit on the flash.
inline std::vector<std::uint64_t> unit_words(const drive& d)
{
    std::vector<std::uint64_t> words;
    for (const nand_page& page : d.nand.pages()) {
        words.insert(words.end(), page.words.begin() + 1, page.words.end());
    }
    return words;
}

/// Random whole-unit writes; collection runs.
inline void overwrite(drive& d, std::uint64_t count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < count; ++i) {
        while (!d.start_write(random() % (d.sectors() / 8) * 8, 8)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    d.start_flush(); // a unit whose newer data are in the buffer is still counted as lost
    d.idle();
}

/// One after the other, each at rest before the next.
inline void write_units(drive& d, const std::vector<std::uint64_t>& units, bool reads = false)
{
    for (const std::uint64_t unit : units) {
        REQUIRE((reads ? d.start_read(unit, 1) : d.start_write(unit, 1)));
        d.idle();
    }
}

inline void read_units(drive& d, const std::vector<std::uint64_t>& units)
{
    write_units(d, units, true);
}

inline std::uint16_t status_of_read(drive& d, std::uint64_t lba, std::uint32_t n)
{
    std::vector<std::uint8_t> data(std::size_t{n} * 512);
    return d.nand.execute(1, io(NVME_IO_READ, lba, n), &data).status;
}

inline std::uint64_t retries(const telemetry& t)
{
    std::uint64_t sum = 0;
    for (const std::uint64_t n : t.retries) {
        sum += n;
    }
    return sum;
}

/// Reads, writes, trims and zeroes of any size and place.
inline void mixed(drive& d, std::uint64_t operations, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    for (std::uint64_t n = 0; n < operations; ++n) {
        std::uint32_t len = 1 + static_cast<std::uint32_t>(random() % 24);
        std::uint64_t lba = random() % (d.sectors() - 32);
        if (random() % 2 == 0) {
            lba &= ~7ull;
            len = (len + 7) & ~7u;
        }
        const std::uint64_t kind = random() % 100;
        const auto start = [&] {
            return kind < 30   ? d.start_read(lba, len)
                   : kind < 88 ? d.start_write(lba, len, kind == 87)
                   : kind < 92 ? d.start_zeroes(lba, len)
                   : kind < 98 ? d.start_trim({{lba, len}})
                               : d.start_flush();
        };
        while (!start()) {
            REQUIRE(d.pump());
        }
        for (std::uint64_t k = random() % 6; k != 0 && d.pump(); --k) {
        }
    }
    d.drain();
}

inline void all_right(drive& d)
{
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

/// A drive whose reads go as `fate` says from the moment `armed` is set.
struct erring_drive {
    explicit erring_drive(ram_config c)
    {
        c.on_read = [this](const nand_place& p, const flash_desc& r) {
            return armed && fate ? fate(p, r) : ram_config::read_result{};
        };
        d = std::make_unique<drive>(c);
        d->create_queues();
    }
    bool armed = false;
    std::function<ram_config::read_result(const nand_place&, const flash_desc&)> fate;
    std::unique_ptr<drive> d;
};

/// Overwrites a small drive, one program in `programs` and one erase in `erases` failing, until it
/// is read-only; it must never stall on the way. `check` then sees the drive. Few planes leave
/// little else under way that would wake firmware, so the seed varies them.
inline void fail_until_read_only(ram_config c, std::uint64_t seed, std::uint64_t programs,
                                 std::uint64_t erases, const std::function<void(drive&)>& check)
{
    c.params.geometry.channels = c.params.geometry.luns_per_channel = seed % 3 == 0 ? 1 : 2;
    c.params.geometry.planes = 1 + static_cast<std::uint32_t>(seed % 2);
    c.params.ftl.user_units = 14 * 16 * c.params.geometry.channels *
                              c.params.geometry.luns_per_channel * c.params.geometry.planes;
    c.params.wear.static_delta = seed % 2 != 0 ? 4 : 0;
    std::mt19937_64 fate(seed);
    bool armed = false;
    c.on_program = [&](const nand_place&, const flash_desc&) {
        return armed && fate() % programs == 0;
    };
    c.on_erase = [&](const nand_place&, const flash_desc&) {
        return armed && fate() % erases == 0;
    };
    drive d(c);
    d.create_queues();
    fill(d);
    armed = true;
    std::mt19937_64 random(seed);
    const telemetry& t = d.nand.counters();
    for (int i = 0; i < 40000 && t.read_only == 0; ++i) {
        while (!d.start_write(random() % (d.sectors() / 8) * 8, 8)) {
            if (!d.pump()) {
                FAIL("stalled with " << t.bad_blocks << " bad blocks, seed " << seed << " "
                                     << d.nand.panic_text());
            }
        }
    }
    d.drain();
    INFO("seed " << seed);
    CHECK(t.read_only == 1);
    check(d);
}

inline ram_config with_levels(std::uint32_t levels)
{
    ram_config c = tiny_drive();
    c.params.flash.retry_levels = levels;
    return c;
}

/// Reads of data err now and then, with and without their spare words, while a drive with a map
/// that is paged works; in the end all that is not lost is right.
inline void err_while_paging(ram_config c, std::uint32_t seed, std::uint64_t commands)
{
    c.seed = seed;
    c.params.flash.retry_levels = 1;
    std::mt19937_64 fate(seed);
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    x.fate = [&fate](const nand_place&, const flash_desc& desc) {
        const bool data = desc.purpose != FLASH_PURPOSE_MAP;
        return ram_config::read_result{data && fate() % 6 == 0, 0, fate() % 2 == 0};
    };
    x.armed = true;
    mixed(d, commands, seed);
    x.armed = false;
    CHECK(d.nand.counters().units_lost > 0);
    d.start_flush();
    d.idle();
    all_right(d);
}

} // namespace ssdvp::test
