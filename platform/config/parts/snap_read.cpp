// SPDX-License-Identifier: Apache-2.0
//
// Snap reads: a part of a page in less time.
#include <algorithm>

#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

/// No source that is at hand gives the size; reads of a quarter page are what parts are sold with.
std::uint32_t usual_part(const ssd_config& c)
{
    return std::max<std::uint32_t>(c.channel.die.geo.page_size / 4, 512);
}

sim_time of_page(const std::vector<sim_time>& list, std::size_t page)
{
    return list[page % list.size()];
}

/// A time for some pages of a word line only, or one that gains nothing.
void check_times(const rejection& reject, const flash::die_config& die)
{
    const flash::array_timing& t = die.timing;
    for (std::size_t page = 0; page < static_cast<std::size_t>(die.cell); ++page) {
        const sim_time snap = of_page(t.tRSNAP, page);
        if (snap == sim_time() || snap >= of_page(t.tR, page)) {
            reject("nand.snap_read.tR",
                   "a snap read takes some time, and less than a read of its page (nand.tR)",
                   "use a time below nand.tR, or 0s for a part without snap reads");
        }
    }
}

std::vector<option> snap_read_options()
{
    value_spec times = time_of(0, s);
    times.kind = value_kind::time_list;
    option size = kept_when<ssd_config>(
        make_option<ssd_config>({"nand.snap_read.size", "",
                                 "data bytes that a snap read senses: an aligned part of a page",
                                 "a quarter of nand.page_size"},
                                size_out_of(powers_of_two(512, 32 * KiB)),
                                FIELD(channel.die.snap_bytes), leaves_state),
        [](const ssd_config& c) { return flash::has_snap_read(c.channel.die); },
        "nand.snap_read.tR is given");
    size.usual = [](const ssd_config& c) -> option_value { return std::uint64_t{usual_part(c)}; };
    return {
        kept_when<ssd_config>(
            make_option<ssd_config>(
                {"nand.snap_read.tR", "0s",
                 "snap read (tRSNAP): a part of a page, array to register; a list has one per page "
                 "of a word line; 0s: the part has none"},
                times, FIELD(channel.die.timing.tRSNAP), leaves_state),
            [](const ssd_config& c) { return c.write != write_mode::slc; },
            "write.mode is not slc"),
        size,
    };
}

void complete_snap_read(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    if (raw.values.count("nand.snap_read.size") == 0) {
        c.channel.die.snap_bytes = usual_part(c);
    }
}

void check_snap_read(const raw_tree& raw, const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    if (!flash::has_snap_read(die)) {
        return;
    }
    const rejection reject{raw};
    const auto blamed = [&raw](const char* key) {
        return raw.values.count(key) != 0 ? key : "nand.snap_read.tR";
    };
    check_times(reject, part_as_built(c));
    if (die.snap_bytes >= die.geo.page_size) {
        reject(blamed("nand.snap_read.size"),
               fmt::format("a snap read of {} is no part of a page: {}",
                           format_size(die.snap_bytes), told(raw, c, "nand.page_size")),
               "use a smaller nand.snap_read.size");
    }
    const bool coded = c.channel.ecc.kind != flash::ecc_kind::none;
    if (coded && die.snap_bytes % c.channel.ecc.codeword != 0) {
        reject(blamed("nand.snap_read.size"),
               fmt::format("a snap read of {} senses no whole code word: {}",
                           format_size(die.snap_bytes), told(raw, c, "flash.ecc.codeword")),
               "use a larger nand.snap_read.size, or a smaller flash.ecc.codeword");
    }
}

} // namespace

const config_part parts::snap_read = {snap_read_options, complete_snap_read, check_snap_read};

} // namespace ssdvp::platform
