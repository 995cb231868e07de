// SPDX-License-Identifier: Apache-2.0
//
// What LUN and bus of the slowest requests did meanwhile: who has which picosecond.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "models/regs/channel_records.h"
#include "platform/report/sinks/sink_set.h"
#include "platform/report/timeline/meanwhile_row.h"
#include "tests/unit/report_sample.h"
#include "tests/unit/report_scratch.h"

namespace report_worst_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::literals;
using report_test::finished;

namespace {

constexpr std::uint16_t own_slot = 3;

timeline_slice work(const char* name, sim_time begin, sim_time end, std::uint8_t purpose,
                    std::uint16_t slot = latency_ledger::no_slot)
{
    timeline_slice s;
    s.name = name;
    s.begin = begin;
    s.end = end;
    s.purpose = purpose;
    s.slot = slot;
    s.details = {{{"plane", 1}, {"block", 7}, {"page", 9}}};
    return s;
}

/// On channel 0, LUN 0, in slot 3; its flash operation ends `after` its arrival.
host::request_result request(sim_time arrival, sim_time after)
{
    host::request_result r = finished(host::request_kind::read, 5, arrival, after + 10_us);
    r.place.visit(0, 0, arrival + after);
    r.place.slot = own_slot;
    return r;
}

/// A drive of one channel and two LUNs, as its blocks tell of it.
struct drive {
    meanwhile all;
    std::uint32_t bus = all.history().add_track("channel 0", "bus");
    std::uint32_t lun = all.history().add_track("channel 0", "LUN 0");
    std::uint32_t other = all.history().add_track("channel 0", "LUN 1");
    std::vector<meanwhile_piece> found;

    const std::vector<meanwhile_piece>& of(const host::request_result& r)
    {
        all.find(r, found);
        return found;
    }
};

} // namespace

TEST_CASE("worst: only LUNs and buses are listened to", "[report][worst]")
{
    flash_history h;
    CHECK(h.add_track("cores", "core0") == timeline::unwanted);
    CHECK(h.add_track("channel 1x", "LUN 0") == timeline::unwanted);
    CHECK(h.add_track("channel 1", "LUN") == timeline::unwanted);
    CHECK(h.add_level("channel 1/LUN 0", "RB_n", level_form::bit) == timeline::unwanted);
    CHECK(h.add_track("channel 1", "LUN 2") == 0);
    CHECK(h.add_track("channel 1", "bus") == 1);
}

TEST_CASE("worst: an erase takes of a read's wait what is left of it, to the picosecond",
          "[report][worst]")
{
    drive d;
    const sim_time end = 5001_us + 123_ps;
    d.all.history().add(d.lun, work("erase", 1_us, end, FLASH_PURPOSE_GC));
    d.all.history().add(d.other, work("read", 1_us, 90_us, FLASH_PURPOSE_HOST));
    d.all.history().add(d.lun, work("read", end + 1_us, end + 75_us, FLASH_PURPOSE_HOST, own_slot));
    d.all.history().add(d.bus, work("DATA OUT", 3_us, 4_us, FLASH_PURPOSE_HOST, 8));
    const auto& found = d.of(request(2_us, end + 75_us - 2_us));
    REQUIRE(found.size() == 2);
    CHECK(found[0].where == meanwhile_piece::on_lun);
    CHECK(found[0].what.name == std::string("erase"));
    CHECK(found[0].overlap == 4999_us + 123_ps);
    CHECK(found[0].what.block == 7);
    CHECK(firmware_action(found[0].what, false) == std::string("collection"));
    CHECK(found[1].where == meanwhile_piece::on_bus);
    CHECK(found[1].overlap == 1_us);
    CHECK(firmware_action(found[1].what, false) == std::string("command of the host"));
}

TEST_CASE("worst: a suspended erase takes nothing, and is named when it goes on", "[report][worst]")
{
    drive d;
    d.all.history().add(d.lun, work("erase", 0_us, 5_ms, FLASH_PURPOSE_WEAR));
    timeline_slice stop = work("suspending", 100_us, 110_us, FLASH_PURPOSE_WEAR);
    stop.cuts = true;
    d.all.history().add(d.lun, stop);
    d.all.history().add(d.lun, work("read", 120_us, 194_us, FLASH_PURPOSE_MAP));
    d.all.history().add(d.lun, work("resumed", 200_us, 5106_us, FLASH_PURPOSE_WEAR));
    d.all.history().add(d.lun, work("read", 5110_us, 5184_us, FLASH_PURPOSE_HOST, own_slot));
    const auto& found = d.of(request(40_us, 5144_us));
    REQUIRE(found.size() == 4);
    CHECK(found[0].overlap == 60_us); // until it was suspended
    CHECK(found[1].what.name == std::string("suspending"));
    CHECK(found[2].overlap == 74_us);
    CHECK(firmware_action(found[2].what, false) == std::string("map"));
    CHECK(found[3].what.name == std::string("erase"));
    CHECK(found[3].overlap == 4906_us);
    CHECK(firmware_action(found[3].what, false) == std::string("wear levelling"));
}

