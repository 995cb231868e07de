// SPDX-License-Identifier: Apache-2.0
//
// The priorities arbiter (Nam et al., Ozone, IEEE TC 60(5), 2011): who passes whom, and
// until when.
#include "tests/models/flash_bench.h"

namespace flash_priorities_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace ssdvp::literals;

namespace {

constexpr std::uint8_t host_read = 0;
constexpr std::uint8_t host_write = 1;
constexpr std::uint8_t background = 2;

scheduler::request request(std::uint32_t lun, op_kind kind, std::uint32_t block,
                           std::uint8_t urgency)
{
    scheduler::request r;
    r.lun = lun_index(lun);
    r.kind = kind;
    r.block = block_index(block);
    r.planes = plane_set(1);
    r.urgency = urgency;
    r.plain = true;
    return r;
}

scheduler with_priorities(std::uint32_t luns, sim_time age_limit = 1_ms)
{
    return scheduler(order_priorities(), luns, 16, {age_limit, false, false, false});
}

scheduler::op_id chosen(const scheduler& s, sim_time t)
{
    const auto g = s.choose(t);
    return g ? g->op : scheduler::none;
}

flash_desc urgent(flash_op op, unsigned tag, unsigned lun, unsigned block, std::uint8_t priority)
{
    flash_desc d = descriptor(op, tag, lun);
    d.block = block;
    d.priority = priority;
    return d;
}

} // namespace

TEST_CASE("priorities: the bus goes to the most urgent class, then to what was ready first")
{
    scheduler s = with_priorities(3);
    s.arrive(0, request(0, op_kind::read, 0, background), sim_time());
    s.arrive(1, request(1, op_kind::program, 0, host_write), 1_us);
    s.arrive(2, request(2, op_kind::read, 0, host_read), 2_us);
    CHECK(chosen(s, 0_us) == 0);
    CHECK(chosen(s, 1_us) == 1);
    CHECK(chosen(s, 2_us) == 2);
}

TEST_CASE("priorities: an urgent operation passes those of its LUN that wait for other blocks")
{
    scheduler s = with_priorities(1);
    s.arrive(0, request(0, op_kind::program, 4, background), sim_time());
    s.arrive(1, request(0, op_kind::program, 5, host_write), sim_time());
    s.arrive(2, request(0, op_kind::read, 6, host_read), sim_time());
    CHECK(chosen(s, 0_us) == 2);
}

TEST_CASE("priorities: nobody passes what it depends on, nor a reset")
{
    SECTION("an older program of the same block and plane")
    {
        scheduler s = with_priorities(1);
        s.arrive(0, request(0, op_kind::program, 4, background), sim_time());
        s.arrive(1, request(0, op_kind::read, 4, host_read), sim_time());
        CHECK(chosen(s, 0_us) == 0);
    }
    SECTION("programs of one block keep their order")
    {
        scheduler s = with_priorities(1);
        s.arrive(0, request(0, op_kind::program, 4, background), sim_time());
        s.arrive(1, request(0, op_kind::program, 4, host_write), sim_time());
        CHECK(chosen(s, 0_us) == 0);
    }
    SECTION("a read may pass reads")
    {
        scheduler s = with_priorities(1);
        s.arrive(0, request(0, op_kind::read, 4, background), sim_time());
        s.arrive(1, request(0, op_kind::read, 4, host_read), sim_time());
        CHECK(chosen(s, 0_us) == 1);
    }
    SECTION("a reset is a barrier")
    {
        scheduler s = with_priorities(1);
        s.arrive(0, request(0, op_kind::other, 0, background), sim_time());
        s.arrive(1, request(0, op_kind::read, 4, host_read), sim_time());
        CHECK(chosen(s, 0_us) == 0);
    }
}

TEST_CASE("priorities: nobody passes a copyback that reads or writes its block")
{
    scheduler::request copy = request(0, op_kind::program, 5, background);
    copy.source = block_index(4);
    for (const std::uint32_t block : {4u, 5u, 6u}) {
        scheduler s = with_priorities(1);
        s.arrive(0, copy, sim_time());
        s.arrive(1, request(0, op_kind::erase, block, host_write), sim_time());
        CHECK(chosen(s, 0_us) == (block == 6 ? 1 : 0));
    }
}

TEST_CASE("joined operations are not suspended for a read")
{
    scheduler s(order_out_of_order(), 1, 4, {sim_time(), true, false, false});
    s.set_suspend({true, true, 0});
    s.arrive(0, request(0, op_kind::erase, 4, background), sim_time());
    scheduler::request other = request(0, op_kind::erase, 5, background);
    other.planes = plane_set(2);
    s.arrive(1, other, sim_time());
    const auto g = s.choose(sim_time());
    REQUIRE(g);
    CHECK(s.take_partner(*g, plane_set(1)) == 1);
    s.begin_start(*g, sim_time(), 1_us, 15_ms);
    s.arrive(2, request(0, op_kind::read, 6, host_read), 2_us);
    CHECK_FALSE(s.choose(3_us));
}

