// SPDX-License-Identifier: Apache-2.0
//
// Options of shallow programs: what the part does with them, which writes of the host they are, and
// when firmware writes their data again.
#include "platform/config/choices.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

using namespace units;

constexpr std::uint64_t days = 86400 * s;
constexpr std::uint64_t days_max = 210; // 64 bits of picoseconds are 213

bool is_shallow(const ssd_config& c)
{
    return c.write == write_mode::shallow;
}

bool is_limited(const ssd_config& c)
{
    return is_shallow(c) && c.channel.die.shallow_retention != sim_time();
}

option only(option o, bool (*relevant)(const ssd_config&), const char* when)
{
    return acts_when<ssd_config>(std::move(o), relevant, when, "remove it");
}

/// What the part can do says nothing where nobody asks for it.
option only_asked(option o)
{
    return kept_when<ssd_config>(std::move(o), is_shallow, "write.mode is shallow");
}

option only_lasting(option o)
{
    return kept_when<ssd_config>(
        std::move(o),
        [](const ssd_config& c) {
            const flash::error_config& e = c.channel.die.errors;
            return is_limited(c) || (e.rber > 0.0 && e.retention > 0.0);
        },
        "write.mode is shallow and nand.shallow.retention is not 0s, or nand.errors.rber and "
        "nand.errors.retention are not 0");
}

std::vector<option> part_options()
{
    return {
        only_asked(
            make_option<ssd_config>({"nand.shallow.tPROG", "0s",
                                     "page program with less margin (write.mode: shallow); 0s: the "
                                     "part has none, or nand.shallow.speed_up says"},
                                    time_of(0, s), FIELD(channel.die.timing.tPROG_shallow))),
        only_asked(make_option<ssd_config>(
            {"nand.shallow.speed_up", "0",
             "nand.tPROG of a page over the time of its shallow program, "
             "instead of nand.shallow.tPROG; 0: not given"},
            real_of(value_kind::number, 0.0, 1000.0), FIELD(channel.die.timing.shallow_speed_up))),
        only_asked(make_option<ssd_config>(
            {"nand.shallow.retention", "0s",
             "how long a page that was programmed shallow can be read; beyond "
             "it no code corrects it; 0s: as long as any other page"},
            time_of(0, days_max * days), FIELD(channel.die.shallow_retention))),
        only_lasting(make_option<ssd_config>(
            {"nand.retention_speed", "1",
             "compressed time: retention that passes per simulated time, for "
             "nand.shallow.retention and, times nand.errors.retention_scale, "
             "for nand.errors.retention"},
            real_of(value_kind::number, 0.0, 1e12, true), FIELD(channel.die.retention_speed))),
    };
}

option only_limited(option o)
{
    return only(std::move(o), is_limited,
                "write.mode is shallow and nand.shallow.retention is not 0s");
}

option only_predicted(option o)
{
    return only(
        std::move(o),
        [](const ssd_config& c) {
            return is_shallow(c) && c.shallow.policy == shallow_policy::predicted;
        },
        "write.shallow.policy is predicted");
}

option small_option()
{
    return only(
        make_option<ssd_config>({"write.shallow.small", "16KiB", "longest command that is small"},
                                size_of(512, 1ull << 30), FIELD(shallow.small)),
        [](const ssd_config& c) {
            return is_shallow(c) && c.shallow.policy == shallow_policy::small_requests;
        },
        "write.shallow.policy is small_requests");
}

option policy_option()
{
    return only(
        make_option<ssd_config>(
            {"write.shallow.policy", "all",
             "which writes of the host are shallow; small_requests: those of commands up to "
             "write.shallow.small; predicted: of regions whose data are overwritten in time; none: "
             "all are deep"},
            words_of<shallow_policy>(), FIELD(shallow.policy)),
        is_shallow, "write.mode is shallow");
}

bool rewrites(const ssd_config& c)
{
    return is_limited(c) && c.shallow.rewrite && c.shallow.policy != shallow_policy::none;
}

/// To write data again in time, or to learn which live long.
bool looks_at_ages(const ssd_config& c)
{
    return rewrites(c) || (is_limited(c) && c.shallow.policy == shallow_policy::predicted);
}

std::vector<option> rewrite_options()
{
    return {
        only(make_option<ssd_config>({"write.shallow.retention", "",
                                      "how long firmware takes shallow pages to be readable",
                                      "nand.shallow.retention"},
                                     time_of(0, days_max * days), FIELD(shallow.retention)),
             looks_at_ages,
             "write.mode is shallow, nand.shallow.retention is not 0s, write.shallow.policy is "
             "not none, and write.shallow.rewrite is true or the policy is predicted"),
        only(make_option<ssd_config>({"write.shallow.margin", "0.1",
                                      "data are written again, deep, this share of "
                                      "write.shallow.retention before it ends; "
                                      "the host goes first during the first half of it"},
                                     real_of(value_kind::fraction, 0.02, 0.9),
                                     FIELD(shallow.margin)),
             rewrites,
             "write.mode is shallow, nand.shallow.retention is not 0s, write.shallow.policy is "
             "not none, and write.shallow.rewrite is true"),
        only_limited(make_option<ssd_config>(
            {"write.shallow.rewrite", "true",
             "data that outlive the retention of shallow pages are written again in time; false: "
             "they are lost"},
            flag(), FIELD(shallow.rewrite))),
    };
}

std::vector<option> predictor_options()
{
    return {
        only_predicted(make_option<ssd_config>(
            {"write.shallow.regions", "4096",
             "regions of neighbouring map units that the predictor tells apart"},
            count_of(1, 1u << 24), FIELD(shallow.regions))),
        only_predicted(make_option<ssd_config>(
            {"write.shallow.threshold", "",
             "share of a region's shallow units that may outlive their retention before its writes "
             "go deep",
             "break-even: (tPROG - shallow) / (tPROG + tR), means"},
            real_of(value_kind::fraction, 0.0, 1.0), FIELD(shallow.threshold))),
    };
}

} // namespace

std::vector<option> shallow_options()
{
    std::vector<option> table = part_options();
    table.push_back(policy_option());
    table.push_back(small_option());
    append(table, rewrite_options());
    append(table, predictor_options());
    return table;
}

} // namespace ssdvp::platform
