// SPDX-License-Identifier: Apache-2.0
//
// No key is silent: each row of the table of options says when it acts. Where that is not so a key
// that a user gave is refused or named, one that a preset brings is left alone.
#include <catch2/catch.hpp>

#include "platform/config/option.h"
#include "tests/unit/key_case.h"
#include "tests/unit/refusals.h"

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using Catch::Contains;

namespace {

std::vector<std::string> named(std::vector<std::string> sets, std::vector<std::string> files = {})
{
    config_sources s = with_sets(std::move(sets));
    s.files = std::move(files);
    return resolve(s).idle;
}

bool names(const std::vector<std::string>& notices, const std::string& key)
{
    for (const std::string& text : notices) {
        if (text.find(": " + key + " has no effect: it is used only when ") != std::string::npos) {
            return true;
        }
    }
    return false;
}

} // namespace

TEST_CASE("idle keys: each option acts, is named or is refused")
{
    for (const key_case& k : all_cases()) {
        INFO(k.key);
        const option* o = find_option(option_table(), k.key);
        REQUIRE(o != nullptr);
        // By itself.
        const std::string set = k.key + "=" + k.good;
        const std::string error = refused({set});
        if (error.empty()) {
            const ssd_config c = accepted({set});
            CHECK(names(named({set}), k.key) == (o->relevant && !o->relevant(c)));
        } else {
            CHECK_THAT(error, Contains(k.key) || Contains("zones are written in order"));
        }
        // Beside what makes it legal.
        std::vector<std::string> sets = {set};
        sets.insert(sets.end(), k.with.begin(), k.with.end());
        const ssd_config c = accepted(sets);
        CHECK(names(named(sets), k.key) == (o->relevant && !o->relevant(c)));
        // What does not act says when it would.
        const bool given_when_set = o->relevant_when.empty(); // a figure that is not its default
        CHECK((o->relevant || given_when_set));
        CHECK((!o->kept || !given_when_set));
    }
}

TEST_CASE("idle keys: those that were silent")
{
    const char* const keys[] = {"flash.suspend.safe_points=12",
                                "flash.suspend.limit=9",
                                "flash.suspend.reads_per_stop=3",
                                "flash.erase.suspend_overhead=50us",
                                "flash.erase.resume_overhead=5us",
                                "flash.erase.ramp=7us",
                                "flash.erase.recovery=8us",
                                "flash.program.loop_time=90us",
                                "flash.age_limit=2ms",
                                "flash.dies_per_chip=2",
                                "nand.tRCBSY=4us",
                                "nand.tCBSY=5us",
                                "nand.snap_read.size=8KiB",
                                "nand.errors.wear=3",
                                "nand.errors.retention=2",
                                "nand.errors.retention_age=9",
                                "nand.errors.retention_scale=9",
                                "nand.errors.temperature=55",
                                "nand.errors.activation_energy=0.9",
                                "nand.errors.read_disturb=25",
                                "nand.errors.suspend_gain=1",
                                "nand.errors.suspend_exponent=3",
                                "nand.errors.page_factor=2",
                                "nand.errors.block_spread=0.1",
                                "nand.errors.retry_gain=[0.5]",
                                "nand.errors.slc_factor=0.2",
                                "nand.errors.shallow_factor=3",
                                "nand.tR_retry=90us",
                                "flash.ecc.kind=ldpc",
                                "flash.ecc.correctable=40",
                                "flash.ecc.soft_latency=9us",
                                "nand.shallow.tPROG=300us",
                                "nand.shallow.speed_up=3",
                                "nand.page_order=any",
                                "nand.tRST=9us",
                                "cpu.timing.system=9",
                                "precondition.overwrite=1",
                                "ftl.refresh.corrected_bits=9",
                                "flash.erase.loops=2"};
    for (const std::string set : keys) {
        INFO(set);
        CHECK(names(named({set}), set.substr(0, set.find('='))));
    }
    // Its default asks for nothing: what a run writes down can be run again.
    for (const char* set : {"flash.suspend.limit=0", "flash.age_limit=5000us",
                            "precondition.overwrite=0", "flash.ecc.correctable=72"}) {
        CHECK(named({set}).empty());
    }
    const scratch dir;
    for (const char* preset : {"device/small", "device/nvme-tlc", "device/sata-mlc"}) {
        config_sources s;
        s.files = {preset};
        const std::string file = dir.write("resolved.yaml", resolved_yaml(load(s)));
        CHECK(named({}, {file}).empty());
    }
}

