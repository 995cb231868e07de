// SPDX-License-Identifier: Apache-2.0
//
// NVMe controller reset with commands in flight, for layouts of roles on cores: the drive comes
// back, has what it had acknowledged, and no core holds on to commands of the old controller.
#include <catch2/catch.hpp>
#include <functional>

#include "platform/config/loader.h"
#include "platform/ssd/ssd.h"

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

struct nobody final : host::request_observer {
    void on_complete(const host::request_result&) override {}
};

/// Runs until told to go on; false: the drive never said so.
bool until(const std::function<void(std::function<void()>)>& begin)
{
    bool ended = false;
    begin([&] {
        ended = true;
        sc_core::sc_pause();
    });
    for (int ms = 0; !ended && ms < 2000; ++ms) {
        sc_core::sc_start(sim_time(1000000000).to_sc(), sc_core::SC_RUN_TO_TIME);
    }
    return ended;
}

bool start(platform::ssd& drive)
{
    bool good = false;
    const bool ended = until([&](std::function<void()> done) {
        drive.host().start([&good, done](bool ok) {
            good = ok;
            done();
        });
    });
    return ended && good;
}

/// Resets the controller while the workload runs, three times. The host withdraws its buffers as
/// for a loss of power, while the drive may still move data of commands that are lost: so what it
/// reads back afterwards is not judged, only that it can.
void reset_under_load(std::vector<std::string> sets)
{
    platform::config_sources sources;
    sources.files = {"device/small", "workload/mixed"};
    sets.insert(sets.end(), {"ftl.over_provisioning=0.3", "workload.0.queue_depth=64",
                             "power.cut.every=1000000"}); // the shadow keeps what may be
    sources.sets = std::move(sets);
    const platform::loaded_firmware firmware("");
    nobody observer;
    platform::ssd drive("ssd", platform::load(sources), firmware, observer, {});
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborates
    REQUIRE(start(drive));
    drive.host().start_workload({0, {}}, [] {});
    for (int reset = 0; reset < 3; ++reset) {
        const std::uint64_t before = drive.host().workload().completed();
        sc_core::sc_start(sim_time(3000000000 + 777777 * reset).to_sc()); // 3 ms
        REQUIRE(drive.host().workload().completed() > before + 100);
        REQUIRE(drive.host().drive().in_flight() != 0);
        drive.host().power_lost(); // as the host sees it: whatever was in flight is lost
        REQUIRE(start(drive));     // CC.EN = 0, RDY = 0, CC.EN = 1, RDY = 1, queues
        REQUIRE(until([&](std::function<void()> done) { drive.host().verify(true, done); }));
        drive.host().workload().resume();
    }
    REQUIRE(until([&](std::function<void()> done) {
        drive.host().stop();
        while (drive.host().drive().in_flight() != 0) {
            sc_core::sc_start(sim_time(1000000).to_sc());
        }
        done();
    }));
    sc_core::sc_start(sim_time(100000000000).to_sc());
    CHECK(drive.idle());
    CHECK_FALSE(drive.panicked());
    for (const fault_log::fault& f : drive.faults().faults()) {
        INFO(f.who << ": " << f.what);
        CHECK(f.who.rfind("ssd.host.", 0) == 0);
    }
}

} // namespace

TEST_CASE("reset under load: one core")
{
    reset_under_load({});
}

TEST_CASE("reset under load: the host role apart")
{
    reset_under_load({"cpu.cores=2"});
}

TEST_CASE("reset under load: the flash role apart")
{
    reset_under_load({"cpu.cores=2", "cpu.roles=flash_apart"});
}

TEST_CASE("reset under load: each role on a core, slow ones")
{
    reset_under_load({"cpu.cores=3", "cpu.clock=100MHz"});
}
