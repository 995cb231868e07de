// SPDX-License-Identifier: Apache-2.0
//
// Options of the flash back end: part, bus, channels.
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

using namespace units;

bool suspends_erases(const ssd_config& c)
{
    return c.channel.die.suspend.kind != flash::suspend_kind::none;
}
bool suspends_programs(const ssd_config& c)
{
    return c.channel.die.suspend.programs;
}
bool has_safe_points(const ssd_config& c)
{
    return c.channel.die.suspend.kind == flash::suspend_kind::safe_point_static ||
           c.channel.die.suspend.kind == flash::suspend_kind::safe_point_dynamic;
}
/// Schemes that write the pages of a block in place.
bool programs_in_any_order(const ssd_config& c)
{
    return places_pages(c) && !groups_blocks(c);
}
/// Where it matters which page of its word line a page is.
bool tells_pages_apart(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    return die.timing.tR.size() > 1 || die.timing.tPROG.size() > 1 ||
           die.timing.tRSNAP.size() > 1 || die.one_pass || die.two_pass ||
           c.write == write_mode::slc || die.errors.rber > 0.0 || !c.read_levels.empty();
}
/// Of all pages of a word line but the last.
bool loads_latches(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    return (die.one_pass || die.two_pass) && die.cell != flash::cell_type::slc;
}
bool has_planes(const ssd_config& c)
{
    return c.channel.die.geo.planes > 1;
}

option or_own_firmware(option o)
{
    o.relevant_to_own = [](const ssd_config&) { return true; };
    return o;
}

/// Firmware of one's own may let its dies suspend what it likes.
option when_suspended(option o)
{
    return or_own_firmware(kept_when<ssd_config>(
        std::move(o),
        [](const ssd_config& c) { return suspends_erases(c) || suspends_programs(c); },
        "flash.suspend.policy is not none, or flash.suspend.programs is true"));
}

