// SPDX-License-Identifier: Apache-2.0
//
// Keys of one entry of the list `raid`.
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

using namespace units;

using host::array_config;
using host::mirror_reads;
using host::raid_level;

raid_option level_option()
{
    raid_option o;
    o.key = "level";
    o.computed = "must be given";
    o.about = "0: chunks in turn on each drive; 1: every drive holds all";
    o.spec = count_of(0, 1);
    o.set = [](array_config& a, const option_value& v) {
        a.level = std::get<std::uint64_t>(v) == 0 ? raid_level::stripe : raid_level::mirror;
    };
    o.get = [](const array_config& a) -> option_value {
        return std::uint64_t{a.level == raid_level::stripe ? 0u : 1u};
    };
    return o;
}

/// A list, which is read apart: its words are names of drives.
raid_option drives_option()
{
    raid_option o;
    o.key = "drives";
    o.computed = "must be given";
    o.about = "its members: a list of 2 to 16 names out of `drives`, each in one array at most";
    o.spec = words_free();
    o.set = [](array_config&, const option_value&) {};
    o.get = [](const array_config&) -> option_value { return std::string(); };
    return o;
}

raid_option chunk_option()
{
    value_spec spec = size_of(4 * KiB, 16 * MiB);
    spec.multiple_of = 4 * KiB;
    raid_option o = make_option<array_config>(
        {"chunk", "64KiB", "bytes on one drive before the next one follows"}, spec, FIELD(chunk));
    o.relevant = [](const array_config& a) { return a.level == raid_level::stripe; };
    o.relevant_when = "level is 0";
    return o;
}

raid_option reads_option()
{
    raid_option o = make_option<array_config>(
        {"read_policy", "round_robin",
         "drive that a read goes to: each in turn, or the one with the fewest requests under way"},
        words({{"round_robin", static_cast<int>(mirror_reads::round_robin)},
               {"least_loaded", static_cast<int>(mirror_reads::least_loaded)}}),
        FIELD(reads));
    o.relevant = [](const array_config& a) { return a.level == raid_level::mirror; };
    o.relevant_when = "level is 1";
    return o;
}

} // namespace

const std::vector<raid_option>& raid_table()
{
    static const std::vector<raid_option> table = {
        make_option<array_config>({"name", "",
                                   "1 to 32 letters, digits, - and _; streams name it with `drive`",
                                   "must be given"},
                                  words_free(), FIELD(name)),
        level_option(), drives_option(), chunk_option(), reads_option()};
    return table;
}

} // namespace ssdvp::platform
