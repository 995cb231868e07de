// SPDX-License-Identifier: Apache-2.0
//
// The buffer.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/regs/choices/bplru_reading.h"
#include "platform/config/boxed_value.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/cache.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"
#include "platform/config/schemes/scheme_part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;

/// Acts with policies that have the flags.
option with_policy(option o, std::uint32_t flags,
                   const char* remedy = "leave it out, or change cache.policy")
{
    return acts_when<ssd_config>(
        std::move(o), [flags](const ssd_config& c) { return buffer_has(c, flags); },
        "cache.policy is " + names_of<cache_policy>(flags), remedy);
}

value_spec sectors_of(std::uint64_t min, std::uint64_t max)
{
    value_spec spec = size_of(min, max);
    spec.multiple_of = 512;
    return spec;
}

std::vector<option> policy_options()
{
    return {
        with_policy(
            make_option<ssd_config>(
                {"cache.window", "0.25",
                 "share of the buffer, used the longest ago, whose clean units leave first"},
                real_of(value_kind::fraction, 0.0, 1.0), FIELD(cache->window)),
            CACHE_PREFERS_CLEAN),
        with_policy(
            make_option<ssd_config>(
                {"cache.window_mode", "static",
                 "static: cache.window stays; adaptive: it moves to where reads and programs "
                 "that misses cause take the least time"},
                words({{"static", static_cast<int>(cache_window::fixed)},
                       {"adaptive", static_cast<int>(cache_window::adaptive)}}),
                FIELD(cache->window_mode)),
            CACHE_PREFERS_CLEAN),
        with_policy(make_option<ssd_config>(
                        {"cache.group", "", "bytes of a logical block, whose units leave together",
                         "what ftl.scheme maps as a block, else an erase block"},
                        sectors_of(512, GiB), FIELD(cache->group)),
                    CACHE_GROUPS),
        with_policy(make_option<ssd_config>(
                        {"cache.padding", "true",
                         "units that a block lacks are read and programmed with it, in order"},
                        flag(), FIELD(cache->padding)),
                    CACHE_PADS),
        with_policy(make_option<ssd_config>(
                        {"cache.compensation", "true",
                         "a block that was written whole and in order leaves before the others"},
                        flag(), FIELD(cache->compensation)),
                    CACHE_PADS),
        with_policy(make_option<ssd_config>(
                        {"cache.bplru.victim", "another",
                         "block that leaves for a new unit: another than the unit's own, or the "
                         "one written the longest ago, whichever that is"},
                        words({{"another", static_cast<int>(bplru_victim::another)},
                               {"oldest", static_cast<int>(bplru_victim::oldest)}}),
                        FIELD(cache->victim)),
                    CACHE_PADS),
        with_policy(make_option<ssd_config>(
                        {"cache.bplru.rewrite", "continues",
                         "what writing the last unit of a block in order again does to that order"},
                        words({{"continues", static_cast<int>(bplru_rewrite::continues)},
                               {"ends", static_cast<int>(bplru_rewrite::ends)}}),
                        FIELD(cache->rewrite)),
                    CACHE_PADS),
    };
}

