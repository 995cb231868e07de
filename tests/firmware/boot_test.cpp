// SPDX-License-Identifier: Apache-2.0
//
// What the firmware tells the parts when it starts, and the program mode of what it does then.
#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/erring_drive.h"

namespace ssdvp::test::boot_test {
namespace {

/// Every unit twice, in order, while the channels execute at the doorbell.
void precondition_all(drive& d)
{
    const std::uint64_t units = d.sectors() / 8;
    for (std::uint64_t i = 0; i < 2 * units; ++i) {
        std::vector<std::uint64_t> tags;
        for (std::uint64_t s = 0; s < 8; ++s) {
            tags.push_back(d.copy.tag(i % units * 8 + s));
            d.copy.set(i % units * 8 + s, tags.back());
        }
        REQUIRE(d.nand.precondition({i % units}, tags) == 0);
    }
    REQUIRE(d.nand.precondition_end() == 0);
}

} // namespace

TEST_CASE("the suspend policy goes to every LUN at boot, and the channels ask for no more")
{
    for (std::uint32_t policy = FLASH_SUSPEND_NONE; policy <= FLASH_SUSPEND_SAFE_POINT_DYNAMIC;
         ++policy) {
        for (std::uint32_t programs = 0; programs < 2; ++programs) {
            ram_config c = tiny_drive();
            c.params.flash.suspend_policy = policy;
            c.params.flash.suspend_programs = programs;
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

// The bench breaks a rule for each operation in another mode than that of the drive.
TEST_CASE("SLC mode: all that the firmware does is in it, and so is preconditioning")
{
    ram_config c = tiny_drive();
    c.params.flash.array_mode = FLASH_MODE_SLC;
    c.params.flash.host_program_mode = FLASH_MODE_SLC;
    c.params.flash.suspend_policy = FLASH_SUSPEND_IMMEDIATE; // registers have no mode
    c.params.refresh.reads = 12;
    c.params.refresh.patrol_us = 1000;
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU);
    drive d(c);
    precondition_all(d);
    d.create_queues();
    overwrite(d, 6000, 3);
    d.check_everything(); // reads that make superblocks stale
    for (std::uint32_t i = 0; i < 30; ++i) {
        REQUIRE(d.nand.elapse());
    }
    overwrite(d, 1000, 4);
    d.check_everything();
    d.check_rules();
    for (const flash_purpose p : {FLASH_PURPOSE_HOST, FLASH_PURPOSE_GC, FLASH_PURPOSE_REFRESH,
                                  FLASH_PURPOSE_SCAN, FLASH_PURPOSE_PRECONDITION}) {
        CAPTURE(p);
        CHECK(d.nand.count(p).reads + d.nand.count(p).programs > 0);
    }
    CHECK(d.nand.count(FLASH_PURPOSE_GC).erases > 0);
}

TEST_CASE("a mode for the host's data that the rest of the drive does not have is refused")
{
    for (std::uint32_t array = 0; array <= 3; ++array) {
        for (std::uint32_t host = 0; host <= 3; ++host) {
            ram_config c = tiny_drive();
            c.params.flash.array_mode = array;
            c.params.flash.host_program_mode = host;
            drive d(c);
            const bool legal = (array == FLASH_MODE_NORMAL && host <= FLASH_MODE_SHALLOW) ||
                               (array == FLASH_MODE_SLC && host == FLASH_MODE_SLC);
            CHECK(d.nand.panicked() == !legal);
        }
    }
}

} // namespace ssdvp::test::boot_test
