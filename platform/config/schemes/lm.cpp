// SPDX-License-Identifier: Apache-2.0
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

class lm_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            option_of(ftl_scheme::lm,
                      make_option<ssd_config>({"ftl.lm.moving_blocks", "1",
                                               "logical blocks that have a moving block at a time; "
                                               "the one written the longest ago is closed first"},
                                              count_of(1, scheme_blocks_max),
                                              FIELD(ftl.blocks.lm_moving_blocks))),
            option_of(ftl_scheme::lm, make_option<ssd_config>(
                                          {"ftl.lm.eager_close", "true",
                                           "a moving block is closed when it is full; false: when "
                                           "its logical block or another one needs a new one"},
                                          flag(), FIELD(ftl.blocks.lm_eager_close))),
        };
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.map.placed.moving_blocks = c.ftl.blocks.lm_moving_blocks;
        p.map.placed.eager_close = c.ftl.blocks.lm_eager_close ? 1 : 0;
    }
};

} // namespace

const scheme_part& part_lm()
{
    static const lm_part part;
    return part;
}

} // namespace ssdvp::platform
