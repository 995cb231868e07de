// SPDX-License-Identifier: Apache-2.0
//
// The campaigns pass where nothing is lost, and see every way in which the reference firmware is
// made to lose something.
#include <catch2/catch.hpp>

#include "tests/powercut/campaign.h"
#include "tests/powercut/log_drive.h"

namespace ssdvp::test::campaign_test {
namespace {

campaign_options options_of(const std::string& mode, const std::string& geometry)
{
    campaign_options o;
    o.scheme = reference_scheme;
    o.mode = mode;
    o.geometry = geometry;
    o.runs = 1;
    o.seed = 2;
    return o;
}

campaign_report with_flaw(campaign_options o, log_flaw flaw)
{
    o.flaw = static_cast<std::uint32_t>(flaw);
    return run_campaign(o);
}

} // namespace

TEST_CASE("campaigns: a drive that forgets everything loses sectors, and the run can be replayed")
{
    for (const char* mode : {"random", "reentrant", "nested"}) {
        for (const char* geometry : {"tiny", "planes", "nocache"}) {
            campaign_options o = options_of(mode, geometry);
            o.scheme = "page_map";
            o.forget_everything = true;
            o.runs = 3;
            const campaign_report r = run_campaign(o);
            CAPTURE(mode, geometry, r.failure);
            CHECK(r.lost > 0);
            CHECK_FALSE(r.good());
            CHECK(r.failure.find("sector") != std::string::npos);
            CHECK(r.command.find("--seed 2") != std::string::npos);
            const campaign_report same = run_campaign(o);
            CHECK(same.lost == r.lost);
            CHECK(same.failure == r.failure);
        }
    }
}

TEST_CASE("campaigns: right firmware loses nothing at random cuts, of every kind")
{
    for (const std::string& geometry : cut_geometries()) {
        campaign_options o = options_of("random", geometry);
        o.runs = 20;
        const campaign_report r = run_campaign(o);
        CAPTURE(geometry, r.failure, r.command);
        CHECK(r.good());
        CHECK(r.runs == 20);
        CHECK(r.cuts >= 400);
        for (const cut_kind kind :
             {CUT_QUIET, CUT_HOST_PROGRAM, CUT_ERASE, CUT_RECOVERY, CUT_SHUTDOWN}) {
            CAPTURE(name_of(kind));
            CHECK(r.kinds[kind] > 0);
        }
        CHECK(r.boot_reads_cut > 0);
        CHECK(r.boot_reads_clean > 0); // it knows nothing of a clean shutdown
    }
}

TEST_CASE("campaigns: right firmware loses nothing wherever a workload is cut, and cut again")
{
    for (const std::string& geometry : cut_geometries()) {
        campaign_options o = options_of("reentrant", geometry);
        o.requests = 100;
        o.runs = 2;
        const campaign_report r = run_campaign(o);
        CAPTURE(geometry, r.failure, r.command);
        CHECK(r.good());
        CHECK(r.cuts > 200);
        CHECK(r.checked > r.cuts * setup_of(o.scheme, geometry).sectors());
        o.mode = "nested";
        o.stride = 37;
        const campaign_report n = run_campaign(o);
        CAPTURE(n.failure, n.command);
        CHECK(n.good());
        CHECK(n.kinds[CUT_RECOVERY] > 100);
    }
}

TEST_CASE("campaigns: random cuts find every flaw, and the printed seed alone finds it again")
{
    for (const log_flaw flaw :
         {log_flaw::FLUSH_DOES_NOTHING, log_flaw::FUA_IGNORED, log_flaw::ERASES_TOO_EARLY,
          log_flaw::SEQUENCE_RESTARTS, log_flaw::TORN_IS_CLEAN, log_flaw::SCAN_WITHOUT_RETRY,
          log_flaw::REWRITES_AT_POWER_UP}) {
        campaign_options o = options_of("random", "tiny");
        o.runs = 60;
        const campaign_report r = with_flaw(o, flaw);
        CAPTURE(static_cast<int>(flaw));
        REQUIRE_FALSE(r.failure.empty());
        const std::string seed = r.command.substr(r.command.find("--seed ") + 7);
        o.runs = 1;
        o.seed = std::stoull(seed);
        CHECK(with_flaw(o, flaw).failure == r.failure);
    }
}

TEST_CASE("campaigns: a flaw of the order of two writes is found at its point, and again there")
{
    campaign_options o = options_of("reentrant", "tiny");
    o.requests = 500;
    const campaign_report r = with_flaw(o, log_flaw::ERASES_TOO_EARLY);
    REQUIRE_FALSE(r.failure.empty());
    const std::string at = r.command.substr(r.command.find("--first ") + 8);
    o.first = o.last = std::stoull(at);
    const campaign_report again = with_flaw(o, log_flaw::ERASES_TOO_EARLY);
    CHECK(again.failure == r.failure);
    CHECK(again.kinds[CUT_HOST_PROGRAM] + again.kinds[CUT_ERASE] >= 1);
    o.last = --o.first;
    CHECK(with_flaw(o, log_flaw::ERASES_TOO_EARLY).good());
}

TEST_CASE("campaigns: only a second cut finds a recovery that must not be cut")
{
    campaign_options o = options_of("reentrant", "small");
    o.requests = 60;
    o.cuts = 1;
    CHECK(with_flaw(o, log_flaw::REWRITES_AT_POWER_UP).good());
    o.mode = "nested";
    o.stride = 5;
    o.cuts = 2;
    CHECK(with_flaw(o, log_flaw::REWRITES_AT_POWER_UP).lost > 0);
}

/// Cells of a drive whose map had blocks of its own, rotated: pages of the map in superblocks.
/// Spare words of anchor records that no copy can read, with an older record of a shutdown. Places
/// in superblocks where the map says that its pages are.
TEST_CASE("campaigns: damage that once made firmware panic")
{
    struct found {
        const char* scheme;
        const char* geometry;
        std::uint64_t seed;
    };
    for (const found& f :
         {found{"vm_map", "tiny", 1032}, found{"vm_map", "tiny", 1070}, found{"dftl", "tiny", 1070},
          found{"dftl", "single", 1041}, found{"page_map", "tiny", 20244},
          found{"vm_map", "tiny", 20026}, found{"vm_map", "planes", 20029}}) {
        campaign_options o = options_of("damage", f.geometry);
        o.scheme = f.scheme;
        o.seed = f.seed;
        o.runs = 1;
        const campaign_report r = run_campaign(o);
        CAPTURE(f.scheme, f.geometry, f.seed, r.failure);
        CHECK(r.good());
    }
}

/// Every page of most blocks was garbage, and no record was left; the one that was left tells of
/// the last map page, whose superblock is garbage.
TEST_CASE("campaigns: a drive of which nothing is left does not pass for a new one")
{
    struct found {
        const char* scheme;
        const char* geometry;
        std::uint64_t seed;
    };
    for (const found& f :
         {found{"page_map", "tiny", 9500001}, found{"page_map", "planes", 9500001},
          found{"dftl", "tiny", 9500001}, found{"vm_map", "tiny", 9500001},
          found{"page_map", "tiny", 9500007}, found{"log_set_fifo", "tiny", 9500005},
          found{"log_set_block", "blocks", 9500001}, found{"superblock", "blocks", 9500001}}) {
        campaign_options o = options_of("damage", f.geometry);
        o.scheme = f.scheme;
        o.seed = f.seed;
        const campaign_report r = run_campaign(o);
        CAPTURE(f.scheme, f.geometry, f.seed, r.failure);
        CHECK(r.good());
        CHECK(r.refused >= 1);
    }
}

/// Power went while the block of the first record after a shutdown was erased, then behind its
/// erase.
TEST_CASE("campaigns: a record of a shutdown that was not believed is not believed later")
{
    campaign_options o = options_of("random", "single");
    o.scheme = "log_set_fifo";
    o.seed = 22;
    o.runs = 1;
    const campaign_report r = run_campaign(o);
    CAPTURE(r.failure);
    CHECK(r.good());
}

TEST_CASE("campaigns: of damaged cells a scan brings back older data, never foreign ones")
{
    for (const std::string& geometry : cut_geometries()) {
        campaign_options o = options_of("damage", geometry);
        o.runs = 6;
        const campaign_report r = run_campaign(o);
        CAPTURE(geometry, r.failure);
        CHECK(r.good());
        CHECK(r.stale > 0);
        CHECK(r.cuts == 6 * 5);
        o.strict = true;
        CHECK(run_campaign(o).lost > 0);
    }
}

} // namespace ssdvp::test::campaign_test