TEST_CASE("worst: where pieces overlap, no picosecond counts twice", "[report][worst]")
{
    drive d;
    for (std::uint64_t i = 0; i < 4 * flash_history::kept; ++i) {
        d.all.history().add(d.lun, work("read", i * 10_us, i * 10_us + 25_us, FLASH_PURPOSE_HOST));
    }
    const sim_time end = 4 * flash_history::kept * 10_us;
    sim_time sum;
    const auto& found = d.of(request(0_us, end));
    for (const meanwhile_piece& p : found) {
        sum += p.overlap;
    }
    CHECK(sum == end);
    REQUIRE(found.size() == meanwhile::told + 2);
    CHECK(found[meanwhile::told].what.name == std::string(meanwhile_piece::others));
    CHECK(found.back().what.name == std::string(meanwhile_piece::unknown));
    CHECK(found.back().overlap == (3 * flash_history::kept - 1) * 10_us + 25_us);
}

TEST_CASE("worst: of a request without a LUN it is the mean over all of them", "[report][worst]")
{
    drive d;
    d.all.history().add(d.lun, work("program", 0_us, 700_us, FLASH_PURPOSE_HOST));
    d.all.history().add(d.other, work("program", 100_us, 800_us, FLASH_PURPOSE_HOST));
    d.all.history().add(d.other, work("erase", 800_us, 5800_us, FLASH_PURPOSE_GC));
    const auto& found = d.of(finished(host::request_kind::write, 1, 0_us, 1_ms));
    REQUIRE(found.size() == 2);
    CHECK(found[0].overlap == 700_us);
    CHECK(found[1].overlap == 100_us);
    CHECK(found[1].where == meanwhile_piece::on_drive);
    CHECK(firmware_action(found[0].what, false) == std::string("write-back"));
    CHECK(firmware_action(found[0].what, true) == std::string("flush"));
}

TEST_CASE("worst: a flush is known by its time", "[report][worst]")
{
    flush_times f;
    f.completed(finished(host::request_kind::write, 0, 0_us, 500_us));
    f.completed(finished(host::request_kind::flush, 1, 10_us, 5_us));
    f.completed(finished(host::request_kind::flush, 2, 12_us, 8_us)); // they overlap
    f.completed(finished(host::request_kind::flush, 3, 30_us, 5_us));
    CHECK_FALSE(f.any(0_us, 10_us));
    CHECK(f.any(9_us, 10_us + 1_ps));
    CHECK(f.any(20_us - 1_ps, 21_us));
    CHECK_FALSE(f.any(20_us, 30_us));
    CHECK(f.any(34_us, 40_us));
    CHECK_FALSE(f.any(35_us, 40_us));
}

TEST_CASE("worst: the sink tells it in a file of its own", "[report][worst]")
{
    const report_test::scratch folder;
    const host::workload_config workload;
    sink_choice choice;
    choice[static_cast<std::size_t>(sink_id::worst)] = "1";
    const sink_set sinks(choice, {"", folder.path(), workload, 4096});
    report_sink& s = *sinks.all().back();
    REQUIRE(s.trace() != nullptr);
    const std::uint32_t lun = s.trace()->add_track("channel 0", "LUN 0");
    s.trace()->add(lun, work("erase", 1_us, 11_us + 7_ps, FLASH_PURPOSE_GC));
    s.requests()->on_complete(request(2_us, 4_us));
    s.requests()->on_complete(request(2_us, 20_us)); // slower: only it is kept
    const request_statistics none;
    s.finish({none, workload, nullptr});
    std::ifstream in(folder.path() / "worst_meanwhile.csv");
    CHECK(std::string(std::istreambuf_iterator<char>(in), {}) ==
          meanwhile_row_header() +
              "\n5,lun,0,0,erase,gc,collection,1,7,9,1000.000,11000.007,9000.007\n");
}

} // namespace report_worst_test