std::vector<option> cache_options()
{
    std::vector<option> table = {basic(make_option<ssd_config>(
        {"cache.policy", "wo_lru",
         "buffer in DRAM; wo_lru: of what was written, until it is on the flash; rw_lru: of "
         "what was written or read, least recently used out first; rw_cflru: clean units "
         "first; fab: the logical block with the most units first; bplru: of what was written, "
         "the logical block that was written the longest ago first"},
        words_of<cache_policy>(), FIELD(cache->policy)))};
    option capacity = basic(
        make_option<ssd_config>({"cache.capacity", "32MiB",
                                 "DRAM for the buffer; not given, it is doubled until word lines "
                                 "of two passes fit"},
                                sectors_of(512, TiB), FIELD(cache->capacity)));
    table.push_back(with_policy(std::move(capacity), CACHE_BUFFERS, "")); // presets have one
    append(table, policy_options());
    option dirty = make_option<ssd_config>(
        {"cache.dirty_limit", "0",
         "share of the buffer that may be dirty; 1: a unit leaves when another one needs its "
         "place, "
         "and what is on its way to the flash has DRAM besides; 0: what keeps the LUNs busy stays "
         "free"},
        real_of(value_kind::fraction, 0.0, 1.0), FIELD(cache->dirty_limit));
    table.push_back(with_policy(std::move(dirty), CACHE_BUFFERS));
    option idle = make_option<ssd_config>(
        {"cache.flush_idle", "0s",
         "dirty units are programmed when the host has sent nothing for so long; 0 = never"},
        time_of(0, 1000 * s), FIELD(cache->flush_idle));
    table.push_back(with_policy(std::move(idle), CACHE_BUFFERS));
    option unit = make_option<ssd_config>(
        {"cache.granularity", "sector",
         "what the buffer knows of a unit; sector: which of its sectors it has, what lacks is read "
         "when the unit leaves or is read; page: a unit that is written or read in part is "
         "completed at once"},
        words({{"sector", static_cast<int>(cache_unit::sector)},
               {"page", static_cast<int>(cache_unit::page)}}),
        FIELD(cache->granularity));
    table.push_back(with_policy(std::move(unit), CACHE_BUFFERS));
    option ahead = basic(make_option<ssd_config>(
        {"cache.read_ahead", "0B",
         "bytes that are read into the buffer ahead of each sequential stream of reads; 0 = none"},
        sectors_of(0, GiB), FIELD(cache->read_ahead)));
    table.push_back(with_policy(std::move(ahead), CACHE_KEEPS_READS));
    return table;
}

constexpr std::uint64_t group_units_most = 1u << 20;
constexpr std::uint64_t slots_most = (1u << 27) - 1; // that the tag of a move can name

void check_group(const rejection& reject, const ssd_config& c)
{
    const std::uint64_t unit = c.ftl.map_unit;
    if (c.cache->group % unit != 0) {
        reject("cache.group",
               fmt::format("{} bytes are no multiple of ftl.map_unit", c.cache->group),
               fmt::format("use a multiple of {}B", unit));
    }
    if (c.cache->group / unit > group_units_most) {
        reject(
            "cache.group",
            fmt::format("{} units in a group, {} at most", c.cache->group / unit, group_units_most),
            fmt::format("use {}B or less", group_units_most * unit));
    }
}

void check_read_ahead(const rejection& reject, const ssd_config& c)
{
    const std::uint64_t most = c.cache->capacity / 2;
    if (c.cache->read_ahead % c.ftl.map_unit != 0) {
        reject("cache.read_ahead",
               fmt::format("{} bytes are no multiple of ftl.map_unit", c.cache->read_ahead),
               fmt::format("use a multiple of {}B", c.ftl.map_unit));
    }
    if (c.cache->read_ahead > most) {
        reject("cache.read_ahead",
               fmt::format("{} bytes are more than half of cache.capacity", c.cache->read_ahead),
               fmt::format("use {}B or less, or more cache.capacity", most));
    }
}

void check_cache(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (c.cache->dirty_limit > 0.0 && buffer_dirty_permille(c) == 0) {
        reject("cache.dirty_limit", "firmware counts it in thousandths", "use 0.001 or more, or 0");
    }
    if (buffer_slots(c) > slots_most) {
        reject(
            "cache.capacity",
            fmt::format("{} units of {}B, {} at most", buffer_slots(c), c.ftl.map_unit, slots_most),
            fmt::format("use {}GiB or less, or a larger ftl.map_unit",
                        (slots_most * c.ftl.map_unit) >> 31));
    }
    if (groups_buffer(c)) {
        check_group(reject, c);
    }
    if (c.cache->read_ahead != 0) {
        check_read_ahead(reject, c);
    }
}

} // namespace

