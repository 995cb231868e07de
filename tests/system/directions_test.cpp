// SPDX-License-Identifier: Apache-2.0
//
// No dead options: each moves the result the way it must. Pairs of runs that differ in one key.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace directions_test {

using namespace ssdvp;
using test::iops;
using test::mean_read;
using test::mean_write;

namespace {

double p99_read(const test::platform_run& r)
{
    return static_cast<double>(r.reads().latency.percentile(990000).ps());
}
double flash_per_host(const test::platform_run& r)
{
    return static_cast<double>(r.measured().flash.bytes_programmed) /
           static_cast<double>(r.writes().bytes);
}
double erase_spread(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->erase_max - r.measured().ftl->erase_min);
}
double erase_variance(const test::platform_run& r) // of all blocks, times their number
{
    const auto& f = *r.measured().ftl;
    const auto sum = static_cast<double>(f.erase_sum);
    return static_cast<double>(f.erase_square_sum) -
           sum * sum / static_cast<double>(f.erase_blocks);
}
double suspends(const test::platform_run& r)
{
    return static_cast<double>(*r.measured().flash.suspends);
}
double firmware_ram(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->ram_bytes);
}
double bus_per_page(const test::platform_run& r)
{
    sim_time busy;
    for (const auto& channel : r.measured().channels) {
        busy += channel.busy;
    }
    const auto& f = r.measured().flash;
    return static_cast<double>(busy.ps()) / static_cast<double>(f.reads + f.programs);
}
double polling(const test::platform_run& r)
{
    sim_time sum;
    for (const auto& channel : r.measured().channels) {
        sum += *channel.polling;
    }
    return static_cast<double>(sum.ps());
}
double free_blocks(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->free_blocks);
}
double trimmed(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->trimmed_units);
}

void holds(const test::direction& d, const char* workload, const std::vector<std::string>& common)
{
    test::check_direction(d, {"device/small", workload}, common);
}

} // namespace

TEST_CASE("options of the host, link and controller move reads the right way")
{
    const std::vector<std::string> common = {"precondition.fill=1", "run.requests=3000",
                                             "cpu.instructions_per_call=50"};
    const std::vector<test::direction> table = {
        {"workload.0.queue_depth", "1", "16", iops, {}},
        {"host.pcie.generation", "4", "1", mean_read, {}},
        {"host.pcie.lanes", "8", "1", mean_read, {}},
        {"host.pcie.max_payload_size", "512B", "128B", mean_read, {"workload.0.queue_depth=1"}},
        {"host.pcie.propagation", "10ns", "1us", mean_read, {}},
        {"host.pcie.host_latency", "10ns", "2us", mean_read, {}},
        {"host.driver.submit_latency", "0ns", "5us", mean_read, {}},
        {"host.driver.complete_latency", "0ns", "5us", mean_read, {}},
        {"host.nvme.decode_latency", "0ns", "2us", mean_read, {}},
        {"host.nvme.move_latency", "0ns", "2us", mean_read, {}},
        {"host.nvme.slots", "2", "64", iops, {}},
        {"nand.tR", "50us", "90us", mean_read, {}},
        {"nand.tR_level", "2us", "20us", mean_read, {"nand.read_levels=[2, 3, 2]"}},
        {"nand.interface.rate", "800MT/s", "200MT/s", mean_read, {}},
        {"flash.ecc_latency", "100ns", "20us", mean_read, {}},
        {"flash.ecc_parity", "false", "true", mean_read, {}},
        {"nand.oob_size", "1KiB", "2208B", mean_read, {}},
        {"flash.ecc.codeword", "512B", "4KiB", mean_read, {"workload.0.block_size=512B"}},
        {"flash.status_poll_period", "0s", "40us", mean_read, {}},
        {"flash.status_poll_period", "10us", "1us", polling, {}},
        {"flash.luns_per_channel", "1", "4", iops, {"workload.0.range.size=32MiB"}},
        {"flash.channels", "1", "4", iops, {"workload.0.range.size=32MiB"}},
        {"dram.latency", "20ns", "2us", mean_read, {}},
        {"dram.rate", "3200MT/s", "100MT/s", mean_read, {}},
        {"dram.width", "64", "8", mean_read, {"dram.rate=400MT/s"}},
        {"dram.efficiency", "1", "0.1", mean_read, {"dram.rate=400MT/s"}},
        {"cpu.clock", "2GHz", "200MHz", mean_read, {}},
        {"cpu.instructions_per_call", "10", "2000", mean_read, {}},
        {"cpu.cycles_per_instruction", "0.5", "4", mean_read, {"cpu.instructions_per_call=500"}},
        {"cpu.interrupt_cycles", "0", "3000", mean_read, {}},
        {"cpu.mmio_write_cycles", "0", "3000", mean_read, {}},
    };
    for (const test::direction& d : table) {
        holds(d, "workload/random-read", common);
    }
}

