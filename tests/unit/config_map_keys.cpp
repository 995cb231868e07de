// SPDX-License-Identifier: Apache-2.0
#include "platform/config/choices.h"
#include "tests/unit/key_case.h"

namespace ssdvp::platform::test {

using C = const ssd_config&;

std::vector<key_case> map_cases()
{
    const std::vector<std::string> dftl = {"ftl.scheme=dftl"};
    const std::vector<std::string> log_set = {"ftl.scheme=log_set"};
    const std::vector<std::string> blocks = {"ftl.scheme=log_set", "ftl.stripe=block",
                                             "ftl.map_unit=16KiB", "ftl.log_set.unit=block"};
    std::vector<key_case> cases = {
        {"ftl.map_cache", "1MiB", [](C c) { return c.ftl.map_cache == 1048576; }, "1", dftl},
        {"ftl.map_share", "0.25", [](C c) { return c.ftl.map_share == 0.25; }, "1.5", dftl},
        {"ftl.log_set.invalid_threshold", "0.4", [](C c) { return c.ftl.log_set_invalid == 0.4; },
         "1.5", log_set},
        {"ftl.log_set.map_policy", "fifo",
         [](C c) { return c.ftl.log_set_policy == map_policy::fifo; }, "clock", log_set},
        {"ftl.log_set.upper_cache", "64KiB", [](C c) { return c.ftl.log_set_upper == 65536; },
         "1.5B", log_set},
        {"ftl.log_set.upper_policy",
         "fifo",
         [](C c) { return c.ftl.log_set_upper_policy == map_policy::fifo; },
         "clock",
         {"ftl.scheme=log_set", "ftl.log_set.upper_cache=64KiB"}},
        {"ftl.log_set.map_streams", "per_level",
         [](C c) { return c.ftl.log_set_streams == map_streams::per_level; }, "separate", log_set},
        {"ftl.log_set.unit", "block", [](C c) { return c.ftl.log_set_unit == log_unit::block; },
         "lun", blocks},
        {"ftl.log_set.w_log", "12", [](C c) { return c.ftl.log_set_w_log == 12; }, "-1", blocks},
        {"ftl.log_set.w_threshold",
         "5",
         [](C c) { return c.ftl.log_set_w_threshold == 5; },
         "x",
         {"ftl.scheme=log_set", "ftl.stripe=block", "ftl.map_unit=16KiB", "ftl.log_set.unit=block",
          "ftl.log_set.w_log=8"}},
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
    const std::vector<key_case> more = block_cases();
    const std::vector<key_case> places = placement_cases();
    cases.insert(cases.end(), more.begin(), more.end());
    cases.insert(cases.end(), places.begin(), places.end());
    return cases;
}

} // namespace ssdvp::platform::test
