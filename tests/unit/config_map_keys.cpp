// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/key_case.h"

namespace ssdvp::platform::test {

using C = const ssd_config&;

std::vector<key_case> map_cases()
{
    const std::vector<std::string> dftl = {"ftl.scheme=dftl"};
    const std::vector<std::string> log_set = {"ftl.scheme=log_set"};
    return {
        {"ftl.map_cache", "1MiB", [](C c) { return c.ftl.map_cache == 1048576; }, "1", dftl},
        {"ftl.log_set.invalid_threshold", "0.4", [](C c) { return c.ftl.log_set_invalid == 0.4; },
         "1.5", log_set},
        {"ftl.log_set.map_policy", "fifo",
         [](C c) { return c.ftl.log_set_policy == map_policy::fifo; }, "clock", log_set},
        {"ftl.dftl.batch", "false", [](C c) { return !c.ftl.dftl_batch; }, "no", dftl},
        {"ftl.stripe",
         "block",
         [](C c) { return c.ftl.stripe == superblock_stripe::block; },
         "lun",
         {}},
        {"ftl.vm_map.segments",
         "3",
         [](C c) { return c.ftl.vm_segments == 3; },
         "x",
         {"ftl.scheme=vm_map"}},
    };
}

} // namespace ssdvp::platform::test
