// SPDX-License-Identifier: Apache-2.0
//
// The DRAM: what its standard leaves to be computed, and the rules between its keys.
#include <cstring>

#include <fmt/format.h>

#include "models/dram/bank_timing.h"
#include "models/dram/standards.h"
#include "platform/config/option.h"
#include "platform/config/rules.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

bool given(const raw_tree& raw, const std::string& key)
{
    return raw.values.count(key) != 0;
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
        if (std::strcmp(f.name, key) == 0 && given(raw, full) && c.dram.timing.*f.member < least) {
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
        if (o.key.compare(0, 12, "dram.timing.") == 0 && given(raw, o.key)) {
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

} // namespace

void complete_dram(const raw_tree& raw, ssd_config& c)
{
    dram::dram_config& d = c.dram;
    const dram::standard_table& table = dram::table_of(d.standard);
    c.dram_rate_given = given(raw, "dram.rate");
    if (!c.dram_rate_given) {
        c.dram_rate = table.transfers;
    }
    d.bandwidth = rate(c.dram_rate.per_second() * c.dram_width / 8);
    d.transfers = c.dram_rate;
    d.width = c.dram_width;
    if (!given(raw, "dram.banks")) {
        d.banks = table.banks;
    }
    if (!given(raw, "dram.row_size")) {
        d.row_size = dram::row_of(d.standard, d.width);
    }
    const dram::timing_figures defaults = dram::timing_of(d.standard, d.transfers);
    for (const dram::figure_name& f : dram::figures()) {
        if (!given(raw, std::string("dram.timing.") + f.name)) {
            d.timing.*f.member = defaults.*f.member;
        }
    }
    // What was given may be longer than the standard's sum.
    const auto at_least = [&](const char* key, sim_time& value, sim_time least) {
        if (!given(raw, key)) {
            value = later(value, least);
        }
    };
    at_least("dram.timing.tRC", d.timing.tRC, d.timing.tRAS + d.timing.tRP);
    at_least("dram.timing.tCCD_L", d.timing.tCCD_L, d.timing.tCCD);
    at_least("dram.timing.tRRD_L", d.timing.tRRD_L, d.timing.tRRD);
}

void check_dram(const raw_tree& raw, const ssd_config& c)
{
    if (c.dram.model == dram::dram_model::bank) {
        organisation(raw, c);
        times(raw, c);
    }
}

} // namespace ssdvp::platform
