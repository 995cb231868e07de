// SPDX-License-Identifier: Apache-2.0
//
// Every key: a good value arrives in the field it names, a bad one is refused at the key.
#include <catch2/catch.hpp>
#include <set>

#include "models/regs/boot_params.h"
#include "platform/config/choices.h"
#include "platform/config/option.h"
#include "platform/config/parts/cache.h"
#include "tests/unit/key_case.h"

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using namespace ssdvp::literals;
using Catch::StartsWith;

namespace {

using C = const ssd_config&;

std::vector<key_case> host_cases()
{
    return {
        {"host.pcie.generation", "3", [](C c) { return c.pcie.generation == 3; }, "7", {}},
        {"host.pcie.lanes", "16", [](C c) { return c.pcie.lanes == 16; }, "3", {}},
        {"host.pcie.max_payload_size",
         "512B",
         [](C c) { return c.pcie.max_payload_size == 512; },
         "100B",
         {}},
        {"host.pcie.max_read_request_size",
         "4KiB",
         [](C c) { return c.pcie.max_read_request_size == 4096; },
         "8KiB",
         {}},
        {"host.pcie.read_completion_boundary",
         "128B",
         [](C c) { return c.pcie.read_completion_boundary == 128; },
         "32B",
         {}},
        {"host.pcie.propagation", "7ns", [](C c) { return c.pcie.propagation == 7_ns; }, "7", {}},
        {"host.pcie.host_latency",
         "8ns",
         [](C c) { return c.pcie.host_latency == 8_ns; },
         "2s",
         {}},
        {"host.nvme.queue_pairs",
         "16",
         [](C c) { return c.nvme.queue_pairs == 16 && c.nvme.vectors == 17; },
         "0",
         {}},
        {"host.nvme.queue_entries",
         "64",
         [](C c) { return c.nvme.queue_entries == 64 && c.driver.queue_entries == 64; },
         "1",
         {}},
        {"host.nvme.slots", "64", [](C c) { return c.nvme.slots == 64; }, "1", {}},
        {"host.nvme.fetch_burst", "4", [](C c) { return c.nvme.fetch_burst == 4; }, "65", {}},
        {"host.nvme.decode_latency",
         "9ns",
         [](C c) { return c.nvme.decode_latency == 9_ns; },
         "x",
         {}},
        {"host.nvme.move_latency", "6ns", [](C c) { return c.nvme.move_latency == 6_ns; }, "6", {}},
        {"host.nvme.max_transfer_size",
         "256KiB",
         [](C c) { return c.max_transfer == 262144; },
         "4KiB",
         {}},
    };
}

std::vector<key_case> driver_cases()
{
    return {
        {"host.driver.queue_pairs", "4", [](C c) { return c.driver.queue_pairs == 4; }, "65", {}},
        {"host.driver.queue_entries",
         "32",
         [](C c) { return c.driver.queue_entries == 32; },
         "1",
         {}},
        {"host.driver.submit_latency",
         "5ns",
         [](C c) { return c.driver.submit_latency == 5_ns; },
         "5",
         {}},
        {"host.driver.complete_latency",
         "4ns",
         [](C c) { return c.driver.complete_latency == 4_ns; },
         "4",
         {}},
    };
}

std::vector<key_case> nand_cases()
{
    using flash::data_interface;
    const auto list = [](std::initializer_list<sim_time> t) { return std::vector<sim_time>(t); };
    return {
        {"nand.cell",
         "qlc",
         [](C c) { return c.channel.die.cell == flash::cell_type::qlc; },
         "plc",
         {}},
        {"nand.page_size",
         "8KiB",
         [](C c) { return c.channel.die.geo.page_size == 8192; },
         "5KiB",
         {}},
        {"nand.oob_size", "744B", [](C c) { return c.channel.die.geo.oob_size == 744; }, "8B", {}},
        {"nand.pages_per_block",
         "300",
         [](C c) { return c.channel.die.geo.pages_per_block == 300; },
         "70000",
         {}},
        {"nand.blocks_per_plane",
         "300",
         [](C c) { return c.channel.die.geo.blocks_per_plane == 300; },
         "3",
         {}},
        {"nand.planes", "2", [](C c) { return c.channel.die.geo.planes == 2; }, "9", {}},
        {"nand.endurance", "123", [](C c) { return c.channel.die.endurance == 123; }, "0", {}},
        {"nand.factory_bad_share",
         "1%",
         [](C c) { return c.channel.die.factory_bad_share == 0.01; },
         "0.5",
         {}},
        {"nand.tR",
         "[10us, 20us, 30us]",
         [=](C c) {
             return c.channel.die.timing.tR == list({10_us, 20_us, 30_us});
         },
         "10",
         {}},
        {"nand.tPROG",
         "800us",
         [=](C c) { return c.channel.die.timing.tPROG == list({800_us}); },
         "2s",
         {}},
        {"nand.tBERS",
         "8ms",
         [](C c) { return c.channel.die.erase.loop_time * c.channel.die.erase.loops == 8_ms; },
         "8",
         {}},
        {"nand.tDBSY", "600ns", [](C c) { return c.channel.die.timing.tDBSY == 600_ns; }, "1s", {}},
        {"nand.tRCBSY", "4us", [](C c) { return c.channel.die.timing.tRCBSY == 4_us; }, "1s", {}},
        {"nand.tCBSY", "5us", [](C c) { return c.channel.die.timing.tCBSY == 5_us; }, "1s", {}},
        {"nand.tRST", "6us", [](C c) { return c.channel.die.timing.tRST == 6_us; }, "6", {}},
        {"nand.interface.mode",
         "nv_ddr2",
         [](C c) {
             return c.channel.bus.mode == data_interface::nv_ddr2 &&
                    c.channel.bus.transfer_rate == rate(533000000);
         },
         "nv_ddr9",
         {}},
        {"nand.interface.rate",
         "800MT/s",
         [](C c) { return c.channel.bus.transfer_rate == rate(800000000); },
         "800MHz",
         {}},
    };
}

std::vector<key_case> suspend_cases()
{
    return {
        {"flash.suspend.policy",
         "safe_point_dynamic",
         [](C c) { return c.channel.die.suspend.kind == flash::suspend_kind::safe_point_dynamic; },
         "later",
         {}},
        {"flash.suspend.safe_points",
         "12",
         [](C c) { return c.channel.die.suspend.safe_points.at(0).safe_points == 12; },
         "0",
         {}},
        {"flash.suspend.programs",
         "true",
         [](C c) { return c.channel.die.suspend.programs; },
         "yes",
         {}},
        {"flash.suspend.limit",
         "9",
         [](C c) { return c.channel.die.suspend.limit == 9; },
         "-1",
         {}},
        {"flash.suspend.reads_per_stop",
         "3",
         [](C c) { return c.channel.die.suspend.reads_per_stop == 3; },
         "65537",
         {}},
        {"flash.erase.resume_overhead",
         "5us",
         [](C c) { return c.channel.die.erase.resume_overhead == 5_us; },
         "5",
         {}},
        {"flash.erase.ramp", "7us", [](C c) { return c.channel.die.erase.ramp == 7_us; }, "2s", {}},
        {"flash.erase.recovery",
         "8us",
         [](C c) { return c.channel.die.erase.recovery == 8_us; },
         "15ms",
         {}},
        {"flash.erase.loops_fresh",
         "1",
         [](C c) { return c.channel.die.erase.loops_fresh == 1; },
         "2",
         {}},
        {"flash.erase.loops_spread",
         "0.5",
         [](C c) { return c.channel.die.erase.loops_spread == 0.5; },
         "9",
         {}},
        {"flash.program.loop_time",
         "90us",
         [](C c) { return c.channel.die.program_loop == 90_us; },
         "90",
         {}},
    };
}

std::vector<key_case> flash_cases()
{
    return {
        {"flash.channels",
         "64",
         [](C c) { return c.channels == 64; },
         "65",
         {"sram.capacity=8MiB"}},
        {"flash.luns_per_channel", "16", [](C c) { return c.channel.luns == 16; }, "17", {}},
        {"flash.arbiter",
         "sequential",
         [](C c) { return c.channel.arbiter == flash::arbiter_kind::sequential; },
         "fair",
         {}},
        {"flash.start_ready",
         "idle",
         [](C c) { return c.channel.starts == flash::start_ready::idle; },
         "now",
         {}},
        {"flash.age_limit", "2ms", [](C c) { return c.channel.age_limit == 2_ms; }, "2", {}},
        {"nand.independent_plane_reads",
         "true",
         [](C c) { return c.channel.die.independent_plane_reads; },
         "1",
         {}},
        {"flash.join_planes", "true", [](C c) { return c.channel.join_planes; }, "2", {}},
        {"flash.use_cache", "true", [](C c) { return c.channel.use_cache; }, "on", {}},
        {"flash.queue_entries", "99", [](C c) { return c.channel.queue_entries == 99; }, "1", {}},
        {"flash.ecc_latency", "2us", [](C c) { return c.channel.ecc_latency == 2_us; }, "2", {}},
        {"flash.ecc_parity", "false", [](C c) { return !c.channel.ecc_parity; }, "off", {}},
        {"flash.status_poll", "false", [](C c) { return !c.channel.status_poll; }, "off", {}},
        {"flash.status_poll_period",
         "5us",
         [](C c) { return c.channel.poll_period == 5_us; },
         "5",
         {}},
        {"flash.spare_area",
         "page_end",
         [](C c) { return c.channel.spare == flash::spare_layout::page_end; },
         "spare",
         {}},
        {"flash.erase.loops", "5", [](C c) { return c.channel.die.erase.loops == 5; }, "65", {}},
        {"flash.erase.loop_time",
         "4ms",
         [](C c) { return c.channel.die.erase.loop_time == 4_ms; },
         "4",
         {}},
        {"flash.erase.suspend_overhead",
         "50us",
         [](C c) { return c.channel.die.erase.suspend_overhead == 50_us; },
         "50",
         {}},
    };
}

/// A key of a plain number: `good` is not the default.
key_case real_case(const char* key, const char* good, double flash::error_config::*field,
                   const char* bad)
{
    const double value = std::stod(good);
    return {key, good, [=](C c) { return c.channel.die.errors.*field == value; }, bad, {}};
}

std::vector<key_case> cause_cases()
{
    using e = flash::error_config;
    return {
        real_case("nand.errors.rber", "0.0002", &e::rber, "0.2"),
        real_case("nand.errors.wear", "3.5", &e::wear, "x"),
        real_case("nand.errors.retention", "2", &e::retention, "-1"),
        real_case("nand.errors.retention_scale", "1000", &e::retention_scale, "1000s"),
        real_case("nand.errors.retention_age", "365", &e::retention_age, "40000"),
        real_case("nand.errors.temperature", "55", &e::temperature, "200"),
        real_case("nand.errors.activation_energy", "0.9", &e::activation_energy, "3"),
        real_case("nand.errors.read_disturb", "25", &e::read_disturb, "x"),
        real_case("nand.errors.suspend_gain", "0.5", &e::suspend_gain, "x"),
        real_case("nand.errors.block_spread", "0.1", &e::block_spread, "2"),
        real_case("nand.errors.program_fail", "0.01", &e::program_fail, "1.5"),
        real_case("nand.errors.erase_fail", "0.02", &e::erase_fail, "1.5"),
        {"nand.errors.suspend_exponent",
         "3",
         [](C c) { return c.channel.die.errors.suspend_exponent == 3; },
         "1",
         {}},
        {"nand.errors.page_factor",
         "[0.8, 1.2, 1]",
         [](C c) {
             return c.channel.die.errors.page_factor == std::vector<double>{0.8, 1.2, 1.0};
         },
         "[1, 2]",
         {}},
        {"nand.errors.retry_gain",
         "[0.7, 0.5, 0.3, 0.2, 0.1]",
         [](C c) {
             const auto& gain = c.channel.die.errors.retry_gain;
             return gain == std::vector<double>{0.7, 0.5, 0.3, 0.2, 0.1};
         },
         "0",
         {}},
        {"nand.pe_cycles", "77", [](C c) { return c.channel.die.pe_cycles == 77; }, "x", {}},
        {"nand.tR_retry",
         "90us",
         [](C c) { return c.channel.die.timing.tR_retry == 90_us; },
         "90",
         {}},
    };
}

/// A key of SLC mode, with times for the others: it has all three or none.
key_case slc_case(const char* key, sim_time flash::slc_timing::*time,
                  std::vector<std::string> others)
{
    return {key, "20us", [time](C c) { return c.channel.die.timing.slc.*time == 20_us; }, "20",
            std::move(others)};
}

std::vector<key_case> mode_cases()
{
    using e = flash::error_config;
    using t = flash::slc_timing;
    return {
        slc_case("nand.slc_mode.tR", &t::tR,
                 {"nand.slc_mode.tPROG=1us", "nand.slc_mode.tBERS=1us"}),
        slc_case("nand.slc_mode.tPROG", &t::tPROG,
                 {"nand.slc_mode.tR=1us", "nand.slc_mode.tBERS=1us"}),
        slc_case("nand.slc_mode.tBERS", &t::tBERS,
                 {"nand.slc_mode.tR=1us", "nand.slc_mode.tPROG=1us"}),
        {"nand.one_pass", "true", [](C c) { return c.channel.die.one_pass; }, "1", {}},
        {"nand.tPROG_word_line",
         "2ms",
         [](C c) { return c.channel.die.timing.tPROG_word_line == 2_ms; },
         "2",
         {"nand.one_pass=true"}},
        real_case("nand.errors.slc_factor", "0.2", &e::slc_factor, "x"),
        real_case("nand.errors.shallow_factor", "3", &e::shallow_factor, "-1"),
    };
}

std::vector<key_case> ecc_cases()
{
    return {
        {"flash.ecc.kind",
         "ldpc",
         [](C c) { return c.channel.ecc.kind == flash::ecc_kind::ldpc; },
         "rs",
         {}},
        {"flash.ecc.codeword",
         "2KiB",
         [](C c) { return c.channel.ecc.codeword == 2048; },
         "1000B",
         {}},
        {"flash.ecc.correctable",
         "40",
         [](C c) { return c.channel.ecc.correctable == 40; },
         "32769",
         {}},
        {"flash.ecc.soft_correctable",
         "[90, 120]",
         [](C c) {
             return c.channel.ecc.soft_correctable == std::vector<std::uint64_t>{90, 120};
         },
         "[90, 90]",
         {"flash.ecc.kind=ldpc"}},
        {"flash.ecc.soft_latency",
         "[60us, 80us]",
         [](C c) {
             return c.channel.ecc.soft_latency == std::vector<sim_time>{60_us, 80_us};
         },
         "60",
         {"flash.ecc.kind=ldpc", "flash.ecc.soft_correctable=[90, 120]"}},
    };
}

std::vector<key_case> refresh_cases()
{
    return {
        {"ftl.checkpoint_interval",
         "64KiB",
         [](C c) { return c.ftl.checkpoint_interval == 65536; },
         "63KiB",
         {}},
        {"ftl.refresh.corrected_bits",
         "50",
         [](C c) { return c.ftl.refresh->bits == 50; },
         "x",
         {}},
        {"ftl.refresh.reads", "70000", [](C c) { return c.ftl.refresh->reads == 70000; }, "x", {}},
        {"ftl.refresh.retry_level",
         "2",
         [](C c) { return c.ftl.refresh->level == 2; },
         "255",
         {"nand.errors.retry_gain=[0.5, 0.4]"}},
        {"ftl.refresh.retire",
         "3",
         [](C c) { return c.ftl.refresh->retire == 3; },
         "256",
         {"ftl.refresh.corrected_bits=50"}},
        {"ftl.patrol.interval", "7s", [](C c) { return c.ftl.patrol_interval == 7_s; }, "7", {}},
    };
}

std::vector<key_case> system_cases()
{
    return {
        {"dram.capacity", "1GiB", [](C c) { return c.dram.capacity == 1073741824; }, "1", {}},
        {"dram.rate",
         "1600MT/s",
         [](C c) { return c.dram.bandwidth == rate(6400000000); },
         "1600",
         {}},
        {"dram.width", "64", [](C c) { return c.dram.bandwidth == rate(25600000000); }, "24", {}},
        {"dram.efficiency", "50%", [](C c) { return c.dram.efficiency == 0.5; }, "0", {}},
        {"dram.latency", "30ns", [](C c) { return c.dram.latency == 30_ns; }, "30", {}},
        {"sram.capacity", "8MiB", [](C c) { return c.sram_size == 8388608; }, "8", {}},
        {"cpu.clock", "600MHz", [](C c) { return c.cpu.clock == rate(600000000); }, "600", {}},
        {"cpu.core", "flat", [](C c) { return c.cpu.core == "flat"; }, "round", {}},
        {"cpu.instructions_per_call",
         "77",
         [](C c) { return c.cpu.instructions_per_call == 77; },
         "7.5",
         {"cpu.core=flat"}},
        {"cpu.cycles_per_instruction",
         "1.25",
         [](C c) { return c.cpu.cycles_per_instruction == 1.25; },
         "0",
         {"cpu.core=flat"}},
        {"cpu.mmio_read_cycles", "33", [](C c) { return c.cpu.mmio_read_cycles == 33; }, "x", {}},
        {"cpu.mmio_write_cycles", "3", [](C c) { return c.cpu.mmio_write_cycles == 3; }, "x", {}},
        {"cpu.interrupt_cycles", "44", [](C c) { return c.cpu.interrupt_cycles == 44; }, "x", {}},
        {"ftl.scheme", "dftl", [](C c) { return c.ftl.scheme == ftl_scheme::dftl; }, "bast", {}},
        {"ftl.over_provisioning",
         "20%",
         [](C c) { return c.ftl.over_provisioning == 0.2; },
         "1",
         {}},
        {"ftl.map_unit",
         "16KiB",
         [](C c) { return c.ftl.map_unit == 16384 && c.channel.die.stored_oob == 16; },
         "3KiB",
         {}},
        {"ftl.trim", "false", [](C c) { return !c.ftl.trim; }, "no", {}},
        {"ftl.multi_plane", "false", [](C c) { return !c.ftl.multi_plane; }, "no", {}},
        {"wear.dynamic", "false", [](C c) { return c.ftl.wear->dynamic == 0; }, "no", {}},
        {"wear.static_delta", "10", [](C c) { return c.ftl.wear->static_delta == 10; }, "x", {}},
        {"gc.policy",
         "cost_benefit",
         [](C c) { return c.ftl.gc == gc_policy::cost_benefit; },
         "random",
         {}},
        {"gc.copyback", "true", [](C c) { return c.ftl.gc_copyback; }, "yes", {}},
        {"gc.threshold", "0.015", [](C c) { return c.ftl.gc_threshold == 0.015; }, "0", {}},
        {"gc.stop", "0.03", [](C c) { return c.ftl.gc_stop == 0.03; }, "0.6", {}},
        {"cache.policy",
         "none",
         [](C c) { return c.cache->policy == cache_policy::none && c.cache->capacity == 0; },
         "arc",
         {}},
        {"cache.capacity", "16MiB", [](C c) { return c.cache->capacity == 16777216; }, "100B", {}},
        {"write.mode",
         "shallow",
         [](C c) { return c.write == write_mode::shallow; },
         "pslc",
         {"nand.shallow.tPROG=300us"}},
    };
}

std::vector<key_case> run_cases()
{
    return {
        {"data",
         "full",
         [](C c) {
             return c.data == data_mode::full && c.channel.die.data == data_mode::full &&
                    c.nvme.data == data_mode::full && c.driver.data == data_mode::full;
         },
         "some",
         {}},
        {"precondition.fill", "0.5", [](C c) { return c.precondition.fill == 0.5; }, "1.1", {}},
        {"precondition.overwrite",
         "2",
         [](C c) { return c.precondition.overwrite == 2.0; },
         "50%",
         {}},
        {"precondition.method",
         "counts",
         [](C c) { return c.precondition.method == precondition_method::counts; },
         "fast",
         {"precondition.fill=1", "precondition.overwrite=1"}},
        {"run.seed",
         "42",
         [](C c) { return c.run.seed == 42 && c.channel.die.seed == 42; },
         "x",
         {}},
        {"run.requests", "1000", [](C c) { return c.run.requests == 1000; }, "1k", {}},
        {"run.duration",
         "2ms",
         [](C c) { return c.run.duration == 2_ms && c.run.requests == 0; },
         "2",
         {}},
        {"run.warmup",
         "100",
         [](C c) { return c.run.warmup_requests == 100 && c.run.warmup == sim_time(); },
         "1m",
         {}},
        {"name", "some name", [](C c) { return c.name == "some name"; }, "''", {}},
    };
}

} // namespace

