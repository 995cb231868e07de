// SPDX-License-Identifier: Apache-2.0
//
// How much of a paged map is in memory.
#include <algorithm>
#include <cmath>

#include "models/regs/boot_params.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"

namespace ssdvp::platform {

namespace {

/// What comes into memory and leaves it as one.
struct map_pieces {
    std::uint64_t bytes = 0; // that each takes of ftl.map_cache
    std::uint64_t count = 0; // of the whole map
};

map_pieces pieces_of(const ssd_config& c)
{
    const auto of_map = [&c](std::uint64_t bytes) {
        return map_pieces{bytes, (whole_map_bytes(c) + bytes - 1) / bytes};
    };
    if (scheme_has(c, SCHEME_HAS_SEGMENTS)) {
        return of_map(segment_bytes(c));
    }
    return scheme_has(c, SCHEME_CACHES_PAGES) ? of_map(c.ftl.map_unit)
                                              : map_pieces{BOOT_MAP_CACHE_ENTRY, user_units(c)};
}

} // namespace

std::uint64_t map_cache_for(const ssd_config& c, double share)
{
    const map_pieces all = pieces_of(c);
    const auto count =
        static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all.count)));
    const std::uint64_t even = (count + c.ftl_cores - 1) / c.ftl_cores * c.ftl_cores;
    return std::max(even * all.bytes, map_has_frames(c) ? map_cache_least(c) : segment_bytes(c));
}

double map_share_held(const ssd_config& c)
{
    const map_pieces all = pieces_of(c);
    const std::uint64_t held =
        c.ftl.vm_segments != 0 ? c.ftl.vm_segments : c.ftl.map_cache / all.bytes;
    return all.count == 0
               ? 0.0
               : static_cast<double>(std::min(held, all.count)) / static_cast<double>(all.count);
}

} // namespace ssdvp::platform
