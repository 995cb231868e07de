// SPDX-License-Identifier: Apache-2.0
//
// rw_lru: sequences worked out by hand (docs/cache.md), races of reads with writes and trims, and
// hit rates that a formula gives.
#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/policy_bench.h"

namespace ssdvp::test::rw_lru_test {
namespace {

/// Of `slots` units two may not stay dirty; the others are the buffer of the sequences.
ram_config by_hand(std::uint32_t slots)
{
    ram_config c = one_plane();
    c.params.cache.policy = CACHE_POLICY_RW_LRU;
    c.params.cache.capacity = slots * 512;
    return c;
}

} // namespace

TEST_CASE("rw_lru: the worked sequences, a buffer of four units")
{
    struct worked {
        const char* operations;
        const char* kept; // reads of what is in the buffer afterwards
    };
    // Three reads miss, and the least recently used unit is a dirty one once: one program.
    for (const worked& w :
         {worked{"Wa Rb Wc Rd Re Wa", "Rc Rd Re Ra"}, worked{"Wa Wb Rc Rd Re", "Rb Rc Rd Re"}}) {
        CAPTURE(w.operations);
        drive d(by_hand(6));
        prepare_units(d);
        const moved s = run_units(d, w.operations);
        CHECK(s.r == 3);
        CHECK(s.read_misses == 3);
        CHECK(s.w == 1);
        CHECK(s.dirty == 1);
        CHECK(run_units(d, w.kept).r == 0);
        d.check_everything();
    }
}

TEST_CASE("rw_lru: what was written stays when it has been programmed")
{
    drive d(by_hand(8));
    prepare_units(d);
    const moved written = run_units(d, "Wa Wb");
    CHECK(written.write_misses == 2);
    d.start_flush();
    d.idle();
    const moved s = run_units(d, "Ra Rb Wa");
    CHECK(s.r == 0);
    CHECK(s.read_hits == 2);
    CHECK(s.write_hits == 1); // clean, and dirty again
    d.start_flush();
    d.idle();
    CHECK(moved_of(d).dirty == 64 + 3);
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("rw_lru: the least recently used clean unit leaves first, a hit makes it the latest")
{
    drive d(by_hand(8));
    prepare_units(d);
    CHECK(run_units(d, "Ra Rb Rc Rd Re Rf Rg Rh").clean == 8);
    CHECK(run_units(d, "Ra Ri").clean == 1); // i takes the place of b
    const moved s = run_units(d, "Ra Rc Rd Re Rf Rg Rh Ri");
    CHECK(s.r == 0);
    CHECK(s.read_hits == 8);
    CHECK(run_units(d, "Rb").read_misses == 1);
    CHECK(run_units(d, "Ra").read_misses == 1); // b took the place of a
}

TEST_CASE("rw_lru: a clean unit takes part in a write of some of its sectors")
{
    ram_config c = tiny_drive();
    c.params.cache.policy = CACHE_POLICY_RW_LRU;
    drive d(c);
    d.create_queues();
    d.start_write(0, 64);
    d.start_flush();
    d.idle();
    const auto reads = d.nand.count(FLASH_PURPOSE_HOST).read_operations;
    d.start_write(3, 2);
    d.start_flush();
    d.idle();
    d.start_read(0, 8);
    d.idle();
    CHECK(d.nand.count(FLASH_PURPOSE_HOST).read_operations == reads);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("rw_lru: sectors that were not read are read when they are wanted, and are a miss")
{
    ram_config c = tiny_drive();
    c.params.cache.policy = CACHE_POLICY_RW_LRU;
    drive d(c);
    d.create_queues();
    for (std::uint64_t lba = 0; lba < d.sectors(); lba += 8) {
        d.start_write(lba, 8); // more than the buffer holds: units of the begin have left it
        d.drain();
    }
    d.start_flush();
    d.idle();
    const moved before = moved_of(d);
    const auto hits = [&] { return moved_of(d).read_hits - before.read_hits; };
    const auto misses = [&] { return moved_of(d).read_misses - before.read_misses; };
    const auto look = [&](std::uint64_t lba, std::uint32_t sectors) {
        d.start_read(lba, sectors);
        d.idle();
    };
    look(2, 2);
    CHECK((hits() == 0 && misses() == 1));
    look(3, 1);
    CHECK((hits() == 1 && misses() == 1));
    look(0, 4); // the rest of the unit comes in
    CHECK((hits() == 1 && misses() == 2));
    look(0, 8);
    CHECK((hits() == 2 && misses() == 2));
    look(21, 10); // from the middle of a unit to the middle of the next one of its page
    const auto after = misses();
    look(21, 10);
    look(16, 8); // read along, in front of what was wanted
    CHECK(misses() == after);
    CHECK(d.mismatches == 0);
    d.check_rules();
}

TEST_CASE("rw_lru: a write, or a trim, while its unit is being read is not undone by the read")
{
    const std::uint64_t seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u);
    ram_config c = tiny_drive();
    c.params.cache.policy = CACHE_POLICY_RW_LRU;
    c.params.cache.capacity = 0; // the least
    c.seed = seed;
    drive d(c);
    d.create_queues();
    for (std::uint64_t lba = 0; lba < 512; lba += 8) {
        d.start_write(lba, 8);
        d.drain();
    }
    d.idle();
    std::mt19937_64 random(seed);
    for (std::uint64_t n = 0; n < 3000 && d.mismatches == 0; ++n) {
        const std::uint64_t lba = random() % 64 * 8;
        d.start_read(lba, 8);
        for (std::uint64_t k = random() % 3; k != 0; --k) {
            d.pump();
        }
        if (random() % 8 == 0) {
            d.start_trim({{lba, 8}});
        } else {
            d.start_write(lba + random() % 4, 1 + static_cast<std::uint32_t>(random() % 4));
        }
        d.start_read(lba, 8);
        if (n % 4 == 0) {
            d.drain();
        }
    }
    d.drain();
    d.check_everything();
    d.check_identities();
    d.check_rules();
}

TEST_CASE("rw_lru: hits of uniform reads are the buffer's share of what is read")
{
    // An LRU buffer of C units under independent uniform reads of F units holds each with
    // probability C / F. 20000 reads: standard deviation 0.0033 at most, and four of them.
    const std::uint32_t slots = GENERATE(32u, 64u, 128u);
    drive d(by_hand(slots));
    d.create_queues();
    constexpr std::uint64_t footprint = 256;
    for (std::uint64_t unit = 0; unit < footprint; ++unit) {
        d.start_write(unit, 1);
        d.drain();
    }
    d.start_flush();
    d.idle();
    std::mt19937_64 random(slots);
    const auto read = [&](std::uint32_t count) {
        for (std::uint32_t n = 0; n < count; ++n) {
            d.start_read(random() % footprint, 1);
            d.drain();
        }
    };
    read(1000);
    const moved before = moved_of(d);
    read(20000);
    const moved now = moved_of(d);
    const auto hits = static_cast<double>(now.read_hits - before.read_hits);
    CHECK(now.read_hits + now.read_misses - before.read_hits - before.read_misses == 20000);
    CHECK(now.clean - before.clean == now.read_misses - before.read_misses);
    CHECK(now.r - before.r == now.read_misses - before.read_misses);
    CHECK(hits / 20000 == Approx(static_cast<double>(slots) / footprint).margin(0.0133));
}

TEST_CASE("rw_lru: an unreadable page is an error for its reader, and nothing is kept of it")
{
    ram_config c = by_hand(8);
    bool broken = false;
    break_host_reads(c, broken);
    drive d(c);
    prepare_units(d);
    broken = true;
    d.start_read(0, 1);
    d.idle();
    CHECK(d.statuses[NVME_SC_UNRECOVERED_READ_ERROR] == 1);
    broken = false;
    const moved s = run_units(d, "Ra Ra");
    CHECK(s.read_misses == 1);
    CHECK(s.read_hits == 1);
    CHECK(d.mismatches == 0);
}

} // namespace ssdvp::test::rw_lru_test
