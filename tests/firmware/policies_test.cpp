// SPDX-License-Identifier: Apache-2.0
//
// Policies of the buffer: sequences worked out by hand (docs/cache.md has the rules), a buffer of
// four or five units, and what each option of a policy does to them.
#include "models/regs/choices/bplru_reading.h"
#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/policy_bench.h"

namespace ssdvp::test::policies_test {
namespace {

struct cost { // flash operations of a sequence: misses of reads, pads and fills; programs
    std::uint64_t r, w;
    bool operator==(const cost& o) const { return r == o.r && w == o.w; }
};

std::ostream& operator<<(std::ostream& os, const cost& c)
{
    return os << "R " << c.r << " W " << c.w;
}

/// `then`: operations that all hit, which is what the buffer holds afterwards; and one that leaves
/// nothing to hit but what they named.
cost cost_of(const ram_config& c, const std::string& operations, const std::string& then = {})
{
    drive d(c);
    prepare_units(d);
    const moved m = run_units(d, operations);
    CHECK(m.w == m.dirty);
    if (!then.empty()) {
        const moved kept = run_units(d, then);
        CHECK(kept.r == 0);
        CHECK(kept.w == 0);
        CHECK(kept.read_misses + kept.write_misses == 0);
    }
    d.check_everything();
    d.check_identities();
    d.check_rules();
    return {m.r, m.w};
}

ram_config cflru(std::uint32_t window)
{
    ram_config c = buffer_of(CACHE_POLICY_RW_CFLRU, 4);
    c.params.cache.window_permille = window * 250;
    c.params.cache.program_cost = 64;
    return c;
}

constexpr const char* mixed = "Wa Rb Wc Rd Re Wa";
constexpr const char* two_dirty = "Wa Wb Rc Rd Re";

} // namespace

TEST_CASE("policies: LRU and clean-first LRU by hand")
{
    // rw_lru: e takes the place of a, which is dirty; then a that of b, which is clean.
    CHECK(cost_of(buffer_of(CACHE_POLICY_RW_LRU, 4), mixed, "Wc Rd Re Wa") == cost{3, 1});
    CHECK(cost_of(buffer_of(CACHE_POLICY_RW_LRU, 4), two_dirty, "Wb Rc Rd Re") == cost{3, 1});
    // wo_lru: reads allocate nothing.
    CHECK(cost_of(buffer_of(CACHE_POLICY_WO_LRU, 4), mixed, "Wc Wa") == cost{3, 0});
    CHECK(cost_of(buffer_of(CACHE_POLICY_WO_LRU, 4), two_dirty, "Wa Wb") == cost{3, 0});
    // rw_cflru: the clean b goes first, and a is hit; without a clean unit in the window the last.
    CHECK(cost_of(cflru(2), mixed, "Wc Rd Re Wa") == cost{3, 0});
    CHECK(cost_of(cflru(2), two_dirty, "Wb Rc Rd Re") == cost{3, 1});
    CHECK(cost_of(cflru(3), two_dirty, "Wa Wb Rd Re") == cost{3, 0});
    CHECK(cost_of(cflru(4), two_dirty, "Wa Wb Rd Re") == cost{3, 0});
    for (const std::uint32_t window : {0u, 1u}) { // it is LRU
        CHECK(cost_of(cflru(window), mixed, "Wc Rd Re Wa") == cost{3, 1});
        CHECK(cost_of(cflru(window), two_dirty, "Wb Rc Rd Re") == cost{3, 1});
    }
}

TEST_CASE("policies: what the buffer counts of the sequences")
{
    const auto counts = [](const ram_config& c, const char* operations) {
        drive d(c);
        prepare_units(d);
        return run_units(d, operations);
    };
    const moved lru = counts(buffer_of(CACHE_POLICY_RW_LRU, 4), mixed);
    CHECK((lru.read_hits == 0 && lru.read_misses == 3 && lru.write_misses == 3));
    CHECK((lru.write_hits == 0 && lru.dirty == 1));
    CHECK(lru.clean == 5); // four that were in the buffer before, and b
    const moved clean_first = counts(cflru(2), mixed);
    CHECK((clean_first.read_misses == 3 && clean_first.write_misses == 2));
    CHECK((clean_first.write_hits == 1 && clean_first.dirty == 0 && clean_first.clean == 5));
    const moved blocks = counts(buffer_of(CACHE_POLICY_BPLRU, 4), "Wa We Wf Wi Wj");
    CHECK((blocks.pads == 3 && blocks.write_misses == 5 && blocks.dirty == 4));
}

TEST_CASE("policies: fab lets the largest block go, bplru the oldest one, whole")
{
    // Units 0, 4, 5, 8 of blocks 0, 1, 1, 2; 9 needs a place.
    CHECK(cost_of(buffer_of(CACHE_POLICY_FAB, 4), "Wa We Wf Wi Wj", "Wa Wi Wj") == cost{0, 2});
    CHECK(cost_of(buffer_of(CACHE_POLICY_BPLRU, 4), "Wa We Wf Wi Wj", "We Wf Wi Wj") == cost{3, 4});
    ram_config c = buffer_of(CACHE_POLICY_BPLRU, 4);
    c.params.cache.padding = 0;
    CHECK(cost_of(c, "Wa We Wf Wi Wj", "We Wf Wi Wj") == cost{0, 1});
}

TEST_CASE("policies: fab: of blocks with as many units the one that was used the longest ago")
{
    const ram_config c = buffer_of(CACHE_POLICY_FAB, 4);
    CHECK(cost_of(c, "Wa We Wi Wm Wq", "We Wi Wm Wq") == cost{0, 1});
    CHECK(cost_of(c, "Wa We Wi Wm Wa Wq", "Wa Wi Wm Wq") == cost{0, 1});
    CHECK(cost_of(c, "Wa We Wi Wm Ra Wq", "Wa Wi Wm Wq") == cost{0, 1}); // reads are uses
    // Clean units count, and go without a program: blocks {a, b} and {e, f}.
    CHECK(cost_of(c, "Ra Wb We Wf Wi", "We Wf Wi") == cost{1, 1});
    CHECK(cost_of(c, "Ra Rb We Wf Wi", "We Wf Wi") == cost{2, 0});
}

TEST_CASE("policies: bplru: writes are uses, reads are not, a sequential block leaves first")
{
    ram_config c = buffer_of(CACHE_POLICY_BPLRU, 4);
    c.params.cache.padding = 0;
    CHECK(cost_of(c, "Wa We Wi Wm Wa Wq", "Wa Wi Wm Wq") == cost{0, 1});
    CHECK(cost_of(c, "Wa We Wi Wm Ra Wq", "We Wi Wm Wq") == cost{0, 1});
    c = buffer_of(CACHE_POLICY_BPLRU, 5); // units 8, 0, 1, 2, 3, and 12 needs a place
    CHECK(cost_of(c, "Wi Wa Wb Wc Wd Wm", "Wi Wm") == cost{0, 4});
    CHECK(cost_of(c, "Wi Wb Wa Wc Wd Wm", "Wa Wb Wc Wd Wm") == cost{3, 4});    // not in order
    CHECK(cost_of(c, "Wi Wa Wb Wc Wa Wd Wm", "Wa Wb Wc Wd Wm") == cost{3, 4}); // a again
    CHECK(cost_of(c, "Wi Wa Wb Wc Wc Wd Wm", "Wi Wm") == cost{0, 4}); // the last one goes on
    c.params.cache.compensation = 0;
    CHECK(cost_of(c, "Wi Wa Wb Wc Wd Wm", "Wa Wb Wc Wd Wm") == cost{3, 4});
}

TEST_CASE("policies: bplru: the block of the unit that comes is in use, or the victim")
{
    ram_config c = buffer_of(CACHE_POLICY_BPLRU, 4); // b comes, of the block of a, the oldest
    c.params.cache.padding = 0;
    CHECK(cost_of(c, "Wa We Wi Wm Wb", "Wa Wi Wm Wb") == cost{0, 1});
    CHECK(cost_of(c, "Wa We Wi Wm Wb Wa", "Wi Wm Wb Wa") == cost{0, 1}); // a is there still
    c.params.cache.readings = BPLRU_OWN_LEAVES;
    CHECK(cost_of(c, "Wa We Wi Wm Wb", "We Wi Wm Wb") == cost{0, 1});
    CHECK(cost_of(c, "Wa We Wi Wm Wb Wa", "Wi Wm Wb Wa") == cost{0, 2}); // e makes room for a
    c.params.cache.padding = 1; // c and d come along from the flash; b stays in the buffer
    CHECK(cost_of(c, "Wa We Wi Wm Wb", "We Wi Wm Wb") == cost{2, 3});
}

TEST_CASE("policies: bplru: a block whose last unit is written again is in order, or is not")
{
    ram_config c = buffer_of(CACHE_POLICY_BPLRU, 5); // units 8, 0, 1, 2, 3, and 12 needs a place
    CHECK(cost_of(c, "Wi Wa Wb Wc Wd Wd Wm", "Wi Wm") == cost{0, 4});
    c.params.cache.readings = BPLRU_REWRITE_ENDS;
    CHECK(cost_of(c, "Wi Wa Wb Wc Wd Wm", "Wi Wm") == cost{0, 4});
    CHECK(cost_of(c, "Wi Wa Wb Wc Wd Wd Wm", "Wa Wb Wc Wd Wm") == cost{3, 4});
    CHECK(cost_of(c, "Wi Wa Wb Wc Wc Wd Wm", "Wa Wb Wc Wd Wm") == cost{3, 4});
}

TEST_CASE("policies: a pad that cannot be read stays where it is, and the block goes without it")
{
    ram_config c = buffer_of(CACHE_POLICY_BPLRU, 4);
    bool broken = false;
    break_host_reads(c, broken);
    drive d(c);
    prepare_units(d);
    broken = true;
    const moved m = run_units(d, "Wa We Wf Wi Wj");
    CHECK(m.pads == 3);
    CHECK(m.w == 1);
    broken = false;
    CHECK(d.nand.counters().units_lost == 0);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("policies: what the host writes to a pad is not lost to the flash")
{
    ram_config c = buffer_of(CACHE_POLICY_BPLRU, 8);
    drive d(c);
    prepare_units(d);
    for (std::uint64_t round = 0; round < 200; ++round) {
        d.start_write(round % 12 * 4, 1); // the first unit of a block: the others are pads
        d.start_write((round + 4) % 12 * 4 + 1 + round % 3, 1);
        if (round % 3 == 0) {
            d.drain();
        }
    }
    d.idle();
    CHECK(d.nand.counters().cache_padding_reads > 100);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("policies: dirty units are programmed when the host has rested for so long, not sooner")
{
    for (const cache_policy_id policy :
         {CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU, CACHE_POLICY_RW_CFLRU, CACHE_POLICY_FAB,
          CACHE_POLICY_BPLRU}) {
        CAPTURE(int(policy));
        ram_config c = buffer_of(policy, 8);
        c.params.cache.dirty_permille = 0;
        c.params.cache.padding = 0;
        c.params.cache.idle_ns = 5'000'000;
        c.random_delays = false;
        const drive* at = nullptr;
        std::uint64_t began = 0; // the last program of the host
        c.on_point = [&](const flash_point& p) {
            const bool one = p.op == FLASH_OP_PROGRAM && p.purpose == FLASH_PURPOSE_HOST;
            began = one && !p.ended ? at->nand.time_ns() : began;
            return false;
        };
        drive d(c);
        at = &d;
        d.create_queues();
        d.start_write(3, 1);
        d.idle();
        const std::uint64_t rested = d.nand.time_ns();
        CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 0);
        REQUIRE(d.nand.elapse());
        CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 1);
        CHECK(d.nand.counters().buffer_dirty == 0);
        CHECK(began - rested == 5'000'000 - 1); // the last event, 1 ns, woke nobody
        // A command in between puts it off.
        d.start_write(4, 1);
        d.idle();
        const std::uint64_t written = d.nand.time_ns();
        d.start_read(9, 1);
        d.idle();
        const std::uint64_t read = d.nand.time_ns();
        CHECK(read > written);
        REQUIRE(d.nand.elapse());
        CHECK(began - read == 5'000'000 - 1);
        CHECK(d.nand.count(FLASH_PURPOSE_HOST).programs == 2);
        CHECK_FALSE(d.nand.elapse()); // nothing is dirty: no timer
        d.check_rules();
    }
}

} // namespace ssdvp::test::policies_test
