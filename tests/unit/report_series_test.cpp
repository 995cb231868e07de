// SPDX-License-Identifier: Apache-2.0
//
// What the flash did per hundred requests, from counters made by hand.
#include <catch2/catch.hpp>
#include <sstream>

#include "platform/report/sinks/ftl_series.h"

namespace report_series_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::literals;

namespace {

const char* const header =
    "requests,pages,R,W,E,T,scan,T_scan,host_r,host_w,copy_r,copy_w,map_r,map_w,end_ns";

host::request_result done(host::request_kind kind, std::uint64_t lba, std::uint32_t sectors)
{
    host::request_result r;
    r.req.kind = kind;
    r.req.lba = lba;
    r.req.sectors = sectors;
    return r;
}

void add(counters& c, flash_purpose p, std::uint64_t reads, std::uint64_t programs,
         std::uint64_t erases)
{
    purpose_statistics& s = c.flash.by_purpose[p];
    s.reads += reads;
    s.programs += programs;
    s.erases += erases;
}

std::vector<std::string> lines(const ftl_series& s)
{
    std::vector<std::string> all;
    std::istringstream text(s.csv());
    for (std::string line; std::getline(text, line);) {
        all.push_back(line);
    }
    return all;
}

/// Requests of one page, told until the series wants a reading.
unsigned until_due(ftl_series& s)
{
    for (unsigned n = 1;; ++n) {
        if (s.completed(done(host::request_kind::write, 4 * n, 4))) {
            return n;
        }
    }
}

} // namespace

TEST_CASE("series: a line per hundred reads and writes, of what has been spent since the last one")
{
    counters c;
    c.ftl.emplace();
    add(c, FLASH_PURPOSE_HOST, 1000, 1000, 0); // warm-up: none of it counts
    ftl_series s(2048);
    s.begin(c);
    CHECK(lines(s) == std::vector<std::string>{header});
    CHECK(until_due(s) == 100);
    c.when = 5_us;
    c.ftl->scan_page_reads = 70;
    add(c, FLASH_PURPOSE_HOST, 3, 100, 0);
    add(c, FLASH_PURPOSE_MERGE, 20, 24, 9);
    add(c, FLASH_PURPOSE_MAP, 1, 2, 1);
    add(c, FLASH_PURPOSE_RECOVERY, 5, 6, 7); // no part of what a scheme costs
    s.take(c);
    CHECK(until_due(s) == 100);
    add(c, FLASH_PURPOSE_HOST, 0, 100, 0);
    s.take(c);
    // R = 3 + 20 + 1, W = 100 + 24 + 2, T = 24 + 7 * 126 + 63 * 10
    CHECK(lines(s) ==
          std::vector<std::string>{header, "100,100,24,126,10,1536,70,1606,3,100,20,24,1,2,5000",
                                   "100,100,0,100,0,700,0,700,0,100,0,0,0,0,5000"});
}

TEST_CASE("series: pages are those that a request touches, trims and flushes are no request of it")
{
    ftl_series s(2048);
    const counters c;
    s.begin(c);
    CHECK_FALSE(s.completed(done(host::request_kind::read, 3, 2))); // the end of one, the next one
    CHECK_FALSE(s.completed(done(host::request_kind::write, 0, 9)));
    CHECK_FALSE(s.completed(done(host::request_kind::trim, 0, 100)));
    CHECK_FALSE(s.completed(done(host::request_kind::flush, 0, 0)));
    s.end(c);
    s.end(c); // nothing is left
    CHECK(lines(s) == std::vector<std::string>{header, "2,5,0,0,0,0,0,0,0,0,0,0,0,0,0"});
}

} // namespace report_series_test