/// Of the pulse itself, where an erase stops at certain points of it.
option when_pulse_counts(option o)
{
    return or_own_firmware(
        kept_when<ssd_config>(std::move(o), has_safe_points,
                              "flash.suspend.policy is safe_point_static or safe_point_dynamic"));
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

option oob_option()
{
    option o = or_own_firmware(kept_when<ssd_config>(
        make_option<ssd_config>({"nand.oob_size", "", "spare bytes of a page",
                                 "138 for each KiB of nand.page_size, as 2208B for 16KiB"},
                                size_of(16, 16384), FIELD(channel.die.geo.oob_size)),
        [](const ssd_config& c) {
            const bool parity = c.channel.ecc_parity && c.channel.ecc.kind != flash::ecc_kind::none;
            return pages_need_a_code(c) || parity;
        },
        std::string(code_needed) + "; or flash.ecc_parity is true and flash.ecc.kind not none"));
    o.usual = [](const ssd_config& c) -> option_value { return std::uint64_t{usual_oob_size(c)}; };
    return o;
}

std::vector<option> geometry_options()
{
    using flash::cell_type;
    return {
        kept_when<ssd_config>(
            make_option<ssd_config>({"nand.cell", "tlc", "bits per cell"},
                                    words({{"slc", number(cell_type::slc)},
                                           {"mlc", number(cell_type::mlc)},
                                           {"tlc", number(cell_type::tlc)},
                                           {"qlc", number(cell_type::qlc)}}),
                                    FIELD(channel.die.cell)),
            tells_pages_apart,
            "nand.tR, nand.tPROG or nand.snap_read.tR has a time for each page of a word line, "
            "nand.one_pass or nand.two_pass is true, write.mode is slc, nand.read_levels is given, "
            "or nand.errors.rber is not 0"),
        make_option<ssd_config>({"nand.page_size", "16KiB", "data bytes of a page"},
                                size_out_of(powers_of_two(512, 65536)),
                                FIELD(channel.die.geo.page_size)),
        oob_option(),
        make_option<ssd_config>({"nand.pages_per_block", "144", "pages of a block"},
                                count_of(1, 65535), FIELD(channel.die.geo.pages_per_block)),
        or_own_firmware(kept_when<ssd_config>(
            make_option<ssd_config>(
                {"nand.page_order", "sequential",
                 "order in which the part lets firmware program the pages of an erased block: from "
                 "the first one on, where any other program is refused and a fault, or any, each "
                 "page once (small-block SLC parts)"},
                words_of<flash::page_order>(), FIELD(channel.die.order)),
            programs_in_any_order,
            "ftl.scheme is msbs, fmax, lm, bast, fast, kast, last or sast, or firmware of your "
            "own programs pages out of order")),
        make_option<ssd_config>({"nand.blocks_per_plane", "504", "blocks of a plane"},
                                count_of(4, 65536), FIELD(channel.die.geo.blocks_per_plane)),
        make_option<ssd_config>({"nand.planes", "4", "planes of a LUN"},
                                count_of(1, flash::max_planes), FIELD(channel.die.geo.planes)),
        kept_when<ssd_config>(make_option<ssd_config>(
                                  {"nand.independent_plane_reads", "false",
                                   "each plane reads by itself: it takes a read while other "
                                   "planes of its LUN read"},
                                  flag(), FIELD(channel.die.independent_plane_reads), leaves_state),
                              has_planes, "nand.planes is above 1"),
        make_option<ssd_config>(
            {"nand.endurance", "3000",
             "rated program/erase cycles of a block; an erase beyond them fails"},
            count_of(1, 10 * mega), FIELD(channel.die.endurance)),
        make_option<ssd_config>(
            {"nand.factory_bad_share", "0", "share of the blocks that are bad from the factory"},
            real_of(value_kind::fraction, 0.0, 0.2), FIELD(channel.die.factory_bad_share)),
    };
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
    return o;
}

std::vector<option> timing_options()
{
    return {
        loops_option(),
        make_option<ssd_config>(
            {"nand.tR", "74us",
             "page read, array to register; a list has one per page of a word line"},
            time_list_of(ns, s), FIELD(channel.die.timing.tR), leaves_state),
        make_option<ssd_config>(
            {"nand.tPROG", "1900us", "page program; a list has one per page of a word line"},
            time_list_of(ns, s), FIELD(channel.die.timing.tPROG), leaves_state),
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

/// Carried as steps by P/E cycles; none = the policy's own.
option safe_points_option()
{
    option o;
    o.key = "flash.suspend.safe_points";
    o.spec = count_of(1, 1000);
    o.spec.kind = value_kind::step_list;
    o.computed = "10 with safe_point_static; with safe_point_dynamic 30 up to 100 P/E cycles, "
                 "falling evenly to 10 at 1,000";
    o.about = "safe points per erase loop";
    o.set = [](ssd_config& c, const option_value& v) {
        auto& steps = c.channel.die.suspend.safe_points;
        steps.clear();
        for (const count_step& step : std::get<std::vector<count_step>>(v)) {
            steps.push_back({static_cast<std::uint32_t>(step.pe_cycles),
                             static_cast<std::uint32_t>(step.safe_points)});
        }
    };
    o.get = [](const ssd_config& c) {
        std::vector<count_step> steps;
        for (const auto& step : c.channel.die.suspend.safe_points) {
            steps.push_back({step.pe_cycles, step.safe_points});
        }
        return steps;
    };
    return when_pulse_counts(std::move(o));
}

std::vector<option> suspend_options()
{
    using flash::suspend_kind;
    return {
        make_option<ssd_config>(
            {"flash.suspend.policy", "none", "when a read may interrupt an erase"},
            words_of<flash::suspend_kind>(), FIELD(channel.die.suspend.kind)),
        safe_points_option(),
        make_option<ssd_config>(
            {"flash.suspend.programs", "false", "a read may interrupt a program between two loops"},
            flag(), FIELD(channel.die.suspend.programs)),
        when_suspended(
            make_option<ssd_config>({"flash.suspend.limit", "0",
                                     "suspends of one erase or program; 0: as many as asked for"},
                                    count_of(0, 100000), FIELD(channel.die.suspend.limit))),
        when_suspended(make_option<ssd_config>(
            {"flash.suspend.reads_per_stop", "64",
             "reads served before an erase or program resumes; 0: as long as "
             "any wait"},
            count_of(0, 65536), FIELD(channel.die.suspend.reads_per_stop))),
    };
}

std::vector<option> bus_options()
{
    using flash::data_interface;
    return {
        make_option<ssd_config>({"nand.interface.mode", "nv_ddr3", "ONFI data interface"},
                                words({{"sdr0", number(data_interface::sdr0)},
                                       {"sdr1", number(data_interface::sdr1)},
                                       {"sdr2", number(data_interface::sdr2)},
                                       {"sdr3", number(data_interface::sdr3)},
                                       {"sdr4", number(data_interface::sdr4)},
                                       {"sdr5", number(data_interface::sdr5)},
                                       {"nv_ddr", number(data_interface::nv_ddr)},
                                       {"nv_ddr2", number(data_interface::nv_ddr2)},
                                       {"nv_ddr3", number(data_interface::nv_ddr3)},
                                       {"nv_lpddr4", number(data_interface::nv_lpddr4)}}),
                                FIELD(channel.bus.mode), leaves_state),
        make_option<ssd_config>({"nand.interface.rate", "", "transfers per second on the x8 bus",
                                 "sdr0..5: that of the mode; nv_ddr: 200MT/s; nv_ddr2: 533MT/s; "
                                 "nv_ddr3: 667MT/s; nv_lpddr4: 2400MT/s"},
                                rate_of(value_kind::transfer_rate, mega, 10000 * mega),
                                FIELD(channel.bus.transfer_rate), leaves_state),
    };
}

std::vector<option> channel_options()
{
    using flash::arbiter_kind;
    return {
        make_option<ssd_config>({"flash.channels", "8", "flash channels"}, count_of(1, 64),
                                FIELD(channels)),
        make_option<ssd_config>({"flash.luns_per_channel", "4", "LUNs that share a channel's bus"},
                                count_of(1, 16), FIELD(channel.luns)),
        kept_when<ssd_config>( // a LUN alone keeps any order
            make_option<ssd_config>(
                {"flash.arbiter", "out_of_order", "order of operations on a channel"},
                words_of<flash::arbiter_kind>(), FIELD(channel.arbiter), leaves_state),
            [](const ssd_config& c) {
                return c.channel.luns > 1 || c.channel.arbiter == arbiter_kind::priorities;
            },
            "flash.luns_per_channel is above 1, or it is priorities"),
        kept_when<ssd_config>( // a LUN alone has its bus to itself
            make_option<ssd_config>({"flash.start_ready", "queued",
                                     "since when an operation's start counts as ready for the bus: "
                                     "since it is queued, or since its LUN is idle"},
                                    words({{"queued", number(flash::start_ready::queued)},
                                           {"idle", number(flash::start_ready::idle)}}),
                                    FIELD(channel.starts), leaves_state),
            [](const ssd_config& c) { return c.channel.luns > 1; },
            "flash.luns_per_channel is above 1"),
        kept_when<ssd_config>(
            make_option<ssd_config>(
                {"flash.age_limit", "5ms", "priorities: what has waited so long is passed no more"},
                time_of(1, 1000 * s), FIELD(channel.age_limit), leaves_state),
            [](const ssd_config& c) { return c.channel.arbiter == arbiter_kind::priorities; },
            "flash.arbiter is priorities"),
        kept_when<ssd_config>(make_option<ssd_config>(
                                  {"flash.join_planes", "false",
                                   "waiting operations on the same page of other planes become one "
                                   "multi-plane operation"},
                                  flag(), FIELD(channel.join_planes)),
                              has_planes, "nand.planes is above 1"),
        make_option<ssd_config>({"flash.use_cache", "false",
                                 "waiting reads and programs of a LUN follow each other by cache "
                                 "read and cache program"},
                                flag(), FIELD(channel.use_cache)),
        make_option<ssd_config>({"flash.queue_entries", "1024", "operations held per channel"},
                                count_of(2, 65536), FIELD(channel.queue_entries)),
        make_option<ssd_config>(
            {"flash.ecc_latency", "1us", "hard-decision decoding of a page's last codeword"},
            time_of(0, s), FIELD(channel.ecc_latency), leaves_state),
        make_option<ssd_config>({"flash.status_poll", "true",
                                 "read the status over the bus after each program and erase, and "
                                 "before the data of a plane while another one reads"},
                                flag(), FIELD(channel.status_poll), leaves_state),
        make_option<ssd_config>({"flash.status_poll_period", "0s",
                                 "busy LUNs are polled over the bus every so often; 0s: R/B# lines "
                                 "tell when they are ready"},
                                time_of(0, s), FIELD(channel.poll_period), leaves_state),
        kept_when<ssd_config>(
            make_option<ssd_config>({"flash.ecc_parity", "true",
                                     "data cross the bus as whole code words with their parity; "
                                     "false: data bytes alone"},
                                    flag(), FIELD(channel.ecc_parity), leaves_state),
            pages_have_code, code_exists),
        make_option<ssd_config>({"flash.spare_area", "interleaved",
                                 "where out-of-band bytes cross the bus: with the data, or behind "
                                 "the page's data, with a change of column where they do not "
                                 "follow"},
                                words({{"interleaved", number(flash::spare_layout::interleaved)},
                                       {"page_end", number(flash::spare_layout::page_end)}}),
                                FIELD(channel.spare)),
    };
}

} // namespace

std::vector<option> flash_options()
{
    std::vector<option> table = geometry_options();
    append(table, timing_options());
    append(table, bus_options());
    append(table, channel_options());
    append(table, suspend_options());
    return table;
}

} // namespace ssdvp::platform
