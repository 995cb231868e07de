// SPDX-License-Identifier: Apache-2.0
//
// Memories of the controller: DRAM, whose standard gives the defaults of rate, organisation and
// times, and SRAM.
#include <cstring>

#include <fmt/format.h>

#include "models/dram/bank_timing.h"
#include "models/dram/standards.h"
#include "models/regs/boot_params.h"
#include "platform/config/boot_block.h"
#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;

constexpr const char* standard_has = "as dram.standard has it";

option of_model(dram::dram_model model, option o)
{
    return acts_when<ssd_config>(
        std::move(o), [model](const ssd_config& c) { return c.dram.model == model; },
        std::string("dram.model is ") + (model == dram::dram_model::bank ? "bank" : "bandwidth"),
        leave_default);
}

option of_banks(option o)
{
    return of_model(dram::dram_model::bank, std::move(o));
}

option standard_option()
{
    return kept_when<ssd_config>(
        make_option<ssd_config>(
            {"dram.standard", "ddr4", "gives rate, organisation, times and currents of the parts"},
            words({{"ddr3", static_cast<int>(dram::dram_standard::ddr3)},
                   {"ddr4", static_cast<int>(dram::dram_standard::ddr4)},
                   {"lpddr4", static_cast<int>(dram::dram_standard::lpddr4)},
                   {"lpddr5", static_cast<int>(dram::dram_standard::lpddr5)}}),
            FIELD(dram.standard), leaves_state),
        [](const ssd_config& c) {
            return c.dram.model == dram::dram_model::bank || !c.dram_rate_given || c.energy.any();
        },
        "dram.model is bank, dram.rate is not given, or energy is counted");
}

std::vector<option> dram_bus_options()
{
    return {
        basic(make_option<ssd_config>({"dram.capacity", "", "DRAM of the controller",
                                       "64MiB, doubled until map and write buffer fit"},
                                      whole_pages(1 * MiB, 1 * TiB), FIELD(dram.capacity))),
        make_option<ssd_config>(
            {"dram.model", "bandwidth",
             "one bus with a bandwidth and a latency, or the banks of a part with their rows, "
             "refreshes and commands"},
            words({{"bandwidth", static_cast<int>(dram::dram_model::bandwidth)},
                   {"bank", static_cast<int>(dram::dram_model::bank)}}),
            FIELD(dram.model), leaves_state),
        standard_option(),
        basic(make_option<ssd_config>({"dram.rate", "", "transfers per second of the DRAM bus",
                                       "of dram.standard: ddr3 1600MT/s, ddr4 3200MT/s, lpddr4 "
                                       "4266MT/s, lpddr5 6400MT/s"},
                                      rate_of(value_kind::transfer_rate, mega, 100000 * mega),
                                      FIELD(dram_rate), leaves_state)),
        make_option<ssd_config>({"dram.width", "32", "bits of the DRAM bus"},
                                count_out_of({8, 16, 32, 64}), FIELD(dram_width), leaves_state),
        of_model(dram::dram_model::bandwidth,
                 make_option<ssd_config>({"dram.efficiency", "0.8",
                                          "share of the peak bandwidth that random bursts reach"},
                                         real_of(value_kind::fraction, 0.0, 1.0, true),
                                         FIELD(dram.efficiency), leaves_state)),
        of_model(
            dram::dram_model::bandwidth,
            make_option<ssd_config>({"dram.latency", "50ns", "request until first data, unloaded"},
                                    time_of(0, s), FIELD(dram.latency), leaves_state)),
    };
}

