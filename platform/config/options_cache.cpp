// SPDX-License-Identifier: Apache-2.0
//
// Options of the buffer.
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

using namespace units;

option with_policy(option o, bool (*relevant)(const ssd_config&), const char* when,
                   const char* remedy = "leave it out, or change cache.policy")
{
    return acts_when<ssd_config>(std::move(o), relevant, when, remedy);
}

bool buffers(const ssd_config& c)
{
    return buffer_has(c, CACHE_BUFFERS);
}
bool is_cflru(const ssd_config& c)
{
    return buffer_has(c, CACHE_PREFERS_CLEAN);
}
bool is_bplru(const ssd_config& c)
{
    return buffer_has(c, CACHE_PADS);
}

value_spec sectors_of(std::uint64_t min, std::uint64_t max)
{
    value_spec spec = size_of(min, max);
    spec.multiple_of = 512;
    return spec;
}

constexpr const char* any = "cache.policy is not none";

std::vector<option> policy_options()
{
    return {
        with_policy(
            make_option<ssd_config>(
                {"cache.window", "0.25",
                 "share of the buffer, used the longest ago, whose clean units leave first"},
                real_of(value_kind::fraction, 0.0, 1.0), FIELD(cache.window)),
            is_cflru, "cache.policy is rw_cflru"),
        with_policy(
            make_option<ssd_config>(
                {"cache.window_mode", "static",
                 "static: cache.window stays; adaptive: it moves to where reads and programs "
                 "that misses cause take the least time"},
                words({{"static", static_cast<int>(cache_window::fixed)},
                       {"adaptive", static_cast<int>(cache_window::adaptive)}}),
                FIELD(cache.window_mode)),
            is_cflru, "cache.policy is rw_cflru"),
        with_policy(make_option<ssd_config>(
                        {"cache.group", "", "bytes of a logical block, whose units leave together",
                         "what ftl.scheme maps as a block, else an erase block"},
                        sectors_of(512, GiB), FIELD(cache.group)),
                    groups_buffer, "cache.policy is fab or bplru"),
        with_policy(make_option<ssd_config>(
                        {"cache.padding", "true",
                         "units that a block lacks are read and programmed with it, in order"},
                        flag(), FIELD(cache.padding)),
                    is_bplru, "cache.policy is bplru"),
        with_policy(make_option<ssd_config>(
                        {"cache.compensation", "true",
                         "a block that was written whole and in order leaves before the others"},
                        flag(), FIELD(cache.compensation)),
                    is_bplru, "cache.policy is bplru"),
        with_policy(make_option<ssd_config>(
                        {"cache.bplru.victim", "another",
                         "block that leaves for a new unit: another than the unit's own, or the "
                         "one written the longest ago, whichever that is"},
                        words({{"another", static_cast<int>(bplru_victim::another)},
                               {"oldest", static_cast<int>(bplru_victim::oldest)}}),
                        FIELD(cache.victim)),
                    is_bplru, "cache.policy is bplru"),
        with_policy(make_option<ssd_config>(
                        {"cache.bplru.rewrite", "continues",
                         "what writing the last unit of a block in order again does to that order"},
                        words({{"continues", static_cast<int>(bplru_rewrite::continues)},
                               {"ends", static_cast<int>(bplru_rewrite::ends)}}),
                        FIELD(cache.rewrite)),
                    is_bplru, "cache.policy is bplru"),
    };
}

} // namespace

std::vector<option> cache_options()
{
    std::vector<option> table;
    option capacity =
        make_option<ssd_config>({"cache.capacity", "32MiB",
                                 "DRAM for the buffer; not given, it is doubled until word lines "
                                 "of two passes fit"},
                                sectors_of(512, TiB), FIELD(cache.capacity));
    table.push_back(with_policy(std::move(capacity), buffers, any, "")); // presets have one
    append(table, policy_options());
    option dirty = make_option<ssd_config>(
        {"cache.dirty_limit", "0",
         "share of the buffer that may be dirty; 1: a unit leaves when another one needs its "
         "place, "
         "and what is on its way to the flash has DRAM besides; 0: what keeps the LUNs busy stays "
         "free"},
        real_of(value_kind::fraction, 0.0, 1.0), FIELD(cache.dirty_limit));
    table.push_back(with_policy(std::move(dirty), buffers, any));
    option idle = make_option<ssd_config>(
        {"cache.flush_idle", "0s",
         "dirty units are programmed when the host has sent nothing for so long; 0 = never"},
        time_of(0, 1000 * s), FIELD(cache.flush_idle));
    table.push_back(with_policy(std::move(idle), buffers, any));
    option unit = make_option<ssd_config>(
        {"cache.granularity", "sector",
         "what the buffer knows of a unit; sector: which of its sectors it has, what lacks is read "
         "when the unit leaves or is read; page: a unit that is written or read in part is "
         "completed at once"},
        words({{"sector", static_cast<int>(cache_unit::sector)},
               {"page", static_cast<int>(cache_unit::page)}}),
        FIELD(cache.granularity));
    table.push_back(with_policy(std::move(unit), buffers, any));
    option ahead = make_option<ssd_config>(
        {"cache.read_ahead", "0B",
         "bytes that are read into the buffer ahead of each sequential stream of reads; 0 = none"},
        sectors_of(0, GiB), FIELD(cache.read_ahead));
    table.push_back(with_policy(std::move(ahead), buffer_keeps,
                                "cache.policy keeps what was read: "
                                "rw_lru, rw_cflru or fab"));
    return table;
}

} // namespace ssdvp::platform
