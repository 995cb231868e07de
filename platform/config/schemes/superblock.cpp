// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

/// Pages of a superblock (firmware/schemes/superblock.c).
constexpr std::uint32_t pages_most = 65535;

class superblock_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            option_of(
                ftl_scheme::superblock,
                make_option<ssd_config>({"ftl.superblock.blocks", "8",
                                         "logical blocks side by side that share their blocks"},
                                        count_of(1, 65535), FIELD(ftl.blocks.superblock_blocks))),
            option_of(ftl_scheme::superblock,
                      make_option<ssd_config>({"ftl.superblock.update_blocks", "4",
                                               "blocks for updates that a superblock has at most, "
                                               "beyond those that its data fill"},
                                              count_of(1, 65535),
                                              FIELD(ftl.blocks.superblock_update_blocks))),
            option_of(ftl_scheme::superblock,
                      make_option<ssd_config>(
                          {"ftl.superblock.pool_blocks", "",
                           "blocks for updates of all superblocks together; when they are used up "
                           "the superblock written the longest ago gives one up",
                           "3 % of the logical blocks, 1 at least"},
                          count_of(1, scheme_blocks_max),
                          FIELD(ftl.blocks.superblock_pool_blocks))),
        };
    }

    void complete(const raw_tree& raw, ssd_config& c) const override
    {
        if (!is_given(raw, "ftl.superblock.pool_blocks")) {
            c.ftl.blocks.superblock_pool_blocks = std::max(log_share(c), 1u);
        }
    }

    void check(const rejection& reject, const ssd_config& c) const override
    {
        if (c.ftl.blocks.superblock_blocks > pages_most / block_pages(c)) {
            reject("ftl.superblock.blocks",
                   fmt::format("{} blocks of {} pages are more than {} pages",
                               c.ftl.blocks.superblock_blocks, block_pages(c), pages_most),
                   fmt::format("use {} or less", pages_most / block_pages(c)));
        }
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.map.log_blocks = c.ftl.blocks.superblock_pool_blocks;
        p.map.placed.superblock_blocks = c.ftl.blocks.superblock_blocks;
        p.map.placed.update_blocks = c.ftl.blocks.superblock_update_blocks;
    }
};

} // namespace

const scheme_part& part_superblock()
{
    static const superblock_part part;
    return part;
}

} // namespace ssdvp::platform
