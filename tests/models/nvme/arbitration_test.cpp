// SPDX-License-Identifier: Apache-2.0
//
// The order in which queues are served. NVM Express base 1.4 section 4.13.
#include <array>
#include <numeric>
#include <string>

#include "models/nvme/arbiter.h"
#include "tests/models/nvme/bench.h"

namespace arbitration_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr std::uint32_t weighted = NVME_CC_EN | 1u << NVME_CC_AMS_SHIFT;

constexpr std::uint32_t arbitration(std::uint32_t ab, std::uint32_t high, std::uint32_t medium,
                                    std::uint32_t low)
{
    return ab | (low - 1) << FE_ARBITRATION_LPW_SHIFT | (medium - 1) << FE_ARBITRATION_MPW_SHIFT |
           (high - 1) << FE_ARBITRATION_HPW_SHIFT;
}

/// Fills queues while nothing can be fetched, then lets go and tells whose entries came.
class backlog {
public:
    backlog(nvme_bench& b, std::uint32_t registers) : m_b(b)
    {
        b.reg_write(FE_REG_ARBITRATION, registers);
        b.reg_write(FE_REG_CMD_SIZE, 0);
    }
    void fill(std::uint32_t queue, std::uint16_t entries)
    {
        for (std::uint16_t i = 0; i < entries; ++i) {
            m_b.put(queue, read_sqe(i, 512, nvme_bench::data));
        }
        m_b.ring_sq(queue);
    }
    std::string order()
    {
        m_b.run(1_us);
        CHECK(m_b.dut.stats().commands_fetched == 0);
        m_b.reg_write(FE_REG_CMD_SIZE, nvme_bench::command_entries);
        m_b.run(20_us);
        std::string served;
        fe_command c{};
        while (m_b.take(c)) {
            served += static_cast<char>('0' + c.sq_id);
        }
        return served;
    }

private:
    nvme_bench& m_b;
};

nvme::front_end_config roomy()
{
    nvme::front_end_config c = bench_front_end();
    c.slots = 31;
    return c;
}

/// A queue of each class: 1 urgent, 2 high, 3 medium, 4 low.
void create_classes(nvme_bench& b)
{
    for (std::uint32_t q = 1; q <= 4; ++q) {
        b.create_io_at(q, 32, nvme_bench::sq_base(q), nvme_bench::cq_base(q),
                       static_cast<fe_queue_priority>(q - 1));
    }
}

} // namespace

TEST_CASE("round robin: queues are served in turn, a burst of 2^AB each")
{
    const auto with = [](std::uint32_t fetch_burst) {
        nvme::front_end_config config = roomy();
        config.fetch_burst = fetch_burst;
        return config;
    };
    nvme_bench b0("b0", with(4)), b1("b1", with(4)), b2("b2", with(4)), b3("b3", with(3));
    nvme_bench b4("b4", with(2)); // all before the simulation starts
    const auto order = [](nvme_bench& b, std::uint32_t ab) {
        b.start();
        backlog load(b, arbitration(ab, 1, 1, 1));
        for (std::uint32_t q = 1; q <= 3; ++q) {
            b.create_io(q, 16);
            load.fill(q, 5);
        }
        return load.order();
    };
    CHECK(order(b0, 0) == "123123123123123");
    CHECK(order(b1, 1) == "112233112233123");
    CHECK(order(b2, 2) == "111122223333123");
    CHECK(order(b3, 2) == "111122223333123"); // a turn may take several reads
    CHECK(order(b4, 7) == "111112222233333"); // no limit
}

TEST_CASE("a queue's turn goes on across its end, and a queue that runs empty goes last")
{
    nvme_bench b("bench", roomy());
    b.start();
    b.create_io(1, 4);
    b.create_io(2, 16);
    b.submit(1, read_sqe(0, 512, nvme_bench::data));
    b.submit(1, read_sqe(1, 512, nvme_bench::data)); // queue 1's next entries wrap
    b.run(5_us);
    fe_command c{};
    while (b.take(c)) {
        b.order(completion_move(c.slot));
    }
    b.run(5_us);
    CHECK(b.dut.stats().commands_fetched == 2);
    b.reg_write(FE_REG_ARBITRATION, arbitration(2, 1, 1, 1));
    b.reg_write(FE_REG_CMD_SIZE, 2); // room for one: queue 2 is cut off in its turn
    for (std::uint16_t i = 0; i < 6; ++i) {
        b.put(2, read_sqe(i, 512, nvme_bench::data));
    }
    b.ring_sq(2);
    b.run(1_us);
    for (std::uint16_t i = 0; i < 3; ++i) {
        b.put(1, read_sqe(i, 512, nvme_bench::data));
    }
    b.ring_sq(1);
    b.run(1_us);
    CHECK(b.dut.stats().commands_fetched == 3);
    std::string served;
    b.reg_write(FE_REG_CMD_SIZE, 32); // a new ring
    b.run(20_us);
    for (std::uint32_t i = 0; i < 8; ++i) {
        std::memcpy(&c, b.memory.data() + 0x1000 + i * sizeof c, sizeof c);
        served += static_cast<char>('0' + c.sq_id);
    }
    CHECK(served == "22211122");
}

