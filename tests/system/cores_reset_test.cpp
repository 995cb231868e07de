// SPDX-License-Identifier: Apache-2.0
//
// NVMe controller reset with commands in flight, for layouts of roles on cores: the drive comes
// back, has what it had acknowledged and what it was doing in an old or a new version, holds on to
// nothing of the old controller, and its statistics still add up.
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <catch2/catch.hpp>
#include <functional>

#include "platform/config/loader.h"
#include "platform/report/counter_sums.h"
#include "platform/report/identities.h"
#include "platform/report/request_statistics.h"
#include "platform/ssd/ssd.h"
#include "tests/support/drive_held.h"

namespace cores_reset_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

using texts = std::vector<std::string>;

constexpr int resets = 8;

void run_for(sim_time t)
{
    sc_core::sc_start(t.to_sc(), sc_core::SC_RUN_TO_TIME);
}

/// Runs until told to go on; false: the drive never said so.
bool until(const std::function<void(std::function<void()>)>& begin)
{
    bool ended = false;
    begin([&] {
        ended = true;
        sc_core::sc_pause();
    });
    for (int ms = 0; !ended && ms < 2000; ++ms) {
        run_for(1_ms);
    }
    return ended;
}

bool until_good(const std::function<void(host::driver::callback)>& begin)
{
    bool good = false;
    const bool ended = until([&](const std::function<void()>& done) {
        begin([&good, done](bool ok) {
            good = ok;
            done();
        });
    });
    return ended && good;
}

struct bench {
    platform::loaded_firmware firmware{""};
    platform::request_statistics requests;
    platform::ssd drive;

    explicit bench(const platform::ssd_config& config)
        : drive("ssd", config, firmware, requests, {})
    {
        sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborates
    }
    bool start()
    {
        return until_good(
            [&](host::driver::callback done) { drive.host().start(std::move(done)); });
    }
    bool idle()
    {
        for (int ms = 0; !drive.idle() && ms < 2000; ++ms) {
            run_for(1_ms);
        }
        return drive.idle();
    }
    drive_held held()
    {
        drive_held h{};
        count_held(drive.sram().data(), drive.dram().data(), &h);
        return h;
    }
};

platform::ssd_config configured(texts sets)
{
    platform::config_sources sources;
    sources.files = {"device/small", "workload/mixed"};
    sets.insert(sets.end(), {"ftl.over_provisioning=0.3", "workload.0.queue_depth=64",
                             "workload.1.flush_every=8", // what a Flush promised
                             "power.cut.every=1000000",  // the shadow keeps what may be
                             "workload.0.trim_fraction=0.05"});
    sources.sets = std::move(sets);
    return platform::load(sources);
}

/// Nothing of an old controller is left: as after the first start.
void check_held(const drive_held& now, const drive_held& fresh)
{
    CHECK(now.commands == 0);
    CHECK(now.waiting == 0);
    CHECK(now.backlog == 0);
    CHECK(now.slot_moves == 0);
    CHECK(now.slots_astray == 0);
    CHECK(now.read_buffers == 0);
    CHECK(now.posted <=
          fresh.posted); // of the last admin commands: nothing wakes firmware for them
    CHECK(now.moving <= fresh.moving);
    CHECK(now.meta <= fresh.meta);
}

void check_statistics(bench& b, const platform::counters& base)
{
    platform::measurement m;
    m.measured = m.lifetime = difference(b.drive.read(), base);
    m.drive.map_unit = b.drive.config().ftl.map_unit;
    m.energy = b.drive.config().energy;
    for (const std::string& broken : check_identities(m, b.requests)) {
        FAIL_CHECK(broken);
    }
    CHECK(b.requests.bad_splits() == 0);
    for (const fault_log::fault& f : b.drive.faults().faults()) {
        FAIL_CHECK(f.who << ": " << f.what);
    }
}

/// Resets the controller while the workload runs, at moments that the seed draws.
void reset_under_load(const texts& sets, unsigned seed)
{
    bench b(configured(sets));
    host::host_system& host = b.drive.host();
    boost::random::mt19937 random(seed);
    const boost::random::uniform_int_distribution<std::uint64_t> moment(1000000000, 3000000000);
    REQUIRE(b.start());
    REQUIRE(b.idle());
    const drive_held fresh = b.held();
    const platform::counters base = b.drive.read();
    host.start_workload({0, {}}, [] {});
    for (int reset = 0; reset < resets; ++reset) {
        const std::uint64_t before = host.workload().completed();
        run_for(sim_time(moment(random))); // ps
        for (int more = 0; host.workload().completed() == before && more < 100; ++more) {
            run_for(100_us);
        }
        REQUIRE(host.workload().completed() > before);
        REQUIRE(host.drive().in_flight() != 0);
        host.abandon();
        REQUIRE(b.start()); // CC.EN = 0, RDY = 0, CC.EN = 1, RDY = 1, queues
        if (reset + 1 == resets) {
            REQUIRE(b.idle());
            check_held(b.held(), fresh);
        }
        REQUIRE(until([&](std::function<void()> done) { host.verify(true, std::move(done)); }));
        CHECK(host.check().mismatches() == 0);
        host.workload().resume();
    }
    run_for(1_ms);
    host.stop();
    while (host.drive().in_flight() != 0) {
        run_for(1_us);
    }
    REQUIRE(until_good([&](host::driver::callback done) { host.shutdown(std::move(done)); }));
    CHECK(b.idle());
    CHECK_FALSE(b.drive.panicked());
    CHECK(host.verified_sectors() != 0);
    check_statistics(b, base);
}

/// A case of its own for each layout of roles and each way to time its cores: a process elaborates
/// once.
struct layout {
    const char* name;
    texts sets;
};
const layout layouts[] = {
    {"one core", {}},
    {"the host role apart", {"cpu.cores=2", "cpu.roles=host_apart"}},
    {"the flash role apart", {"cpu.cores=2", "cpu.roles=flash_apart"}},
    {"the ftl role apart", {"cpu.cores=2", "cpu.roles=ftl_apart"}},
    {"each role apart", {"cpu.cores=3"}},
    {"two partitions", {"cpu.ftl_cores=2", "flash.channels=4"}},
};
const layout timings[] = {
    {"", {}},
    {" on a slow clock", {"cpu.clock=100MHz"}},
    {" with flat costs", {"cpu.core=flat"}},
    {" with flat costs on a slow clock", {"cpu.core=flat", "cpu.clock=100MHz"}},
};

class reset_case final : public Catch::ITestInvoker {
public:
    reset_case(texts sets, unsigned seed) : m_sets(std::move(sets)), m_seed(seed) {}
    void invoke() const override { reset_under_load(m_sets, m_seed); }

private:
    texts m_sets;
    unsigned m_seed;
};

const bool registered = [] {
    unsigned seed = 0;
    for (const layout& roles : layouts) {
        for (const layout& timing : timings) {
            texts sets = roles.sets;
            sets.insert(sets.end(), timing.sets.begin(), timing.sets.end());
            const std::string name = std::string("reset under load: ") + roles.name + timing.name;
            Catch::AutoReg(new reset_case(std::move(sets), ++seed), // the registry's from here on
                           CATCH_INTERNAL_LINEINFO, Catch::StringRef(), Catch::NameAndTags(name));
        }
    }
    return true;
}();

} // namespace

} // namespace cores_reset_test
