// SPDX-License-Identifier: Apache-2.0
//
// The counters of models/regs/counters.h in the reports.
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <set>
#include <string>

#include "platform/report/counter_sums.h"
#include "platform/report/counter_table.h"
#include "tests/unit/report_sample.h"

namespace report_counters_test {

using namespace ssdvp;
using namespace ssdvp::platform;

namespace {

constexpr std::size_t words = sizeof(telemetry) / sizeof(std::uint64_t);

/// Every word is `scale` times its place.
telemetry numbered(std::uint64_t scale)
{
    std::uint64_t word[words];
    for (std::size_t i = 0; i < words; ++i) {
        word[i] = scale * i;
    }
    telemetry t;
    std::memcpy(&t, word, sizeof t);
    return t;
}

/// "ftl.hmb" of "ftl.hmb.hits"; empty for keys that are not so deep.
std::string object_of(std::string_view key)
{
    const std::size_t second = key.find('.', key.find('.') + 1);
    return std::string(second == std::string_view::npos ? "" : key.substr(0, second));
}

} // namespace

TEST_CASE("each word of the telemetry but its head and the reserve has one row",
          "[report][counters]")
{
    const telemetry t = numbered(1);
    std::set<std::uint64_t> read;
    for (const counter_row& row : counter_rows()) {
        if (row.read != nullptr) {
            CHECK(read.insert(row.read(t)).second);
        }
    }
    const std::size_t reserve = std::size(t.reserved);
    CHECK(read.size() + TELEMETRY_RETRY_LEVELS + reserve + 1 == words); // retries: no named levels
    CHECK(read.count(0) == 0);
    for (std::size_t i = 0; i < reserve; ++i) {
        CHECK(read.count(t.reserved[i]) == 0);
    }
}

TEST_CASE("counters add up and are weighted, all others stay", "[report][counters]")
{
    counters first = report_test::sample_begin();
    first.ftl = numbered(2);
    first.when = sim_time(1001);
    counters second = first;
    second.ftl = numbered(6);
    const counters both = sum(first, second);
    const counters most = scaled(second, 1.5);
    for (const counter_row& row : counter_rows()) {
        if (row.read != nullptr) {
            INFO(row.field);
            const bool counts = row.kind == counter_kind::COUNTER;
            const std::uint64_t of = row.read(*second.ftl);
            CHECK(row.read(*both.ftl) == of + (counts ? row.read(*first.ftl) : 0));
            CHECK(row.read(*most.ftl) == (counts ? of * 3 / 2 : of));
        }
    }
    CHECK(both.when == sim_time(2002));
    CHECK(most.when == sim_time(1502));  // 1501.5
    CHECK(most.flash.multi_plane == 8u); // 7.5
    CHECK(most.channels[1].busy.ps() == first.channels[1].busy.ps() * 3 / 2);
    CHECK(most.dram->bytes_read == 1500);
    CHECK(scaled(second, 0.0).cpu[0].cycles == 0);
}

TEST_CASE("of a measured part counters tell the difference, all others their end",
          "[report][counters]")
{
    const telemetry begin = numbered(1);
    const telemetry end = numbered(5);
    const telemetry d = difference(end, begin);
    for (const counter_row& row : counter_rows()) {
        if (row.read != nullptr) {
            INFO(row.field);
            CHECK(row.read(d) ==
                  row.read(end) - (row.kind == counter_kind::COUNTER ? row.read(begin) : 0));
        }
    }
    for (std::size_t i = 0; i < std::size(d.retries); ++i) {
        CHECK(d.retries[i] == end.retries[i] - begin.retries[i]);
    }
    CHECK(d.gc_runs == end.gc_runs - begin.gc_runs);
    CHECK(d.blocking_max_ns == end.blocking_max_ns);
    CHECK(d.free_blocks == end.free_blocks);
    CHECK(d.zones.opened == end.zones.opened - begin.zones.opened);
    CHECK(d.retention.tracked == end.retention.tracked);
}

TEST_CASE("of parts of a drive counts and gauges add up, but for the least and the most",
          "[report][counters]")
{
    telemetry a = numbered(1);
    telemetry b = numbered(5);
    a.magic = b.magic = TELEMETRY_MAGIC;
    a.ready = b.ready = 1;
    const telemetry both = together(a, b);
    for (const counter_row& row : counter_rows()) {
        if (row.read == nullptr) {
            continue;
        }
        INFO(row.field);
        const bool one = row.kind == counter_kind::LEAST || row.kind == counter_kind::MOST ||
                         row.kind == counter_kind::MAXIMUM;
        const std::uint64_t worst =
            row.kind == counter_kind::LEAST ? row.read(a) : row.read(b); // numbered higher
        CHECK(row.read(both) == (row.kind == counter_kind::FLAG ? 1
                                 : one                          ? worst
                                                                : row.read(a) + row.read(b)));
    }
    CHECK(both.retries[1] == a.retries[1] + b.retries[1]);
    CHECK(both.mapped == a.mapped + b.mapped);
    CHECK(both.erase_min == a.erase_min);
    CHECK(both.erase_max == b.erase_max);
    CHECK(both.ready == 1);
    b.ready = 0;
    CHECK(together(a, b).ready == 0);
    b.magic = 0; // has not begun to count
    CHECK(together(a, b).mapped == a.mapped);
    CHECK(together(b, a).mapped == a.mapped);
    CHECK(together(a, b).ready == 0);
}

TEST_CASE("a row of the counters tells all by itself, and rows of an object stand together",
          "[report][counters]")
{
    std::set<std::string> seen;
    std::string last;
    for (const counter_row& row : counter_rows()) {
        INFO(row.field);
        CHECK(row.description.substr(0, 3) != "...");
        const std::string object = object_of(row.key);
        if (!object.empty() && object != last) {
            CHECK(seen.insert(object).second);
            last = object;
        }
    }
    CHECK(seen.count("ftl.hmb") == 1);
    CHECK(seen.count("ftl.retention") == 1);
}

TEST_CASE("a percentage of a drive is the worst of its parts', not their sum", "[report][counters]")
{
    std::size_t percentages = 0;
    for (const counter_row& row : counter_rows()) {
        if (row.description.find(" in %") != std::string_view::npos) {
            INFO(row.field);
            ++percentages;
            CHECK((row.kind == counter_kind::LEAST || row.kind == counter_kind::MOST));
        }
    }
    CHECK(percentages == 3);
    telemetry a = numbered(1);
    telemetry b = a;
    a.magic = b.magic = TELEMETRY_MAGIC;
    a.spare_percent = 90;
    b.spare_percent = 100;
    a.used_percent = 80;
    b.used_percent = 82;
    CHECK(together(a, b).spare_percent == 90);
    CHECK(together(a, b).used_percent == 82);
}

TEST_CASE("keys of counters are unique, and none is the folder of another", "[report][counters]")
{
    std::set<std::string> keys;
    for (const counter_row& row : counter_rows()) {
        INFO(row.key);
        CHECK((row.key.empty() || keys.insert(std::string(row.key)).second));
        CHECK(!row.description.empty());
    }
    for (const std::string& key : keys) {
        const auto next = keys.upper_bound(key + ".");
        CHECK((next == keys.end() || next->rfind(key + ".", 0) != 0));
    }
}

TEST_CASE("a line of counts has those of its row that the drive has, in order",
          "[report][counters]")
{
    report_test::sample s;
    s.m.measured.ftl->gc_runs = 3;
    s.m.measured.ftl->gc_pages_moved = 1234;
    CHECK(counted(s.m, "gc") == "3 runs, 1,234 pages moved");
    CHECK(counted(s.m, "no such row").empty());
    s.m.drive.retention = false;
    CHECK(counted(s.m, "retention").empty());
    s.m.drive.retention = true;
    s.m.measured.ftl->retention.deep_pages = 2;
    CHECK(counted(s.m, "retention") == "0 pages shallow, 2 deep; 0 units rewritten, 0 late");
}

} // namespace report_counters_test
