// SPDX-License-Identifier: Apache-2.0
//
// Parts that program a word line in two passes, and what firmware needs to do so.
#include <fmt/format.h>

#include "models/regs/boot_params.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/cache.h"
#include "platform/config/parts/part.h"
#include "platform/config/parts/slc.h"

namespace ssdvp::platform {

namespace {

using namespace units;

constexpr std::uint64_t word_lines_held = 3; // WORD_LINES_HELD of firmware/lib/geometry.h

void check_no_passes(const rejection& reject, const ssd_config& c)
{
    const flash::array_timing& t = c.channel.die.timing;
    for (const auto& [key, time] : {std::pair{"nand.tPROG_coarse", t.tPROG_coarse},
                                    std::pair{"nand.tPROG_fine", t.tPROG_fine}}) {
        if (time != sim_time()) {
            reject(key, "the part programs a word line in no passes", "use nand.two_pass: true");
        }
    }
}

void check_two_pass_part(const rejection& reject, const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    if (die.cell == flash::cell_type::slc) {
        reject("nand.two_pass", "a word line of one page is programmed once",
               "use nand.cell: mlc, tlc or qlc, or nand.two_pass: false");
    }
    if (die.one_pass) {
        reject("nand.two_pass", "a part programs its word lines once or twice",
               "use nand.one_pass: false, or nand.two_pass: false");
    }
    if (die.order == flash::page_order::any) {
        reject("nand.two_pass", "the passes of word lines have an order",
               "use nand.page_order: sequential, or nand.two_pass: false");
    }
    if (die.timing.slc.tPROG == sim_time()) {
        reject("nand.two_pass",
               "what power-up looks for is in SLC mode, where a page needs no second pass",
               "give nand.slc_mode.tR, nand.slc_mode.tPROG and nand.slc_mode.tBERS");
    }
    if (flash::slc_pages(die) == 0) {
        reject("nand.two_pass", "a block has no whole word line",
               fmt::format("use nand.pages_per_block of {} or more", static_cast<int>(die.cell)));
    }
}

/// Whoever programs a single page cannot bring it twice.
void check_two_pass_writes(const rejection& reject, const ssd_config& c)
{
    if (c.write != write_mode::normal) {
        reject("write.mode", "the pages of a part of two passes are programmed in its normal mode",
               "use write.mode: normal, or nand.two_pass: false");
    }
    for (const auto& [key, copies] : {std::pair{"gc.copyback", c.ftl.gc_copyback},
                                      std::pair{"ftl.slc_cache.copyback", c.ftl.slc->copyback}}) {
        if (copies) {
            reject(key, "a copyback programs a page once, and its data are in the part",
                   fmt::format("use {}: false, or nand.two_pass: false", key));
        }
    }
    if (c.ftl.scheme != ftl_scheme::page_map) {
        reject(
            "nand.two_pass",
            fmt::format("ftl.scheme {} waits for pages of its map one by one, or programs single "
                        "pages",
                        word_of(c.ftl.scheme)),
            "use ftl.scheme: page_map, or nand.two_pass: false");
    }
    if (c.states.any()) {
        reject("power.states.max_power", "a word line that waits for its fine pass keeps it awake",
               "leave power.states.max_power out, or use nand.two_pass: false");
    }
    if (superblocks_are_narrow(c) || !c.ftl.place.is_stripe()) {
        reject("nand.two_pass", "word lines are filled in superblocks striped over the drive",
               "use ftl.stripe: drive and ftl.placement: stripe, or nand.two_pass: false");
    }
}

std::vector<option> pass_options()
{
    return {
        make_option<ssd_config>(
            {"nand.two_pass", "false",
             "each word line is programmed twice: coarse, and fine behind the coarse pass of the "
             "next one; until then its pages cannot be read, and their data stay in the buffer"},
            flag(), FIELD(channel.die.two_pass)),
        make_option<ssd_config>(
            {"nand.tPROG_coarse", "0s",
             "first pass of a word line; 0s: a third of the sum of nand.tPROG over its pages"},
            time_of(0, s), FIELD(channel.die.timing.tPROG_coarse), leaves_state),
        make_option<ssd_config>(
            {"nand.tPROG_fine", "0s",
             "second pass of a word line; 0s: two thirds of the sum of nand.tPROG over its pages"},
            time_of(0, s), FIELD(channel.die.timing.tPROG_fine), leaves_state),
    };
}

} // namespace

std::uint64_t pages_between_passes(const ssd_config& c)
{
    return c.channel.die.two_pass ? word_lines_held * static_cast<std::uint64_t>(c.channel.die.cell)
                                  : 0;
}

std::uint64_t bytes_between_passes(const ssd_config& c)
{
    return pages_between_passes(c) * c.channel.die.geo.page_size * superblock_luns(c) *
           superblock_planes(c) * c.ftl_cores;
}

std::uint64_t word_lines_buffered(const ssd_config& c)
{
    const std::uint64_t held = word_lines_held + 1; // that writes go on meanwhile
    if (buffer_has(c, CACHE_PADS) && c.cache->padding) {
        return 4 * held;
    }
    return buffer_keeps(c) || buffer_is_staged(c) ? 2 * held : held;
}

std::uint64_t buffer_for_passes(const ssd_config& c)
{
    return bytes_between_passes(c) / word_lines_held * word_lines_buffered(c);
}

namespace {

void check_passes(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (!c.channel.die.two_pass) {
        check_no_passes(reject, c);
        return;
    }
    check_two_pass_part(reject, c);
    check_two_pass_writes(reject, c);
    if (!buffer_has(c, CACHE_BUFFERS)) {
        reject("cache.policy", "nothing holds the data of a word line until its fine pass",
               "use a cache.policy that buffers, or nand.two_pass: false");
    }
    if (c.cache->capacity < buffer_bytes_needed(c)) {
        reject("cache.capacity",
               fmt::format("{} does not hold {} word lines of each LUN, most of which wait for "
                           "their fine pass, and {} write units",
                           told(raw, c, "cache.capacity"), word_lines_buffered(c),
                           write_units_buffered(c)),
               fmt::format("use {} or more", format_size(buffer_bytes_needed(c))));
    }
}

void fill_passes(boot_params& p, const ssd_config& c)
{
    p.geometry.word_line =
        c.channel.die.two_pass ? static_cast<std::uint32_t>(c.channel.die.cell) : 0;
}

} // namespace

const config_part parts::passes = {pass_options, nullptr, check_passes, fill_passes};

} // namespace ssdvp::platform
