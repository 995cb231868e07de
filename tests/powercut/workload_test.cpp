// SPDX-License-Identifier: Apache-2.0
//
// The workload of the campaigns, without cuts: it reaches everything that a cut should fall into.
#include <catch2/catch.hpp>
#include <set>

#include "tests/powercut/campaign_parts.h"

namespace ssdvp::test::workload_test {
namespace {

campaign_report without_cuts(const std::string& geometry, std::uint64_t seed)
{
    campaign_options o;
    o.geometry = geometry;
    o.mode = "reentrant";
    o.runs = 1;
    o.seed = seed;
    o.first = ~0ull; // no point is that far
    return run_campaign(o);
}

} // namespace

TEST_CASE("workload: it uses everything in every geometry, and nothing is lost")
{
    for (const std::string& geometry : cut_geometries()) {
        campaign_report all;
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            all.add(without_cuts(geometry, seed));
        }
        CAPTURE(geometry, all.failure);
        CHECK(all.good());
        CHECK(all.cuts == 0);
        CHECK(all.checked > 4 * setup_of("page_map", geometry).sectors());
        CHECK(all.work.collected > 400);
        CHECK(not_exercised(all, geometry).empty());
        CHECK((all.work.copied > 0) == (geometry == "copyback"));
        const bool units = setup_of("page_map", geometry).unit_sectors() > 1;
        CHECK((all.requests.partial > 0) == units);
        all.work.refreshed = all.requests.flushes = 0;
        CHECK(not_exercised(all, geometry) == "refresh, flush");
    }
}

TEST_CASE("workload: of a scheme and a geometry that cannot be firmware makes no drive")
{
    std::set<std::string> geometries;
    for (const std::string& scheme : cut_schemes()) {
        for (const std::string& name : cut_geometries(scheme)) {
            CHECK(cannot_be(scheme, name).empty());
            geometries.insert(name);
        }
    }
    for (const std::string& scheme : cut_schemes()) {
        for (const std::string& geometry : geometries) {
            const ram_nand drive(setup_of(scheme, geometry).config);
            CAPTURE(scheme, geometry, drive.panic_text(), drive.error_text());
            CHECK(drive.panicked() == !cannot_be(scheme, geometry).empty());
        }
    }
}

TEST_CASE("workload: names that there are not are refused with those that there are")
{
    CHECK_THROWS_WITH(setup_of("page_map", "huge"), Catch::Contains("tiny, small"));
    CHECK_THROWS_WITH(setup_of("none", "tiny"), Catch::Contains("page_map"));
    campaign_options o;
    o.mode = "often";
    CHECK_THROWS_WITH(run_campaign(o), Catch::Contains("reentrant"));
}

} // namespace ssdvp::test::workload_test