bool buffer_has(const ssd_config& c, std::uint32_t flags)
{
    return (flags_of(c.cache->policy) & flags) == flags;
}

bool buffer_keeps(const ssd_config& c)
{
    return buffer_has(c, CACHE_KEEPS_READS);
}

bool groups_buffer(const ssd_config& c)
{
    return buffer_has(c, CACHE_GROUPS);
}

std::uint64_t write_units_buffered(const ssd_config& c)
{
    return std::uint64_t{4} * c.ftl_cores;
}

std::uint64_t buffer_bytes_needed(const ssd_config& c)
{
    return write_units_buffered(c) * write_unit_bytes(c) + buffer_for_passes(c);
}

std::uint32_t buffer_dirty_permille(const ssd_config& c)
{
    return static_cast<std::uint32_t>(std::lround(c.cache->dirty_limit * 1000.0));
}

bool buffer_is_staged(const ssd_config& c)
{
    return groups_buffer(c) || buffer_has(c, CACHE_PREFERS_CLEAN) ||
           (c.cache->policy == cache_policy::rw_lru && buffer_dirty_permille(c) != 0);
}

std::uint64_t buffer_group_units(const ssd_config& c)
{
    const std::uint64_t page_units = c.channel.die.geo.page_size / c.ftl.map_unit;
    const std::uint64_t pages = places_pages(c) ? home_pages(c) : block_pages(c);
    return std::max<std::uint64_t>(pages * page_units, 1);
}

namespace {

/// firmware/buffer/policy.c: what keeps the LUNs busy.
std::uint64_t spare_slots(const ssd_config& c, std::uint64_t slots)
{
    const std::uint64_t group = std::max<std::uint64_t>(group_units(c), 1);
    const std::uint64_t unit =
        c.ftl.multi_plane ? group : c.channel.die.geo.page_size / c.ftl.map_unit;
    const std::uint64_t luns =
        planes_are_apart(c) ? place_lanes(c) : std::uint64_t{c.channels} * c.channel.luns;
    const std::uint64_t held =
        pages_between_passes(c) * (c.ftl.multi_plane ? 1 : superblock_planes(c));
    const std::uint64_t programs = std::max<std::uint64_t>(lun_programs(c), held);
    return std::min(luns * std::max(unit * programs, group), slots / 2);
}

} // namespace

std::uint64_t buffer_held(const ssd_config& c)
{
    if (!buffer_has(c, CACHE_BUFFERS)) {
        return 0;
    }
    const std::uint64_t group = std::max<std::uint64_t>(group_units(c), 1);
    const std::uint64_t slots = std::max(4 * group, c.cache->capacity / c.ftl.map_unit);
    const std::uint64_t permille = buffer_dirty_permille(c);
    return permille != 0 ? slots * permille / 1000 : slots - spare_slots(c, slots);
}

/// firmware/buffer/wo_lru.c and residents.c
std::uint64_t buffer_slots(const ssd_config& c)
{
    const std::uint64_t group = std::max<std::uint64_t>(group_units(c), 1);
    if (!buffer_has(c, CACHE_BUFFERS)) {
        return 4 * (planes_are_apart(c) ? place_lanes(c) : superblock_luns(c)) * group;
    }
    const std::uint64_t slots = std::max(4 * group, c.cache->capacity / c.ftl.map_unit);
    const std::uint64_t permille = buffer_dirty_permille(c);
    if (permille == 0) {
        return slots;
    }
    std::uint64_t spare = spare_slots(c, slots);
    if (buffer_is_staged(c)) {
        const bool pads = buffer_has(c, CACHE_PADS) && c.cache->padding;
        spare = std::max(std::min((pads ? 4 : 2) * spare, slots / 2), 2 * group);
    }
    const std::uint64_t dirty = std::max<std::uint64_t>(slots * permille / 1000, 1);
    return std::max((buffer_keeps(c) ? slots : dirty) + spare, slots);
}

