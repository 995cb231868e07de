// SPDX-License-Identifier: Apache-2.0
//
// Options of errors: raw bit errors of the part, failures, read retry, and the channel's code.
#include "platform/config/derived.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

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

bool bits_go_wrong(const ssd_config& c)
{
    return c.channel.die.errors.rber > 0.0;
}

constexpr const char* rber_given = "nand.errors.rber is not 0";

option with_errors(option o)
{
    return kept_when<ssd_config>(std::move(o), bits_go_wrong, rber_given);
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

option with_code(option o)
{
    return kept_when<ssd_config>(std::move(o), pages_need_a_code, code_needed);
}

bool is_a_code(const ssd_config& c)
{
    return c.channel.ecc.kind != flash::ecc_kind::none;
}

/// There is no code, and so no parity on the bus where there could be some.
bool takes_parity_away(const ssd_config& c)
{
    return c.channel.ecc_parity && !pages_have_code(c) && parity_room(c) != 0;
}

option kind_option()
{
    using flash::ecc_kind;
    return kept_when<ssd_config>(
        make_option<ssd_config>({"flash.ecc.kind", "bch", "code that corrects what a LUN sends"},
                                words({{"none", number(ecc_kind::none)},
                                       {"bch", number(ecc_kind::bch)},
                                       {"ldpc", number(ecc_kind::ldpc)}}),
                                FIELD(channel.ecc.kind)),
        [](const ssd_config& c) { return pages_need_a_code(c) || takes_parity_away(c); },
        std::string(code_needed) + "; or it is none and flash.ecc_parity is true");
}

option codeword_option()
{
    return kept_when<ssd_config>(
        make_option<ssd_config>({"flash.ecc.codeword", "1KiB", "data bytes of a code word"},
                                size_out_of(powers_of_two(512, 4096)), FIELD(channel.ecc.codeword)),
        [](const ssd_config& c) {
            return (pages_need_a_code(c) && is_a_code(c)) ||
                   (c.channel.ecc_parity && pages_have_code(c));
        },
        std::string(code_needed) + "; or flash.ecc_parity is true; and flash.ecc.kind is not none");
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

option with_soft_steps(option o)
{
    return kept_when<ssd_config>(
        std::move(o),
        [](const ssd_config& c) {
            return pages_need_a_code(c) && !c.channel.ecc.soft_correctable.empty();
        },
        "flash.ecc.soft_correctable has steps and reads may fail: nand.errors.rber is not 0, or "
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

option correctable_option()
{
    option o = kept_when<ssd_config>(
        make_option<ssd_config>(
            {"flash.ecc.correctable", "", "bits per code word that the hard decision corrects",
             "72, or as many as nand.oob_size has room for beside the words of firmware"},
            count_of(0, 32768), FIELD(channel.ecc.correctable)),
        [](const ssd_config& c) {
            return is_a_code(c) && (pages_need_a_code(c) || takes_parity_away(c));
        },
        std::string(code_needed) + "; or it is 0, or all bits of a code word, and "
                                   "flash.ecc_parity is true; and flash.ecc.kind is not none");
    o.usual = [](const ssd_config& c) -> option_value {
        return std::uint64_t{usual_correctable(c)};
    };
    return o;
}

std::vector<option> ecc_options()
{
    value_spec bits = count_of(1, 32768);
    bits.kind = value_kind::count_list;
    value_spec times = time_of(0, s);
    times.kind = value_kind::time_list;
    return {
        kind_option(),
        codeword_option(),
        correctable_option(),
        with_code(make_option<ssd_config>({"flash.ecc.soft_correctable", "",
                                           "bits per code word that each soft step corrects (ldpc)",
                                           "no soft steps"},
                                          bits, FIELD(channel.ecc.soft_correctable))),
        with_soft_steps(make_option<ssd_config>(
            {"flash.ecc.soft_latency", "50us",
             "time of a soft step with its sensing; a list has one per step"},
            times, FIELD(channel.ecc.soft_latency), leaves_state)),
    };
}

std::vector<option> refresh_options()
{
    return {
        with_errors(make_option<ssd_config>(
            {"ftl.refresh.corrected_bits", "0",
             "move the data of a superblock when a read of it needed so many "
             "corrected bits per code word (mean of the read); 0: never"},
            count_of(0, 32768), FIELD(ftl.refresh.corrected_bits))),
        make_option<ssd_config>({"ftl.refresh.reads", "0",
                                 "move the data of a superblock when a block of it was read so "
                                 "often since its erase; 0: never"},
                                count_of(0, 1000000000), FIELD(ftl.refresh.reads)),
        with_errors(make_option<ssd_config>(
            {"ftl.refresh.retry_level", "0",
             "move the data of a superblock when a read of it needed this read "
             "retry level, or a higher one; 0: never"},
            count_of(0, 254), FIELD(ftl.refresh.retry_level))),
        with_errors(make_option<ssd_config>(
            {"ftl.refresh.retire", "0",
             "a block whose reads asked for so many refreshes leaves service; "
             "0: never"},
            count_of(0, 255), FIELD(ftl.refresh.retire))),
        make_option<ssd_config>(
            {"ftl.patrol.interval", "0s",
             "a page of each full block is read once in this time, to find what "
             "the host does not read; 0s: never"},
            time_of(0, 3600 * s), FIELD(ftl.patrol_interval)),
    };
}

} // namespace

std::vector<option> error_options()
{
    std::vector<option> table = cause_options();
    append(table, failure_options());
    append(table, ecc_options());
    append(table, refresh_options());
    return table;
}

} // namespace ssdvp::platform