TEST_CASE("options of the firmware and the part move writes the right way")
{
    const std::vector<std::string> common = {"precondition.fill=1", "precondition.overwrite=0.5",
                                             "run.requests=30000", "cpu.instructions_per_call=50"};
    const std::vector<test::direction> table = {
        {"ftl.over_provisioning", "0.4", "0.15", flash_per_host, {}},
        {"nand.tPROG", "300us", "1500us", mean_write, {}},
        {"nand.tBERS", "1ms", "80ms", mean_write, {"flash.erase.loops=1"}},
        {"ftl.multi_plane", "true", "false", mean_write, {}},
        {"cache.capacity",
         "8MiB",
         "512KiB",
         flash_per_host,
         {"workload.0.pattern=hot_cold", "workload.0.hot_fraction=0.01",
          "workload.0.hot_probability=0.9"}},
        {"workload.0.lru_exponent", "1.5", "0.5", flash_per_host, {"workload.0.pattern=lru"}},
        {"workload.0.lru_law", "geometric", "power", flash_per_host, {"workload.0.pattern=lru"}},
        {"workload.0.lru_mean_depth",
         "100",
         "10000",
         flash_per_host,
         {"workload.0.pattern=lru", "workload.0.lru_law=geometric"}},
        {"workload.0.hot_probability",
         "0.95",
         "0.3",
         flash_per_host,
         {"workload.0.pattern=hclru", "workload.0.hot_fraction=0.01"}},
        {"gc.policy",
         "cost_benefit",
         "greedy",
         flash_per_host,
         {"workload.0.pattern=hot_cold", "workload.0.hot_fraction=0.1",
          "workload.0.hot_probability=0.9", "run.warmup=60000"}},
        {"cache.policy",
         "wo_lru",
         "none",
         mean_write,
         {"workload.0.queue_depth=1", "run.requests=2000"}},
        {"gc.threshold",
         "0.03",
         "0.09",
         flash_per_host,
         {"gc.stop=0.1", "ftl.over_provisioning=0.4"}},
        {"gc.stop",
         "0.06",
         "0.18",
         free_blocks,
         {"gc.threshold=0.05", "ftl.over_provisioning=0.4", "workload.0.queue_depth=default",
          "workload.0.rate=3000/s", "run.requests=20000"}},
        {"cache.capacity", "1MiB", "8MiB", firmware_ram, {}},
        {"flash.spare_area", "interleaved", "page_end", bus_per_page, {}},
        {"workload.0.fua",
         "false",
         "true",
         mean_write,
         {"run.requests=2000", "workload.0.queue_depth=1"}},
        {"flash.status_poll",
         "false",
         "true",
         mean_write,
         // Nothing is collected: a status takes less than what another order of erases does.
         {"workload.0.fua=true", "run.requests=1000", "workload.0.queue_depth=1",
          "precondition.overwrite=0"}},
    };
    for (const test::direction& d : table) {
        holds(d, "workload/random-write", common);
    }
}

TEST_CASE("options that decide how reads fare beside writes")
{
    const std::vector<std::string> common = {"precondition.fill=1", "precondition.overwrite=0.5",
                                             "run.requests=40000", "cpu.instructions_per_call=50"};
    const std::vector<test::direction> table = {
        {"flash.arbiter", "out_of_order", "sequential", mean_read, {}},
        {"flash.arbiter", "out_of_order", "interleaved", mean_read, {}},
        {"flash.suspend.policy", "none", "immediate", suspends, {}},
        {"flash.erase.suspend_overhead",
         "10us",
         "4ms",
         p99_read,
         {"flash.suspend.policy=immediate", "nand.tBERS=20ms"}},
    };
    for (const test::direction& d : table) {
        holds(d, "workload/zipf-70-30", common);
    }
}

TEST_CASE("firmware sees how often its programs and erases were suspended")
{
    const auto r = test::run({"device/small", "workload/zipf-70-30"},
                             {"flash.suspend.policy=safe_point_dynamic", "precondition.fill=1",
                              "precondition.overwrite=0.5", "run.requests=40000"});
    const std::uint64_t channels = *r.measured().flash.suspends;
    const std::uint64_t firmware = r.measured().ftl->suspends;
    CHECK(channels > 100);
    // An erase tells when it ends: those of the four LUNs may be under way at either end.
    CHECK(firmware + 4 * 90 >= channels);
    CHECK(firmware <= channels + 4 * 90);
    CHECK(firmware > 0);
}

TEST_CASE("wear levelling narrows the spread of erase counts")
{
    const std::vector<std::string> common = {"precondition.fill=1",
                                             "run.requests=250000",
                                             "cpu.instructions_per_call=10",
                                             "nand.tPROG=50us",
                                             "nand.tBERS=200us",
                                             "flash.erase.loops=1",
                                             "workload.0.pattern=hot_cold",
                                             "workload.0.hot_fraction=0.05",
                                             "workload.0.hot_probability=0.98",
                                             "cache.capacity=512KiB"};
    holds({"wear.static_delta", "4", "0", erase_spread, {}}, "workload/random-write", common);
    // With less of a difference, and more free superblocks, those have different counts.
    std::vector<std::string> milder = common;
    milder[7] = "workload.0.hot_probability=0.9";
    milder.insert(milder.end(), {"ftl.over_provisioning=0.4", "gc.threshold=0.1", "gc.stop=0.2"});
    holds({"wear.dynamic", "true", "false", erase_variance, {"wear.static_delta=0"}},
          "workload/random-write", milder);
}

TEST_CASE("trim reaches the map, and only when it is on")
{
    const std::vector<std::string> common = {"precondition.fill=1", "run.requests=5000",
                                             "workload.0.trim_fraction=0.3"};
    holds({"ftl.trim", "false", "true", trimmed, {}}, "workload/random-write", common);
}

} // namespace directions_test