TEST_CASE("idle keys: loops of an erase count where they give its time, change or bound suspends")
{
    const auto idle = [](std::vector<std::string> sets) {
        sets.emplace_back("flash.erase.loops=4");
        return names(named(sets), "flash.erase.loops");
    };
    CHECK(idle({"nand.tBERS=8ms"}));
    CHECK_FALSE(idle({"flash.erase.loop_time=2ms"}));
    CHECK_FALSE(idle({"flash.erase.loops_fresh=2"}));
    CHECK_FALSE(idle({"flash.erase.loops_spread=1"}));
    CHECK_FALSE(idle({"flash.suspend.policy=deferred"}));
    CHECK(idle({"flash.suspend.policy=immediate"}));
    CHECK_FALSE(idle({"flash.suspend.policy=immediate", "nand.errors.rber=1e-6"}));
    CHECK(idle(
        {"flash.suspend.policy=immediate", "nand.errors.rber=1e-6", "nand.errors.suspend_gain=0"}));
}

TEST_CASE("idle keys: suspends cost bits where an erase may have more than its cells stand")
{
    const auto idle = [](const std::string& policy, std::vector<std::string> sets) {
        sets.push_back("flash.suspend.policy=" + policy);
        sets.emplace_back("nand.errors.rber=1e-6");
        sets.emplace_back("nand.errors.suspend_gain=1");
        sets.emplace_back("nand.errors.suspend_exponent=3");
        const std::vector<std::string> notices = named(sets);
        const bool gain = names(notices, "nand.errors.suspend_gain");
        CHECK(names(notices, "nand.errors.suspend_exponent") == gain);
        return gain;
    };
    CHECK(idle("none", {}));
    CHECK(idle("deferred", {"flash.erase.loops=5"}));
    CHECK_FALSE(idle("immediate", {}));
    // Worn cells stand ten times a loop; its end does not count in the last loop.
    CHECK(idle("immediate", {"flash.suspend.limit=10"}));
    CHECK_FALSE(idle("immediate", {"flash.suspend.limit=11"}));
    CHECK(idle("safe_point_static", {}));
    CHECK(idle("safe_point_static", {"flash.suspend.safe_points=11"}));
    CHECK_FALSE(idle("safe_point_static", {"flash.suspend.safe_points=12"}));
    CHECK_FALSE(idle("safe_point_static", {"flash.suspend.safe_points=11", "flash.erase.loops=2"}));
    CHECK(idle("safe_point_static", {"flash.suspend.safe_points=12", "nand.endurance=500"}));
    // As many as cells stand, and more of them up to a step.
    CHECK(idle("safe_point_dynamic", {}));
    CHECK(idle("safe_point_dynamic", {"flash.suspend.safe_points=[{pe_cycles: 0, safe_points: 20}, "
                                      "{pe_cycles: 500, safe_points: 10}]"}));
    CHECK_FALSE(
        idle("safe_point_dynamic", {"flash.suspend.safe_points=[{pe_cycles: 0, safe_points: 30}, "
                                    "{pe_cycles: 500, safe_points: 10}]"}));
    CHECK(names(named({"flash.suspend.policy=immediate", "nand.errors.rber=1e-6",
                       "nand.errors.suspend_gain=0", "nand.errors.suspend_exponent=3"}),
                "nand.errors.suspend_exponent"));
}

