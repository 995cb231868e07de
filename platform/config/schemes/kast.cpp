// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

class kast_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            option_of(ftl_scheme::kast,
                      make_option<ssd_config>({"ftl.kast.log_blocks", "",
                                               "log blocks, each sequential or random at a time",
                                               "3 % of the logical blocks, 1 at least"},
                                              count_of(1, scheme_blocks_max),
                                              FIELD(ftl.blocks.kast_log_blocks))),
            option_of(
                ftl_scheme::kast,
                make_option<ssd_config>(
                    {"ftl.kast.associativity", "4",
                     "logical blocks that a log block has pages of at most, which one merge takes"},
                    count_of(1, 65535), FIELD(ftl.blocks.kast_associativity))),
        };
    }

    void complete(const raw_tree& raw, ssd_config& c) const override
    {
        if (!is_given(raw, "ftl.kast.log_blocks")) {
            c.ftl.blocks.kast_log_blocks = std::max(log_share(c), 1u);
        }
    }

    void check(const rejection& reject, const ssd_config& c) const override
    {
        if (c.ftl.blocks.kast_associativity > block_pages(c)) {
            reject("ftl.kast.associativity",
                   fmt::format("a log block has {} pages", block_pages(c)),
                   fmt::format("use {} or less", block_pages(c)));
        }
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.map.log_blocks = c.ftl.blocks.kast_log_blocks;
        p.map.placed.associativity = c.ftl.blocks.kast_associativity;
    }
};

} // namespace

const scheme_part& part_kast()
{
    static const kast_part part;
    return part;
}

} // namespace ssdvp::platform
