// SPDX-License-Identifier: Apache-2.0
//
// vm_map: drives whose swaps are counted by hand.
#pragma once

#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test {

/// A page is a unit of 512 bytes, so a map page has 128 entries and a block of 4 pages 512 of them:
/// units 0, 512 and 1024 lie in three segments. Nothing is buffered.
inline constexpr std::uint64_t per_segment = 512;

inline ram_config by_hand(std::uint32_t segments)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.geometry.channels = p.geometry.luns_per_channel = p.geometry.planes = 1;
    p.geometry.blocks_per_plane = 460;
    p.geometry.pages_per_block = 4;
    p.geometry.page_size = p.ftl.map_unit = 512;
    p.geometry.oob_size = 16;
    p.ftl.user_units = 3 * per_segment;
    p.cache.policy = CACHE_POLICY_NONE;
    p.cache.capacity = 0;
    p.host.mdts = 4096;
    p.map.checkpoint_units = 1u << 12;
    p.ftl.scheme = FTL_SCHEME_VM_MAP;
    p.map.segments = segments;
    return c;
}

/// ... whose segments have all been committed, and are all on the flash.
inline void write_segments(drive& d)
{
    d.create_queues();
    write_units(d, {0, per_segment, 2 * per_segment});
    shut_down(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 1);
    d.idle();
}

} // namespace ssdvp::test
