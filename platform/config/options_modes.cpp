// SPDX-License-Identifier: Apache-2.0
//
// Options of the part's program modes: SLC mode, word lines in one pass, their errors.
#include "platform/config/derived.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

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

} // namespace

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
                                    count_of(1, 100 * mega), FIELD(ftl.slc.endurance)),
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

} // namespace ssdvp::platform
