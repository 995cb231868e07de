// SPDX-License-Identifier: Apache-2.0
//
// Times of reads, programs and erases of a die.
#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;

/// Of all pages of a word line but the last.
bool loads_latches(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    return (die.one_pass || die.two_pass) && die.cell != flash::cell_type::slc;
}

/// Whether loops give the time of an erase, change with its block, or bound its suspends.
bool loops_count(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    const bool harmed = die.errors.rber > 0.0 && die.errors.suspend_gain > 0.0;
    return c.erase_loop_given || die.erase.loops_fresh != 0 || die.erase.loops_spread > 0.0 ||
           (suspends_erases(c) && die.suspend.kind != flash::suspend_kind::immediate) ||
           (suspends_erases(c) && harmed);
}

option loops_option()
{
    return or_own_firmware(kept_when<ssd_config>(
        make_option<ssd_config>({"flash.erase.loops", "1", "pulses (ISPE loops) of an erase"},
                                count_of(1, 64), FIELD(channel.die.erase.loops)),
        loops_count,
        "flash.erase.loop_time, loops_fresh or loops_spread is given, or flash.suspend.policy is "
        "neither none nor immediate, or it is immediate and nand.errors.rber and suspend_gain are "
        "not 0"));
}

option of_several_loops(option o)
{
    return kept_when<ssd_config>(
        std::move(o), [](const ssd_config& c) { return c.channel.die.erase.loops > 1; },
        "flash.erase.loops is above 1");
}

option when_cached(option o)
{
    return kept_when<ssd_config>(
        std::move(o), [](const ssd_config& c) { return c.channel.use_cache; },
        "flash.use_cache is true");
}

value_spec time_list_of(std::uint64_t min_ps, std::uint64_t max_ps)
{
    value_spec spec = time_of(min_ps, max_ps);
    spec.kind = value_kind::time_list;
    return spec;
}

/// tBERS is carried as loops * loop_time; the rules compute loop_time when it is not given.
option erase_time_option()
{
    option o;
    o.key = "nand.tBERS";
    o.spec = time_of(us, 10 * s);
    o.fallback = "15ms";
    o.about = "block erase without suspension: flash.erase.loops times flash.erase.loop_time";
    o.shapes = leaves_state;
    o.set = [](ssd_config& c, const option_value& v) {
        auto& e = c.channel.die.erase;
        e.loop_time = sim_time((std::get<sim_time>(v).ps() + e.loops - 1) / e.loops);
    };
    o.get = [](const ssd_config& c) {
        return c.channel.die.erase.loop_time * c.channel.die.erase.loops;
    };
    return basic(o);
}

std::vector<option> timing_options()
{
    return {
        loops_option(),
        basic(make_option<ssd_config>(
            {"nand.tR", "74us",
             "page read, array to register; a list has one per page of a word line"},
            time_list_of(ns, s), FIELD(channel.die.timing.tR), leaves_state)),
        basic(make_option<ssd_config>(
            {"nand.tPROG", "1900us", "page program; a list has one per page of a word line"},
            time_list_of(ns, s), FIELD(channel.die.timing.tPROG), leaves_state)),
        erase_time_option(),
        kept_when<ssd_config>(
            make_option<ssd_config>(
                {"nand.tDBSY", "500ns", "busy between planes of a multi-plane command"},
                time_of(0, ms), FIELD(channel.die.timing.tDBSY), leaves_state),
            [](const ssd_config& c) { return has_planes(c) || loads_latches(c); },
            "nand.planes is above 1, or nand.one_pass or nand.two_pass is true and nand.cell not "
            "slc"),
        when_cached(make_option<ssd_config>(
            {"nand.tRCBSY", "3us", "busy of a cache read: from data register to cache register"},
            time_of(0, ms), FIELD(channel.die.timing.tRCBSY), leaves_state)),
        when_cached(make_option<ssd_config>(
            {"nand.tCBSY", "3us", "busy of a cache program: from cache register to data register"},
            time_of(0, ms), FIELD(channel.die.timing.tCBSY), leaves_state)),
        or_own_firmware(kept_when<ssd_config>(
            make_option<ssd_config>({"nand.tRST", "5us", "reset of a LUN"}, time_of(0, s),
                                    FIELD(channel.die.timing.tRST), leaves_state),
            [](const ssd_config&) { return false; },
            "firmware of your own resets LUNs: the one that is built in does not")),
        make_option<ssd_config>(
            {"flash.erase.loop_time", "", "one pulse of an erase with its verify",
             "nand.tBERS / flash.erase.loops"},
            time_of(ns, 10 * s), FIELD(channel.die.erase.loop_time), leaves_state),
        when_suspended(make_option<ssd_config>(
            {"flash.erase.suspend_overhead", "100us",
             "suspend command until the array accepts a read (flash.suspend.policy)"},
            time_of(0, s), FIELD(channel.die.erase.suspend_overhead), leaves_state)),
        when_suspended(make_option<ssd_config>(
            {"flash.erase.resume_overhead", "0s",
             "resume command until the pulse goes on: its ramp"},
            time_of(0, s), FIELD(channel.die.erase.resume_overhead), leaves_state)),
        when_pulse_counts(make_option<ssd_config>(
            {"flash.erase.ramp", "0s", "begin of a loop until its first safe point may come"},
            time_of(0, s), FIELD(channel.die.erase.ramp), leaves_state)),
        when_pulse_counts(make_option<ssd_config>(
            {"flash.erase.recovery", "0s",
             "end of a loop without safe points: recovery and verify"},
            time_of(0, s), FIELD(channel.die.erase.recovery), leaves_state)),
        of_several_loops(
            make_option<ssd_config>({"flash.erase.loops_fresh", "0",
                                     "loops that a new block needs, growing with wear to "
                                     "flash.erase.loops at nand.endurance; 0: flash.erase.loops"},
                                    count_of(0, 64), FIELD(channel.die.erase.loops_fresh))),
        of_several_loops(make_option<ssd_config>(
            {"flash.erase.loops_spread", "0",
             "standard deviation of a block's loops: process variation"},
            real_of(value_kind::number, 0.0, 8.0), FIELD(channel.die.erase.loops_spread))),
        or_own_firmware(kept_when<ssd_config>(
            make_option<ssd_config>({"flash.program.loop_time", "100us",
                                     "one loop of a program (flash.suspend.programs)"},
                                    time_of(us, s), FIELD(channel.die.program_loop), leaves_state),
            suspends_programs, "flash.suspend.programs is true")),
    };
}

