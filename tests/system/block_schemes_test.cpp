// SPDX-License-Identifier: Apache-2.0
//
// Block and hybrid mapping in whole drives: the worked examples of the algorithms, counted by the
// dies. A page is a sector, a block has four, one LUN; each example is a trace of sectors written
// one at a time, far enough apart for what a merge leaves behind to be done before the next one.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

#include "tests/support/platform_run.h"

namespace block_schemes_test {

using namespace ssdvp;

namespace {

using texts = std::vector<std::string>;
using sectors = std::vector<unsigned>;

/// Pages read for merges, pages programmed for host, merges and map, blocks erased.
struct cost {
    unsigned reads, programs, erases;
    bool operator==(const cost& o) const
    {
        return reads == o.reads && programs == o.programs && erases == o.erases;
    }
};

std::ostream& operator<<(std::ostream& out, const cost& c)
{
    return out << "R=" << c.reads << " W=" << c.programs << " E=" << c.erases;
}

struct example {
    const char* scheme;
    texts sets;
    sectors writes; // where they begin
    cost expected;
    unsigned length = 1; // of a write
};

/// `0..last` of the examples, then others.
sectors from_zero(unsigned last, const sectors& then = {})
{
    sectors all;
    for (unsigned i = 0; i <= last; ++i) {
        all.push_back(i);
    }
    all.insert(all.end(), then.begin(), then.end());
    return all;
}

/// A workload that exists as long as this does.
class trace_file {
public:
    /// `reads` follow the writes, of `length` sectors each. Then the drive has a second of its own
    /// before a last read.
    explicit trace_file(const sectors& writes, const sectors& reads = {}, unsigned length = 1)
        : m_folder(std::filesystem::temp_directory_path() /
                   fmt::format("ssdvp-block-schemes-{}", ::getpid()))
    {
        std::filesystem::create_directories(m_folder);
        std::ofstream trace(m_folder / "example.ssdsim");
        std::uint64_t ns = 0;
        const auto put = [&](unsigned sector, unsigned count, int op) {
            trace << ns << " 0 " << sector << " " << count << " " << op << "\n";
            ns += 20'000'000;
        };
        for (const unsigned sector : writes) {
            put(sector, length, 0);
        }
        for (const unsigned sector : reads) {
            put(sector, 1, 1);
        }
        ns += 1'000'000'000;
        put(writes.front(), 1, 1);
        std::ofstream(file()) << "extends: device/tiny\nworkload: {trace: example.ssdsim}\n";
    }
    ~trace_file() { std::filesystem::remove_all(m_folder); }
    [[nodiscard]] std::string file() const { return (m_folder / "example.yaml").string(); }

private:
    std::filesystem::path m_folder;
};

texts drive(const char* scheme, const texts& more)
{
    texts sets = {std::string("ftl.scheme=") + scheme, "nand.page_order=any",
                  "nand.blocks_per_plane=256", "ftl.over_provisioning=0.7", "cache.policy=none"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

constexpr double digits = 1000.0;

double packed(const test::platform_run& r)
{
    std::uint64_t reads = 0;
    std::uint64_t programs = 0;
    std::uint64_t erases = 0;
    const auto& by_purpose = r.measured().flash.by_purpose;
    for (const flash_purpose p : {FLASH_PURPOSE_HOST, FLASH_PURPOSE_MERGE, FLASH_PURPOSE_GC,
                                  FLASH_PURPOSE_MAP, FLASH_PURPOSE_WEAR}) {
        reads += p == FLASH_PURPOSE_HOST ? 0 : by_purpose[p].reads;
        programs += by_purpose[p].programs;
        erases += by_purpose[p].erases;
    }
    return (static_cast<double>(reads) * digits + static_cast<double>(programs)) * digits +
           static_cast<double>(erases);
}

cost cost_of(const example& e)
{
    const trace_file trace(e.writes, {}, e.length);
    const auto all = static_cast<std::uint64_t>(
        test::measure_apart({trace.file()}, drive(e.scheme, e.sets), packed));
    return {static_cast<unsigned>(all / 1000000), static_cast<unsigned>(all / 1000 % 1000),
            static_cast<unsigned>(all % 1000)};
}

void check(const std::vector<example>& examples)
{
    for (const example& e : examples) {
        std::string what = e.scheme;
        for (const std::string& set : e.sets) {
            what += " " + set;
        }
        what += ":";
        for (const unsigned sector : e.writes) {
            what += fmt::format(" {}", sector);
        }
        INFO(what);
        CHECK(cost_of(e) == e.expected);
    }
}

/// Pages looked into for reads of the host, the one with the data included.
double searched(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->scan_page_reads +
                               r.measured().flash.by_purpose[FLASH_PURPOSE_HOST].reads);
}

} // namespace

TEST_CASE("block schemes: msbs writes to spare pages, and merges when there is none left")
{
    const texts two = {"ftl.msbs.spare_pages=2", "nand.pages_per_block=6"};
    const texts four = {"ftl.msbs.spare_pages=4", "nand.pages_per_block=8"};
    check({{"msbs", two, from_zero(3, {1, 1, 1}), {3, 10, 1}},
           {"msbs", two, from_zero(3, {0, 1, 2, 3}), {3, 11, 1}},
           {"msbs", four, from_zero(3, {0, 1, 2, 3, 0, 1, 2, 3}), {3, 15, 1}},
           {"msbs", two, {1, 1, 1, 1}, {0, 4, 1}}});
}

TEST_CASE("block schemes: a read of msbs searches spare pages, newest first, then the home page")
{
    const texts sets = {"ftl.msbs.spare_pages=2", "nand.pages_per_block=6"};
    const auto pages_searched = [&](const sectors& reads) {
        // The last read of the trace is one of sector 0, which costs 3.
        const trace_file trace(from_zero(3, {1, 1}), reads);
        return test::measure_apart({trace.file()}, drive("msbs", sets), searched) - 3;
    };
    CHECK(pages_searched({}) == 0);
    CHECK(pages_searched({1}) == 1);
    CHECK(pages_searched({0}) == 3);
    CHECK(pages_searched({0, 1, 1}) == 5);
}

TEST_CASE("block schemes: a merge looks once into what it searches, an index in RAM spares it that")
{
    // Sectors 1, 1 in the spare pages when 1 comes again: none of them is copied.
    const sectors writes = from_zero(3, {1, 1, 1});
    texts sets = {"ftl.msbs.spare_pages=2", "nand.pages_per_block=6"};
    const auto pages_searched = [&](const char* scheme) {
        const trace_file trace(writes);
        return test::measure_apart({trace.file()}, drive(scheme, sets), searched) - 1;
    };
    CHECK(pages_searched("msbs") == 2);
    sets.emplace_back("ftl.msbs.spare_index=ram");
    CHECK(pages_searched("msbs") == 0);
    // Of the replacement block 1 has its own page, then pages 0 and 2; of 0 there is nothing in it.
    sets = {"nand.pages_per_block=6"};
    const trace_file trace(from_zero(5, {1, 1, 1}), {1, 0});
    const auto read = [&](const texts& more) {
        return test::measure_apart({trace.file()}, drive("fmax", more), searched);
    };
    CHECK(read({"nand.pages_per_block=6"}) == 1 + 4 + 4);
    CHECK(read({"nand.pages_per_block=6", "ftl.fmax.replacement_index=ram"}) == 3);
}

TEST_CASE("block schemes: fmax writes to the replacement block, in place if it can")
{
    check({{"fmax", {}, from_zero(3, {0, 1, 2, 3, 0}), {3, 12, 2}},
           {"fmax", {"ftl.fmax.switch=true"}, from_zero(3, {0, 1, 2, 3, 0}), {0, 9, 1}},
           {"fmax", {}, from_zero(3, {1, 1, 1, 1, 1}), {3, 12, 2}},
           {"fmax", {}, {1, 1, 1, 1, 1, 1}, {0, 6, 2}}});
}

TEST_CASE("block schemes: lm closes a moving block that is full, or whose place is taken")
{
    check({{"lm", {}, from_zero(3, {1, 2, 1}), {2, 9, 1}},
           {"lm", {}, from_zero(7, {0, 4, 1}), {6, 17, 2}},
           {"lm", {}, from_zero(3, {0, 1, 2, 3}), {0, 8, 1}},
           {"lm", {}, from_zero(3, {2, 2, 2}), {6, 13, 2}},
           {"lm", {"ftl.lm.eager_close=false"}, from_zero(3, {0, 1, 2, 3}), {0, 8, 0}}});
}

TEST_CASE("block schemes: bast merges the log block of one logical block")
{
    const texts one = {"ftl.bast.log_blocks=1"};
    check({{"bast", one, from_zero(3, {0, 1, 2, 3, 0}), {0, 9, 1}},
           {"bast", one, from_zero(7, {0, 1, 4}), {2, 13, 1}},
           {"bast", one, from_zero(7, {1, 1, 4}), {4, 15, 2}},
           {"bast", one, from_zero(3, {1, 1, 1, 1, 1}), {4, 13, 2}},
           {"bast", {"ftl.bast.log_blocks=2"}, from_zero(11, {1, 5, 9, 1, 5, 9}), {16, 34, 8}}});
}

TEST_CASE("block schemes: fast merges every logical block of the oldest random log block")
{
    const texts one = {"ftl.fast.random_log_blocks=1"};
    const texts two = {"ftl.fast.random_log_blocks=2"};
    const texts fresh = {"ftl.fast.random_log_blocks=1", "ftl.fast.non_sequential=new_sequential"};
    const texts aside = {"ftl.fast.random_log_blocks=1", "ftl.fast.non_sequential=to_random"};
    const texts full = {"ftl.fast.random_log_blocks=1", "ftl.fast.sequential_merge=full"};
    check({{"fast", one, from_zero(15, {1, 5, 9, 13, 2}), {16, 37, 5}},
           {"fast", one, from_zero(3, {1, 1, 1, 1, 1}), {4, 13, 2}},
           {"fast", one, from_zero(3, {0, 1, 2, 3, 0}), {0, 9, 1}},
           {"fast", one, from_zero(7, {0, 1, 4}), {2, 13, 1}},
           {"fast", full, from_zero(7, {0, 1, 4}), {4, 15, 2}},
           {"fast", two, from_zero(11, {1, 5, 9, 1, 5, 9}), {0, 18, 0}},
           {"fast", one, from_zero(3, {0, 1, 3}), {3, 10, 2}},
           {"fast", fresh, from_zero(3, {0, 1, 3}), {2, 9, 1}},
           {"fast", aside, from_zero(3, {0, 1, 3}), {0, 7, 0}},
           {"fast", two, from_zero(7, {1, 1, 1, 1, 5, 1, 1, 1, 2}), {0, 17, 1}}});
}

TEST_CASE("block schemes: superblock copies what is valid of a block, or erases one that is dead")
{
    const auto sets = [](const char* blocks, const char* most, const char* pool) {
        return texts{std::string("ftl.superblock.blocks=") + blocks,
                     std::string("ftl.superblock.update_blocks=") + most,
                     std::string("ftl.superblock.pool_blocks=") + pool,
                     "nand.page_order=sequential"};
    };
    const texts one = sets("2", "1", "1");
    check({{"superblock", one, from_zero(7, {0, 4, 1, 5}), {0, 12, 0}},
           {"superblock", one, from_zero(7, {0, 4, 1, 5, 2}), {2, 15, 1}},
           {"superblock", one, from_zero(7, {0, 1, 2, 3, 0}), {0, 13, 1}},
           {"superblock", sets("2", "1", "2"), from_zero(7, {0, 4, 1, 5, 2}), {2, 15, 1}},
           {"superblock", sets("2", "2", "2"), from_zero(7, {0, 4, 1, 5, 2}), {0, 13, 0}},
           {"superblock", sets("1", "1", "1"), from_zero(7, {0, 4, 1, 5, 2}), {12, 25, 4}},
           {"superblock", one, from_zero(15, {0, 8}), {3, 21, 1}},
           {"superblock", sets("2", "1", "2"), from_zero(15, {0, 8}), {0, 18, 0}},
           {"bast", {"ftl.bast.log_blocks=1"}, from_zero(7, {0, 4, 1, 5, 2}), {14, 27, 6}}});
}

TEST_CASE("block schemes: the sectors of one request go to a log block in order")
{
    // Two logical blocks, written whole three times by a request each: switches, no copies.
    const sectors thrice = {0, 0, 0};
    check({{"fast", {"ftl.fast.random_log_blocks=2"}, thrice, {0, 24, 3}, 8},
           {"bast", {"ftl.bast.log_blocks=1"}, thrice, {0, 24, 3}, 8},
           {"lm", {}, thrice, {0, 24, 4}, 8}});
}

TEST_CASE("block schemes: kast bounds the logical blocks of a log block, and has several streams")
{
    const texts one = {"ftl.kast.log_blocks=1", "ftl.kast.associativity=2"};
    const texts two = {"ftl.kast.log_blocks=2", "ftl.kast.associativity=2"};
    const texts wide = {"ftl.kast.log_blocks=1", "ftl.kast.associativity=3"};
    check({{"kast", one, from_zero(11, {1, 5, 9}), {8, 23, 3}},
           {"kast", two, from_zero(11, {1, 5, 9}), {0, 15, 0}},
           {"kast", wide, from_zero(11, {1, 5, 9}), {0, 15, 0}},
           {"kast", one, from_zero(7, {0, 1, 4}), {2, 13, 1}},
           {"kast", two, from_zero(7, {0, 4, 1, 5, 2, 6, 3, 7, 0, 4}), {0, 18, 2}},
           {"kast", one, from_zero(3, {0, 1, 3, 3, 3}), {4, 13, 2}}});
}

TEST_CASE("block schemes: sast has log blocks for a set of logical blocks, so many at most")
{
    const auto sets = [](const char* blocks, const char* of_set, const char* all) {
        return texts{std::string("ftl.sast.set_blocks=") + blocks,
                     std::string("ftl.sast.set_log_blocks=") + of_set,
                     std::string("ftl.sast.log_blocks=") + all};
    };
    check({{"sast", sets("2", "1", "2"), from_zero(15, {1, 5, 2, 6, 9, 13}), {0, 22, 0}},
           {"sast", sets("2", "1", "1"), from_zero(15, {1, 5, 2, 6, 9, 13}), {8, 30, 3}},
           {"sast", sets("1", "1", "1"), from_zero(15, {1, 5, 2, 6, 9, 13}), {20, 42, 10}},
           {"sast", sets("2", "2", "4"), from_zero(7, {1, 5, 1, 5, 2, 6, 2, 6, 3}), {8, 25, 3}},
           {"sast", sets("1", "1", "2"), from_zero(11, {1, 5, 9, 1, 5, 9}), {16, 34, 8}},
           {"sast", sets("4", "1", "1"), from_zero(15, {1, 5, 9, 13, 2}), {16, 37, 5}},
           {"sast", sets("2", "1", "1"), from_zero(15, {0, 1, 8}), {2, 21, 1}}});
}

TEST_CASE("block schemes: last tells writes by their length, and random pages by when they come")
{
    const texts cold = {"ftl.last.random_log_blocks=2", "ftl.last.hot_window=4"};
    const texts hot = {"ftl.last.random_log_blocks=2", "ftl.last.hot_window=5"};
    const texts three = {"ftl.last.random_log_blocks=3", "ftl.last.hot_window=1"};
    const texts streams = {"ftl.last.sequential_threshold=1KiB",
                           "ftl.last.sequential_log_blocks=1"};
    check({{"last", cold, from_zero(15, {1, 5, 9, 13, 2, 1}), {0, 22, 0}},
           {"last", hot, from_zero(15, {1, 5, 9, 13, 2, 1}), {16, 38, 5}},
           {"last", three, from_zero(15, {1, 5, 9, 13, 2, 3, 2, 3, 6, 7, 6, 7, 10}), {4, 33, 2}},
           {"last", streams, {0, 4, 1, 4}, {2, 10, 1}, 2},
           {"last", streams, {0, 0}, {0, 16, 1}, 8}});
}

/// Not of block mapping, but worked on the same drive: a table of two entries, the least for a
/// write unit, so that the third page of the map drives out the first entry, and the fourth write
/// the second one. Pages of the map that were never written are not read.
TEST_CASE("block schemes: dftl writes a page of the map for a dirty entry that leaves, reads one")
{
    check({{"dftl", {"ftl.map_cache=96B"}, {0, 128, 256, 0}, {1, 4 + 2, 0}}});
}

} // namespace block_schemes_test
