// SPDX-License-Identifier: Apache-2.0
//
// Flash channels: bus, LUNs, order of operations.
#include <fmt/format.h>

#include "models/flash/bus/interface_modes.h"
#include "models/regs/boot_params.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;
using flash::interface_rates, flash::rates_of;

std::vector<option> bus_options()
{
    using flash::data_interface;
    return {
        basic(make_option<ssd_config>({"nand.interface.mode", "nv_ddr3", "ONFI data interface"},
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
                                      FIELD(channel.bus.mode), leaves_state)),
        basic(make_option<ssd_config>(
            {"nand.interface.rate", "", "transfers per second on the x8 bus",
             "sdr0..5: that of the mode; nv_ddr: 200MT/s; nv_ddr2: 533MT/s; "
             "nv_ddr3: 667MT/s; nv_lpddr4: 2400MT/s"},
            rate_of(value_kind::transfer_rate, mega, 10000 * mega),
            FIELD(channel.bus.transfer_rate), leaves_state)),
    };
}

std::vector<option> controller_side_options()
{
    using flash::arbiter_kind;
    return {
        basic(make_option<ssd_config>({"flash.channels", "8", "flash channels"}, count_of(1, 64),
                                      FIELD(channels))),
        basic(make_option<ssd_config>(
            {"flash.luns_per_channel", "4", "LUNs that share a channel's bus"}, count_of(1, 16),
            FIELD(channel.luns))),
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

std::vector<option> channel_options()
{
    std::vector<option> table = bus_options();
    append(table, controller_side_options());
    return table;
}

void complete_channel(const raw_tree& raw, ssd_config& c, preset_fit& fit)
{
    if (!is_given(raw, "nand.interface.rate")) {
        c.channel.bus.transfer_rate = rate(rates_of(c.channel.bus.mode).usual);
    }
    fit.interface_rate(c);
}

void check_interface_rate(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const interface_rates legal = rates_of(c.channel.bus.mode);
    const std::uint64_t r = c.channel.bus.transfer_rate.per_second();
    if (r >= legal.min && r <= legal.max) {
        return;
    }
    const option* o = find_option(option_table(), "nand.interface.rate");
    const auto text = [&](std::uint64_t v) { return format_value(o->spec, v); };
    reject({"nand.interface.rate", "nand.interface.mode"},
           fmt::format("{} is not legal with {}", text(r), told(raw, c, "nand.interface.mode")),
           legal.min == legal.max
               ? fmt::format("leave it out: the mode runs at {}", text(legal.usual))
               : fmt::format("allowed is {}..{}", text(legal.min), text(legal.max)));
}

void check_sharing(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const std::pair<const char*, bool> choices[] = {{"flash.join_planes", c.channel.join_planes},
                                                    {"flash.use_cache", c.channel.use_cache}};
    for (const auto& [key, on] : choices) {
        if (on && keeps_order(c)) {
            reject({key, "flash.arbiter"},
                   fmt::format("operations that share a command sequence break the order that {} "
                               "keeps",
                               told(raw, c, "flash.arbiter")),
                   fmt::format("use flash.arbiter: out_of_order, or {}: false", key));
        }
    }
}

void check_channel(const raw_tree& raw, const ssd_config& c)
{
    check_interface_rate(raw, c);
    check_sharing(raw, c);
}

} // namespace

bool keeps_order(const ssd_config& c)
{
    return c.channel.arbiter == flash::arbiter_kind::sequential ||
           c.channel.arbiter == flash::arbiter_kind::interleaved;
}

namespace {

void fill_channel(boot_params& p, const ssd_config& c)
{
    p.geometry.channels = c.channels;
    p.geometry.luns_per_channel = c.channel.luns;
    p.flash.lun_programs = lun_programs(c);
}

} // namespace

const config_part parts::channel = {channel_options, complete_channel, check_channel, fill_channel};

} // namespace ssdvp::platform