void complete_erase(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    c.erase_loop_given = is_given(raw, "flash.erase.loop_time");
}

void check_page_lists(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const auto bits = static_cast<std::size_t>(c.channel.die.cell);
    const auto one = [&](const char* key, std::size_t entries, const char* entry) {
        if (entries != 1 && entries != bits) {
            reject({key, "nand.cell"},
                   fmt::format("has {} {}s, but a word line has {} page{} with {}", entries, entry,
                               bits, bits == 1 ? "" : "s", told(raw, c, "nand.cell")),
                   bits == 1 ? fmt::format("write one {}", entry)
                             : fmt::format("write one {}, or {}", entry, bits));
        }
    };
    one("nand.tR", c.channel.die.timing.tR.size(), "time");
    one("nand.tPROG", c.channel.die.timing.tPROG.size(), "time");
    one("nand.snap_read.tR", c.channel.die.timing.tRSNAP.size(), "time");
    if (!c.channel.die.errors.page_factor.empty()) {
        one("nand.errors.page_factor", c.channel.die.errors.page_factor.size(), "number");
    }
}

void check_erase_loops(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const auto& e = c.channel.die.erase;
    if (e.loops_fresh > e.loops) {
        reject(
            {"flash.erase.loops_fresh", "flash.erase.loops"},
            fmt::format("a new block cannot need {} loops of at most {}", e.loops_fresh, e.loops),
            "lower flash.erase.loops_fresh or raise flash.erase.loops");
    }
    if (e.ramp + e.recovery >= e.loop_time) {
        reject({"flash.erase.ramp", "flash.erase.recovery"},
               fmt::format("ramp {} and recovery {} leave no execution in a loop of {}",
                           format_time(e.ramp), format_time(e.recovery), format_time(e.loop_time)),
               "shorten them");
    }
}

void check_erase_times(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const auto& e = c.channel.die.erase;
    const raw_entry* total = entry_of(raw, "nand.tBERS");
    if (total == nullptr || entry_of(raw, "flash.erase.loop_time") == nullptr) {
        return;
    }
    const option* o = find_option(option_table(), "nand.tBERS");
    const auto tBERS = std::get<sim_time>(parse_value(o->spec, total->items, total->is_list));
    // The pulse may be tBERS / loops rounded up to a whole picosecond.
    if (e.loop_time * e.loops < tBERS || tBERS + sim_time(e.loops - 1) < e.loop_time * e.loops) {
        reject("flash.erase.loop_time",
               fmt::format("{} loops of {} make {}, but nand.tBERS is {} ({})", e.loops,
                           format_time(e.loop_time), format_time(e.loop_time * e.loops),
                           format_time(tBERS), total->at.text()),
               "give one of the two, with `default` for the other");
    }
}

void check_timing(const raw_tree& raw, const ssd_config& c)
{
    check_page_lists(raw, c);
    check_erase_loops(raw, c);
    check_erase_times(raw, c);
}

} // namespace

const config_part parts::timing = {timing_options, complete_erase, check_timing};

} // namespace ssdvp::platform
