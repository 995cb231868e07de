// SPDX-License-Identifier: Apache-2.0
//
// Firmware timed by its own instructions under load: queues enough saturate one core and a second
// one lifts the drive, seen in how busy the cores are and in what a read waits for; a clock that
// doubles halves the firmware's work at any depth.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"

namespace cores_load_test {

using namespace ssdvp;
using ssdvp::test::platform_run;

namespace {

using texts = std::vector<std::string>;

/// A drive that waits for its firmware alone: the flash reads in 3 us, as Z-NAND (SZ985), on eight
/// channels, and the core is slow.
const texts files = {"device/small", "workload/random-read", "policy/no-cache"};
texts loaded(const texts& more)
{
    texts sets = {
        "cpu.core=cortex-r82", "cpu.clock=300MHz",           "nand.tR=3us",
        "flash.channels=8",    "nand.blocks_per_plane=32",   "nand.interface.rate=1200MT/s",
        "precondition.fill=1", "workload.0.queue_depth=128", "run.requests=8000",
        "host.nvme.slots=256"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

double iops(const platform_run& r)
{
    return static_cast<double>(r.sim->requests().requests()) * 1e12 /
           static_cast<double>(r.measured().when.ps());
}
double busy(const platform_run& r)
{
    return static_cast<double>(r.measured().cpu.at(0).busy.ps()) /
           static_cast<double>(r.measured().when.ps());
}
double per_read(const platform_run& r, double value)
{
    return value / static_cast<double>(r.sim->requests().requests());
}
double firmware_part(const platform_run& r)
{
    const auto part = r.reads().parts[static_cast<std::size_t>(latency_part::firmware)];
    return per_read(r, static_cast<double>(part));
}
double core_wait(const platform_run& r)
{
    const auto part = r.reads().parts[static_cast<std::size_t>(latency_part::wait_core)];
    return per_read(r, static_cast<double>(part));
}
double busy_per_read(const platform_run& r)
{
    return per_read(r, static_cast<double>(r.measured().cpu.at(0).busy.ps()));
}
double instructions(const platform_run& r)
{
    return per_read(r, static_cast<double>(r.measured().cpu.at(0).instructions));
}

double activations(const platform_run& r)
{
    return per_read(r, static_cast<double>(r.measured().kernel_activations));
}

double measured(const texts& more, test::measure_fn measure)
{
    return test::measure_apart(files, loaded(more), measure);
}

const texts host_apart = {"cpu.cores=2", "cpu.roles=host_apart"};
const texts flash_apart = {"cpu.cores=2", "cpu.roles=flash_apart"};
const texts ftl_apart = {"cpu.cores=2", "cpu.roles=ftl_apart"};

} // namespace

TEST_CASE("load: enough queues saturate one core, and a second one lifts the drive")
{
    CHECK(measured({"workload.0.queue_depth=1"}, busy) < 0.8);
    CHECK(measured({}, busy) > 0.99);
    const double one = measured({}, iops);
    CHECK(measured(host_apart, iops) > 1.25 * one);
    CHECK(measured(flash_apart, iops) > 1.05 * one); // that role is the least
    CHECK(measured(ftl_apart, iops) > 1.4 * one);
    CHECK(measured({"cpu.cores=3"}, iops) > 1.4 * one);
    // A closed loop: what the drive gains reads no longer wait for.
    CHECK(measured(host_apart, core_wait) < 0.85 * measured({}, core_wait));
}

// A command's part `firmware` is the work that firmware marks as its own, whatever else the core
// does: it halves. Rounds of the loop, which commands share, and the wait for the core are the part
// `wait_core`; a faster core finds fewer commands in each round, so that what a read costs it in
// all is a little more.
TEST_CASE("load: at QD32 a core of twice the clock spends half the time on a read")
{
    struct {
        const char* limit;
        texts slow;
        const char* twice;
    } const cases[] = {
        {"the core", {"cpu.clock=300MHz"}, "cpu.clock=600MHz"},
        {"the flash", {"cpu.clock=1200MHz", "nand.tR=74us"}, "cpu.clock=2400MHz"},
    };
    for (const auto& c : cases) {
        texts slow = c.slow;
        slow.emplace_back("workload.0.queue_depth=32");
        texts fast = slow;
        fast.emplace_back(c.twice);
        const double n = measured(slow, instructions);
        INFO("the limit is " << c.limit << ": " << n << " instructions a read");
        CHECK(measured(fast, instructions) == Approx(n).epsilon(0.03));
        CHECK(measured(slow, busy_per_read) / measured(fast, busy_per_read) ==
              Approx(2).epsilon(0.03));
        CHECK(measured(slow, firmware_part) / measured(fast, firmware_part) ==
              Approx(2).epsilon(0.005));
    }
}

TEST_CASE("load: at QD32 a read takes at most 20 kernel activations on any number of cores")
{
    const texts drive = {"experiment/qd32-random-read"};
    const texts layouts[] = {{}, host_apart, flash_apart, ftl_apart, {"cpu.cores=3"}};
    for (const texts& layout : layouts) {
        texts sets = {"cpu.core=cortex-r82", "run.requests=4000", "nand.blocks_per_plane=64"};
        sets.insert(sets.end(), layout.begin(), layout.end());
        INFO((layout.empty() ? std::string("one") : layout.back()));
        CHECK(test::measure_apart(drive, sets, activations) <= (layout.empty() ? 13 : 20));
    }
}

} // namespace cores_load_test
