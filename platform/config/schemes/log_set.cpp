// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fmt/format.h>

#include "firmware/space/reserve.h"
#include "platform/config/derived.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

constexpr double invalid_least = 0.05; // what is padded at the end of a superblock is garbage too

/// Logical blocks, and the log beside them.
void check_unit(const rejection& reject, const ssd_config& c)
{
    const std::uint64_t page = c.channel.die.geo.page_size;
    const bool blocks = c.ftl.log_set_unit == log_unit::block;
    if (blocks && !superblocks_are_narrow(c)) {
        reject("ftl.log_set.unit", "a logical block is mapped to one block of the part",
               "use ftl.stripe: block");
    }
    if (blocks && c.ftl.map_unit != page) {
        reject("ftl.log_set.unit",
               fmt::format("the units of a logical block are pages of {}B", page),
               fmt::format("use ftl.map_unit: {}B", page));
    }
    if (!blocks && c.ftl.log_set_w_log != 0) {
        reject("ftl.log_set.w_log", "where data are mapped by pages small writes need no other log",
               "use ftl.log_set.unit: block, or leave it out");
    }
    if (c.ftl.log_set_w_threshold != 0 && c.ftl.log_set_w_log == 0) {
        reject("ftl.log_set.w_threshold", "there is no W-log to pass by",
               "set ftl.log_set.w_log, or leave it out");
    }
    if (c.ftl.log_set_w_threshold > block_pages(c)) {
        reject("ftl.log_set.w_threshold",
               fmt::format("a block has no more than {} pages", block_pages(c)),
               fmt::format("use {} or less", block_pages(c)));
    }
    if (blocks && c.ftl.log_set_policy != map_policy::lru) {
        reject("ftl.log_set.map_policy", "the map of blocks lies in DRAM as a whole",
               "use ftl.log_set.unit: page, or leave it out");
    }
    if (blocks && c.ftl.log_set_streams != map_streams::shared) {
        reject("ftl.log_set.map_streams",
               "a superblock is one block, a checkpoint of the map of blocks fills few of them",
               "use ftl.log_set.unit: page, or leave it out");
    }
}

/// The buffer of level 2.
void check_upper(const rejection& reject, const ssd_config& c)
{
    const std::uint64_t least = MAP_FRAMES_LEAST * c.ftl.map_unit;
    if (maps_blocks(c) && c.ftl.log_set_upper != 0) {
        reject("ftl.log_set.upper_cache", "only log_set with pages has a buffer of M2",
               "use ftl.log_set.unit: page, or leave it out");
    }
    if (c.ftl.log_set_upper != 0 && c.ftl.log_set_upper < least) {
        reject(
            "ftl.log_set.upper_cache",
            fmt::format("{} bytes are fewer than {} pages", c.ftl.log_set_upper, MAP_FRAMES_LEAST),
            fmt::format("use {}B or more", least));
    }
    if (c.ftl.log_set_upper == 0 && c.ftl.log_set_upper_policy != map_policy::lru) {
        reject("ftl.log_set.upper_policy", "all of M2 is in DRAM",
               "set ftl.log_set.upper_cache, or leave it out");
    }
}

void check_garbage(const rejection& reject, const ssd_config& c)
{
    const double invalid = c.ftl.log_set_invalid;
    if (invalid != 0.0 && invalid < invalid_least) {
        reject("ftl.log_set.invalid_threshold",
               fmt::format("collecting so little garbage writes {:.0f} times of it", 1.0 / invalid),
               fmt::format("use 0, or {} and more", invalid_least));
    }
}

class log_set_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            kept_option_of(
                ftl_scheme::log_set,
                make_option<ssd_config>(
                    {"ftl.log_set.map_policy", "lru",
                     "map page that leaves the buffer first: used the longest ago, or come first"},
                    words_of<map_policy>(), FIELD(ftl.log_set_policy))),
            kept_option_of(
                ftl_scheme::log_set,
                make_option<ssd_config>({"ftl.log_set.upper_cache", "0B",
                                         "bytes of DRAM for pages of M2, where that has more than "
                                         "these and is not the top; 0B = for all of them"},
                                        size_of(0, units::TiB), FIELD(ftl.log_set_upper))),
            kept_option_of(ftl_scheme::log_set,
                           make_option<ssd_config>({"ftl.log_set.upper_policy", "lru",
                                                    "page of M2 that leaves its buffer first: used "
                                                    "the longest ago, or come first"},
                                                   words_of<map_policy>(),
                                                   FIELD(ftl.log_set_upper_policy))),
            kept_option_of(ftl_scheme::log_set,
                           make_option<ssd_config>(
                               {"ftl.log_set.map_streams", "shared",
                                "where logs of maps append: shared: all to one open superblock; "
                                "per_level: each log to superblocks of its own, which takes two "
                                "superblocks more per level but the first"},
                               words({{"shared", static_cast<int>(map_streams::shared)},
                                      {"per_level", static_cast<int>(map_streams::per_level)}}),
                               FIELD(ftl.log_set_streams))),
            kept_option_of(ftl_scheme::log_set,
                           make_option<ssd_config>(
                               {"ftl.log_set.invalid_threshold", "0",
                                "a superblock with a greater share of garbage is collected though "
                                "free space is not low; 0 = only when it is"},
                               real_of(value_kind::fraction, 0.0, 0.95),
                               FIELD(ftl.log_set_invalid))),
            kept_option_of(ftl_scheme::log_set,
                           make_option<ssd_config>(
                               {"ftl.log_set.unit", "page",
                                "what the log of data appends and its map has entries of; page: "
                                "page mapping; block: block mapping, with a W-log hybrid mapping"},
                               words({{"page", static_cast<int>(log_unit::page)},
                                      {"block", static_cast<int>(log_unit::block)}}),
                               FIELD(ftl.log_set_unit))),
            kept_option_of(ftl_scheme::log_set,
                           make_option<ssd_config>({"ftl.log_set.w_log", "0",
                                                    "blocks of the W-log, which takes small writes "
                                                    "page by page; 0 = there is none"},
                                                   count_of(0, scheme_blocks_max),
                                                   FIELD(ftl.log_set_w_log))),
            kept_option_of(ftl_scheme::log_set,
                           make_option<ssd_config>(
                               {"ftl.log_set.w_threshold", "0",
                                "dirty pages side by side that are written with their block "
                                "instead of to the W-log; 0 = half a block"},
                               count_of(0, scheme_blocks_max), FIELD(ftl.log_set_w_threshold))),
        };
    }

    void check(const rejection& reject, const ssd_config& c) const override
    {
        check_unit(reject, c);
        check_upper(reject, c);
        check_garbage(reject, c);
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.gc.invalid_permille =
            static_cast<std::uint32_t>(std::lround(c.ftl.log_set_invalid * 1000.0));
        p.map.policy = static_cast<std::uint32_t>(c.ftl.log_set_policy);
        p.map.apart = c.ftl.log_set_streams == map_streams::per_level ? 1 : 0;
        p.map.upper_cache = c.ftl.log_set_upper;
        p.map.upper_policy = static_cast<std::uint32_t>(c.ftl.log_set_upper_policy);
        if (maps_blocks(c)) {
            p.map.log_blocks = c.ftl.log_set_w_log;
            p.map.log_direct = c.ftl.log_set_w_threshold;
        }
    }
};

} // namespace

const scheme_part& part_log_set()
{
    static const log_set_part part;
    return part;
}

} // namespace ssdvp::platform
