// SPDX-License-Identifier: Apache-2.0
//
// Each identity: it holds for the sample, and a single number changed is found and named with both
// numbers.
#include <catch2/catch.hpp>
#include <functional>

#include "platform/report/identities.h"
#include "tests/unit/report_sample.h"

namespace report_identities_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using report_test::sample;

namespace {

std::vector<std::string> check(const sample& s)
{
    return platform::check_identities(s.m, s.requests);
}

struct violation {
    const char* name;
    std::function<void(sample&)> cause;
    std::vector<std::string> sentences;
};

/// Counters of the end alone, so that both periods tell of it.
const std::vector<violation> violations = {
    {"a request lost in the driver",
     [](sample& s) { s.end.driver.requests_in += 1; },
     {"requests taken from the workload (10) differs from requests completed plus lost plus in "
      "flight (9)"}},
    {"an observer not told",
     [](sample& s) {
         s.end.driver.requests_in += 1;
         s.end.driver.requests_out += 1;
     },
     {"requests completed by the driver (9) differs from requests seen by the statistics (8)",
      "requests completed in the measured part (8) differs from requests in the summary (7)"}},
    {"warm-up counted as measured",
     [](sample& s) { s.begin.driver.requests_out -= 1; },
     {"requests completed in the measured part (8) differs from requests in the summary (7)"}},
    {"a flash read without purpose",
     [](sample& s) {
         s.end.flash.reads += 1;
         s.end.channels[0].luns[0].reads += 1;
     },
     {"flash reads since power-on (7) differs from their sum over the purposes (6)",
      "flash reads in the measured part (7) differs from their sum over the purposes (6)"}},
    {"a program without purpose",
     [](sample& s) {
         s.end.flash.programs += 1;
         s.end.channels[0].luns[0].programs += 1;
     },
     {"flash programs since power-on (6) differs from their sum over the purposes (5)",
      "flash programs in the measured part (6) differs from their sum over the purposes (5)"}},
    {"an erase without purpose",
     [](sample& s) {
         s.end.flash.erases += 1;
         s.end.channels[0].luns[0].erases += 1;
     },
     {"flash erases since power-on (2) differs from their sum over the purposes (1)",
      "flash erases in the measured part (2) differs from their sum over the purposes (1)"}},
    {"bytes without purpose",
     [](sample& s) { s.end.flash.bytes_programmed += 512; },
     {"flash bytes programmed since power-on (82432) differs from their sum over the purposes "
      "(81920)",
      "flash bytes programmed in the measured part (82432) differs from their sum over the "
      "purposes (81920)"}},
    {"a LUN's read not in the totals",
     [](sample& s) { s.end.channels[1].luns[1].reads += 1; },
     {"flash reads since power-on (6) differs from their sum over the LUNs (7)"}},
    {"a LUN's program not in the totals",
     [](sample& s) { s.end.channels[1].luns[1].programs += 1; },
     {"flash programs since power-on (5) differs from their sum over the LUNs (6)"}},
    {"a LUN's erase not in the totals",
     [](sample& s) { s.end.channels[1].luns[1].erases += 1; },
     {"flash erases since power-on (1) differs from their sum over the LUNs (2)"}},
    {"a purpose counted only during warm-up",
     [](sample& s) { s.begin.flash.by_purpose[FLASH_PURPOSE_GC].erases += 1; },
     {"flash erases in the measured part (1) differs from their sum over the purposes (0)"}},
    {"a unit programmed that firmware did not count",
     [](sample& s) { s.end.ftl->host_units_written -= 1; },
     {"bytes programmed for host, gc, fold, merge, refresh, wear and map (81920) differ from what "
      "firmware "
      "wrote: (6 host + 1 pad + 4 gc + 0 fold + 4 wear + 0 refresh + 4 map + 0 merge) units of "
      "4096 bytes "
      "= 77824, with 0 in "
      "flight"}},
    {"a unit counted that was not programmed",
     [](sample& s) { s.end.ftl->gc_units_moved += 1; },
     {"bytes programmed for host, gc, fold, merge, refresh, wear and map (81920) differ from what "
      "firmware "
      "wrote: (7 host + 1 pad + 5 gc + 0 fold + 4 wear + 0 refresh + 4 map + 0 merge) units of "
      "4096 bytes "
      "= 86016, with 0 in "
      "flight"}},
    {"a unit mapped twice",
     [](sample& s) { s.end.ftl->valid -= 1; },
     {"logical units mapped at the end (40) differs from physical units valid (39)"}},
    {"a channel busier than time",
     [](sample& s) { s.end.channels[1].busy = 1100001_ns; },
     {"channel 1 was busy for 1000001000 ps of 1000000000 ps measured"}},
    {"a LUN busier than time",
     [](sample& s) { s.end.channels[0].luns[1].busy = 1_ms + 1_ps; },
     {"LUN 1 of channel 0 was busy for 1000000001 ps of 1000000000 ps measured"}},
    {"a core busier than time",
     [](sample& s) { s.end.cpu[0].busy = 1010_us + 1_ps; },
     {"core 0 was busy for 1000000001 ps of 1000000000 ps measured"}},
    {"a core that counts cycles ahead of their time",
     [](sample& s) { s.end.cpu[0].cycles = 2000 + 250002; }, // 250,000 fit into its 250 us
     {"core 0 worked for 250002 cycles of 1000000000 Hz and was busy for 250000000 ps"}},
    {"a DRAM busier than time",
     [](sample& s) { s.end.dram->busy = 1001_us + 1_ps; },
     {"the DRAM was busy for 1000000001 ps of 1000000000 ps measured"}},
    {"a link busier than time upwards",
     [](sample& s) { s.end.link->busy_up = 1001_us + 1_ps; },
     {"the link towards the host was busy for 1000000001 ps of 1000000000 ps measured"}},
    {"a link busier than time downwards",
     [](sample& s) { s.end.link->busy_down = 1002_us + 1_ps; },
     {"the link towards the drive was busy for 1000000001 ps of 1000000000 ps measured"}},
    {"a buffer with more units than were put into it",
     [](sample& s) {
         s.m.buffer_growth = 6; // hits, misses and units of bplru: 1 + 2 + 2
         s.end.ftl->cache_padding_reads = 2;
     },
     {"units left in the write buffer of those put into it: 6 of 5"}},
    {"more sectors that nobody had written than were read",
     [](sample& s) {
         s.end.ftl->unwritten_sectors = 17;
         s.end.ftl->read_sectors = 10;
         s.end.nvme->looked_up = 1;
         s.end.nvme->looked_up_sectors = 6;
     },
     {"sectors that nobody had written of those read: 17 of 16"}},
    {"more spare units than at boot",
     [](sample& s) {
         s.m.drive.health = true;
         s.end.ftl->spare_percent = 400;
     },
     {"percent of the spare units of those at boot: 400 of 100"}},
    {"more than time at a level of throttling",
     [](sample& s) {
         s.end.thermal.emplace();
         s.end.thermal->time[1] = 1_ms + 1_ps;
     },
     {"ps at all levels of throttling of those measured: 1000000001 of 1000000000"}},
    {"asleep for longer than in a power state",
     [](sample& s) {
         s.end.states.emplace();
         s.end.states->states = {{1_ms, {}, 0, 0}, {5_us, 6_us, 1, 0}};
     },
     {"ps asleep of those in power state 1: 6000000 of 5000000",
      "ps in all power states of those measured: 1005000000 of 1000000000"}},
    {"a core that waits for code for longer than it is busy",
     [](sample& s) {
         s.end.cpu[0].icache.emplace();
         s.end.cpu[0].icache->stalled = 250_us + 1_ps;
     },
     {"ps that core 0 waited for code of those it was busy: 250000001 of 250000000"}},
    {"data that did not cross the link",
     [](sample& s) { s.end.link->bytes_up = 16383; },
     {"bytes on the link towards the host (16383) are fewer than the bytes the host read "
      "(16384)"}},
};

} // namespace

