// SPDX-License-Identifier: Apache-2.0
//
// Flash translation layer: scheme, superblocks, collection, wear levelling.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "firmware/lib/geometry.h"
#include "firmware/space/spare.h"
#include "models/regs/parts/wear.h"
#include "platform/config/boxed_value.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"
#include "platform/config/schemes/scheme_part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;

std::vector<option> ftl_options()
{
    value_spec map_unit = size_out_of(powers_of_two(512, 32768));
    return {
        basic(make_option<ssd_config>({"ftl.scheme", "page_map", "flash translation layer"},
                                      words_of<ftl_scheme>(SCHEME_OF_OPTION), FIELD(ftl.scheme))),
        basic(make_option<ssd_config>(
            {"ftl.over_provisioning", "0.07", "share of the physical capacity that is kept spare"},
            real_of(value_kind::fraction, 0.0, 0.95), FIELD(ftl.over_provisioning))),
        basic(make_option<ssd_config>({"ftl.map_unit", "", "bytes that one map entry covers",
                                       "msbs, fmax, lm, bast, fast, superblock, kast, last, sast: "
                                       "nand.page_size; else "
                                       "4KiB, or nand.page_size if that is less"},
                                      map_unit, FIELD(ftl.map_unit))),
        make_option<ssd_config>(
            {"ftl.trim", "true", "Deallocate unmaps; false: Deallocate is ignored"}, flag(),
            FIELD(ftl.trim)),
        kept_when<ssd_config>(
            make_option<ssd_config>(
                {"ftl.multi_plane", "true", "program, erase and read all planes of a LUN at once"},
                flag(), FIELD(ftl.multi_plane)),
            [](const ssd_config& c) { return c.channel.die.geo.planes > 1; },
            "nand.planes is above 1"),
        make_option<ssd_config>(
            {"ftl.stripe", "",
             "what a superblock is; drive: the blocks of one number in all planes of all LUNs; "
             "block: one block, neighbours on different channels; plane: one block, each plane has "
             "free ones and a collection of its own",
             "msbs, fmax, lm, bast, fast, superblock, kast, last, sast: block; else drive"},
            words_of<superblock_stripe>(), FIELD(ftl.stripe)),
        make_option<ssd_config>({"wear.dynamic", "true",
                                 "take the free block with the fewest erases; false: the oldest"},
                                flag(), FIELD(ftl.wear->dynamic)),
        make_option<ssd_config>(
            {"wear.static_delta", "64",
             "spread of erase counts that starts static wear levelling; 0 = off"},
            count_of(0, mega), FIELD(ftl.wear->static_delta)),
        basic(make_option<ssd_config>({"gc.policy", "greedy", "choice of the block to collect"},
                                      words_of<gc_policy>(), FIELD(ftl.gc))),
        basic(make_option<ssd_config>(
            {"gc.threshold", "0.01",
             "collect when free superblocks fall below this share; two at least"},
            real_of(value_kind::fraction, 0.001, 0.5), FIELD(ftl.gc_threshold))),
        basic(make_option<ssd_config>(
            {"gc.stop", "0.02",
             "collect until this share is free; one more than gc.threshold at least"},
            real_of(value_kind::fraction, 0.001, 0.5), FIELD(ftl.gc_stop))),
        make_option<ssd_config>({"gc.copyback", "false",
                                 "pages that are valid throughout move inside their LUN by "
                                 "copyback, without the bus"},
                                flag(), FIELD(ftl.gc_copyback)),
    };
}

/// What schemes of logical blocks are made for.
void complete_ftl(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    const bool blocks = places_pages(c);
    if (!is_given(raw, "ftl.map_unit")) {
        const std::uint32_t page = c.channel.die.geo.page_size;
        c.ftl.map_unit = blocks ? page : std::min(4096u, page);
    }
    if (!is_given(raw, "ftl.stripe")) {
        c.ftl.stripe = blocks ? superblock_stripe::block : superblock_stripe::drive;
    }
    if (!is_given(raw, "ftl.placement") && planes_are_apart(c)) {
        c.ftl.place.where = placement_kind::round_robin;
    }
    part_of(c).complete(raw, c);
    flash::die_config& die = c.channel.die;
    die.stored_oob = 8 * (1 + die.geo.page_size / c.ftl.map_unit); // firmware/space/spare.h
}

void check_map_unit(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const auto& die = c.channel.die;
    if (die.geo.page_size % c.ftl.map_unit != 0) {
        reject({"ftl.map_unit", "nand.page_size"},
               fmt::format("{} does not divide {}", format_size(c.ftl.map_unit),
                           told(raw, c, "nand.page_size")),
               fmt::format("use at most {}", format_size(die.geo.page_size)));
    }
    if (die.stored_oob > die.geo.oob_size) {
        reject({"nand.oob_size", "ftl.map_unit", "nand.page_size"},
               fmt::format("{} cannot hold the {} of spare words that a page of {} with {} carries",
                           told(raw, c, "nand.oob_size"), format_size(die.stored_oob),
                           told(raw, c, "nand.page_size"), told(raw, c, "ftl.map_unit")),
               fmt::format("use nand.oob_size of {} or more, or a larger ftl.map_unit",
                           format_size(die.stored_oob)));
    }
}

