// SPDX-License-Identifier: Apache-2.0
//
// The orders of operations that Ozone names (Nam et al., IEEE TC 60(5), 2011), with times worked
// out by hand: once on the arbiter's rules alone, once on the real controller with its bus and
// dies.
#include <deque>
#include <string>

#include "tests/models/flash_bench.h"

namespace flash_arbiter_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace ssdvp::literals;

namespace {

constexpr sim_time xfer(51200000); // 51.2 us
constexpr sim_time tR = 20_us;
constexpr sim_time tPROG = 200_us;

struct oracle {
    std::string ops; // e.g. "W0 R1": kind and LUN, all queued at t = 0
    arbiter_kind arbiter;
    std::vector<std::uint64_t> finish; // in units of 100 ns
};

const std::vector<oracle> oracles = {
    {"W0 R1 R1", arbiter_kind::sequential, {2512, 3224, 3936}},
    {"W0 R1 R1", arbiter_kind::interleaved, {2512, 3024, 3736}},
    {"W0 R1 R1", arbiter_kind::out_of_order, {2512, 1224, 1936}},
    {"W0 W1", arbiter_kind::sequential, {2512, 5024}},
    {"W0 W1", arbiter_kind::interleaved, {2512, 3024}},
    {"W0 W1", arbiter_kind::out_of_order, {2512, 3024}},
    {"R0 R1", arbiter_kind::sequential, {712, 1424}},
    {"R0 R1", arbiter_kind::interleaved, {712, 1224}},
    {"R0 R1", arbiter_kind::out_of_order, {712, 1224}},
    {"W0 R1 R2 W3", arbiter_kind::sequential, {2512, 3224, 3936, 6448}},
    {"W0 R1 R2 W3", arbiter_kind::interleaved, {2512, 3024, 3536, 3536}},
    {"W0 R1 R2 W3", arbiter_kind::out_of_order, {2512, 1536, 2048, 3024}},
    {"W0 R0 R1", arbiter_kind::sequential, {2512, 3224, 3936}},
    {"W0 R0 R1", arbiter_kind::interleaved, {2512, 3224, 3736}},
    {"W0 R0 R1", arbiter_kind::out_of_order, {2512, 3224, 1224}},
};

struct parsed {
    bool write;
    unsigned lun;
};

/// On plane 0.
scheduler::request on(std::uint32_t lun, op_kind kind, std::uint32_t block)
{
    scheduler::request r;
    r.lun = lun_index(lun);
    r.kind = kind;
    r.block = block_index(block);
    r.planes = plane_set(1);
    return r;
}

scheduler::grant grant_of(scheduler::op_id op)
{
    return {op, bus_phase::start, sim_time()};
}

std::vector<parsed> parse(const std::string& ops)
{
    std::vector<parsed> out;
    for (std::size_t i = 0; i + 1 < ops.size(); i += 3) {
        out.push_back({ops[i] == 'W', static_cast<unsigned>(ops[i + 1] - '0')});
    }
    return out;
}

/// Plays the arbiter's rules on ideal LUNs: commands take no time.
std::vector<std::uint64_t> play(const oracle& o)
{
    const auto ops = parse(o.ops);
    scheduler s(find_order_policy(o.arbiter), 4, 16);
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
        s.arrive(i, on(ops[i].lun, ops[i].write ? op_kind::program : op_kind::read, 0), sim_time());
    }
    std::vector<std::uint64_t> finish(ops.size());
    std::map<unsigned, sim_time> array_done; // by LUN
    sim_time t;
    for (unsigned step = 0; step < 1000 && !s.idle(); ++step) {
        for (auto it = array_done.begin(); it != array_done.end();) {
            if (it->second == t) {
                s.array_ready(lun_index(it->first), t);
                it = array_done.erase(it);
            } else {
                ++it;
            }
        }
        while (const auto g = s.choose(t)) {
            const parsed& op = ops[g->op];
            if (g->phase == bus_phase::start) {
                const sim_time end = op.write ? t + xfer : t;
                array_done[op.lun] = end + (op.write ? tPROG : tR);
                s.begin_start(*g, t, end, array_done[op.lun]);
            } else {
                const sim_time end = op.write ? t : t + xfer;
                s.begin_completion(g->op, end);
                finish[g->op] = end.ns() / 100;
            }
        }
        sim_time next(~0ull);
        if (s.bus_free() > t) {
            next = s.bus_free();
        }
        for (const auto& [lun, done] : array_done) {
            next = earlier(next, done);
        }
        t = next;
    }
    return finish;
}

