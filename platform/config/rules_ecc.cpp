// SPDX-License-Identifier: Apache-2.0
//
// Rules between keys: the code of the pages, its soft steps, and its room in the spare bytes.
#include <algorithm>
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/option.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

namespace {

/// Of `keys` one that was given, or the first.
const char* blamed(const raw_tree& raw, std::initializer_list<const char*> keys)
{
    for (const char* key : keys) {
        if (raw.values.count(key) != 0) {
            return key;
        }
    }
    return *keys.begin();
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
        reject(blamed(raw, {"flash.ecc.soft_correctable", "flash.ecc.kind"}),
               fmt::format("flash.ecc.kind {} has no soft steps", kind_of(c)),
               "use flash.ecc.kind: ldpc, or leave the steps out");
    }
    if (c.channel.die.errors.rber > 0.0 && c.channel.die.geo.page_size % e.codeword != 0) {
        reject(blamed(raw, {"flash.ecc.codeword", "nand.page_size", "nand.errors.rber"}),
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
            reject(blamed(raw, {"flash.ecc.soft_correctable", "flash.ecc.correctable"}),
                   fmt::format("a step that corrects {} bits comes after one that corrects {}",
                               bits, before),
                   "let each soft step correct more than the step before");
        }
        before = bits;
    }
    const std::size_t times = e.soft_latency.size();
    if (times > 1 && times != e.soft_correctable.size()) {
        reject(blamed(raw, {"flash.ecc.soft_latency", "flash.ecc.soft_correctable"}),
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
            blamed(raw, {"flash.ecc.correctable", "nand.oob_size"}),
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
        reject(blamed(raw, {"nand.oob_size", "flash.ecc.correctable", "nand.errors.rber"}),
               fmt::format("{} of spare words leave no room for a code in {}",
                           format_size(die.stored_oob), format_size(die.geo.oob_size)),
               fmt::format("use nand.oob_size of {} or more, or flash.ecc.kind: none",
                           format_size(least)));
    }
}

} // namespace

void complete_ecc(const raw_tree& raw, ssd_config& c)
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

} // namespace ssdvp::platform
