// SPDX-License-Identifier: Apache-2.0
//
// Raw bit errors of the part, failures, read retry.
#include "models/regs/boot_params.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

value_spec number_from(double low, double high)
{
    return real_of(value_kind::number, low, high);
}

value_spec numbers_from(double low, double high)
{
    return real_of(value_kind::number_list, low, high, true);
}

bool data_fade(const ssd_config& c)
{
    return bits_go_wrong(c) && c.channel.die.errors.retention > 0.0;
}

option with_lasting(option o)
{
    return kept_when<ssd_config>(std::move(o), data_fade,
                                 "nand.errors.rber and nand.errors.retention are not 0");
}

constexpr const char* suspends_count =
    "nand.errors.rber is not 0 and erases may be suspended more often than cells stand: "
    "flash.suspend.policy is immediate, or has more flash.suspend.safe_points than 10 (worn) to 30 "
    "(new), and flash.suspend.limit does not forbid it";

/// Of suspends beyond those that cells stand.
option with_suspends(option o)
{
    o = kept_when<ssd_config>(
        std::move(o), [](const ssd_config& c) { return bits_go_wrong(c) && suspends_harm(c); },
        suspends_count);
    o.relevant_to_own = bits_go_wrong; // it selects the policy of its dies
    return o;
}

option exponent_option()
{
    option o = with_suspends(
        make_option<ssd_config>({"nand.errors.suspend_exponent", "2", "see suspend_gain"},
                                count_of(2, 8), FIELD(channel.die.errors.suspend_exponent)));
    o.relevant = [counts = o.relevant](const ssd_config& c) {
        return counts(c) && c.channel.die.errors.suspend_gain > 0.0;
    };
    o.relevant_when += "; and nand.errors.suspend_gain is not 0";
    return o;
}

option with_retries(option o)
{
    return kept_when<ssd_config>(
        std::move(o),
        [](const ssd_config& c) {
            return pages_need_a_code(c) && !c.channel.die.errors.retry_gain.empty();
        },
        "nand.errors.retry_gain has levels and reads may fail: nand.errors.rber is not 0, or "
        "power is cut");
}

