// SPDX-License-Identifier: Apache-2.0
//
// A map of which a part is in memory, and its checkpoints.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/regs/boot_params.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

option checkpoint_interval_option()
{
    return make_option<ssd_config>(
        {"ftl.checkpoint_interval", "",
         "bytes programmed from one checkpoint of the maps to the next: what power-up has to read",
         "1/64 of the capacity, 16MiB at least, 8GiB at most; with nand.two_pass at least 16 times "
         "what waits for its fine pass"},
        size_of(64 * KiB, TiB), FIELD(ftl.checkpoint_interval));
}

std::vector<option> map_options()
{
    return {
        make_option<ssd_config>(
            {"ftl.map_cache", "",
             "bytes of DRAM for the cached part of the map, where ftl.scheme pages it: 48 per "
             "entry "
             "of dftl, an erase block per segment of vm_map, map pages of log_set",
             "page_map: 0B; else 1/16 of the map: dftl and log_set 64KiB at least, log_set a map "
             "page per unit of a write unit, vm_map a segment"},
            size_of(0, TiB), FIELD(ftl.map_cache)),
        acts_when<ssd_config>(
            basic(make_option<ssd_config>(
                {"ftl.map_share", "0",
                 "share of the map that is to be in memory: ftl.map_cache is "
                 "as large as that takes; 0: it is given in bytes"},
                real_of(value_kind::fraction, 0.0, 1.0), FIELD(ftl.map_share))),
            [](const ssd_config& c) { return map_is_paged(c) && c.ftl.vm_segments == 0; },
            "ftl.scheme pages the map (dftl, vm_map, log_set), and ftl.vm_map.segments is 0",
            "use ftl.scheme: dftl, vm_map or log_set, or leave it out"),
    };
}

std::vector<option> paged_map_options()
{
    std::vector<option> table = map_options();
    append(table, scheme_options(SCHEME_PAGES_MAP));
    table.push_back(checkpoint_interval_option());
    return table;
}

void complete_map_cache(const raw_tree& raw, ssd_config& c)
{
    const bool given = raw.values.count("ftl.map_cache") != 0;
    if (c.ftl.map_share > 0.0 && map_is_paged(c)) {
        const std::uint64_t bytes = map_cache_for(c, c.ftl.map_share);
        if (given && c.ftl.map_cache != bytes) {
            rejection{raw}("ftl.map_share",
                           fmt::format("it asks for {}B, and {} is given", bytes,
                                       told(raw, c, "ftl.map_cache")),
                           "give one of both");
        }
        c.ftl.map_cache = bytes;
    } else if (!given && map_has_frames(c)) {
        c.ftl.map_cache = std::max(whole_map_bytes(c) / 16, c.ftl_cores * std::uint64_t{65536});
        if (scheme_has(c, SCHEME_CACHES_PAGES)) {
            c.ftl.map_cache = std::max(c.ftl.map_cache, map_cache_least(c));
        }
    } else if (!given && scheme_has(c, SCHEME_HAS_SEGMENTS)) {
        c.ftl.map_cache = std::max(whole_map_bytes(c) / 16, segment_bytes(c));
    }
}

void complete_map(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    complete_map_cache(raw, c);
    if (!is_given(raw, "ftl.checkpoint_interval")) {
        const std::uint64_t least =
            std::max<std::uint64_t>(16ull << 20, 16 * bytes_between_passes(c));
        c.ftl.checkpoint_interval = std::clamp<std::uint64_t>(
            logical_bytes(c) / 64, least, std::max<std::uint64_t>(least, 8ull << 30));
    }
}

void check_map(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (!map_is_paged(c) && c.ftl.map_cache != 0) {
        reject("ftl.map_cache",
               fmt::format("the whole map of {} lies in DRAM",
                           maps_blocks(c) || places_pages(c) ? "blocks" : "page_map"),
               "use ftl.scheme: dftl, vm_map or log_set, or leave it out");
    }
    if (map_has_frames(c) && c.ftl.map_cache < map_cache_least(c)) {
        reject("ftl.map_cache",
               fmt::format("{} bytes are too few for what maps a write unit", c.ftl.map_cache),
               fmt::format("use {}B or more", map_cache_least(c)));
    }
}

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

namespace {

void fill_map(boot_params& p, const ssd_config& c)
{
    p.map.cache = c.ftl.map_cache;
    p.map.checkpoint_units = std::max<std::uint64_t>(c.ftl.checkpoint_interval / c.ftl.map_unit, 1);
}

} // namespace

const config_part parts::map = {paged_map_options, complete_map, check_map, fill_map};

} // namespace ssdvp::platform