/// What firmware names units and counts them by.
void check_addresses(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const auto& geo = c.channel.die.geo;
    if (user_units(c) / c.ftl_cores > SPARE_INDEXES) {
        reject({"nand.blocks_per_plane", "nand.pages_per_block", "flash.channels",
                "flash.luns_per_channel", "nand.planes", "ftl.map_unit", "nand.page_size"},
               fmt::format("{} units are more than the {} that spare words can name", user_units(c),
                           SPARE_INDEXES),
               "use fewer of one of them, or a larger ftl.map_unit");
    }
    constexpr std::uint64_t superblock_max = 0xFFFFFFFF; // one word of firmware's counts
    if (superblock_units(c) > superblock_max) {
        reject({"nand.pages_per_block", "flash.channels", "flash.luns_per_channel", "nand.planes",
                "ftl.map_unit", "nand.page_size"},
               fmt::format("{} units in a superblock do not fit 32 bits: {}, {}, {}, {}, {}",
                           superblock_units(c), told(raw, c, "nand.pages_per_block"),
                           told(raw, c, "flash.channels"), told(raw, c, "flash.luns_per_channel"),
                           told(raw, c, "nand.planes"), told(raw, c, "ftl.map_unit")),
               "use fewer of one of them, or a larger ftl.map_unit");
    }
    constexpr std::uint64_t units_per_page_max = 32; // one word of firmware's masks
    const std::uint64_t units_per_page = geo.page_size / c.ftl.map_unit;
    if (units_per_page > units_per_page_max) {
        reject({"ftl.map_unit", "nand.page_size"},
               fmt::format("{} units in a page are more than {}: {}, {}", units_per_page,
                           units_per_page_max, told(raw, c, "ftl.map_unit"),
                           told(raw, c, "nand.page_size")),
               "use a larger ftl.map_unit");
    }
    static_assert(units_per_page_max * 8 <= GROUP_MAX, "8 planes of such pages fit a group");
}

/// Firmware gets the marks in thousandths.
void check_collection(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    const auto thousandths = [](double share) { return std::lround(share * 1000.0); };
    if (thousandths(c.ftl.gc_threshold) >= thousandths(c.ftl.gc_stop)) {
        reject({"gc.threshold", "gc.stop"},
               fmt::format("{} is not below {}", told(raw, c, "gc.threshold"),
                           told(raw, c, "gc.stop")),
               "use a gc.stop above gc.threshold by 0.001 or more");
    }
}

void check_copyback(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (!c.ftl.gc_copyback) {
        return;
    }
    if (c.channel.die.one_pass) {
        reject({"gc.copyback", "nand.one_pass"},
               "a copyback programs a page, but the part programs word lines",
               "use gc.copyback: false, or nand.one_pass: false");
    }
    if (c.channel.die.errors.rber > 0.0 && c.channel.ecc.kind == flash::ecc_kind::none) {
        reject({"gc.copyback", "flash.ecc.kind", "nand.errors.rber"},
               "without a code nothing tells how many wrong bits a copy carries along",
               "use flash.ecc.kind: bch or ldpc, or gc.copyback: false");
    }
}

void check_superblocks(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    constexpr std::uint64_t pages_max = 0xFFFFFFFF; // one word of firmware's addresses
    if (!superblocks_are_narrow(c)) {
        return;
    }
    if (superblocks(c) * block_pages(c) > pages_max) {
        reject("ftl.stripe",
               fmt::format("{} pages are more than the {} that superblocks of one block can name",
                           superblocks(c) * block_pages(c), pages_max),
               "use ftl.stripe: drive, or fewer blocks");
    }
    if (c.ftl.gc_copyback) {
        reject("gc.copyback",
               planes_are_apart(c)
                   ? "it moves page groups of superblocks of the drive, not pages of single blocks"
                   : "a copyback stays in its plane, superblocks of one block lie in different "
                     "ones",
               "use gc.copyback: false, or ftl.stripe: drive");
    }
}

void check_ftl(const raw_tree& raw, const ssd_config& c)
{
    check_addresses(raw, c);
    check_collection(raw, c);
    check_copyback(raw, c);
    check_superblocks(raw, c);
}

void fill_ftl(boot_params& p, const ssd_config& c)
{
    p.ftl.map_unit = c.ftl.map_unit;
    p.ftl.scheme = value_of(firmware_scheme(c));
    part_of(c).fill(p, c);
    p.gc.policy = value_of(c.ftl.gc);
    p.gc.low_permille = permille(c.ftl.gc_threshold);
    p.gc.high_permille = permille(c.ftl.gc_stop);
    p.gc.copyback = c.ftl.gc_copyback ? 1 : 0;
    p.gc.copyback_bits = copyback_bits(c);
    p.wear.static_delta = c.ftl.wear->static_delta;
    p.wear.dynamic = c.ftl.wear->dynamic;
    p.host.trim = c.ftl.trim ? 1 : 0;
    p.ftl.multi_plane = c.ftl.multi_plane ? 1 : 0;
    p.ftl.stripe = value_of(c.ftl.stripe);
}

} // namespace

template class boxed<boot_wear>;

const config_part parts::ftl = {ftl_options, complete_ftl, check_ftl, fill_ftl, check_map_unit};

} // namespace ssdvp::platform
