// SPDX-License-Identifier: Apache-2.0
//
// Geometry of a die.
#include "models/flash/config.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

/// Schemes that write the pages of a block in place.
bool programs_in_any_order(const ssd_config& c)
{
    return places_pages(c) && !groups_blocks(c);
}

/// Where it matters which page of its word line a page is.
bool tells_pages_apart(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    return die.timing.tR.size() > 1 || die.timing.tPROG.size() > 1 ||
           die.timing.tRSNAP.size() > 1 || die.one_pass || die.two_pass ||
           c.write == write_mode::slc || die.errors.rber > 0.0 || !c.read_levels.empty();
}

option oob_option()
{
    option o = or_own_firmware(kept_when<ssd_config>(
        make_option<ssd_config>({"nand.oob_size", "", "spare bytes of a page",
                                 "138 for each KiB of nand.page_size, as 2208B for 16KiB"},
                                size_of(16, 16384), FIELD(channel.die.geo.oob_size)),
        [](const ssd_config& c) {
            const bool parity = c.channel.ecc_parity && c.channel.ecc.kind != flash::ecc_kind::none;
            return pages_need_a_code(c) || parity;
        },
        std::string(code_needed) + "; or flash.ecc_parity is true and flash.ecc.kind not none"));
    o.usual = [](const ssd_config& c) -> option_value { return std::uint64_t{usual_oob_size(c)}; };
    return o;
}

std::vector<option> geometry_options()
{
    using flash::cell_type;
    return {
        kept_when<ssd_config>(
            basic(make_option<ssd_config>({"nand.cell", "tlc", "bits per cell"},
                                          words({{"slc", number(cell_type::slc)},
                                                 {"mlc", number(cell_type::mlc)},
                                                 {"tlc", number(cell_type::tlc)},
                                                 {"qlc", number(cell_type::qlc)}}),
                                          FIELD(channel.die.cell))),
            tells_pages_apart,
            "nand.tR, nand.tPROG or nand.snap_read.tR has a time for each page of a word line, "
            "nand.one_pass or nand.two_pass is true, write.mode is slc, nand.read_levels is given, "
            "or nand.errors.rber is not 0"),
        basic(make_option<ssd_config>({"nand.page_size", "16KiB", "data bytes of a page"},
                                      size_out_of(powers_of_two(512, 65536)),
                                      FIELD(channel.die.geo.page_size))),
        oob_option(),
        basic(make_option<ssd_config>({"nand.pages_per_block", "144", "pages of a block"},
                                      count_of(1, 65535), FIELD(channel.die.geo.pages_per_block))),
        or_own_firmware(kept_when<ssd_config>(
            make_option<ssd_config>(
                {"nand.page_order", "sequential",
                 "order in which the part lets firmware program the pages of an erased block: from "
                 "the first one on, where any other program is refused and a fault, or any, each "
                 "page once (small-block SLC parts)"},
                words_of<flash::page_order>(), FIELD(channel.die.order)),
            programs_in_any_order,
            "ftl.scheme is msbs, fmax, lm, bast, fast, kast, last or sast, or firmware of your "
            "own programs pages out of order")),
        basic(make_option<ssd_config>({"nand.blocks_per_plane", "504", "blocks of a plane"},
                                      count_of(4, 65536), FIELD(channel.die.geo.blocks_per_plane))),
        basic(make_option<ssd_config>({"nand.planes", "4", "planes of a LUN"},
                                      count_of(1, flash::max_planes),
                                      FIELD(channel.die.geo.planes))),
        kept_when<ssd_config>(make_option<ssd_config>(
                                  {"nand.independent_plane_reads", "false",
                                   "each plane reads by itself: it takes a read while other "
                                   "planes of its LUN read"},
                                  flag(), FIELD(channel.die.independent_plane_reads), leaves_state),
                              has_planes, "nand.planes is above 1"),
        basic(make_option<ssd_config>(
            {"nand.endurance", "3000",
             "rated program/erase cycles of a block; an erase beyond them fails"},
            count_of(1, 10 * mega), FIELD(channel.die.endurance))),
        make_option<ssd_config>(
            {"nand.factory_bad_share", "0", "share of the blocks that are bad from the factory"},
            real_of(value_kind::fraction, 0.0, 0.2), FIELD(channel.die.factory_bad_share)),
    };
}

void complete_geometry(const raw_tree& raw, ssd_config& c, preset_fit& fit)
{
    if (!is_given(raw, "nand.oob_size")) {
        c.channel.die.geo.oob_size = usual_oob_size(c);
    }
    fit.spare_area(c);
}

} // namespace

bool has_planes(const ssd_config& c)
{
    return c.channel.die.geo.planes > 1;
}

option or_own_firmware(option o)
{
    o.relevant_to_own = [](const ssd_config&) { return true; };
    return o;
}

namespace {

void fill_geometry(boot_params& p, const ssd_config& c)
{
    const flash::geometry& g = c.channel.die.geo;
    p.geometry.planes = g.planes;
    p.geometry.blocks_per_plane = g.blocks_per_plane;
    p.geometry.pages_per_block = block_pages(c);
    p.geometry.page_size = g.page_size;
    p.geometry.oob_size = g.oob_size;
    p.wear.endurance = c.channel.die.endurance;
    p.map.placed.page_order = value_of(c.channel.die.order);
}

} // namespace

const config_part parts::geometry = {geometry_options, complete_geometry, nullptr, fill_geometry};

} // namespace ssdvp::platform
