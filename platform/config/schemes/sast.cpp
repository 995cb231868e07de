// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

class sast_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            option_of(ftl_scheme::sast,
                      make_option<ssd_config>({"ftl.sast.set_blocks", "4",
                                               "neighbouring logical blocks that share log blocks"},
                                              count_of(1, scheme_blocks_max),
                                              FIELD(ftl.blocks.sast_set_blocks))),
            option_of(ftl_scheme::sast,
                      make_option<ssd_config>(
                          {"ftl.sast.set_log_blocks", "", "log blocks that they share at most",
                           "2, or ftl.sast.log_blocks if that is less"},
                          count_of(1, scheme_blocks_max), FIELD(ftl.blocks.sast_set_log_blocks))),
            option_of(ftl_scheme::sast,
                      make_option<ssd_config>({"ftl.sast.log_blocks", "", "log blocks of all sets",
                                               "3 % of the logical blocks, 1 at least"},
                                              count_of(1, scheme_blocks_max),
                                              FIELD(ftl.blocks.sast_log_blocks))),
        };
    }

    void complete(const raw_tree& raw, ssd_config& c) const override
    {
        if (!is_given(raw, "ftl.sast.log_blocks")) {
            c.ftl.blocks.sast_log_blocks = std::max(log_share(c), 1u);
        }
        if (!is_given(raw, "ftl.sast.set_log_blocks")) {
            c.ftl.blocks.sast_set_log_blocks = std::min(c.ftl.blocks.sast_log_blocks, 2u);
        }
    }

    void check(const rejection& reject, const ssd_config& c) const override
    {
        if (c.ftl.blocks.sast_set_log_blocks > c.ftl.blocks.sast_log_blocks) {
            reject("ftl.sast.set_log_blocks",
                   fmt::format("all sets have {} log blocks", c.ftl.blocks.sast_log_blocks),
                   fmt::format("use {} or less, or more ftl.sast.log_blocks",
                               c.ftl.blocks.sast_log_blocks));
        }
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.map.log_blocks = c.ftl.blocks.sast_log_blocks;
        p.map.placed.associativity = c.ftl.blocks.sast_set_blocks;
        p.map.placed.update_blocks = c.ftl.blocks.sast_set_log_blocks;
    }
};

} // namespace

const scheme_part& part_sast()
{
    static const sast_part part;
    return part;
}

} // namespace ssdvp::platform