/// Gives the same operations to the real controller.
std::vector<std::uint64_t> simulate(const oracle& o)
{
    channel_config config = small_config();
    config.arbiter = o.arbiter;
    config.ecc_latency = sim_time();
    config.status_poll = false;
    config.die.timing = {{tR}, {tPROG}, sim_time(), sim_time()};
    const cycle_timing timing = data_only_timing();
    bench b(config, &timing);
    const auto ops = parse(o.ops);
    for (unsigned i = 0; i < ops.size(); ++i) {
        b.put(descriptor(ops[i].write ? FLASH_OP_PROGRAM : FLASH_OP_READ, i, ops[i].lun));
    }
    b.ring();
    b.run();
    std::vector<std::uint64_t> finish(ops.size());
    for (unsigned i = 0; i < ops.size(); ++i) {
        REQUIRE(b.answers.at(i).status == FLASH_STATUS_OK);
        REQUIRE(b.posted.at(i).ps() % 100000 == 0);
        finish[i] = b.posted.at(i).ps() / 100000;
    }
    return finish;
}

} // namespace

TEST_CASE("a start is ready since it is queued, or since its LUN is idle")
{
    // Two programs of LUN 0 at 0; reads of LUNs 1 and 3 at 180 and 215 us, with tR 40 us.
    for (const bool idle : {false, true}) {
        CAPTURE(idle);
        scheduler::options o;
        o.start_when_idle = idle;
        scheduler s(order_out_of_order(), 4, 16, o);
        s.arrive(0, on(0, op_kind::program, 0), 0_us);
        s.arrive(1, on(0, op_kind::program, 1), 0_us);
        s.begin_start(s.choose(0_us).value(), 0_us, xfer, xfer + tPROG);
        s.arrive(2, on(1, op_kind::read, 0), 180_us);
        s.begin_start(s.choose(180_us).value(), 180_us, 180_us, 220_us);
        s.arrive(3, on(3, op_kind::read, 0), 215_us);
        s.begin_start(s.choose(215_us).value(), 215_us, 215_us, 255_us);
        s.array_ready(lun_index(1), 220_us);
        CHECK(s.choose(220_us).value().op == 2);
        const sim_time end = 220_us + xfer;
        s.begin_completion(2, end);
        s.array_ready(lun_index(0), xfer + tPROG);
        s.array_ready(lun_index(3), 255_us);
        CHECK(s.choose(end).value().op == 0); // ready since 251.2 us
        s.begin_completion(0, end);
        const scheduler::grant next = s.choose(end).value();
        CHECK(next.op == (idle ? 3u : 1u));
        CHECK(next.phase == (idle ? bus_phase::completion : bus_phase::start));
        CHECK(next.ready == (idle ? 255_us : 0_us));
    }
}

TEST_CASE("arbiter rules give the oracle's finish times")
{
    for (const oracle& o : oracles) {
        INFO(o.ops << " under " << find_order_policy(o.arbiter).name());
        CHECK(play(o) == o.finish);
    }
}

