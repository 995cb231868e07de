// SPDX-License-Identifier: Apache-2.0
//
// Collection by copyback in a whole drive: what it gains where the bus is the bottleneck and where
// the LUNs are, and that the data stay right.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace copyback_test {

using namespace ssdvp;
using test::iops;

namespace {

using texts = std::vector<std::string>;

/// One channel of four LUNs with a page a map unit, full, and written at random.
texts random_writes(const texts& more)
{
    texts sets = {"flash.channels=1",
                  "flash.luns_per_channel=4",
                  "ftl.map_unit=16KiB",
                  "workload.0.block_size=16KiB",
                  "precondition.fill=1",
                  "precondition.overwrite=1",
                  "cpu.instructions_per_call=50",
                  "run.requests=8000"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

/// 655 us for the data of two planes of 16 KiB, beside 700 us for their program.
const texts slow_bus = random_writes({"nand.interface.mode=sdr5", "nand.interface.rate=default"});
/// 18 us for the same: the LUNs are the bottleneck.
const texts fast_bus =
    random_writes({"nand.interface.mode=nv_lpddr4", "nand.interface.rate=3600MT/s"});

double bus_per_request(const test::platform_run& r)
{
    return static_cast<double>(r.measured().channels.at(0).busy.ps()) /
           static_cast<double>(r.sim->requests().requests());
}
double copies(const test::platform_run& r)
{
    return static_cast<double>(*r.measured().flash.copybacks);
}
double moved(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->gc_units_moved);
}
double uncorrectable(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.ecc->uncorrectable);
}

const texts presets = {"device/small", "workload/random-write"};
const texts erring = {"device/small", "workload/random-write", "policy/errors-tlc"};

double value(const texts& sets, bool copyback, test::measure_fn measure, const texts& files)
{
    texts all = sets;
    all.emplace_back(copyback ? "gc.copyback=true" : "gc.copyback=false");
    return test::measure_apart(files, all, measure);
}

/// Mixed load on a full drive: every read is compared.
double wrong(const test::platform_run& r)
{
    const platform::counters& m = r.measured();
    return (m.integrity->mismatches != 0 ? 1.0 : 0.0) +
           (m.integrity->sectors_checked < 100000 ? 2.0 : 0.0) +
           (r.writes().errors != 0 ? 4.0 : 0.0) + (m.ftl->gc_runs == 0 ? 8.0 : 0.0) +
           (*m.flash.copybacks < 1000 ? 16.0 : 0.0);
}
double wrong_or_failed(const test::platform_run& r)
{
    return wrong(r) + (r.reads().errors != 0 ? 32.0 : 0.0);
}

texts mixed(const char* data, const texts& more)
{
    texts sets = {"gc.copyback=true",
                  "workload.0.queue_depth=24",
                  "workload.0.read_fraction=0.5",
                  "workload.0.trim_fraction=0.03",
                  "workload.0.flush_every=500",
                  "workload.0.block_size=16KiB",
                  "ftl.map_unit=16KiB",
                  "cpu.instructions_per_call=50",
                  "precondition.fill=1",
                  "precondition.overwrite=0.5",
                  "run.requests=40000"};
    sets.push_back(std::string("data=") + data);
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

} // namespace

TEST_CASE("copyback: on a slow bus random writes are faster and need less of it")
{
    test::check_direction({"gc.copyback", "true", "false", bus_per_request, {}}, presets, slow_bus);
    const double off = value(slow_bus, false, iops, presets);
    const double on = value(slow_bus, true, iops, presets);
    INFO("requests per second: " << off << ", with copyback " << on);
    CHECK(on > 1.5 * off);
    CHECK(value(slow_bus, false, copies, presets) == 0.0);
    const double share =
        value(slow_bus, true, copies, presets) / value(slow_bus, true, moved, presets);
    INFO("share of the moved pages that were copied: " << share);
    CHECK(share > 0.2);
    CHECK(share <= 1.0);
}

TEST_CASE("copyback: pages checked by the ECC still save one transfer of two")
{
    test::check_direction({"gc.copyback", "true", "false", bus_per_request, {}}, erring, slow_bus);
    const double off = value(slow_bus, false, iops, erring);
    const double on = value(slow_bus, true, iops, erring);
    INFO("requests per second: " << off << ", with copyback " << on);
    CHECK(on > 1.1 * off);
}

TEST_CASE("copyback: where the LUNs are the bottleneck it changes little")
{
    const double off = value(fast_bus, false, iops, presets);
    const double on = value(fast_bus, true, iops, presets);
    INFO("requests per second: " << off << ", with copyback " << on);
    CHECK(on > 0.95 * off);
    CHECK(on < 1.1 * off);
}

TEST_CASE("copyback: worn parts copy less, and lose nothing for it")
{
    const auto at = [](const char* cycles) {
        texts sets = slow_bus;
        sets.push_back(std::string("nand.pe_cycles=") + cycles);
        return sets;
    };
    const double fresh = value(at("0"), true, copies, erring);
    const double worn = value(at("2500"), true, copies, erring);
    INFO("pages copied when new " << fresh << ", worn " << worn);
    CHECK(worn < fresh);
    CHECK(value(at("2500"), true, uncorrectable, erring) <=
          value(at("2500"), false, uncorrectable, erring));
}

TEST_CASE("copyback keeps the data, tags and whole bytes")
{
    for (const char* data : {"tag", "full"}) {
        for (const char* plane : {"true", "false"}) {
            INFO("data " << data << ", multi_plane " << plane);
            const texts sets = mixed(data, {std::string("ftl.multi_plane=") + plane});
            CHECK(test::measure_apart(presets, sets, wrong_or_failed) == 0.0);
        }
    }
}

TEST_CASE("copyback keeps the data beside suspends, priorities and shared sequences")
{
    const texts files = {"device/small", "workload/random-write", "policy/shared-commands",
                         "policy/arbiter-priorities"};
    const texts sets = mixed("tag", {"flash.suspend.policy=safe_point_dynamic",
                                     "flash.suspend.programs=true", "ftl.multi_plane=false"});
    CHECK(test::measure_apart(files, sets, wrong_or_failed) == 0.0);
}

TEST_CASE("copyback: no wrong data from flash that errs")
{
    for (const char* data : {"tag", "full"}) {
        for (const char* rber : {"0.0002", "0.002"}) {
            INFO("data " << data << ", rber " << rber);
            const texts sets =
                mixed(data, {std::string("nand.errors.rber=") + rber, "ftl.over_provisioning=0.25",
                             "nand.errors.program_fail=0.0005", "nand.errors.erase_fail=0.002"});
            const double result = test::measure_apart(erring, sets, wrong);
            CHECK((result == 0.0 || (result == 16.0 && rber != std::string("0.0002"))));
        }
    }
}

} // namespace copyback_test
