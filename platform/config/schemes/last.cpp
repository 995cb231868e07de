// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

class last_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            option_of(ftl_scheme::last,
                      make_option<ssd_config>(
                          {"ftl.last.sequential_threshold", "4KiB",
                           "a write of so many bytes or more goes to sequential log blocks"},
                          size_of(512, 1ull << 30), FIELD(ftl.blocks.last_threshold))),
            option_of(ftl_scheme::last, make_option<ssd_config>(
                                            {"ftl.last.sequential_log_blocks", "",
                                             "log blocks for long writes, each of a logical block",
                                             "a quarter of 3 % of the logical blocks, 1 at least"},
                                            count_of(1, scheme_blocks_max),
                                            FIELD(ftl.blocks.last_sequential_blocks))),
            option_of(ftl_scheme::last,
                      make_option<ssd_config>(
                          {"ftl.last.random_log_blocks", "",
                           "log blocks for short writes, of any logical blocks",
                           "3 % of the logical blocks less the sequential ones, 2 at least"},
                          count_of(2, scheme_blocks_max), FIELD(ftl.blocks.last_random_blocks))),
            option_of(ftl_scheme::last,
                      make_option<ssd_config>(
                          {"ftl.last.hot_log_blocks", "",
                           "random log blocks of the hot part, to begin with", "half of them"},
                          count_of(1, scheme_blocks_max), FIELD(ftl.blocks.last_hot_blocks))),
            option_of(ftl_scheme::last,
                      make_option<ssd_config>(
                          {"ftl.last.hot_window", "",
                           "a page is hot that is written again within so many random writes",
                           "pages of half of the random log blocks"},
                          count_of(1, 1000000000), FIELD(ftl.blocks.last_hot_window))),
            option_of(ftl_scheme::last,
                      make_option<ssd_config>({"ftl.last.adaptive", "true",
                                               "the hot part grows when its blocks die, and "
                                               "shrinks when they have to be merged"},
                                              flag(), FIELD(ftl.blocks.last_adaptive))),
        };
    }

    void complete(const raw_tree& raw, ssd_config& c) const override
    {
        block_map_config& b = c.ftl.blocks;
        const std::uint32_t share = log_share(c);
        if (!is_given(raw, "ftl.last.sequential_log_blocks")) {
            b.last_sequential_blocks = std::max(share / 4, 1u);
        }
        if (!is_given(raw, "ftl.last.random_log_blocks")) {
            b.last_random_blocks = std::max(share - share / 4, 2u);
        }
        if (!is_given(raw, "ftl.last.hot_log_blocks")) {
            b.last_hot_blocks = std::max(b.last_random_blocks / 2, 1u);
        }
        if (!is_given(raw, "ftl.last.hot_window")) {
            b.last_hot_window = std::max(b.last_random_blocks / 2, 1u) * block_pages(c);
        }
    }

    void check(const rejection& reject, const ssd_config& c) const override
    {
        const block_map_config& b = c.ftl.blocks;
        if (b.last_hot_blocks >= b.last_random_blocks) {
            reject("ftl.last.hot_log_blocks",
                   fmt::format("of {} random log blocks one at least is for cold pages",
                               b.last_random_blocks),
                   fmt::format("use {} or less, or more ftl.last.random_log_blocks",
                               b.last_random_blocks - 1));
        }
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        const block_map_config& b = c.ftl.blocks;
        p.map.log_blocks = b.last_random_blocks;
        p.map.placed.stream_bytes = static_cast<std::uint32_t>(b.last_threshold);
        p.map.placed.stream_blocks = b.last_sequential_blocks;
        p.map.placed.hot_blocks = b.last_hot_blocks;
        p.map.placed.hot_window = b.last_hot_window;
        p.map.placed.hot_adapts = b.last_adaptive ? 1 : 0;
    }
};

} // namespace

const scheme_part& part_last()
{
    static const last_part part;
    return part;
}

} // namespace ssdvp::platform
