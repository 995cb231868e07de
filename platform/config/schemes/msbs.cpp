// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

class msbs_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            option_of(ftl_scheme::msbs,
                      make_option<ssd_config>({"ftl.msbs.spare_pages", "",
                                               "pages of each block that take what is written "
                                               "again; the others are a logical block",
                                               "half of the pages of a block"},
                                              count_of(1, 65534),
                                              FIELD(ftl.blocks.msbs_spare_pages))),
            option_of(ftl_scheme::msbs,
                      make_option<ssd_config>(
                          {"ftl.msbs.spare_index", "none",
                           "how firmware finds the newest copy of a page among the spare ones: it "
                           "reads their out-of-band bytes, newest first, or has an index in RAM"},
                          words({{"none", static_cast<int>(page_index::none)},
                                 {"ram", static_cast<int>(page_index::ram)}}),
                          FIELD(ftl.blocks.msbs_index))),
        };
    }

    void complete(const raw_tree& raw, ssd_config& c) const override
    {
        if (!is_given(raw, "ftl.msbs.spare_pages")) {
            c.ftl.blocks.msbs_spare_pages = block_pages(c) / 2;
        }
    }

    void check(const rejection& reject, const ssd_config& c) const override
    {
        if (c.ftl.blocks.msbs_spare_pages >= block_pages(c)) {
            reject("ftl.msbs.spare_pages",
                   fmt::format("{} of {} pages leave none for a logical block",
                               c.ftl.blocks.msbs_spare_pages, block_pages(c)),
                   fmt::format("use {} or less", block_pages(c) - 1));
        }
    }

    [[nodiscard]] std::uint32_t spare_pages(const ssd_config& c) const override
    {
        return c.ftl.blocks.msbs_spare_pages;
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.map.placed.spare_pages = c.ftl.blocks.msbs_spare_pages;
        p.map.placed.ram_index = c.ftl.blocks.msbs_index == page_index::ram ? 1 : 0;
    }
};

} // namespace

const scheme_part& part_msbs()
{
    static const msbs_part part;
    return part;
}

} // namespace ssdvp::platform
