// SPDX-License-Identifier: Apache-2.0
//
// Options of the DRAM. The standard gives the defaults of rate, organisation and times.
#include "models/dram/standards.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

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

std::vector<option> interface_options()
{
    return {
        make_option<ssd_config>({"dram.capacity", "", "DRAM of the controller",
                                 "64MiB, doubled until map and write buffer fit"},
                                whole_pages(1 * MiB, 1 * TiB), FIELD(dram.capacity)),
        make_option<ssd_config>(
            {"dram.model", "bandwidth",
             "one bus with a bandwidth and a latency, or the banks of a part with their rows, "
             "refreshes and commands"},
            words({{"bandwidth", static_cast<int>(dram::dram_model::bandwidth)},
                   {"bank", static_cast<int>(dram::dram_model::bank)}}),
            FIELD(dram.model), leaves_state),
        standard_option(),
        make_option<ssd_config>({"dram.rate", "", "transfers per second of the DRAM bus",
                                 "of dram.standard: ddr3 1600MT/s, ddr4 3200MT/s, lpddr4 "
                                 "4266MT/s, lpddr5 6400MT/s"},
                                rate_of(value_kind::transfer_rate, mega, 100000 * mega),
                                FIELD(dram_rate), leaves_state),
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

} // namespace

std::vector<option> dram_options()
{
    std::vector<option> all = interface_options();
    append(all, bank_options());
    all.push_back(interleave_option());
    for (const dram::figure_name& figure : dram::figures()) {
        all.push_back(timing_option(figure));
    }
    return all;
}

} // namespace ssdvp::platform