TEST_CASE("idle keys: beside others")
{
    CHECK(names(named({"dram.standard=ddr3", "dram.rate=800MT/s"}), "dram.standard"));
    CHECK(named({"dram.standard=ddr3"}).empty());
    CHECK(named({"dram.standard=ddr3", "dram.rate=800MT/s", "nand.current.read=9mA"}).empty());
    CHECK(named({"dram.standard=ddr3", "dram.rate=800MT/s", "dram.model=bank"}).empty());
    const std::string one_pass = "nand.one_pass=true";
    CHECK(named({one_pass}).empty());
    CHECK(names(named({one_pass, "nand.cell=slc"}), "nand.one_pass"));
    CHECK_FALSE(names(named({one_pass, "nand.cell=slc", "flash.use_cache=true"}), "nand.one_pass"));
    CHECK_FALSE(
        names(named({one_pass, "nand.cell=slc", "nand.tPROG_word_line=9us"}), "nand.one_pass"));
    CHECK_FALSE(names(named({"nand.tDBSY=9us", "nand.planes=1", one_pass}), "nand.tDBSY"));
    CHECK(
        names(named({"nand.tDBSY=9us", "nand.planes=1", one_pass, "nand.cell=slc"}), "nand.tDBSY"));
    CHECK(names(named({"nand.errors.rber=1e-6", "nand.errors.activation_energy=0",
                       "nand.errors.temperature=55"}),
                "nand.errors.temperature"));
    const std::string lone = "flash.luns_per_channel=1";
    CHECK(names(named({lone, "flash.arbiter=interleaved"}), "flash.arbiter"));
    CHECK(named({lone, "flash.arbiter=priorities"}).empty());
    const std::string boundary = "host.pcie.read_completion_boundary=128B";
    CHECK(named({boundary}).empty());
    CHECK(names(named({boundary, "host.pcie.max_payload_size=512B"}),
                "host.pcie.read_completion_boundary"));
}

TEST_CASE("idle keys: what firmware of one's own may use is not named beside it")
{
    for (const std::string set :
         {"nand.page_order=any", "nand.tRST=9us", "cpu.timing.system=9", "flash.erase.loops=2",
          "flash.suspend.limit=9", "flash.erase.ramp=7us", "flash.program.loop_time=90us"}) {
        INFO(set);
        config_sources s = with_sets({set});
        CHECK(names(resolve(s).idle, set.substr(0, set.find('='))));
        s.own_firmware = true;
        CHECK(resolve(s).idle.empty());
    }
    CHECK(named({"cpu.timing.system=9", "cpu.cores=2"}).empty());
    CHECK(names(named({"cpu.timing.system=9", "cpu.core=flat"}), "cpu.timing.system"));
}

TEST_CASE("idle keys: streams that only read have no writes to flush or force")
{
    CHECK_THAT(error_of_text("workload: [{fua: true}]"),
               Contains("workload.0.fua: has no effect: it is used only when the stream writes"));
    CHECK_THAT(error_of_text("workload: [{flush_every: 8, trim_fraction: 1, read_fraction: 0}]"),
               Contains("workload.0.flush_every: has no effect"));
    CHECK(error_of_text("workload: [{fua: true, flush_every: 8, read_fraction: 0.5}]").empty());
    CHECK(error_of_text("workload: [{fua: false, flush_every: 0}]").empty());
}

TEST_CASE("idle keys: what a preset brings is left alone")
{
    for (const char* dram : {"dram/ddr3", "dram/ddr4", "dram/lpddr4", "dram/lpddr5"}) {
        config_sources s;
        s.files = {"device/nvme-tlc", dram};
        CHECK(resolve(s).idle.empty());
        const ssd_config c = load(s);
        s.files = {dram};
        CHECK(c.dram.transfers == load(s).dram.transfers); // not that of the drive before it
    }
    config_sources s;
    s.files = {"device/nvme-tlc", "dram/ddr4"};
    s.sets = {"dram.efficiency=0.5"};
    CHECK_THAT(error_of(s), Contains("dram.efficiency: has no effect"));
    s.files = {"workload/zipf-70-30"};
    s.sets = {"workload.pattern=uniform"};
    CHECK(error_of(s).empty());
}

