// SPDX-License-Identifier: Apache-2.0
//
// The code of the pages, its soft steps, and its room in the spare bytes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/regs/boot_params.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

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

std::string kind_of(const ssd_config& c)
{
    const option* o = find_option(option_table(), "flash.ecc.kind");
    return format_value(o->spec, o->get(c));
}

void check_words(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const flash::ecc_config& e = c.channel.ecc;
    if (!e.soft_correctable.empty() && e.kind != flash::ecc_kind::ldpc) {
        reject({"flash.ecc.soft_correctable", "flash.ecc.kind"},
               fmt::format("flash.ecc.kind {} has no soft steps", kind_of(c)),
               "use flash.ecc.kind: ldpc, or leave the steps out");
    }
    if (c.channel.die.errors.rber > 0.0 && c.channel.die.geo.page_size % e.codeword != 0) {
        reject({"flash.ecc.codeword", "nand.page_size", "nand.errors.rber"},
               fmt::format("code words of {} do not divide a page of {}", format_size(e.codeword),
                           format_size(c.channel.die.geo.page_size)),
               "use a smaller flash.ecc.codeword");
    }
}

void check_steps(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const flash::ecc_config& e = c.channel.ecc;
    std::uint64_t before = e.correctable;
    for (const std::uint64_t bits : e.soft_correctable) {
        if (bits <= before) {
            reject({"flash.ecc.soft_correctable", "flash.ecc.correctable"},
                   fmt::format("a step that corrects {} bits comes after one that corrects {}",
                               bits, before),
                   "let each soft step correct more than the step before");
        }
        before = bits;
    }
    const std::size_t times = e.soft_latency.size();
    if (times > 1 && times != e.soft_correctable.size()) {
        reject({"flash.ecc.soft_latency", "flash.ecc.soft_correctable"},
               fmt::format("has {} times for {} soft steps", times, e.soft_correctable.size()),
               "write one time, or one per step");
    }
}

/// Parity lies in the spare bytes, beside the words of firmware.
void check_room(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const flash::die_config& die = c.channel.die;
    const std::uint32_t words = codewords(c);
    const std::uint32_t needed = parity_bytes(c, c.channel.ecc.correctable) * words;
    if (needed > parity_room(c)) {
        const std::uint32_t most = usual_correctable(c);
        reject(
            {"flash.ecc.correctable", "nand.oob_size"},
            fmt::format("{} bits of {} take {} of parity for each of {} code words: {} with the "
                        "{} of spare words, and nand.oob_size is {}",
                        c.channel.ecc.correctable, kind_of(c), format_size(needed / words), words,
                        format_size(needed + die.stored_oob), format_size(die.stored_oob),
                        format_size(die.geo.oob_size)),
            fmt::format("use nand.oob_size of {} or more{}", format_size(needed + die.stored_oob),
                        most == 0 ? std::string()
                                  : fmt::format(", or flash.ecc.correctable of {} or less", most)));
    }
    const bool none = c.channel.ecc.correctable == 0;
    if (none && die.errors.rber > 0.0 && c.channel.ecc.kind != flash::ecc_kind::none) {
        const std::uint32_t least = die.stored_oob + parity_bytes(c, 1) * words;
        reject({"nand.oob_size", "flash.ecc.correctable", "nand.errors.rber"},
               fmt::format("{} of spare words leave no room for a code in {}",
                           format_size(die.stored_oob), format_size(die.geo.oob_size)),
               fmt::format("use nand.oob_size of {} or more, or flash.ecc.kind: none",
                           format_size(least)));
    }
}

void complete_ecc(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    if (raw.values.count("flash.ecc.correctable") == 0) {
        c.channel.ecc.correctable = usual_correctable(c);
    }
    c.channel.ecc.parity = parity_of_page(c);
}

void check_ecc(const raw_tree& raw, const ssd_config& c)
{
    check_words(raw, c);
    check_steps(raw, c);
    check_room(raw, c);
}

} // namespace

bool pages_need_a_code(const ssd_config& c)
{
    const bool lapses =
        c.write == write_mode::shallow && c.channel.die.shallow_retention != sim_time();
    return c.channel.die.errors.rber > 0.0 || lapses || c.power.cuts();
}

namespace {

constexpr std::uint32_t usual_bits = 72;

std::uint64_t data_bits(const ssd_config& c)
{
    return 8ull * std::min(c.channel.ecc.codeword, c.channel.die.geo.page_size);
}

/// BCH over GF(2^m): m bits of parity for each bit that it corrects, and 2^m - 1 bits in all.
std::uint64_t bch_parity_bits(std::uint64_t data, std::uint64_t bits)
{
    std::uint64_t m = 1;
    while ((1ull << m) - 1 < data + m * bits) {
        ++m;
    }
    return m * bits;
}

/// LDPC of rate R: hard decisions correct no more than a share p of the bits of a word with
/// H(p) = 1 - R (Shannon's limit of the binary symmetric channel), and good codes nearly that.
std::uint64_t ldpc_parity_bits(std::uint64_t data, std::uint64_t bits)
{
    const auto needed = [&](std::uint64_t parity) {
        const double n = static_cast<double>(data + parity);
        const double p = static_cast<double>(bits) / n;
        return p >= 0.5 ? n : -n * (p * std::log2(p) + (1.0 - p) * std::log2(1.0 - p));
    };
    std::uint64_t parity = 0;
    while (bits != 0 && static_cast<double>(parity) < needed(parity)) {
        parity += 8;
    }
    return parity;
}

} // namespace

std::uint32_t codewords(const ssd_config& c)
{
    return std::max(c.channel.die.geo.page_size / c.channel.ecc.codeword, 1u);
}

std::uint32_t parity_room(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    return die.geo.oob_size > die.stored_oob ? die.geo.oob_size - die.stored_oob : 0;
}

std::uint32_t parity_bytes(const ssd_config& c, std::uint64_t bits)
{
    const std::uint64_t data = data_bits(c);
    if (c.channel.ecc.kind == flash::ecc_kind::none || bits >= data) {
        return 0; // what corrects every bit is no code, but a way to count them
    }
    const std::uint64_t parity = c.channel.ecc.kind == flash::ecc_kind::bch
                                     ? bch_parity_bits(data, bits)
                                     : ldpc_parity_bits(data, bits);
    return static_cast<std::uint32_t>((parity + 7) / 8);
}

std::uint32_t usual_oob_size(const ssd_config& c)
{
    constexpr std::uint64_t for_each_kib = 138; // 2208 bytes for 16 KiB
    return static_cast<std::uint32_t>(c.channel.die.geo.page_size * for_each_kib / 1024);
}

bool pages_have_code(const ssd_config& c)
{
    return parity_bytes(c, c.channel.ecc.correctable) != 0;
}

std::uint32_t parity_of_page(const ssd_config& c)
{
    return pages_have_code(c) ? parity_room(c) : 0;
}

std::uint32_t page_on_bus(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    const std::uint32_t parity = c.channel.ecc_parity ? c.channel.ecc.parity : 0;
    return die.geo.page_size + parity + die.stored_oob;
}

std::uint32_t usual_correctable(const ssd_config& c)
{
    std::uint32_t bits = usual_bits;
    while (bits != 0 && parity_bytes(c, bits) * codewords(c) > parity_room(c)) {
        --bits;
    }
    return bits;
}

namespace {

void fill_ecc(boot_params& p, const ssd_config& c)
{
    p.refresh.codeword = c.channel.ecc.codeword;
}

} // namespace

const config_part parts::ecc = {ecc_options, complete_ecc, check_ecc, fill_ecc};

} // namespace ssdvp::platform
