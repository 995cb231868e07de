// SPDX-License-Identifier: Apache-2.0
//
// Whole drives behind SATA: data against the shadow copy, the link's bound, each option's
// direction.
#include "models/sata/link.h"
#include "platform/config/loader.h"
#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace sata_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using test::iops;
using test::mean_read;
using test::mean_write;

namespace {

using sets = std::vector<std::string>;

sets behind_sata(const sets& more)
{
    sets all = {"host.interface=sata", "cpu.instructions_per_call=50"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

sets mixed(const sets& more)
{
    sets all = behind_sata({"workload.0.queue_depth=40", "workload.0.pattern=zipf",
                            "workload.0.read_fraction=0.5", "workload.0.trim_fraction=0.03",
                            "workload.0.flush_every=500", "precondition.fill=1"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

void check(const test::platform_run& r, std::uint64_t least_checked)
{
    CHECK(r.measured().integrity->sectors_checked > least_checked);
    CHECK(r.measured().integrity->mismatches == 0);
    CHECK(r.reads().errors == 0);
    CHECK(r.writes().errors == 0);
}

// ---- A command of 128 KiB on the link: docs/models/sata.md, Timing ----

/// Seconds: bytes with the 2 of 256 words that are ALIGN; of each frame 10 words of handshakes and
/// two turns of 100 ns. 16 Data FIS of 8 KiB, command, answer, DMA Setup and Set Device Bits; of a
/// write an Activate for each Data FIS but the first, and each waits 300 ns for the host's memory.
double command_time(double rate, bool writes)
{
    const double bytes = 32 + 32 + 40 + 16 * 8208 + 20 + (writes ? 15 * 16 : 0);
    const double frames = 20 + (writes ? 15 : 0);
    return bytes * 256 / 254 / rate + frames * (40 / rate + 200e-9) + (writes ? 16 * 300e-9 : 0);
}

/// Bytes per second of a drive whose flash, buses and core are faster than any SATA.
double sequential_rate(const std::string& rate, bool writes)
{
    return test::measure_apart(
        {"device/sata-mlc", writes ? "workload/sequential-write" : "workload/sequential-read"},
        {"host.sata.rate=" + rate, "precondition.fill=0.01", "nand.tR=5us", "nand.tPROG=50us",
         "cpu.clock=2GHz", "workload.0.range.size=64MiB", "workload.0.block_size=128KiB",
         "workload.0.queue_depth=32", "run.requests=600"},
        [](const test::platform_run& r) { return r.bytes_per_second(); });
}

double crc_errors(const test::platform_run& r)
{
    return static_cast<double>(r.measured().sata->crc_errors);
}
double commands(const test::platform_run& r)
{
    return static_cast<double>(r.measured().sata->commands);
}
double comresets(const test::platform_run& r)
{
    return static_cast<double>(r.measured().sata->comresets);
}

} // namespace

TEST_CASE("sata: reads, writes, trims and flushes of a full drive keep every sector")
{
    const auto r = test::run({"device/small", "workload/random-write"},
                             mixed({"precondition.overwrite=0.5", "run.requests=30000"}));
    check(r, 60000);
    CHECK(r.measured().ftl->trimmed_units > 0);
    CHECK(r.measured().sata->recoveries == 0);
    CHECK(r.measured().sata->commands == r.measured().sata->completions);
}

TEST_CASE("sata: whole bytes, unaligned requests of odd sizes, in pieces")
{
    const auto r = test::run({"device/small", "workload/random-write"},
                             mixed({"data=full", "workload.0.block_size=39424B",
                                    "host.sata.max_transfer_size=16KiB", "run.requests=1500"}));
    check(r, 40000);
}

TEST_CASE("sata: without command queuing")
{
    const auto r = test::run({"device/small", "workload/random-write"},
                             mixed({"host.sata.ncq=false", "run.requests=8000"}));
    check(r, 15000);
}

TEST_CASE("sata: a link that damages frames loses nothing")
{
    const auto r = test::run({"device/small", "workload/random-write"},
                             mixed({"host.sata.crc_error_rate=0.0005", "run.requests=8000"}));
    check(r, 15000);
    CHECK(r.measured().sata->recoveries > 0);
    CHECK(r.measured().sata->retries >= r.measured().sata->recoveries);
}

/// The highest rate that is taken, where IDENTIFY is damaged now and then.
TEST_CASE("sata: a link that damages one frame in a hundred costs time, and nothing else")
{
    const auto r = test::run({"device/small", "workload/random-write"},
                             mixed({"host.sata.crc_error_rate=0.01", "run.requests=45000"}));
    CHECK(r.measured().integrity->sectors_checked > 20000);
    CHECK(r.measured().integrity->mismatches == 0);
    CHECK(r.measured().sata->comresets > r.measured().sata->recoveries); // a bring-up again
}

/// No configuration damages so many. Firmware is not to blame.
TEST_CASE("sata: a host that gives the drive up ends the run and says why")
{
    platform::config_sources sources;
    sources.files = {"device/tiny", "workload/random-write"};
    sources.sets = {"cpu.core=flat", "host.interface=sata", "run.requests=1000"};
    platform::ssd_config config = platform::load(sources);
    const platform::loaded_firmware firmware("");
    config.sata.crc_error_rate = 0.4;
    platform::simulation sim(config, firmware, {}, {});
    const platform::simulation_result r = sim.run();
    CHECK_FALSE(r.measured.complete);
    REQUIRE(r.measured.faults.size() == 1);
    CHECK_THAT(r.measured.faults.front().what, Catch::Contains("the host has given the drive up"));
    CHECK_FALSE(sim.drive().panicked());
    CHECK(sim.drive().host().drive().in_flight() != 0); // it served before
}

TEST_CASE("sata: what cannot be read fails alone, the other tags are read")
{
    const auto r = test::run(
        {"device/small", "policy/errors-tlc", "workload/random-read"},
        behind_sata({"workload.0.queue_depth=32", "precondition.fill=1", "nand.errors.rber=0.036",
                     "nand.errors.retry_gain=[0.6, 0.5]", "run.requests=600"}));
    CHECK(r.reads().errors > 0);
    CHECK(r.reads().errors < 300);
    CHECK(r.reads().requests == 600);
    CHECK(r.measured().sata->recoveries >= r.reads().errors); // or a reset, if another was sent
    CHECK(r.measured().sata->retries > r.measured().sata->recoveries);
    CHECK(r.measured().integrity->mismatches == 0);
}

TEST_CASE("sata: resets and power cuts under load")
{
    const auto r =
        test::run({"device/tiny", "workload/random-write"},
                  behind_sata({"workload.0.read_fraction=0.3", "workload.0.queue_depth=16",
                               "host.sata.reset_at=[1ms, 30ms]", "power.cut.at=[60ms, 400ms]",
                               "power.off_time=1ms", "run.requests=12000"}));
    CHECK(r.measured().integrity->mismatches == 0);
    CHECK(r.measured().sata->comresets >= 4);
    CHECK(r.measured().power->lost_requests > 0);
}

TEST_CASE("sata: power goes at any moment, under reads, writes, trims and flushes")
{
    struct line {
        const char* cuts;
        const char* requests;
        double least;
    };
    // At any time; after so many flash operations; in the first microseconds, commands on the link.
    for (const line& l :
         {line{"power.cut.random=100", "20000", 300}, line{"power.cut.every=3", "9000", 40},
          line{"power.cut.at=[1us, 2ms, 4100us, 6300us, 20ms]", "3000", 5}}) {
        INFO(l.cuts);
        const double cuts = test::measure_apart(
            {"device/small", "workload/random-write"},
            behind_sata({"workload.0.read_fraction=0.3", "workload.0.queue_depth=16",
                         "workload.0.trim_fraction=0.05", "workload.0.flush_every=100",
                         "workload.0.range.size=16MiB", "power.off_time=1ms", l.cuts,
                         std::string("run.requests=") + l.requests}),
            [](const test::platform_run& r) {
                const platform::power_statistics& p = *r.measured().power;
                return p.lost_requests == 0 ? 0.0 : static_cast<double>(p.cuts);
            });
        CHECK(cuts >= l.least);
    }
}

TEST_CASE("sata: sequential reads and writes take the rate of each generation")
{
    struct line {
        const char* rate;
        double bytes; // per second, after 8b/10b
    };
    for (const line& l : {line{"1.5Gb/s", 150e6}, line{"3Gb/s", 300e6}, line{"6Gb/s", 600e6}}) {
        for (const bool writes : {false, true}) {
            INFO(l.rate << (writes ? " write" : " read"));
            CHECK(sequential_rate(l.rate, writes) ==
                  Approx(131072 / command_time(l.bytes, writes)).epsilon(0.005));
        }
    }
}

TEST_CASE("sata: a read at depth 1 is the sum of its parts")
{
    const auto r =
        test::run({"device/small", "workload/random-read"},
                  behind_sata({"precondition.fill=1", "run.requests=200",
                               "workload.0.queue_depth=1", "workload.0.block_size=4KiB"}));
    // Adapter, command, setup and data; the answer to the command passes beside the drive's work.
    const sata::frame_time t{sata::link_config()};
    const sim_time link = 300_ns + t.whole(20) - t.after() + t.whole(28) + t.whole(4100);
    const sim_time completion = t.whole(8) - t.after() + 300_ns;
    const auto part = [&r](latency_part p) { return r.reads().parts[static_cast<std::size_t>(p)]; };
    CHECK((part(latency_part::link) == uint128{200} * link.ps()));
    CHECK((part(latency_part::completion) == uint128{200} * completion.ps()));
    CHECK(r.measured().sata->commands == 200);
    CHECK(r.measured().link->bytes_up == 200 * 4204);
    CHECK(r.measured().link->bytes_down == 200 * 32);
    CHECK(r.measured().link->tlps_up == 200 * 4);
    CHECK(r.measured().kernel_activations <= 200 * 20);
}

TEST_CASE("sata: options move the result the right way")
{
    const sets common = behind_sata({"precondition.fill=1", "run.requests=2000"});
    const std::vector<test::direction> table = {
        {"host.sata.rate", "6Gb/s", "1.5Gb/s", mean_read, {}},
        {"host.sata.latency", "10ns", "2us", mean_read, {}},
        {"host.sata.handshake", "4", "900", mean_read, {}},
        {"host.sata.command_latency", "0ns", "5us", mean_read, {}},
        {"host.sata.decode_latency", "0ns", "5us", mean_read, {}},
        {"host.sata.move_latency", "0ns", "5us", mean_read, {}},
        {"host.sata.ncq", "false", "true", iops, {"workload.0.queue_depth=16"}},
        {"host.sata.queue_depth", "1", "16", iops, {"workload.0.queue_depth=16"}},
        {"host.sata.max_transfer_size",
         "128KiB",
         "16KiB",
         commands,
         {"workload.0.block_size=128KiB"}},
        {"host.sata.crc_error_rate", "0", "0.01", crc_errors, {}},
        {"host.sata.reset_at", "[1ms]", "[1ms, 4ms]", comresets, {}},
        {"host.sata.data_latency",
         "0ns",
         "20us",
         mean_write,
         {"workload.0.read_fraction=0", "workload.0.queue_depth=1"}},
    };
    for (const test::direction& d : table) {
        test::check_direction(d, {"device/small", "workload/random-read"}, common);
    }
}

} // namespace sata_test