TEST_CASE("parity on the bus: the code takes the room that the spare bytes leave it")
{
    const auto parity = [](std::vector<std::string> sets) {
        return accepted(std::move(sets)).channel.ecc.parity;
    };
    CHECK(parity({}) == 2208 - 40); // firmware: a word of 8 bytes, and one for each of 4 units
    CHECK(parity({"ftl.map_unit=16KiB"}) == 2208 - 16);
    CHECK(parity({"nand.oob_size=744B"}) == 704);
    CHECK(parity({"nand.page_size=4KiB"}) == 552 - 16); // a spare area in proportion
    CHECK(parity({"flash.ecc.correctable=9"}) == 2168); // the code fills it nonetheless
    // No code, no parity: none asked for, no room for one, or all bits counted.
    CHECK(parity({"flash.ecc.kind=none"}) == 0);
    CHECK(parity({"nand.oob_size=40B"}) == 0);
    CHECK(parity({"nand.oob_size=71B"}) == 0); // 16 words of a bit each take 2 bytes each
    CHECK(parity({"nand.oob_size=72B"}) == 32);
    CHECK(parity({"flash.ecc.correctable=8192"}) == 0);
    for (const char* set : {"flash.ecc.kind=none", "nand.oob_size=40B"}) {
        CHECK(names(named({set, "flash.ecc_parity=false"}), "flash.ecc_parity"));
    }
    CHECK(named({"flash.ecc_parity=false"}).empty());
    CHECK(names(named({"nand.oob_size=1KiB", "flash.ecc_parity=false"}), "nand.oob_size"));
    CHECK(named({"nand.oob_size=1KiB"}).empty());
    CHECK(
        names(named({"flash.ecc.codeword=2KiB", "flash.ecc_parity=false"}), "flash.ecc.codeword"));
    CHECK(named({"flash.ecc.codeword=2KiB"}).empty());
    CHECK(named({"flash.ecc.kind=none"}).empty());
    CHECK(names(named({"flash.ecc.kind=none", "flash.ecc_parity=false"}), "flash.ecc.kind"));
}

TEST_CASE("spare bytes hold the parity of the code, and decide how much it corrects")
{
    // BCH of 1 KiB: 8192 + 14 x 72 bits are fewer than 2^14; 126 bytes, and 40 of spare words.
    CHECK(refused({"flash.ecc.correctable=72", "nand.oob_size=2056B"}).empty());
    CHECK_THAT(refused({"flash.ecc.correctable=72", "nand.oob_size=2055B"}),
               Contains("72 bits of bch take 126B of parity for each of 16 code words: 2056B with "
                        "the 40B of spare words, and nand.oob_size is 2055B") &&
                   Contains("use nand.oob_size of 2056B or more, or flash.ecc.correctable of 71 "
                            "or less"));
    const auto corrects = [](std::vector<std::string> sets) {
        return accepted(std::move(sets)).channel.ecc.correctable;
    };
    CHECK(corrects({}) == 72);
    CHECK(corrects({"nand.oob_size=2055B"}) == 71);
    CHECK(corrects({"nand.oob_size=128B"}) == 2); // 88 / 16 = 5 bytes: 40 bits, 2 x 14
    CHECK(corrects({"nand.oob_size=40B"}) == 0);
    CHECK_THAT(refused({"nand.oob_size=40B", "nand.errors.rber=1e-6"}),
               Contains("leave no room for a code") &&
                   Contains("use nand.oob_size of 72B or more"));
    CHECK(refused({"nand.oob_size=40B", "nand.errors.rber=1e-6", "flash.ecc.kind=none"}).empty());
    CHECK(refused({"flash.ecc.correctable=8192", "nand.oob_size=40B"}).empty()); // counts them
    // Codes near Shannon's limit need less for the same bits, and never less than it.
    CHECK(corrects({"nand.oob_size=128B", "flash.ecc.kind=ldpc"}) > 2);
    CHECK_THAT(refused({"flash.ecc.correctable=400", "flash.ecc.kind=ldpc"}),
               Contains("400 bits of ldpc take"));
}
