// SPDX-License-Identifier: Apache-2.0
//
// Drives with block or hybrid mapping, and the work that they do, page by page.
#pragma once

#include <ostream>

#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/page_order.h"
#include "models/regs/choices/stripe.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test {

inline constexpr ftl_scheme_id placed_schemes[] = {
    FTL_SCHEME_MSBS,       FTL_SCHEME_FMAX, FTL_SCHEME_LM,   FTL_SCHEME_BAST, FTL_SCHEME_FAST,
    FTL_SCHEME_SUPERBLOCK, FTL_SCHEME_KAST, FTL_SCHEME_LAST, FTL_SCHEME_SAST};

/// kast and last have options of their own.
inline void with_localities(boot_params& p, std::uint32_t logs)
{
    const bool last = p.ftl.scheme == FTL_SCHEME_LAST;
    p.map.log_blocks = last && logs < 2 ? 2 : logs;
    p.map.placed.associativity = last ? 0 : 2;
    p.map.placed.stream_bytes = last ? 4 * 512 : 0;
    p.map.placed.stream_blocks = last ? (logs + 1) / 2 : 0;
    p.map.placed.hot_blocks = last ? 1 : 0;
    p.map.placed.hot_window = last ? 4 * logs : 0;
    p.map.placed.hot_adapts = last ? 1 : 0;
}

/// The options of a scheme, with which the examples are worked.
inline void with_scheme(ram_config& c, ftl_scheme_id scheme)
{
    boot_params& p = c.params;
    p.ftl.scheme = scheme;
    p.ftl.stripe = STRIPE_BLOCK;
    p.ftl.map_unit = p.geometry.page_size;
    const bool group = scheme == FTL_SCHEME_SUPERBLOCK; // which needs no more than pages in order
    p.map.placed.page_order = group ? PAGE_ORDER_SEQUENTIAL : PAGE_ORDER_ANY;
    c.any_order = !group;
    p.map.placed.spare_pages = scheme == FTL_SCHEME_MSBS ? p.geometry.pages_per_block / 2 : 0;
    p.map.placed.moving_blocks = scheme == FTL_SCHEME_LM ? 1 : 0;
    p.map.placed.eager_close = scheme == FTL_SCHEME_LM ? 1 : 0;
    p.map.placed.partial_merge = scheme == FTL_SCHEME_BAST || scheme == FTL_SCHEME_FAST ? 1 : 0;
    p.map.log_blocks = scheme == FTL_SCHEME_BAST || scheme == FTL_SCHEME_FAST || group ? 1 : 0;
    p.map.placed.superblock_blocks = group ? 2 : 0;
    p.map.placed.update_blocks = group ? 1 : 0;
    if (scheme == FTL_SCHEME_KAST || scheme == FTL_SCHEME_LAST) {
        with_localities(p, 1);
    }
    if (scheme == FTL_SCHEME_SAST) {
        p.map.log_blocks = 1;
        p.map.placed.associativity = 2;
        p.map.placed.update_blocks = 1;
    }
}

/// One LUN, blocks of 4 units. Nothing is buffered: a write is on the flash before the next one.
inline ram_config by_hand_of(ftl_scheme_id scheme)
{
    ram_config c = one_plane();
    boot_params& p = c.params;
    p.geometry.pages_per_block = 4;
    p.geometry.blocks_per_plane = 96;
    p.ftl.user_units = 40;
    p.cache.policy = CACHE_POLICY_NONE;
    p.cache.capacity = 0;
    with_scheme(c, scheme);
    return c;
}

/// msbs by hand: logical blocks of 4 units, and so many spare pages besides.
inline ram_config msbs_of(std::uint32_t spare)
{
    ram_config c = by_hand_of(FTL_SCHEME_MSBS);
    c.params.geometry.pages_per_block = 4 + spare;
    c.params.map.placed.spare_pages = spare;
    return c;
}

/// 4 LUNs of 2 planes and a buffer; the last logical block is short.
inline ram_config whole_of(ftl_scheme_id scheme)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    with_scheme(c, scheme);
    p.map.placed.spare_pages = scheme == FTL_SCHEME_MSBS ? p.geometry.pages_per_block / 4 : 0;
    p.map.placed.moving_blocks = scheme == FTL_SCHEME_LM ? 3 : 0;
    p.map.log_blocks = p.map.log_blocks != 0 ? 6 : 0;
    p.map.placed.superblock_blocks = scheme == FTL_SCHEME_SUPERBLOCK ? 4 : 0;
    p.map.placed.update_blocks =
        scheme == FTL_SCHEME_SUPERBLOCK || scheme == FTL_SCHEME_SAST ? 2 : 0;
    if (scheme == FTL_SCHEME_KAST || scheme == FTL_SCHEME_LAST) {
        with_localities(p, 6);
        p.map.placed.stream_bytes = scheme == FTL_SCHEME_LAST ? 2 * p.ftl.map_unit : 0;
    }
    p.ftl.user_units = 60 * p.geometry.pages_per_block - 3;
    p.cache.capacity = 48ull * p.ftl.map_unit;
    return c;
}

struct cost { // of the algorithm, as the sheet counts it: host programs among W
    std::uint64_t r, w, e;
    bool operator==(const cost& o) const { return r == o.r && w == o.w && e == o.e; }
};

inline std::ostream& operator<<(std::ostream& os, const cost& c)
{
    return os << "R " << c.r << " W " << c.w << " E " << c.e;
}

/// What the flash did, which is what the firmware says it did.
inline cost cost_of(const drive& d)
{
    const auto& merge = d.nand.count(FLASH_PURPOSE_MERGE);
    const auto& host = d.nand.count(FLASH_PURPOSE_HOST);
    const telemetry& t = d.nand.counters();
    CHECK(merge.reads == t.copy_page_reads);
    CHECK(merge.programs == t.copy_page_writes);
    CHECK(host.programs == t.host_units_written);
    CHECK(host.reads == t.host_page_reads);
    CHECK(merge.erases == t.erases_data + t.erases_log);
    return {merge.reads, host.programs + merge.programs, merge.erases};
}

using unit_list = std::vector<std::uint64_t>;

/// The units, one behind the other, and those again that a list of last ones says.
inline unit_list up_to(std::uint64_t last, const unit_list& then)
{
    unit_list units;
    for (std::uint64_t unit = 0; unit <= last; ++unit) {
        units.push_back(unit);
    }
    units.insert(units.end(), then.begin(), then.end());
    return units;
}

inline cost cost_of(const ram_config& c, const unit_list& units)
{
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    write_units(d, units);
    all_right(d);
    return cost_of(d);
}

} // namespace ssdvp::test