std::vector<option> bank_options()
{
    return {
        of_banks(make_option<ssd_config>({"dram.banks", "", "banks of a part", standard_has},
                                         count_out_of({4, 8, 16, 32}), FIELD(dram.banks),
                                         leaves_state)),
        of_banks(make_option<ssd_config>(
            {"dram.row_size", "", "bytes of a bank's row over all of the bus",
             "as dram.standard has it: for 32 bits 4KiB"},
            size_out_of(powers_of_two(512, 64 * KiB)), FIELD(dram.row_size), leaves_state)),
        of_banks(make_option<ssd_config>(
            {"dram.page_policy", "open",
             "a row stays open until another one or a refresh needs its bank, or is closed with "
             "its last burst"},
            words({{"open", static_cast<int>(dram::page_policy::open)},
                   {"closed", static_cast<int>(dram::page_policy::closed)}}),
            FIELD(dram.policy), leaves_state)),
        of_banks(make_option<ssd_config>(
            {"dram.mapping", "row_bank_column",
             "addresses fill a row before they go to the next bank, or go to the next bank every "
             "dram.interleave bytes"},
            words(
                {{"row_bank_column", static_cast<int>(dram::address_mapping::row_bank_column)},
                 {"bank_interleaved", static_cast<int>(dram::address_mapping::bank_interleaved)}}),
            FIELD(dram.mapping), leaves_state)),
        of_banks(make_option<ssd_config>(
            {"dram.refresh_group", "1",
             "refreshes that are postponed to be done one after another"},
            count_of(1, 8, "no more may be postponed"), FIELD(dram.refresh_group), leaves_state)),
        of_banks(make_option<ssd_config>(
            {"dram.controller_latency", "20ns",
             "what a request takes through controller and PHY beside the commands"},
            time_of(0, s), FIELD(dram.controller_latency), leaves_state)),
    };
}

option interleave_option()
{
    option o = make_option<ssd_config>(
        {"dram.interleave", "512B",
         "bytes that go to a bank, or a pair where there are groups, "
         "before the next one"},
        size_out_of(powers_of_two(64, 64 * KiB)), FIELD(dram.interleave), leaves_state);
    return acts_when<ssd_config>(
        std::move(o),
        [](const ssd_config& c) {
            return c.dram.model == dram::dram_model::bank &&
                   c.dram.mapping == dram::address_mapping::bank_interleaved;
        },
        "dram.model is bank and dram.mapping is bank_interleaved", leave_default);
}

option timing_option(const dram::figure_name& figure)
{
    const std::string key = std::string("dram.timing.") + figure.name;
    const auto member = figure.member;
    option o = of_banks(make_option<ssd_config>(
        {key.c_str(), "", figure.about, standard_has},
        time_of(0, s / 1000), [member](auto& c) -> auto& { return c.dram.timing.*member; },
        leaves_state));
    if (key.compare(key.size() - 2, 2, "_L") == 0) {
        o.relevant = [](const ssd_config& c) {
            return c.dram.model == dram::dram_model::bank &&
                   dram::table_of(c.dram.standard).groups > 1;
        };
        o.relevant_when = "dram.model is bank and dram.standard has bank groups: ddr4, lpddr5";
    }
    return o;
}

std::vector<option> memory_options()
{
    std::vector<option> all = dram_bus_options();
    append(all, bank_options());
    all.push_back(interleave_option());
    for (const dram::figure_name& figure : dram::figures()) {
        all.push_back(timing_option(figure));
    }
    all.push_back(
        make_option<ssd_config>({"sram.capacity", "", "SRAM: rings and firmware's hot data",
                                 "4MiB, doubled until the rings fit"},
                                whole_pages(64 * KiB, 256 * MiB), FIELD(sram_size)));
    return all;
}

void organisation(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const dram::standard_table& table = dram::table_of(c.dram.standard);
    if (c.dram.width < table.part_width) {
        reject("dram.width",
               fmt::format("{} bits, but parts of {} have {}", c.dram.width, table.name,
                           table.part_width),
               fmt::format("use {} or more, or dram.model: bandwidth", table.part_width));
    }
    const std::uint32_t ways = dram::ways_of(c.dram.standard);
    const std::uint32_t least = dram::burst_of(c.dram.standard, c.dram.width) * ways;
    const bool interleaved = c.dram.mapping == dram::address_mapping::bank_interleaved;
    if (interleaved && (c.dram.interleave < least || c.dram.interleave > c.dram.row_size * ways)) {
        reject(
            "dram.interleave",
            fmt::format("{} is not between a burst and a row of the banks that take turns",
                        format_size(c.dram.interleave)),
            fmt::format("use {} to {}", format_size(least), format_size(c.dram.row_size * ways)));
    }
}

