// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "platform/report/progress.h"

namespace report_progress_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A reporter with a clock that the test turns and an output that it reads.
struct bench {
    double wall = 100.0;
    std::uint64_t clock_reads = 0;
    std::vector<std::string> out;

    progress_reporter reporter(const progress_options& options)
    {
        return {options,
                [this] {
                    ++clock_reads;
                    return wall;
                },
                [this](const std::string& text) { out.push_back(text); }};
    }
};

progress_options options(bool terminal)
{
    progress_options o;
    o.total_requests = 1000;
    o.terminal = terminal;
    o.columns = 120;
    return o;
}

} // namespace

TEST_CASE("elsewhere than on a terminal: a plain line every five seconds", "[report][progress]")
{
    bench b;
    progress_reporter p = b.reporter(options(false));
    b.wall = 104.9;
    p.update(240, 1_ms);
    CHECK(b.out.empty());
    b.wall = 105.0;
    p.update(250, 2_ms);
    REQUIRE(b.out.size() == 1);
    CHECK(b.out[0] ==
          "running:  25 %  250 requests, 2.00 ms simulated, 50 requests/s, 15.0 s left\n");
    b.wall = 109.9;
    p.update(300, 2_ms);
    CHECK(b.out.size() == 1);
    p.finish();
    CHECK(b.out.size() == 1); // nothing to remove
}

TEST_CASE("a rate is that of its phase alone", "[report][progress]")
{
    bench b;
    progress_reporter p = b.reporter(options(false));
    b.wall = 110.0;
    p.update(400, 4_ms);
    p.begin("until it is steady");
    b.wall = 115.0;
    p.update(500, 5_ms);
    REQUIRE(b.out.size() == 2);
    CHECK_THAT(b.out[0], Contains(" 40 requests/s"));
    CHECK_THAT(b.out[1], Contains("500 requests,") && Contains(" 20 requests/s"));
}

TEST_CASE("on a terminal: a bar redrawn in place and removed", "[report][progress]")
{
    bench b;
    progress_reporter p = b.reporter(options(true));
    b.wall = 101.0;
    p.update(500, 2_ms);
    REQUIRE(b.out.size() == 1);
    CHECK_THAT(b.out[0], StartsWith("\rrunning [###############...............]  50 %  500"));
    CHECK_THAT(b.out[0], Contains("1.00 s left") && !Contains("\n"));
    b.wall = 101.05;
    p.update(510, 2_ms);
    CHECK(b.out.size() == 1);
    b.wall = 101.2;
    p.update(520, 2_ms);
    CHECK(b.out.size() == 2);
    p.finish();
    CHECK(b.out.back() == "\r\x1b[K");
    p.finish();
    CHECK(b.out.size() == 3); // once
}

TEST_CASE("a line never fills a terminal's width", "[report][progress]")
{
    for (const unsigned columns : {20u, 60u, 79u, 80u, 81u, 100u, 200u}) {
        bench b;
        progress_options o = options(true);
        o.columns = columns;
        progress_reporter p = b.reporter(o);
        b.wall = 101.0;
        p.update(999, 2_ms);
        REQUIRE(b.out.size() == 1);
        CHECK(b.out[0].size() - std::string("\r\x1b[K").size() < columns);
    }
}

TEST_CASE("the nearer limit decides, none gives no estimate", "[report][progress]")
{
    bench b;
    progress_options o = options(false);
    o.total_time = 10_ms;
    progress_reporter timed = b.reporter(o);
    b.wall = 110.0;
    timed.update(100, 8_ms); // 10 % of the requests, 80 % of the time
    CHECK_THAT(b.out.back(), Contains(" 80 %") && Contains("2.50 s left"));
    timed.update(100, 20_ms);

    progress_options unlimited;
    progress_reporter open = b.reporter(unlimited);
    b.wall = 120.0;
    open.update(1000, 1_ms);
    CHECK(b.out.back() == "running: 1,000 requests, 1.00 ms simulated, 100 requests/s\n");
}

TEST_CASE("quiet says nothing and reads no clock", "[report][progress]")
{
    bench b;
    progress_options o = options(true);
    o.quiet = true;
    progress_reporter p = b.reporter(o);
    for (int i = 0; i < 100000; ++i) {
        b.wall += 1.0;
        p.update(1, 1_ms);
    }
    p.begin("running");
    p.finish();
    CHECK(b.out.empty());
    CHECK(b.clock_reads == 0);
}

TEST_CASE("fast requests hardly read the clock, slow ones each time", "[report][progress]")
{
    bench b;
    progress_reporter p = b.reporter(options(false));
    for (std::uint64_t i = 0; i < 1000000; ++i) {
        b.wall += 1e-6;
        p.update(i, 1_ms);
    }
    CHECK(b.clock_reads < 1100); // 10^6 / 1024 and some to get there
    for (std::uint64_t i = 0; i < 20000; ++i) {
        b.wall += 1.0;
        p.update(i, 1_ms);
    }
    CHECK(b.clock_reads > 15000);
}

TEST_CASE("a new phase starts its count and its name anew", "[report][progress]")
{
    bench b;
    progress_reporter p = b.reporter(options(false));
    b.wall = 200.0;
    p.begin("preconditioning");
    b.wall = 206.0;
    p.update(600, 0_ps);
    REQUIRE(b.out.size() == 1);
    CHECK_THAT(b.out[0], StartsWith("preconditioning:  60 %") && Contains("100 requests/s"));
}

TEST_CASE("work outside of simulated time has a share and the time that is left",
          "[report][progress]")
{
    bench b;
    progress_reporter p = b.reporter(options(true));
    p.begin("preconditioning");
    b.wall += 6.0;
    p.update(0.25);
    REQUIRE(b.out.size() == 1);
    CHECK_THAT(b.out[0], StartsWith("\rpreconditioning [#") && Contains(" 25 %  18.0 s left"));
    for (int i = 0; i < 10; ++i) {
        p.update(0.26); // no time has passed: nothing new is shown
    }
    CHECK(b.out.size() == 1);
    p.finish();
    CHECK(b.out.back() == "\r\x1b[K");
}

TEST_CASE("a file is no terminal to the reporter", "[report][progress]")
{
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    CHECK_FALSE(progress_options_for(file).terminal);
    std::fclose(file);
}

} // namespace report_progress_test
