// SPDX-License-Identifier: Apache-2.0
//
// Cost-benefit collection: the choice on superblocks worked by hand, and that it loses nothing.
#include <vector>

extern "C" {
#include "firmware/gc/gc.h"
#include "firmware/gc/policy.h"
#include "firmware/space/state.h"
#include "models/regs/choices/gc_policy.h"
}
#include "tests/firmware/drive_bench.h"

namespace ssdvp::test::cost_benefit_test {
namespace {

constexpr std::uint64_t now = 1000; // invalidations so far

/// Full superblocks of 100 units, of which the policies choose.
class choice {
public:
    /// `age` as the policy counts it: 1 = changed by the last invalidation.
    void add(std::uint32_t valid, std::uint64_t age)
    {
        superblock s{};
        s.state = BLOCK_FULL;
        s.capacity = 100;
        s.valid = valid;
        s.changed = now + 1 - age;
        m_table.push_back(s);
    }
    superblock& operator[](std::size_t i) { return m_table[i]; }
    std::uint32_t of(const gc_policy_ops& policy)
    {
        geometry geo{};
        geo.blocks = static_cast<std::uint32_t>(m_table.size());
        blocks b{};
        b.table = MAP_DRAM_BASE;
        b.invalidations = m_now;
        gc c{};
        c.least = m_least;
        c.lane = INDEX_NONE; // of the whole drive
        env e{};
        e.gc = &c;
        e.geo = &geo;
        e.blocks = &b;
        env_windows(&e, nullptr, reinterpret_cast<std::uint8_t*>(m_table.data()));
        return policy.victim(&e);
    }
    void at(std::uint64_t invalidations) { m_now = invalidations; }
    /// Thousandths of garbage that a victim has more of.
    void above(std::uint32_t permille) { m_least = permille; }

private:
    std::vector<superblock> m_table;
    std::uint64_t m_now = now;
    std::uint32_t m_least = 0;
};

} // namespace

TEST_CASE("cost-benefit: age * (1 - u) / 2u, worked by hand")
{
    choice c;
    c.add(20, 3);   // 3 * 0.8 / 0.4 = 6
    c.add(80, 50);  // 50 * 0.2 / 1.6 = 6.25
    c.add(90, 100); // 100 * 0.1 / 1.8 = 5.56
    CHECK(c.of(gc_cost_benefit) == 1);
    CHECK(c.of(gc_greedy) == 0);
    c[1].changed = now + 1 - 49; // 6.125
    CHECK(c.of(gc_cost_benefit) == 1);
    c[1].changed = now + 1 - 48; // 6 too: the first one
    CHECK(c.of(gc_cost_benefit) == 0);
    c[2].changed = now + 1 - 109; // 6.06: less than a unit apart, still told apart
    CHECK(c.of(gc_cost_benefit) == 2);
    c[2].changed = now + 1 - 108; // 6
    CHECK(c.of(gc_cost_benefit) == 0);
}

TEST_CASE("collection above a threshold of garbage: the policy's choice of what has more")
{
    choice c;
    c.add(20, 3);  // 80 % garbage
    c.add(80, 50); // 20 %: cost-benefit's choice of all
    c.add(60, 9);  // 40 %: 9 * 0.4 / 1.2 = 3
    c.above(200);  // not more than
    CHECK(c.of(gc_cost_benefit) == 0);
    CHECK(c.of(gc_greedy) == 0);
    c.above(199);
    CHECK(c.of(gc_cost_benefit) == 1);
    c.above(799);
    CHECK(c.of(gc_cost_benefit) == 0);
    c.above(800);
    CHECK(c.of(gc_cost_benefit) == INDEX_NONE);
    CHECK(c.of(gc_greedy) == INDEX_NONE);
}

TEST_CASE("cost-benefit: only full superblocks with something to gain, empty ones before all")
{
    choice c;
    c.add(100, 1000); // nothing to gain
    c.add(50, 10);
    c[1].state = BLOCK_OPEN;
    CHECK(c.of(gc_cost_benefit) == INDEX_NONE);
    c.add(99, 1);
    CHECK(c.of(gc_cost_benefit) == 2); // little is better than nothing
    c.add(0, 1);
    CHECK(c.of(gc_cost_benefit) == 3);
    c[3].pending = 1;
    CHECK(c.of(gc_cost_benefit) == 2);
}

TEST_CASE("cost-benefit: no age is too great")
{
    choice c;
    c.add(20, 1);
    c.add(20, 1);
    c[0].capacity = c[1].capacity = UINT32_MAX;
    c.at(1ull << 63);
    c[0].changed = (1ull << 63) - (1ull << 32) + 3; // one short of the age that is old enough
    c[1].changed = 0;
    CHECK(c.of(gc_cost_benefit) == 1);
    c[0].changed = 1; // both are
    CHECK(c.of(gc_cost_benefit) == 0);
}

TEST_CASE("cost-benefit keeps data under writes, trims and wear levelling")
{
    ram_config c = tiny_drive();
    c.params.gc.policy = GC_POLICY_COST_BENEFIT;
    c.params.wear.static_delta = GENERATE(0u, 4u);
    c.params.ftl.user_units = c.params.ftl.user_units * 9 / 10;
    c.seed = GENERATE(1u, 2u);
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    std::mt19937_64 random(c.seed);
    for (int n = 0; n < 40000; ++n) {
        const std::uint64_t part = random() % 10 < 8 ? d.sectors() / 8 : d.sectors();
        const std::uint64_t lba = random() % (part - 32);
        const auto len = static_cast<std::uint32_t>(1 + random() % 24);
        while (!(n % 20 == 0 ? d.start_trim({{lba, len}}) : d.start_write(lba, len))) {
            REQUIRE(d.pump());
        }
    }
    d.idle();
    d.check_everything();
    d.check_identities();
    d.check_rules();
    CHECK(d.statuses.size() == 1);
    CHECK(d.nand.counters().gc_runs > 10);
}

} // namespace ssdvp::test::cost_benefit_test