namespace {

void complete_cache(const raw_tree& raw, ssd_config& c, preset_fit& fit)
{
    if (!is_given(raw, "cache.capacity")) {
        c.cache->capacity = doubled_to("cache.capacity", c.cache->capacity, buffer_bytes_needed(c));
    }
    if (!buffer_has(c, CACHE_BUFFERS)) {
        c.cache->capacity = 0;
    }
    fit.buffer(c);
    if (!is_given(raw, "cache.group")) {
        c.cache->group = buffer_group_units(c) * c.ftl.map_unit;
    }
}

void check_buffer(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const std::uint64_t least = buffer_bytes_needed(c);
    if (buffer_has(c, CACHE_BUFFERS) && c.cache->capacity < least) {
        reject({"cache.capacity", "cache.policy", "nand.page_size", "nand.planes"},
               fmt::format("{} holds less than {} write units of {}",
                           told(raw, c, "cache.capacity"), write_units_buffered(c),
                           format_size(write_unit_bytes(c))),
               fmt::format("use {} or more, or cache.policy: none", format_size(least)));
    }
}

void check_cache_keys(const raw_tree& raw, const ssd_config& c)
{
    check_cache(raw, c);
    check_buffer(raw, c);
}

/// Mean time of a program in sixteenths of that of a read, at least one.
std::uint32_t program_cost(const ssd_config& c)
{
    const auto mean = [](const std::vector<sim_time>& times) {
        std::uint64_t sum = 0;
        for (const sim_time& t : times) {
            sum += t.ps();
        }
        return std::max<std::uint64_t>(sum / times.size(), 1);
    };
    const flash::array_timing t = part_as_built(c).timing;
    const auto pages = static_cast<std::size_t>(c.channel.die.cell);
    const sim_time passes = flash::pass_time(t, pages, false) + flash::pass_time(t, pages, true);
    const std::uint64_t program = c.channel.die.two_pass ? passes.ps() / pages : mean(t.tPROG);
    const std::uint64_t cost = program * 16 / mean(t.tR);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(cost, 1, 1u << 20));
}

/// What a policy does not have is 0.
void fill_cache(boot_params& p, const ssd_config& c)
{
    const cache_config& of = *c.cache;
    p.cache.policy = value_of(of.policy);
    p.cache.capacity = of.capacity;
    boot_cache& b = p.cache;
    b.dirty_permille = buffer_dirty_permille(c);
    b.group_units = groups_buffer(c) ? static_cast<std::uint32_t>(of.group / c.ftl.map_unit) : 0;
    if (buffer_has(c, CACHE_PREFERS_CLEAN)) {
        b.window_permille = permille(of.window);
        b.window_adapts = of.window_mode == cache_window::adaptive ? 1 : 0;
        b.program_cost = program_cost(c);
    }
    const bool pads = buffer_has(c, CACHE_PADS);
    b.padding = pads && of.padding ? 1 : 0;
    b.compensation = pads && of.compensation ? 1 : 0;
    b.readings = !pads ? 0
                       : (of.victim == bplru_victim::oldest ? BPLRU_OWN_LEAVES : 0) |
                             (of.rewrite == bplru_rewrite::ends ? BPLRU_REWRITE_ENDS : 0);
    // One log block that takes pages in order has place for one block that leaves.
    b.side_by_side = pads && scheme_has(c, SCHEME_ONE_IN_ORDER) ? 1 : 0;
    b.whole_units = of.granularity == cache_unit::page ? 1 : 0;
    b.idle_ns = of.flush_idle.ps() / 1000;
    b.ahead_units = of.read_ahead / c.ftl.map_unit;
}

} // namespace

template class boxed<cache_config>;

const config_part parts::cache = {cache_options, complete_cache, check_cache_keys, fill_cache};

} // namespace ssdvp::platform