std::vector<key_case> ssdvp::platform::test::all_cases()
{
    std::vector<key_case> all;
    for (const auto& part :
         {host_cases(),        driver_cases(),    nand_cases(),       cause_cases(),
          flash_cases(),       suspend_cases(),   mode_cases(),       ecc_cases(),
          refresh_cases(),     map_cases(),       shallow_cases(),    dram_cases(),
          system_cases(),      timing_cases(),    cache_cases(),      energy_cases(),
          thermal_cases(),     core_cases(),      watchdog_cases(),   nvme_cases(),
          zone_cases(),        run_cases(),       pcie_cases(),       sata_cases(),
          directive_cases(),   serve_cases(),     steady_cases(),     snap_read_cases(),
          pass_cases(),        slc_cache_cases(), map_memory_cases(), read_level_cases(),
          power_state_cases(), sampling_cases()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

TEST_CASE("config keys: the cases cover every key")
{
    std::set<std::string> covered;
    for (const key_case& k : all_cases()) {
        CHECK(find_option(option_table(), k.key) != nullptr);
        CHECK(covered.insert(k.key).second);
    }
    for (const option& o : option_table()) {
        INFO(o.key);
        const bool cuts = o.key.compare(0, 6, "power.") == 0 && // config_power.cpp
                          o.key.compare(0, 13, "power.states.") != 0;
        CHECK(covered.count(o.key) == (cuts ? 0 : 1));
    }
}

TEST_CASE("config keys: a good value arrives, survives the resolved tree, and changes it")
{
    const scratch dir;
    for (const key_case& k : all_cases()) {
        INFO(k.key);
        config_sources s = with_sets({k.key + "=" + k.good});
        s.sets.insert(s.sets.end(), k.with.begin(), k.with.end());
        const ssd_config c = load(s);
        CHECK(k.arrived(c));
        config_sources again;
        again.files = {dir.write("resolved.yaml", resolved_yaml(c))};
        const ssd_config reloaded = load(again);
        CHECK(k.arrived(reloaded));
        CHECK(resolved_yaml(reloaded) == resolved_yaml(c));
        const option* o = find_option(option_table(), k.key);
        const bool only_choice = o->spec.choices.size() == 1 || o->spec.min == o->spec.max;
        CHECK((resolved_yaml(c) != resolved_yaml(load({}))) != only_choice);
    }
}

TEST_CASE("config keys: a bad value is refused at its key")
{
    for (const key_case& k : all_cases()) {
        const std::string set = k.key + "=" + k.bad;
        CHECK_THAT(error_of(with_sets({set})), StartsWith("--set " + set + ": " + k.key + ": "));
    }
}

TEST_CASE("config keys: a time is a warm-up too")
{
    const ssd_config c = load(with_sets({"run.warmup=3ms"}));
    CHECK(c.run.warmup == 3_ms);
    CHECK(c.run.warmup_requests == 0);
}
