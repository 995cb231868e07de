// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

class vm_map_part final : public scheme_part {
public:
    [[nodiscard]] std::vector<option> options() const override
    {
        return {
            kept_option_of(
                ftl_scheme::vm_map,
                make_option<ssd_config>({"ftl.vm_map.segments", "0",
                                         "segments of the map in DRAM, one erase block of map "
                                         "pages each; 0 = as many as ftl.map_cache holds"},
                                        count_of(0, scheme_blocks_max), FIELD(ftl.vm_segments))),
        };
    }

    void check(const rejection& reject, const ssd_config& c) const override
    {
        if (c.ftl.vm_segments == 0 && c.ftl.map_cache < segment_bytes(c)) {
            reject("ftl.map_cache",
                   fmt::format("{} bytes hold no segment of the map", c.ftl.map_cache),
                   fmt::format("use {}B or more", segment_bytes(c)));
        }
    }

    void fill(boot_params& p, const ssd_config& c) const override
    {
        p.map.segments = c.ftl.vm_segments;
    }
};

} // namespace

const scheme_part& part_vm_map()
{
    static const vm_map_part part;
    return part;
}

} // namespace ssdvp::platform
