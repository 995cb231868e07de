// SPDX-License-Identifier: Apache-2.0
//
// Traces of any columns: the public ones, and what is wrong with a line.
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <unistd.h>

#include "models/host/workload/trace_source.h"

namespace trace_csv_test {

using namespace ssdvp;
using namespace ssdvp::host;
using namespace ssdvp::literals;

namespace {

constexpr std::uint64_t drive = 1ull << 40; // sectors
constexpr std::uint64_t mib = 2048;         // sectors

struct file {
    std::string name = "trace_csv_test_" + std::to_string(getpid()) + ".csv";
    explicit file(const std::string& text) { std::ofstream(name, std::ios::binary) << text; }
    file(const file&) = delete;
    file& operator=(const file&) = delete;
    ~file() { std::remove(name.c_str()); }
};

trace_config with(csv_columns columns)
{
    trace_config c;
    c.format = trace_format::csv;
    columns.read = columns.read.empty() ? "r read" : columns.read;
    columns.write = columns.write.empty() ? "w write" : columns.write;
    columns.trim = "d discard trim";
    c.csv = std::move(columns);
    return c;
}

std::vector<request> replay(trace_config c, const std::string& text)
{
    const file f(text);
    c.file = f.name;
    trace_source source(c, scan_trace(c, drive), drive, 0);
    std::vector<request> all;
    request r;
    while (source.next(sim_time(), r)) {
        all.push_back(r);
    }
    CHECK(source.error().empty());
    return all;
}

std::string error_of(trace_config c, const std::string& text)
{
    const file f(text);
    c.file = f.name;
    try {
        scan_trace(c, 0);
    } catch (const trace_error& e) {
        return e.what();
    }
    return "no error";
}

void check(const request& r, sim_time arrival, request_kind kind, std::uint64_t lba,
           std::uint32_t sectors)
{
    CHECK(r.arrival == arrival);
    CHECK(r.kind == kind);
    CHECK(r.lba == lba);
    CHECK(r.sectors == sectors);
}

constexpr request_kind R = request_kind::read;
constexpr request_kind W = request_kind::write;

csv_columns numbers(const char* time, const char* operation, const char* offset, const char* size)
{
    csv_columns c;
    c.time = time;
    c.operation = operation;
    c.offset = offset;
    c.size = size;
    return c;
}

} // namespace

TEST_CASE("csv: Alibaba's block traces: device, opcode, bytes, microseconds")
{
    csv_columns c = numbers("5", "2", "3", "4");
    c.device = "1";
    const auto all = replay(with(c), "419,W,8792731648,4096,1577808000000046\n"
                                     "725,R,4096,8192,1577808000000146\n"
                                     "419,R,8792735744,512,1577808000001046\n");
    REQUIRE(all.size() == 3);
    const std::uint64_t first = 8792731648 / 512;
    check(all[0], 0_us, W, first, 8);
    check(all[1], 100_us, R, (first + 9 + mib - 1) / mib * mib + 8, 16);
    check(all[2], 1_ms, R, first + 8, 1);
}

TEST_CASE("csv: Tencent's: seconds, sectors, 0 is a read")
{
    csv_columns c = numbers("1", "4", "2", "3");
    c.time_unit = csv_time_unit::s;
    c.offset_unit = c.size_unit = 512;
    c.device = "5";
    c.read = "0";
    c.write = "1";
    const auto all = replay(with(c), "1538323200,12910952,128,0,1063\n1538323201,6266,8,1,1081\n");
    REQUIRE(all.size() == 2);
    check(all[0], 0_s, R, 12910952, 128);
    check(all[1], 1_s, W, (12911080 + mib - 1) / mib * mib + 6266, 8);
}

TEST_CASE("csv: Systor '17's: columns by the names of the first line")
{
    csv_columns c = numbers("Timestamp", "IOType", "Offset", "Size");
    c.time_unit = csv_time_unit::s;
    c.device = "LUN";
    const auto all = replay(with(c), "Timestamp,Response,IOType,LUN,Offset,Size\n"
                                     "1455602400.000000001,0.000210,R,0,8192,4096\n"
                                     "1455602400.000100001,0.000210,W,0,16384,1024\n");
    REQUIRE(all.size() == 2);
    check(all[0], 0_us, R, 16, 8);
    check(all[1], 100_us, W, 32, 2);
}

TEST_CASE(
    "csv: CloudPhysics': microseconds, sectors, operation, bytes; a line of names passed over")
{
    csv_columns c = numbers("1", "3", "2", "4");
    c.offset_unit = 512;
    c.header = true;
    const auto all = replay(with(c), "\"ts\", \"lba\", \"op\", \"size\"\n"
                                     "0, 42932745, \"r\", 4096\n20, 8, \"W\", 512\n");
    REQUIRE(all.size() == 2);
    check(all[0], 0_us, R, 42932745, 8);
    check(all[1], 20_us, W, 8, 1);
}

TEST_CASE("csv: FIU's: columns between blanks, nanoseconds")
{
    csv_columns c = numbers("1", "6", "4", "5");
    c.separator = csv_separator::blank;
    c.time_unit = csv_time_unit::ns;
    c.offset_unit = c.size_unit = 512;
    c.device = "8";
    const auto all = replay(with(c), "89966404463590 4892 syslogd 904265560 8 W 6 0 531e779\n"
                                     "89966404463690  4892\tsyslogd 904265568 8 R 6 0 b5fec73\n");
    REQUIRE(all.size() == 2);
    check(all[0], 0_ns, W, 904265560, 8);
    check(all[1], 100_ns, R, 904265568, 8);
}

TEST_CASE("csv: names of devices, trims, other separators")
{
    csv_columns c = numbers("1", "2", "3", "4");
    c.separator = csv_separator::semicolon;
    c.device = "5";
    const auto all =
        replay(with(c), "0;TRIM;0;512;sda\n1;r;0;512;sdb\n1;r;512;512;sda\n1;r;0;512;0\n");
    REQUIRE(all.size() == 4);
    CHECK(all[0].kind == request_kind::trim);
    CHECK(all[1].lba == mib);
    CHECK(all[2].lba == 1);
    CHECK(all[3].lba == 2 * mib); // device 0 is none of the two
}

TEST_CASE("csv: what is missing or wrong is told by line and column")
{
    using Catch::Contains;
    const trace_config c = with(numbers("1", "2", "3", "9"));
    CHECK_THAT(error_of(c, "0,r,0,512\n"), Contains(":1:10: 4 fields, expected 9 or more"));
    const trace_config d = with(numbers("1", "2", "3", "4"));
    CHECK_THAT(error_of(d, "0,r,0,512\n1,x,0,512\n"),
               Contains(":2:3: operation \"x\" is not a word of workload.csv.read, csv.write or "
                        "csv.trim; a line of format csv is: "));
    CHECK_THAT(error_of(d, "x,r,0,512\n"), Contains(":1:1: time \"x\" is not a number of its"));
    CHECK_THAT(error_of(d, "0,r,-1,512\n"), Contains(":1:5: offset \"-1\""));
    CHECK_THAT(error_of(d, "0,r,0,0\n"), Contains(":1:7: request of length 0"));
    CHECK_THAT(error_of(with(numbers("ts", "2", "3", "4")), "time,op,at,bytes\n"),
               Contains(":1:1: no column \"ts\", which workload.csv.time names"));
    CHECK_THAT(error_of(with(numbers("1", "none", "3", "4")), "0,r,0,512\n"),
               Contains(": format csv needs workload.csv.operation, the name or number"));
}

} // namespace trace_csv_test