// One process per case: SystemC elaborates once.
#define CONTROLLER_ORACLE(n)                                                                       \
    TEST_CASE("controller gives oracle " #n)                                                       \
    {                                                                                              \
        INFO(oracles.at(n).ops << " under " << find_order_policy(oracles.at(n).arbiter).name());   \
        CHECK(simulate(oracles.at(n)) == oracles.at(n).finish);                                    \
    }
CONTROLLER_ORACLE(0)
CONTROLLER_ORACLE(1)
CONTROLLER_ORACLE(2)
CONTROLLER_ORACLE(3)
CONTROLLER_ORACLE(4)
CONTROLLER_ORACLE(5)
CONTROLLER_ORACLE(6)
CONTROLLER_ORACLE(7)
CONTROLLER_ORACLE(8)
CONTROLLER_ORACLE(9)
CONTROLLER_ORACLE(10)
CONTROLLER_ORACLE(11)
CONTROLLER_ORACLE(12)
CONTROLLER_ORACLE(13)
CONTROLLER_ORACLE(14)

TEST_CASE("bus rule: a completion goes before a start that is ready at the same time")
{
    scheduler s(order_out_of_order(), 2, 4);
    s.arrive(0, on(0, op_kind::read, 0), sim_time());
    s.begin_start(grant_of(0), sim_time(), sim_time(), 20_us);
    s.arrive(1, on(1, op_kind::program, 0), 20_us);
    CHECK_FALSE(s.choose(20_us)); // the edge of this instant decides
    s.array_ready(lun_index(0), 20_us);
    const auto g = s.choose(20_us);
    REQUIRE(g);
    CHECK(g->op == 0);
    CHECK(g->phase == bus_phase::completion);
}

TEST_CASE("bus rule: the phase that was ready first goes first")
{
    scheduler s(order_out_of_order(), 3, 4);
    s.arrive(0, on(0, op_kind::read, 0), sim_time());
    s.begin_start(grant_of(0), sim_time(), 30_us, 20_us); // the bus is held until 30 us
    s.arrive(1, on(1, op_kind::program, 0), 10_us);
    s.array_ready(lun_index(0), 20_us);
    CHECK_FALSE(s.choose(30_us - sim_time(1)));
    const auto g = s.choose(30_us);
    REQUIRE(g);
    CHECK(g->op == 1);
}

TEST_CASE("operations of one LUN keep their order under every policy")
{
    for (const arbiter_kind kind :
         {arbiter_kind::sequential, arbiter_kind::interleaved, arbiter_kind::out_of_order}) {
        scheduler s(find_order_policy(kind), 1, 4);
        s.arrive(0, on(0, op_kind::program, 0), sim_time());
        s.arrive(1, on(0, op_kind::read, 1), sim_time());
        REQUIRE(s.choose(sim_time())->op == 0);
        s.begin_start(grant_of(0), sim_time(), sim_time(), 1_us);
        CHECK_FALSE(s.choose(sim_time()));
        s.array_ready(lun_index(0), 1_us);
        s.begin_completion(0, 1_us);
        CHECK(s.choose(1_us)->op == 1);
    }
}

TEST_CASE("bus rule: a start counts as ready since it is queued, once its LUN is idle")
{
    scheduler s(order_out_of_order(), 2, 4);
    s.arrive(0, on(0, op_kind::read, 0), sim_time());
    s.arrive(1, on(1, op_kind::read, 0), sim_time());
    s.arrive(2, on(0, op_kind::read, 1), 5_us);
    s.begin_start(grant_of(0), sim_time(), sim_time(), 20_us);
    s.begin_start(grant_of(1), sim_time(), sim_time(), 20_us);
    s.array_ready(lun_index(0), 20_us);
    s.array_ready(lun_index(1), 20_us);
    CHECK(s.choose(20_us)->op == 0);
    s.begin_completion(0, 70_us);
    CHECK_FALSE(s.choose(70_us - sim_time(1)));
    // LUN 1 waits with data since 20 us; the next read of LUN 0 was queued at 5 us.
    CHECK(s.choose(70_us)->op == 2);
}

} // namespace flash_arbiter_test
