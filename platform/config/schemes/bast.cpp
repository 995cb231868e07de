// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

class bast_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            option_of(ftl_scheme::bast,
                      make_option<ssd_config>(
                          {"ftl.bast.log_blocks", "", "log blocks, each of one logical block",
                           "3 % of the logical blocks, 1 at least"},
                          count_of(1, scheme_blocks_max), FIELD(ftl.blocks.bast_log_blocks))),
            option_of(ftl_scheme::bast, make_option<ssd_config>(
                                            {"ftl.bast.partial_merge", "true",
                                             "a log block that is in order from its first page on "
                                             "is completed instead of merged into a third block"},
                                            flag(), FIELD(ftl.blocks.bast_partial_merge))),
            option_of(ftl_scheme::bast,
                      make_option<ssd_config>({"ftl.bast.log_info_writes", "false",
                                               "a page is programmed whenever a log block is taken "
                                               "or merged, as a list of log blocks in flash costs"},
                                              flag(), FIELD(ftl.blocks.bast_log_info))),
        };
    }

    void complete(const raw_tree& raw, ssd_config& c) const override
    {
        if (!is_given(raw, "ftl.bast.log_blocks")) {
            c.ftl.blocks.bast_log_blocks = std::max(log_share(c), 1u);
        }
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.map.log_blocks = c.ftl.blocks.bast_log_blocks;
        p.map.placed.partial_merge = c.ftl.blocks.bast_partial_merge ? 1 : 0;
        p.map.placed.log_info = c.ftl.blocks.bast_log_info ? 1 : 0;
    }
};

} // namespace

const scheme_part& part_bast()
{
    static const bast_part part;
    return part;
}

} // namespace ssdvp::platform