TEST_CASE("a start that fails within a cache program ends the sequence")
{
    scheduler s(order_out_of_order(), 1, 4, {sim_time(), false, true, true});
    s.arrive(0, request(0, op_kind::program, 4, host_write), sim_time());
    scheduler::request behind = request(0, op_kind::program, 4, host_write);
    behind.page = page_index(1);
    s.arrive(1, behind, sim_time());
    const auto first = s.choose(sim_time());
    REQUIRE(first);
    REQUIRE(first->keeps_open);
    s.begin_start(*first, sim_time(), 1_us, 4_us);
    CHECK(s.array_ready(lun_index(0), 4_us) == scheduler::none);
    const auto second = s.choose(4_us);
    REQUIRE(second);
    CHECK(second->op == 1);
    s.abandon(1, 4_us);
    const auto end = s.choose(4_us);
    REQUIRE(end);
    CHECK(end->op == 0);
    CHECK(end->phase == bus_phase::completion);
    s.begin_completion(0, 5_us);
    CHECK(s.idle());
    CHECK_FALSE(s.choose(5_us));
}

TEST_CASE("priorities: what has waited for the age limit is passed no more")
{
    scheduler s = with_priorities(1, 100_us);
    s.arrive(0, request(0, op_kind::program, 4, background), sim_time());
    s.arrive(1, request(0, op_kind::read, 6, host_read), 50_us);
    CHECK(chosen(s, 100_us - sim_time(1)) == 1);
    CHECK(chosen(s, 100_us) == 0);
}

TEST_CASE("priorities: at the age limit the older goes first on the bus too")
{
    scheduler s = with_priorities(2, 100_us);
    s.arrive(0, request(0, op_kind::read, 4, background), sim_time());
    s.arrive(1, request(1, op_kind::read, 6, host_read), 50_us);
    CHECK(chosen(s, 100_us - sim_time(1)) == 1);
    CHECK(chosen(s, 100_us) == 0);
}

TEST_CASE("priorities: an edge that is due may bring something more urgent")
{
    scheduler s = with_priorities(2);
    s.arrive(0, request(0, op_kind::read, 4, host_read), sim_time());
    const auto start = s.choose(sim_time());
    REQUIRE(start);
    s.begin_start(*start, sim_time(), 1_us, 20_us);
    s.arrive(1, request(1, op_kind::program, 4, host_write), 10_us);
    CHECK(chosen(s, 20_us - sim_time(1)) == 1);
    CHECK(chosen(s, 20_us) == scheduler::none);
    s.array_ready(lun_index(0), 20_us);
    CHECK(chosen(s, 20_us) == 0);
}

TEST_CASE("priorities: on the channel a host read overtakes queued programs of its LUN")
{
    channel_config config = small_config();
    config.arbiter = arbiter_kind::priorities;
    config.age_limit = 10_ms;
    config.ecc_latency = sim_time();
    config.status_poll = false;
    config.die.timing = {{20_us}, {200_us}, sim_time(), sim_time()};
    const cycle_timing timing = data_only_timing();
    bench b(config, &timing);
    for (unsigned i = 0; i < 3; ++i) {
        b.put(urgent(FLASH_OP_PROGRAM, i, 0, i, background));
    }
    b.put(urgent(FLASH_OP_READ, 3, 0, 7, host_read));
    b.ring();
    b.run();
    // 51.2 us of data in and 200 us of array each; the read (20 + 51.2) went before all of them.
    CHECK(b.posted.at(3).ps() == (20_us).ps() + 51200000);
    CHECK(b.posted.at(2).ps() == (20_us).ps() + 51200000 + 3 * 251200000ull);
}

TEST_CASE("priorities: under a stream of host reads a program waits for its age limit only")
{
    channel_config config = small_config();
    config.arbiter = arbiter_kind::priorities;
    config.age_limit = 300_us;
    config.ecc_latency = sim_time();
    config.status_poll = false;
    config.die.timing = {{20_us}, {200_us}, sim_time(), sim_time()};
    const cycle_timing timing = data_only_timing();
    bench b(config, &timing);
    b.put(urgent(FLASH_OP_PROGRAM, 0, 0, 1, background));
    for (unsigned i = 1; i <= 20; ++i) {
        b.put(urgent(FLASH_OP_READ, i, 0, 7, host_read));
    }
    b.ring();
    b.run();
    // Reads end every 71.2 us: at 284.8 the program is 284.8 us old, at 356 past its limit. The
    // read that became as old in the queue came after it.
    CHECK(b.posted.at(0).ps() == 5 * 71200000ull + 251200000);
    CHECK(b.posted.at(5).ps() == 5 * 71200000ull);
    CHECK(b.posted.at(6).ps() == 6 * 71200000ull + 251200000);
}

} // namespace flash_priorities_test
