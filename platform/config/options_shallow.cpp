// SPDX-License-Identifier: Apache-2.0
//
// Options of shallow programs: what the part does with them, which writes of the host they are, and
// when firmware writes their data again.
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

#define FIELD(member)                                                                              \
    [](auto& c) -> auto&                                                                           \
    {                                                                                              \
        return c.member;                                                                           \
    }

namespace {

constexpr std::uint64_t ms = 1000ull * 1000 * 1000;
constexpr std::uint64_t s = 1000 * ms;
constexpr std::uint64_t days = 86400 * s;
constexpr std::uint64_t days_max = 210; // 64 bits of picoseconds are 213

std::vector<option> part_options()
{
    return {
        make_option<ssd_config>({"nand.shallow.tPROG", "0s",
                                 "page program with less margin (write.mode: shallow); 0s: the "
                                 "part has none, or nand.shallow.speed_up says"},
                                time_of(0, s), FIELD(channel.die.timing.tPROG_shallow)),
        make_option<ssd_config>({"nand.shallow.speed_up", "0",
                                 "nand.tPROG of a page over the time of its shallow program, "
                                 "instead of nand.shallow.tPROG; 0: not given"},
                                real_of(value_kind::number, 0.0, 1000.0),
                                FIELD(channel.die.timing.shallow_speed_up)),
        make_option<ssd_config>({"nand.shallow.retention", "0s",
                                 "how long a page that was programmed shallow can be read; beyond "
                                 "it no code corrects it; 0s: as long as any other page"},
                                time_of(0, days_max * days), FIELD(channel.die.shallow_retention)),
        make_option<ssd_config>({"nand.retention_speed", "1",
                                 "compressed time: retention that passes per simulated time, for "
                                 "nand.shallow.retention and, times nand.errors.retention_scale, "
                                 "for nand.errors.retention"},
                                real_of(value_kind::number, 0.0, 1e12, true),
                                FIELD(channel.die.retention_speed)),
    };
}

} // namespace

std::vector<option> shallow_options()
{
    std::vector<option> table = part_options();
    append(
        table,
        {
            make_option<ssd_config>(
                {"write.shallow.policy", "all",
                 "which writes of the host are shallow; small_requests: those of commands up to "
                 "write.shallow.small; predicted: of regions whose data are overwritten in time; "
                 "none: all are deep"},
                words({{"all", static_cast<int>(shallow_policy::all)},
                       {"small_requests", static_cast<int>(shallow_policy::small_requests)},
                       {"predicted", static_cast<int>(shallow_policy::predicted)},
                       {"none", static_cast<int>(shallow_policy::none)}}),
                FIELD(shallow.policy)),
            make_option<ssd_config>({"write.shallow.small", "16KiB",
                                     "longest command that is small (policy small_requests)"},
                                    size_of(512, 1ull << 30), FIELD(shallow.small)),
            make_option<ssd_config>({"write.shallow.retention", "",
                                     "how long firmware takes shallow pages to be readable",
                                     "nand.shallow.retention"},
                                    time_of(0, days_max * days), FIELD(shallow.retention)),
            make_option<ssd_config>({"write.shallow.margin", "0.1",
                                     "data are written again, deep, this share of "
                                     "write.shallow.retention before it ends; the host goes first "
                                     "during the first half of it"},
                                    real_of(value_kind::fraction, 0.02, 0.9),
                                    FIELD(shallow.margin)),
            make_option<ssd_config>({"write.shallow.rewrite", "true",
                                     "data that outlive the retention of shallow pages are "
                                     "written again in time; false: they are lost"},
                                    flag(), FIELD(shallow.rewrite)),
            make_option<ssd_config>({"write.shallow.regions", "4096",
                                     "regions of neighbouring map units that the predictor tells "
                                     "apart (policy predicted)"},
                                    count_of(1, 1u << 24), FIELD(shallow.regions)),
            make_option<ssd_config>({"write.shallow.threshold", "",
                                     "share of a region's shallow units that may outlive their "
                                     "retention before its writes go deep (policy predicted)",
                                     "break-even: (tPROG - shallow) / (tPROG + tR), means"},
                                    real_of(value_kind::fraction, 0.0, 1.0),
                                    FIELD(shallow.threshold)),
        });
    return table;
}

#undef FIELD

} // namespace ssdvp::platform
