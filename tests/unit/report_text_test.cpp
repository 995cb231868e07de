// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <sstream>

#include "platform/report/format.h"
#include "platform/report/printable.h"
#include "platform/report/text_summary.h"
#include "tests/unit/report_sample.h"

namespace report_text_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;
using Catch::Matchers::Contains;
using report_test::sample;

TEST_CASE("quantities have three digits and a unit", "[report][format]")
{
    CHECK(text_time(0_ps) == "0 ns");
    CHECK(text_time(7_ps) == "7.00 ps");
    CHECK(text_time(61234_ns) == "61.2 us");
    CHECK(text_time(999499_ps) == "999 ns");
    CHECK(text_time(999500_ps) == "1.00 us"); // never "1000 ns"
    CHECK(text_time(9994_ps) == "9.99 ns");
    CHECK(text_time(9996_ps) == "10.0 ns");
    CHECK(text_time(99960_ps) == "100 ns");
    CHECK(text_time(7200_s) == "7200 s");
    CHECK(text_wall(4.206) == "4.21 s");
    CHECK(text_wall(185.2) == "3 min 05 s");
    CHECK(text_wall(7800.0) == "2 h 10 min");
    CHECK(text_bytes(1023) == "1023 B");
    CHECK(text_bytes(4096) == "4.00 KiB");
    CHECK(text_bytes(1536.0 * 1024 * 1024) == "1.50 GiB");
    CHECK(text_byte_rate(1.224e9) == "1.22 GB/s");
    CHECK(text_count(0) == "0");
    CHECK(text_count(999) == "999");
    CHECK(text_count(1000) == "1,000");
    CHECK(text_count(1234567) == "1,234,567");
    CHECK(text_rough(999) == "999");
    CHECK(text_rough(312345) == "312 k");
    CHECK(text_percent(0.6314) == "63.1 %");
}

TEST_CASE("what a terminal gets is text, and not too much of it", "[report][format]")
{
    CHECK(printable("a \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
          "a \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    CHECK(printable("\x1b[31m\a\r\n\t\x7f") == "\\x1b[31m\\x07\\x0d\\x0a\\x09\\x7f");
    CHECK(printable(std::string("\0", 1)) == "\\x00");
    CHECK(printable("\xc2\x9b") == "\\xc2\\x9b");          // U+009B: as ESC [ to some
    CHECK(printable("\xff\xc3(") == "\\xff\\xc3(");        // no UTF-8
    CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");          // ESC the long way
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80"); // half of a pair
    CHECK(printable("\xe2\x82") == "\\xe2\\x82");          // cut short
    CHECK(printable("0123456789", 10) == "0123456789");
    CHECK(printable("0123456789a", 10) == "01234 ... 1 bytes ... 6789a");
    CHECK(printable("0123\xc3\xa9"
                    "56789",
                    8) == "0123 ... 3 bytes ... 6789");
    CHECK(printable("012\xc3\xa9"
                    "456789",
                    8) == "012 ... 4 bytes ... 6789");
}

namespace {

/// Columns of a line: escapes have none, each code point one.
std::size_t width(const std::string& line)
{
    std::size_t columns = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b') {
            i = line.find('m', i);
        } else if ((static_cast<unsigned char>(line[i]) & 0xC0u) != 0x80u) {
            ++columns;
        }
    }
    return columns;
}

std::string without_escapes(const std::string& text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            i = text.find('m', i);
        } else {
            plain.push_back(text[i]);
        }
    }
    return plain;
}

std::string line_with(const std::string& text, const std::string& start)
{
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        if (line.compare(0, start.size(), start) == 0) {
            return line;
        }
    }
    return "";
}

} // namespace

TEST_CASE("the summary for people says what happened", "[report][text]")
{
    const sample s;
    const std::string text = text_summary(s.m, s.requests, {}, {});
    CHECK_THAT(text, Contains("ssdvp 0.1.0  hand-made  seed 7\n"));
    CHECK_THAT(text, Contains("2 channels x 2 LUNs"));
    CHECK_THAT(text, Contains("7 requests in 1.00 ms of simulated time"));
    CHECK(line_with(text, "  read ") ==
          "  read                     4     12.0 KiB         1        4.00 k     12.3 MB/s");
    CHECK_THAT(text, Contains("  read           50.0 us   65.0 us   60.0 us     80.0 us"));
    CHECK(line_with(text, "  array ") == "  array         48.8 us  75.0  ######    7.50 us  75.0  "
                                         "######    1.50 us  75.0  ######");
    CHECK(line_with(text, "  ecc ").empty()); // no time went there
    CHECK_THAT(text, Contains("WAF         5.000"));
    CHECK_THAT(text, Contains("17.5 % on average (10.0 .. 25.0)"));
    CHECK_THAT(text, Contains("40.6 % on average (0.0 .. 100.0)"));
    CHECK_THAT(text, Contains("all as written"));
    CHECK_THAT(text, Contains("all identities hold"));
    CHECK_THAT(text, Contains("20.0 activations (kernel 3.0) per request"));
    CHECK_THAT(text, !Contains("\x1b") && !Contains("stopped early") && !Contains("faults"));
}

