// SPDX-License-Identifier: Apache-2.0
//
// Policies of the buffer by hand: operations on single units of a drive whose pages are a sector,
// and what they moved.
#pragma once

#include <ostream>
#include <string>

#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/drive_bench.h"

namespace ssdvp::test {

/// A buffer of so many units, exactly: a unit leaves when another one needs its place. Logical
/// blocks of 4 units.
inline ram_config buffer_of(cache_policy_id policy, std::uint32_t units)
{
    ram_config c = one_plane();
    c.params.cache.policy = policy;
    c.params.cache.capacity = units * 512;
    c.params.cache.dirty_permille = 1000;
    const bool groups = policy == CACHE_POLICY_FAB || policy == CACHE_POLICY_BPLRU;
    c.params.cache.group_units = groups ? 4 : 0;
    c.params.cache.padding = policy == CACHE_POLICY_BPLRU ? 1 : 0;
    c.params.cache.compensation = c.params.cache.padding;
    return c;
}

/// While `broken`, no read of the host can be corrected.
inline void break_host_reads(ram_config& c, const bool& broken)
{
    c.on_read = [&broken](const nand_place&, const flash_desc& f) {
        ram_config::read_result r;
        r.uncorrectable = broken && f.purpose == FLASH_PURPOSE_HOST;
        return r;
    };
}

struct moved { // of the flash for the host, and what the buffer counted
    std::uint64_t r, w, read_hits, read_misses, write_hits, write_misses, clean, dirty, pads;
};

inline moved moved_of(const drive& d)
{
    const telemetry& t = d.nand.counters();
    return {d.nand.count(FLASH_PURPOSE_HOST).read_operations,
            d.nand.count(FLASH_PURPOSE_HOST).programs,
            t.cache_read_hits,
            t.cache_read_misses,
            t.cache_write_hits,
            t.cache_write_misses,
            t.cache_evictions_clean,
            t.cache_evictions_dirty,
            t.cache_padding_reads};
}

inline moved operator-(const moved& a, const moved& b)
{
    return {a.r - b.r,
            a.w - b.w,
            a.read_hits - b.read_hits,
            a.read_misses - b.read_misses,
            a.write_hits - b.write_hits,
            a.write_misses - b.write_misses,
            a.clean - b.clean,
            a.dirty - b.dirty,
            a.pads - b.pads};
}

/// The first 64 units are on the flash, and nothing dirty is in the buffer. What the buffer keeps
/// are none of the first 32.
inline void prepare_units(drive& d)
{
    d.create_queues();
    for (std::uint64_t unit = 0; unit < 64; ++unit) {
        d.start_write(unit, 1);
        d.idle();
    }
    d.start_flush();
    d.idle();
    for (std::uint64_t unit = 32; unit < 64; ++unit) {
        d.start_read(unit, 1);
        d.idle();
    }
}

/// "Wa Rb": writes unit 0, reads unit 1; one after the other, each to its end.
inline moved run_units(drive& d, const std::string& operations)
{
    const moved before = moved_of(d);
    for (std::size_t i = 0; i + 1 < operations.size(); i += 3) {
        const auto unit = static_cast<std::uint64_t>(operations[i + 1] - 'a');
        REQUIRE((operations[i] == 'W' ? d.start_write(unit, 1) : d.start_read(unit, 1)));
        d.idle();
    }
    return moved_of(d) - before;
}

} // namespace ssdvp::test
