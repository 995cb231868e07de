// SPDX-License-Identifier: Apache-2.0
#include "platform/config/derived.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

class fmax_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            option_of(ftl_scheme::fmax,
                      make_option<ssd_config>({"ftl.fmax.switch", "false",
                                               "a replacement block that is full and in order "
                                               "takes the place of its block without a copy"},
                                              flag(), FIELD(ftl.blocks.fmax_switch))),
            option_of(ftl_scheme::fmax,
                      make_option<ssd_config>({"ftl.fmax.replacement_index", "none",
                                               "how firmware finds the newest copy of a page in a "
                                               "replacement block, as ftl.msbs.spare_index"},
                                              words({{"none", static_cast<int>(page_index::none)},
                                                     {"ram", static_cast<int>(page_index::ram)}}),
                                              FIELD(ftl.blocks.fmax_index))),
        };
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.map.placed.merge_switch = c.ftl.blocks.fmax_switch ? 1 : 0;
        p.map.placed.ram_index = c.ftl.blocks.fmax_index == page_index::ram ? 1 : 0;
    }
};

} // namespace

const scheme_part& part_fmax()
{
    static const fmax_part part;
    return part;
}

} // namespace ssdvp::platform
