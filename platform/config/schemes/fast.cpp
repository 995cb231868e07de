// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

class fast_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            option_of(ftl_scheme::fast,
                      make_option<ssd_config>(
                          {"ftl.fast.random_log_blocks", "",
                           "log blocks of any logical blocks, beside the one for sequential writes",
                           "3 % of the logical blocks less one, 1 at least"},
                          count_of(1, scheme_blocks_max),
                          FIELD(ftl.blocks.fast_random_log_blocks))),
            option_of(ftl_scheme::fast,
                      make_option<ssd_config>(
                          {"ftl.fast.sequential_merge", "partial",
                           "how a sequential log block that is not full is merged: it is "
                           "completed with what counts of the data block, completed with newer "
                           "pages of random log blocks too, or merged into a third block"},
                          words_of<sequential_merge>(), FIELD(ftl.blocks.fast_merge))),
            option_of(ftl_scheme::fast,
                      make_option<ssd_config>(
                          {"ftl.fast.non_sequential", "absorb",
                           "where a write goes that breaks the order of its sequential log block: "
                           "with its merge into the new data block, first into a new sequential "
                           "log block, or to a random one"},
                          words_of<non_sequential>(), FIELD(ftl.blocks.fast_jump))),
        };
    }

    void complete(const raw_tree& raw, ssd_config& c) const override
    {
        if (!is_given(raw, "ftl.fast.random_log_blocks")) {
            c.ftl.blocks.fast_random_log_blocks = std::max(log_share(c), 2u) - 1;
        }
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.map.log_blocks = c.ftl.blocks.fast_random_log_blocks;
        p.map.placed.partial_merge = static_cast<std::uint32_t>(c.ftl.blocks.fast_merge);
        p.map.placed.non_sequential = static_cast<std::uint32_t>(c.ftl.blocks.fast_jump);
    }
};

} // namespace

const scheme_part& part_fast()
{
    static const fast_part part;
    return part;
}

} // namespace ssdvp::platform