TEST_CASE("the summary for people tells of merges, where there are any", "[report][text]")
{
    sample s;
    CHECK(line_with(text_summary(s.m, s.requests, {}, {}), "  merges ").empty());
    s.m.drive.merges = true;
    s.end.ftl->merges_switch = 4;
    s.end.ftl->merges_full = 2;
    s.end.ftl->merged_logs = 4;
    s.end.ftl->merged_logical_blocks = 6;
    s.end.ftl->merged_logical_blocks_max = 3;
    s.end.ftl->copy_page_writes = 17;
    s.end.ftl->scan_page_reads = 5;
    s.end.ftl->blocking_max_ns = 2500000;
    s.measure();
    const std::string text = text_summary(s.m, s.requests, {}, {});
    CHECK(line_with(text, "  merges ") ==
          "  merges      4 switch, 0 partial, 2 full; 1.50 logical blocks each, 3 at most");
    CHECK_THAT(text,
               Contains("17 pages copied, 5 searched, 2.50 ms at worst that the host waited"));
}

TEST_CASE("a row's name and its value are two words, however long the name", "[report][text]")
{
    sample s;
    s.m.drive.rows = {{"host", "NVMe"}, {"precondition", "1 unit"}, {"preconditioned", "2 units"}};
    const std::string text = text_summary(s.m, s.requests, {}, {});
    CHECK_THAT(text, Contains("\n  host        NVMe\n"));
    CHECK_THAT(text, Contains("\n  precondition 1 unit\n"));
    CHECK_THAT(text, Contains("\n  preconditioned 2 units\n"));
}

TEST_CASE("the summary for people shows failures", "[report][text]")
{
    sample s;
    s.end.integrity->mismatches = 3;
    s.measure();
    s.m.complete = false;
    s.m.fault_count = 2;
    s.m.faults = {{5_us, "ssd.die0", "programmed twice"}};
    const std::string text = text_summary(s.m, s.requests, {"a (1) differs from b (2)"}, {});
    CHECK_THAT(text, Contains("stopped early"));
    CHECK_THAT(text, Contains("3 mismatches in 32 sectors checked") && !Contains("all as written"));
    CHECK_THAT(text, Contains("a (1) differs from b (2)") && !Contains("all identities hold"));
    CHECK_THAT(text,
               Contains("2 modelled errors") && Contains("at 5.00 us ssd.die0: programmed twice"));
}

TEST_CASE("no line passes 100 columns, even with large numbers", "[report][text]")
{
    sample s;
    s.requests.on_complete(report_test::finished(host::request_kind::trim, 9, 1_ms, 999_us));
    s.end.channels.assign(32, s.end.channels[0]);
    for (auto& purpose : s.end.flash.by_purpose) {
        purpose = {123456789012, 12345678901, 1234567890, 1ull << 50};
    }
    s.end.cpu[0].instructions = 1ull << 50;
    s.end.cpu[0].cycles = 1ull << 50;
    s.end.ftl->cache_read_hits = s.end.ftl->cache_read_misses = 123456789;
    s.end.ftl->cache_write_hits = s.end.ftl->cache_write_misses = 123456789;
    s.measure();
    for (const text_style style : {text_style{false, false}, text_style{true, true}}) {
        std::istringstream lines(text_summary(s.m, s.requests, {}, style));
        std::string line;
        while (std::getline(lines, line)) {
            CAPTURE(line);
            CHECK(width(line) <= 100);
        }
    }
}

TEST_CASE("colour changes no letter, blocks only the bars", "[report][text]")
{
    const sample s;
    const std::string plain = text_summary(s.m, s.requests, {}, {});
    const std::string coloured = text_summary(s.m, s.requests, {}, {true, false});
    CHECK(coloured != plain);
    std::string bare = without_escapes(coloured);
    // padding inside a painted title stays at the end of its line
    for (std::size_t at = bare.find(" \n"); at != std::string::npos; at = bare.find(" \n")) {
        bare.erase(at, 1);
    }
    CHECK(bare == plain);
    CHECK_THAT(text_summary(s.m, s.requests, {}, {false, true}), Contains("██") && !Contains("#"));
}

TEST_CASE("a run without requests has a summary, too", "[report][text]")
{
    sample s;
    s.end.channels.clear();
    s.end.ftl.reset();
    s.end.integrity.reset();
    s.end.when = s.begin.when;
    s.end.wall_s = s.begin.wall_s;
    s.measure();
    const std::string text = text_summary(s.m, platform::request_statistics(), {}, {});
    CHECK_THAT(text, Contains("0 requests in 0 ns"));
    CHECK_THAT(text, Contains("not checked"));
    CHECK_THAT(text, !Contains("nan") && !Contains("inf"));
}

TEST_CASE("three warnings stand on top, the others below the figures", "[report][text]")
{
    sample s;
    s.measure();
    s.m.samples.resize(1);
    const auto split = [&] {
        const std::string text = text_summary(s.m, s.requests, {}, {});
        const auto figures = text.find("Throughput");
        return std::pair(text.substr(0, figures), text.substr(figures));
    };
    const std::string before = split().first;
    auto& heat = s.m.measured.thermal.emplace();
    heat.time[1] = s.m.measured.when;
    heat.taken = heat.stored = 1.0;
    auto& states = s.m.measured.states.emplace();
    states.states.resize(1);
    states.states[0].asleep = s.m.measured.when;
    s.m.measured.ftl->read_sectors = 100;
    s.m.measured.ftl->unwritten_sectors = 50;
    const auto [top, below] = split();
    CHECK_THAT(top, Contains("never been written") && Contains("heat held the drive back") &&
                        Contains("requests failed") && Contains("more below"));
    CHECK_THAT(top, !Contains("getting warmer"));
    CHECK_THAT(below,
               Contains("Further warnings") && Contains("getting warmer") && Contains("asleep"));
    CHECK_THAT(before, !Contains("more below"));
}

TEST_CASE("a file is no terminal", "[report][text]")
{
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    const text_style style = style_for(file);
    std::fclose(file);
    CHECK_FALSE(style.colour);
    CHECK_FALSE(style.unicode);
}

} // namespace report_text_test