std::vector<option> cause_options()
{
    return {
        make_option<ssd_config>({"nand.pe_cycles", "0",
                                 "program/erase cycles that every block has behind it when the run "
                                 "begins"},
                                count_of(0, 10000000), FIELD(channel.die.pe_cycles)),
        make_option<ssd_config>({"nand.errors.rber", "0",
                                 "raw bit error rate of a new block's first page type, just "
                                 "programmed; 0: no bit errors"},
                                number_from(0.0, 0.1), FIELD(channel.die.errors.rber)),
        with_errors(make_option<ssd_config>(
            {"nand.errors.wear", "9",
             "growth of the rate at nand.endurance; goes with the square of the "
             "P/E cycles"},
            number_from(0.0, 1e6), FIELD(channel.die.errors.wear))),
        with_errors(make_option<ssd_config>(
            {"nand.errors.retention", "4",
             "growth by a year at 30 C at nand.endurance, half of it when new; "
             "goes with the square root of the time"},
            number_from(0.0, 1e6), FIELD(channel.die.errors.retention))),
        with_lasting(make_option<ssd_config>(
            {"nand.errors.retention_scale", "1",
             "time compression: seconds of retention per simulated second"},
            number_from(0.0, 1e12), FIELD(channel.die.errors.retention_scale))),
        with_lasting(make_option<ssd_config>(
            {"nand.errors.retention_age", "0",
             "days that preconditioned data lie already when the run begins"},
            number_from(0.0, 36500.0), FIELD(channel.die.errors.retention_age))),
        kept_when<ssd_config>(
            make_option<ssd_config>({"nand.errors.temperature", "30",
                                     "of the cells, degrees Celsius, for Arrhenius' law"},
                                    number_from(0.0, 125.0), FIELD(channel.die.errors.temperature)),
            [](const ssd_config& c) {
                return data_fade(c) && c.channel.die.errors.activation_energy > 0.0;
            },
            "nand.errors.rber, retention and activation_energy are not 0"),
        kept_when<ssd_config>(
            make_option<ssd_config>({"nand.errors.activation_energy", "1.1",
                                     "of charge loss, in eV, for Arrhenius' law"},
                                    number_from(0.0, 2.0),
                                    FIELD(channel.die.errors.activation_energy)),
            [](const ssd_config& c) {
                return data_fade(c) && c.channel.die.errors.temperature != flash::retention_celsius;
            },
            "nand.errors.rber and nand.errors.retention are not 0, and nand.errors.temperature is "
            "not 30"),
        with_errors(
            make_option<ssd_config>({"nand.errors.read_disturb", "5",
                                     "growth by a million reads of a block since its erase at "
                                     "nand.endurance, half of it when new"},
                                    number_from(0.0, 1e6), FIELD(channel.die.errors.read_disturb))),
        with_suspends(make_option<ssd_config>(
            {"nand.errors.suspend_gain", "0.01",
             "growth by suspends of the block's erase beyond the safe ones, per "
             "suspend to the power of nand.errors.suspend_exponent"},
            number_from(0.0, 1e6), FIELD(channel.die.errors.suspend_gain))),
        exponent_option(),
        with_errors(make_option<ssd_config>(
            {"nand.errors.page_factor", "",
             "factor on the rate; a list has one per page of a word line",
             "1, 2, 4, 8: read levels that a page compares"},
            numbers_from(0.0, 1000.0), FIELD(channel.die.errors.page_factor))),
        with_errors(
            make_option<ssd_config>({"nand.errors.block_spread", "0.2",
                                     "standard deviation of the rate between blocks, as a share"},
                                    number_from(0.0, 1.0), FIELD(channel.die.errors.block_spread))),
    };
}

std::vector<option> failure_options()
{
    return {
        with_code(make_option<ssd_config>(
            {"nand.errors.retry_gain", "",
             "factor on the rate at each read retry level, the first is level 1",
             "no read retry levels"},
            numbers_from(0.0, 1000.0), FIELD(channel.die.errors.retry_gain))),
        with_retries(make_option<ssd_config>(
            {"nand.tR_retry", "0s", "page read at a read retry level; 0: nand.tR"}, time_of(0, s),
            FIELD(channel.die.timing.tR_retry), leaves_state)),
        make_option<ssd_config>({"nand.errors.program_fail", "0",
                                 "probability that the program of a page fails, and with it its "
                                 "block"},
                                real_of(value_kind::fraction, 0.0, 1.0),
                                FIELD(channel.die.errors.program_fail)),
        make_option<ssd_config>(
            {"nand.errors.erase_fail", "0", "probability that the erase of a block fails"},
            real_of(value_kind::fraction, 0.0, 1.0), FIELD(channel.die.errors.erase_fail)),
    };
}

std::vector<option> error_options()
{
    std::vector<option> table = cause_options();
    append(table, failure_options());
    return table;
}

} // namespace

bool bits_go_wrong(const ssd_config& c)
{
    return c.channel.die.errors.rber > 0.0;
}

option with_errors(option o)
{
    return kept_when<ssd_config>(std::move(o), bits_go_wrong, "nand.errors.rber is not 0");
}

option with_code(option o)
{
    return kept_when<ssd_config>(std::move(o), pages_need_a_code, code_needed);
}

namespace {

void fill_errors(boot_params& p, const ssd_config& c)
{
    p.flash.retry_levels = static_cast<std::uint32_t>(c.channel.die.errors.retry_gain.size());
    p.wear.pe_cycles = c.channel.die.pe_cycles;
}

} // namespace

const config_part parts::errors = {error_options, nullptr, nullptr, fill_errors};

} // namespace ssdvp::platform