/// A time that another one covers would be a knob without effect.
void not_below(const raw_tree& raw, const ssd_config& c, const char* key, sim_time least,
               const char* why)
{
    const std::string full = std::string("dram.timing.") + key;
    for (const dram::figure_name& f : dram::figures()) {
        if (std::strcmp(f.name, key) == 0 && is_given(raw, full) &&
            c.dram.timing.*f.member < least) {
            rejection{raw}(
                full.c_str(),
                fmt::format("{} has no effect: {}", format_time(c.dram.timing.*f.member), why),
                fmt::format("use {} or more", format_time(least)));
        }
    }
}

/// Of the keys that decide how long things take, one that was given.
const char* blamed(const raw_tree& raw)
{
    for (const option& o : option_table()) {
        if (o.key.compare(0, 12, "dram.timing.") == 0 && is_given(raw, o.key)) {
            return o.key.c_str();
        }
    }
    return "dram.rate";
}

void times(const raw_tree& raw, const ssd_config& c)
{
    const dram::timing_figures& t = c.dram.timing;
    const dram::bank_timing grid(c.dram);
    not_below(raw, c, "tRC", t.tRAS + t.tRP, "dram.timing.tRAS and tRP take longer");
    not_below(raw, c, "tCCD", grid.burst, "a burst takes longer");
    if (grid.groups > 1) {
        not_below(raw, c, "tCCD_L", t.tCCD, "dram.timing.tCCD is longer");
        not_below(raw, c, "tRRD_L", t.tRRD, "dram.timing.tRRD is longer");
    }
    // A row must be opened, used and closed between two refreshes.
    const sim_time used = grid.open_for(1) + later(grid.read_to_close, grid.write_to_close);
    const sim_time open = later(grid.least_open, used);
    if (grid.refresh_period < grid.refresh + grid.figures.tRP + open + 2 * grid.clock) {
        rejection{raw}(
            blamed(raw),
            fmt::format("dram.timing.tREFI {} leaves no time between refreshes of tRFC {}",
                        format_time(t.tREFI), format_time(t.tRFC)),
            "use a longer dram.timing.tREFI, shorter other times, or a faster dram.rate");
    }
}

void complete_memory(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    dram::dram_config& d = c.dram;
    const dram::standard_table& table = dram::table_of(d.standard);
    c.dram_rate_given = is_given(raw, "dram.rate");
    if (!c.dram_rate_given) {
        c.dram_rate = table.transfers;
    }
    d.bandwidth = rate(c.dram_rate.per_second() * c.dram_width / 8);
    d.transfers = c.dram_rate;
    d.width = c.dram_width;
    if (!is_given(raw, "dram.banks")) {
        d.banks = table.banks;
    }
    if (!is_given(raw, "dram.row_size")) {
        d.row_size = dram::row_of(d.standard, d.width);
    }
    const dram::timing_figures defaults = dram::timing_of(d.standard, d.transfers);
    for (const dram::figure_name& f : dram::figures()) {
        if (!is_given(raw, std::string("dram.timing.") + f.name)) {
            d.timing.*f.member = defaults.*f.member;
        }
    }
    // What was given may be longer than the standard's sum.
    const auto at_least = [&](const char* key, sim_time& value, sim_time least) {
        if (!is_given(raw, key)) {
            value = later(value, least);
        }
    };
    at_least("dram.timing.tRC", d.timing.tRC, d.timing.tRAS + d.timing.tRP);
    at_least("dram.timing.tCCD_L", d.timing.tCCD_L, d.timing.tCCD);
    at_least("dram.timing.tRRD_L", d.timing.tRRD_L, d.timing.tRRD);
}

void check_memory(const raw_tree& raw, const ssd_config& c)
{
    if (c.dram.model == dram::dram_model::bank) {
        organisation(raw, c);
        times(raw, c);
    }
}

void fill_memory(boot_params& p, const ssd_config& c)
{
    p.sram_size = sram_window(c);
    p.dram_size = service_buffer(c);
}

} // namespace

const config_part parts::memory = {memory_options, complete_memory, check_memory, fill_memory};

} // namespace ssdvp::platform
