// SPDX-License-Identifier: Apache-2.0
//
// The part's program modes: SLC mode, word lines in one pass, their errors.
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/parts/part.h"
#include "platform/config/parts/slc.h"

namespace ssdvp::platform {

namespace {

using namespace units;

value_spec factor()
{
    return real_of(value_kind::number, 0.0, 1000.0);
}

/// A word line.
bool has_several_pages(const ssd_config& c)
{
    return c.channel.die.cell != flash::cell_type::slc;
}

option of_slc_mode(option o)
{
    return kept_when<ssd_config>(
        std::move(o), uses_slc_mode,
        "write.mode is slc, nand.two_pass is true, or there is an ftl.slc_cache");
}

option with_errors_of(write_mode mode, option o)
{
    return kept_when<ssd_config>(
        std::move(o),
        [mode](const ssd_config& c) {
            const bool on = mode == write_mode::slc ? uses_slc_mode(c) : c.write == mode;
            return on && c.channel.die.errors.rber > 0.0;
        },
        std::string(
            mode == write_mode::slc
                ? "write.mode is slc, nand.two_pass is true or there is an ftl.slc_cache, and"
                : "write.mode is shallow and") +
            " nand.errors.rber is not 0");
}

std::vector<option> mode_options()
{
    return {
        of_slc_mode(make_option<ssd_config>(
            {"nand.slc_mode.tR", "0s",
             "page read in SLC mode (write.mode: slc, ftl.slc_cache, anchor records with "
             "nand.two_pass); 0s: the part has no SLC mode"},
            time_of(0, s), FIELD(channel.die.timing.slc.tR))),
        of_slc_mode(
            make_option<ssd_config>({"nand.slc_mode.tPROG", "0s", "page program in SLC mode"},
                                    time_of(0, s), FIELD(channel.die.timing.slc.tPROG))),
        of_slc_mode(
            make_option<ssd_config>({"nand.slc_mode.tBERS", "0s", "block erase in SLC mode"},
                                    time_of(0, 10 * s), FIELD(channel.die.timing.slc.tBERS))),
        kept_when<ssd_config>(
            make_option<ssd_config>({"nand.slc_mode.endurance", "30000",
                                     "rated P/E cycles in SLC mode; an erase of a block that holds "
                                     "data in it fails only beyond them"},
                                    count_of(1, 100 * mega), FIELD(ftl.slc->endurance)),
            has_slc_cache, "there is an ftl.slc_cache"),
        kept_when<ssd_config>(
            make_option<ssd_config>({"nand.slc_mode.copyback", "false",
                                     "copyback can program a page that it read in SLC mode in the "
                                     "normal mode (ftl.slc_cache.copyback)"},
                                    flag(), FIELD(channel.die.slc_copyback)),
            has_slc_cache, "there is an ftl.slc_cache"),
        kept_when<ssd_config>(
            make_option<ssd_config>({"nand.one_pass", "false",
                                     "the last page of a word line programs all of it; the pages "
                                     "before it only load, for nand.tDBSY"},
                                    flag(), FIELD(channel.die.one_pass)),
            [](const ssd_config& c) {
                return has_several_pages(c) || c.channel.use_cache ||
                       c.channel.die.timing.tPROG_word_line != sim_time();
            },
            "nand.cell is not slc, nand.tPROG_word_line is given, or flash.use_cache is true"),
        make_option<ssd_config>({"nand.tPROG_word_line", "0s",
                                 "program of a word line (nand.one_pass); 0s: the sum of "
                                 "nand.tPROG over its pages"},
                                time_of(0, s), FIELD(channel.die.timing.tPROG_word_line)),
        with_errors_of(write_mode::slc, make_option<ssd_config>(
                                            {"nand.errors.slc_factor", "0.1",
                                             "factor on the rate of a page programmed in SLC mode"},
                                            factor(), FIELD(channel.die.errors.slc_factor))),
        with_errors_of(write_mode::shallow,
                       make_option<ssd_config>(
                           {"nand.errors.shallow_factor", "2",
                            "factor on the rate of a page programmed shallow, and of those "
                            "after it in its block"},
                           factor(), FIELD(channel.die.errors.shallow_factor))),
    };
}

/// write.mode slc: a block has one page per word line, for everything that the drive does.
void check_slc_mode(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const flash::die_config& die = c.channel.die;
    if (die.cell == flash::cell_type::slc) {
        reject({"write.mode", "nand.cell"},
               fmt::format("cells of one bit have no other mode: {}", told(raw, c, "nand.cell")),
               "use write.mode: normal");
    }
    if (die.timing.slc.tPROG == sim_time()) {
        reject("write.mode", "the part has no SLC mode",
               "give nand.slc_mode.tR, nand.slc_mode.tPROG and nand.slc_mode.tBERS");
    }
    if (die.one_pass) {
        reject({"write.mode", "nand.one_pass"},
               "a word line in SLC mode has one page: there are none to load before it",
               "use write.mode: normal, or nand.one_pass: false");
    }
    if (block_pages(c) == 0) {
        reject({"write.mode", "nand.pages_per_block"},
               fmt::format("{} make no whole word line of {}", told(raw, c, "nand.pages_per_block"),
                           told(raw, c, "nand.cell")),
               fmt::format("use nand.pages_per_block of {} or more", static_cast<int>(die.cell)));
    }
}

void check_program_modes(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const flash::array_timing& t = c.channel.die.timing;
    const auto zero = [](sim_time time) { return time == sim_time(); };
    if (zero(t.slc.tR) != zero(t.slc.tPROG) || zero(t.slc.tR) != zero(t.slc.tBERS)) {
        reject({"nand.slc_mode.tR", "nand.slc_mode.tPROG", "nand.slc_mode.tBERS"},
               "SLC mode has a read, a program and an erase, and not all three have a time",
               "give nand.slc_mode.tR, tPROG and tBERS, or none of them");
    }
    if (c.write == write_mode::slc) {
        check_slc_mode(raw, c);
    }
    if (!zero(t.tPROG_word_line) && !c.channel.die.one_pass) {
        reject("nand.tPROG_word_line", "the part programs page by page", "use nand.one_pass: true");
    }
}

} // namespace

const config_part parts::modes = {mode_options, nullptr, check_program_modes};

} // namespace ssdvp::platform