TEST_CASE("all identities hold for the sample", "[report][identities]")
{
    CHECK(check(sample()).empty());
}

TEST_CASE("each violated identity is found", "[report][identities]")
{
    for (const violation& v : violations) {
        DYNAMIC_SECTION(v.name)
        {
            sample s;
            v.cause(s);
            s.measure();
            CHECK(check(s) == v.sentences);
        }
    }
}

TEST_CASE("parts that do not sum to the latency are found per kind, to the picosecond",
          "[report][identities]")
{
    sample s;
    host::request_result bad = report_test::finished(host::request_kind::trim, 8, 1_ms, 3_us);
    bad.parts[static_cast<std::size_t>(latency_part::dram)] = 1_ps;
    s.requests.on_complete(bad);
    s.end.driver.requests_in += 1;
    s.end.driver.requests_out += 1;
    s.measure();
    CHECK(check(s) ==
          std::vector<std::string>{
              "1 of 9 requests have parts that do not sum to their latency, the first is request 8",
              "ps in the latency parts of all trim requests (3000001) differs from ps in their "
              "latencies (3000000)"});
}

TEST_CASE("what a stopped run leaves in flight is allowed for and no more", "[report][identities]")
{
    sample s;
    s.end.ftl->host_units_written += 2;
    s.measure();
    s.m.program_bytes_in_flight = 8192;
    CHECK(check(s).empty());
    s.m.program_bytes_in_flight = 8191;
    CHECK(check(s).size() == 1);
}

TEST_CASE("a core works for no more cycles than its busy time has, but for the one it is in")
{
    sample s;
    s.end.cpu[0].cycles = 2000 + 250001;
    s.measure();
    CHECK(check(s).empty());
}

TEST_CASE("whoever is busy, it is for no longer than has passed, to the picosecond",
          "[report][identities]")
{
    const std::vector<std::function<sim_time&(platform::counters&)>> all = {
        [](platform::counters& c) -> sim_time& { return c.channels[0].busy; },
        [](platform::counters& c) -> sim_time& { return c.channels[0].luns[0].busy; },
        [](platform::counters& c) -> sim_time& { return c.cpu[0].busy; },
        [](platform::counters& c) -> sim_time& { return c.dram->busy; },
        [](platform::counters& c) -> sim_time& { return c.link->busy_up; },
        [](platform::counters& c) -> sim_time& { return c.link->busy_down; },
    };
    for (const auto& busy : all) {
        sample s;
        busy(s.end) = busy(s.begin) + (s.end.when - s.begin.when);
        s.measure();
        CHECK(platform::check_busy(s.m).empty());
        busy(s.end) += 1_ps;
        s.measure();
        CHECK(platform::check_busy(s.m).size() == 1);
        busy(s.begin) = 1_ns;
        busy(s.end) = sim_time(999);
        s.measure();
        CHECK(platform::check_busy(s.m).size() == 1); // less than nothing
        CHECK(check(s).size() >= 1);
    }
}

TEST_CASE("absent parts break no identity", "[report][identities]")
{
    sample s;
    s.end.channels.clear();
    s.end.ftl.reset();
    s.end.cpu.clear();
    s.end.dram.reset();
    s.end.link.reset();
    s.end.nvme.reset();
    s.end.integrity.reset();
    s.measure();
    CHECK(check(s).empty());
}

} // namespace report_identities_test
