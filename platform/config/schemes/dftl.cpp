// SPDX-License-Identifier: Apache-2.0
#include "platform/config/derived.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

class dftl_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            kept_option_of(
                ftl_scheme::dftl,
                make_option<ssd_config>(
                    {"ftl.dftl.batch", "true",
                     "a map page that is written for one entry takes all along that changed of it"},
                    flag(), FIELD(ftl.dftl_batch))),
        };
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.map.batch = c.ftl.dftl_batch ? 1 : 0;
    }
};

} // namespace

const scheme_part& part_dftl()
{
    static const dftl_part part;
    return part;
}

} // namespace ssdvp::platform