TEST_CASE("weighted round robin: 3, 2 and 1 of every 6, the low class too")
{
    nvme_bench b("bench", roomy());
    b.start(weighted);
    create_classes(b);
    backlog load(b, arbitration(0, 3, 2, 1));
    load.fill(2, 12);
    load.fill(3, 12);
    load.fill(4, 6);
    const std::string served = load.order();
    CHECK(served.substr(0, 24) == "222334222334222334222334"); // high is used up then
    CHECK(served.substr(24) == "334334");
}

TEST_CASE("admin goes before urgent, urgent before the weighted classes")
{
    nvme_bench b("bench", roomy());
    b.start(weighted);
    create_classes(b);
    backlog load(b, arbitration(0, 3, 2, 1));
    load.fill(4, 3);
    load.fill(3, 3);
    load.fill(2, 3);
    load.fill(1, 3);
    nvme_sqe s{};
    s.opcode = NVME_ADMIN_GET_FEATURES;
    b.submit(0, s);
    CHECK(load.order() == "0111222334344");
}

TEST_CASE("an admin command, then an urgent one, is fetched next whatever waits")
{
    nvme::front_end_config config = bench_front_end();
    config.slots = 1;
    nvme_bench b("bench", config);
    b.start(weighted);
    create_classes(b);
    b.reg_write(FE_REG_ARBITRATION, arbitration(7, 8, 1, 1));
    for (std::uint16_t i = 0; i < 8; ++i) {
        b.put(2, read_sqe(i, 512, nvme_bench::data));
    }
    b.ring_sq(2);
    b.run(3_us);
    b.submit(1, read_sqe(0, 512, nvme_bench::data));
    nvme_sqe s{};
    s.opcode = NVME_ADMIN_GET_FEATURES;
    b.submit(0, s);
    std::string served;
    for (int i = 0; i < 4; ++i) {
        b.run(5_us);
        fe_command c{};
        REQUIRE(b.take(c));
        served += static_cast<char>('0' + c.sq_id);
        b.order(completion_move(c.slot));
    }
    CHECK(served == "2012");
}

TEST_CASE("queues of a class take turns, a burst each, within the class's credit")
{
    nvme_bench b("bench", roomy());
    b.start(weighted);
    for (std::uint32_t q = 1; q <= 4; ++q) {
        b.create_io_at(q, 32, nvme_bench::sq_base(q), nvme_bench::cq_base(q),
                       q <= 3 ? FE_PRIORITY_HIGH : FE_PRIORITY_LOW);
    }
    backlog load(b, arbitration(1, 5, 1, 1)); // bursts of 2, rounds of 5 and 1
    for (std::uint32_t q = 1; q <= 3; ++q) {
        load.fill(q, 4);
    }
    load.fill(4, 4);
    CHECK(load.order() == "1122343112243344");
}

TEST_CASE("shares of backlogged classes are their weights")
{
    nvme::arbiter a;
    const std::array<std::uint32_t, 3> weights = {200, 55, 1};
    a.reset(true);
    a.configure(arbitration(3, weights[0], weights[1], weights[2]));
    for (std::uint32_t q = 1; q <= 60; ++q) {
        a.set_priority(q, FE_PRIORITY_HIGH + q % 3);
        a.filled(q);
    }
    std::array<std::uint64_t, 3> served{};
    std::uint64_t total = 0;
    while (total < 100'000) {
        const nvme::arbiter::turn t = a.next();
        const std::uint32_t count = std::min(t.limit, 3u);
        a.took(count);
        served[t.queue % 3] += count;
        total += count;
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t c = 0; c < 3; ++c) {
        const double share = static_cast<double>(served[c]) / static_cast<double>(total);
        CHECK(share == Approx(weights[c] / sum).epsilon(0.01));
    }
    a.emptied(2); // who has nothing keeps nobody waiting
    CHECK(a.next().limit != 0);
}

TEST_CASE("each of 256 queues gets its turn")
{
    nvme::arbiter a;
    a.reset(false);
    a.configure(0);
    for (std::uint32_t q = 0; q < nvme::arbiter::queues_max; q += 5) {
        a.filled(q);
    }
    for (int round = 0; round < 3; ++round) {
        for (std::uint32_t q = 0; q < nvme::arbiter::queues_max; q += 5) {
            CHECK(a.next().queue == q);
            a.took(1);
        }
    }
    a.emptied(0);
    a.filled(63);
    CHECK(a.next().queue == 5);
}

TEST_CASE("a controller reset forgets weights and classes")
{
    nvme_bench b("bench", roomy());
    b.start(weighted);
    create_classes(b);
    b.reg_write(FE_REG_ARBITRATION, arbitration(0, 3, 2, 1));
    b.bar_write(NVME_REG_CC, 0);
    b.run(1_us);
    CHECK(b.reg_read(FE_REG_ARBITRATION) == FE_ARBITRATION_RESET);
    b.reg_write(FE_REG_CSTS, 0);
    b.enable(); // round robin
    create_classes(b);
    backlog load(b, arbitration(0, 1, 1, 1));
    load.fill(4, 2);
    load.fill(1, 2);
    CHECK(load.order() == "1414");
}

} // namespace arbitration_test
