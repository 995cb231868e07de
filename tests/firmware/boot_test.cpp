// SPDX-License-Identifier: Apache-2.0
//
// What the firmware tells the parts when it starts.
#include "tests/firmware/drive_bench.h"

namespace ssdvp::test {

TEST_CASE("the suspend policy goes to every LUN at boot, and the channels ask for no more")
{
    for (std::uint32_t policy = FLASH_SUSPEND_NONE; policy <= FLASH_SUSPEND_SAFE_POINT_DYNAMIC;
         ++policy) {
        for (std::uint32_t programs = 0; programs < 2; ++programs) {
            ram_config c = tiny_drive();
            c.params.suspend_policy = policy;
            c.params.suspend_programs = programs;
            drive d(c);
            const std::uint32_t asked =
                (policy != FLASH_SUSPEND_NONE ? CHANNEL_SUSPEND_ERASES : 0) |
                (programs != 0 ? CHANNEL_SUSPEND_PROGRAMS : 0);
            // Parts power up with `none`: nothing to say then.
            CHECK(d.nand.features.size() == (asked == 0 ? 0u : 4u));
            for (const auto& [place, value] : d.nand.features) {
                CHECK(place[2] == FLASH_FEATURE_SUSPEND_POLICY);
                CHECK(value == (policy | programs << 8));
            }
            CHECK(d.nand.suspend_asked.at(0) == asked);
            CHECK(d.nand.suspend_asked.at(1) == asked);
        }
    }
}

} // namespace ssdvp::test
