// SPDX-License-Identifier: Apache-2.0
//
// Power states: what the host is told and may choose, when a drive goes to sleep, and what wakes
// it.
#include "models/regs/thermal_regs.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::power_states_test {

namespace {

constexpr std::uint64_t us = 1000;
constexpr std::uint64_t ms = 1000 * us;
constexpr std::uint32_t asleep = THERMAL_POWER_ASLEEP;

/// 8 W, 2 W; then 50 mW, 2 ms in and 8 ms out, and 5 mW, 10 ms in and 40 ms out.
ram_config with_states()
{
    ram_config c = tiny_drive();
    boot_power& p = c.params.power;
    p.count = 4;
    p.operational = 2;
    p.step_us = 1000;
    p.state[0] = {80000, 0, 0, 0};
    p.state[1] = {20050, 0, 300, 500};
    p.state[2] = {500, 400, 2000, 8000};
    p.state[3] = {60, 50, 10000, 40000};
    c.params.thermal.light_programs = 500;
    c.params.thermal.heavy_programs = 125;
    c.params.thermal.clock_exponent = 2;
    return c;
}

void pass(drive& d, std::uint64_t ns)
{
    d.nand.wait_until(d.nand.time_ns() + ns);
}

/// Entries of feature 0Ch: from state i after `idle` ms into `target`, 0 = not at all.
struct entry {
    std::uint32_t idle;
    std::uint32_t target;
};

host_completion set_table(drive& d, const std::vector<entry>& entries, std::uint32_t enable = 1)
{
    std::vector<std::uint8_t> page(256);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::uint32_t e = entries[i].idle << 8 | entries[i].target << 3;
        std::memcpy(&page[8 * i], &e, sizeof e);
    }
    return d.nand.execute(0, admin(NVME_ADMIN_SET_FEATURES, 0x0C, enable), &page);
}

/// A read, and how long it takes.
std::uint64_t read_after(drive& d, std::uint64_t most)
{
    const std::uint64_t before = d.completed;
    const std::uint64_t from = d.nand.time_ns();
    REQUIRE(d.start_read(0, 8));
    for (std::uint64_t t = 0; t <= most; t += us) {
        d.nand.wait_until(from + t);
        while (d.pump()) {
        }
        if (d.completed != before) {
            return d.nand.time_ns() - from;
        }
    }
    return UINT64_MAX;
}

} // namespace

TEST_CASE("power states: Identify has them as the specification says")
{
    drive d(with_states());
    std::vector<std::uint8_t> page(4096);
    REQUIRE(d.nand.execute(0, identify(1, 0), &page).status == 0);
    CHECK(page[263] == 3); // NPSS
    CHECK(page[265] == 1); // APSTA
    const std::size_t first = 2048;
    CHECK(get(page, first, 2) == 800); // MP, 10 mW
    CHECK(page[first + 3] == 0);
    CHECK(get(page, first + 20, 2) == 800); // ACTP
    CHECK(page[first + 22] == (2 << 6 | 2));
    const std::size_t second = first + 32;
    CHECK(get(page, second, 2) == 20050); // MXPS: 100 uW
    CHECK(page[second + 3] == 1);
    CHECK(get(page, second + 4, 4) == 300);
    CHECK(get(page, second + 8, 4) == 500);
    const std::size_t third = second + 32;
    CHECK(get(page, third, 2) == 5);
    CHECK(page[third + 3] == 2); // NOPS
    CHECK(get(page, third + 4, 4) == 2000);
    CHECK(get(page, third + 8, 4) == 8000);
    for (std::size_t i = 12; i < 16; ++i) {
        CHECK(page[third + i] == 2); // RRT, RRL, RWT, RWL
    }
    CHECK(get(page, third + 16, 2) == 4); // IDLP, 10 mW
    CHECK(page[third + 18] == 2 << 6);
    CHECK(get(page, third + 32, 2) == 60);
    CHECK(page[third + 32 + 3] == 3);
    CHECK(get(page, third + 32 + 16, 2) == 50);
    CHECK(page[third + 32 + 18] == 1 << 6); // 100 uW
}

TEST_CASE("power states: the host chooses one that there is, and may save it")
{
    drive d(with_states());
    CHECK(set_feature(d, 0x02, 4) == invalid_field);
    CHECK(get_feature(d, 0x02).dw0 == 0);
    REQUIRE(set_feature(d, 0x02, 1u << 5 | 1) == 0); // workload hint 1
    CHECK(get_feature(d, 0x02).dw0 == (1u << 5 | 1));
    CHECK(d.nand.heat.power == 1);
    pass(d, ms);
    REQUIRE(set_feature(d, 0x02 | 0x80000000u, 1) == 0);
    pass(d, ms);
    REQUIRE(set_feature(d, 0x02, 0) == 0);
    reset(d);
    CHECK(d.nand.heat.power == 1);
    pass(d, ms);
    CHECK(get_feature(d, 0x02).dw0 == 1);
}

TEST_CASE("power states: into a slower one, and back, takes its time before the next command")
{
    drive d(with_states());
    d.create_queues();
    fill(d, 0.1);
    d.idle();
    const std::uint64_t usual = read_after(d, ms);
    REQUIRE(set_feature(d, 0x02, 1) == 0);
    const std::uint64_t in = read_after(d, ms); // ENLAT of state 1
    CHECK(in >= 300 * us);
    CHECK(in <= 300 * us + usual + 20 * us);
    REQUIRE(set_feature(d, 0x02, 0) == 0);
    const std::uint64_t out = read_after(d, ms); // its EXLAT
    CHECK(out >= 500 * us);
    CHECK(out <= 500 * us + usual + 20 * us);
}

TEST_CASE("power states: a command waits for EXLAT, not a nanosecond less")
{
    drive d(with_states());
    d.create_queues();
    fill(d, 0.1);
    d.idle();
    REQUIRE(set_feature(d, 0x02, 2) == 0);
    pass(d, 3 * ms);
    REQUIRE(d.nand.heat.power == (2 | asleep));
    REQUIRE(d.start_read(0, 8));
    d.nand.settle();
    CHECK(d.nand.heat.power == 2); // it gets up
    const std::uint64_t up = d.nand.timer();
    CHECK(up <= d.nand.time_ns() + 8 * ms);
    CHECK(up > d.nand.time_ns() + 8 * ms - 10 * us);
    const std::uint64_t before = d.completed;
    d.nand.wait_until(up - 1);
    while (d.pump()) {
    }
    CHECK(d.completed == before);
    d.nand.wait_until(up);
    d.drain();
    CHECK(d.completed == before + 1);
    CHECK(d.nand.heat.power == 0); // an I/O command ends it for good
    CHECK(get_feature(d, 0x02).dw0 == 0);
    d.check_everything();
}

TEST_CASE("power states: a command that comes on the way in waits for the rest of it too")
{
    drive d(with_states());
    d.create_queues();
    fill(d, 0.1);
    d.idle();
    REQUIRE(set_feature(d, 0x02, 2) == 0);
    pass(d, 500 * us); // some 1500 us are left of ENLAT
    REQUIRE(d.nand.heat.power == 2);
    const std::uint64_t took = read_after(d, 20 * ms);
    CHECK(took > 9400 * us);
    CHECK(took < 9700 * us);
}

TEST_CASE("power states: an admin command wakes the drive, which goes to sleep again")
{
    drive d(with_states());
    REQUIRE(set_feature(d, 0x02, 2) == 0);
    pass(d, 3 * ms);
    const std::int64_t id = d.nand.submit(0, admin(NVME_ADMIN_GET_FEATURES, 0x02), nullptr);
    pass(d, 7900 * us);
    CHECK(completed(d).count(id) == 0);
    pass(d, 200 * us);
    const auto done = completed(d);
    REQUIRE(done.count(id) == 1);
    CHECK(done.at(id).dw0 == 2);
    CHECK(d.nand.heat.power == 2);
    pass(d, 3 * ms);
    CHECK(d.nand.heat.power == (2 | asleep));
}

TEST_CASE("power states: transitions of its own begin after the idle time, not a nanosecond before")
{
    drive d(with_states());
    d.create_queues();
    fill(d, 0.1);
    d.idle();
    REQUIRE(set_table(d, {{5, 2}, {5, 2}, {20, 3}}).status == 0);
    std::vector<std::uint8_t> page(256);
    const host_completion told = d.nand.execute(0, admin(NVME_ADMIN_GET_FEATURES, 0x0C), &page);
    CHECK(told.dw0 == 1);
    CHECK(get(page, 0, 4) == (5u << 8 | 2u << 3));
    CHECK(get(page, 16, 4) == (20u << 8 | 3u << 3));
    (void)read_after(d, ms);
    const std::uint64_t ended = d.nand.time_ns();
    pass(d, 3 * ms); // the power drawn is looked at until it rests
    const std::uint64_t due = d.nand.timer();
    CHECK(due > ended + 5 * ms - 5 * us);
    CHECK(due <= ended + 5 * ms);
    d.nand.wait_until(due - 1);
    CHECK(d.nand.heat.power == 0);
    d.nand.wait_until(due);
    CHECK(d.nand.heat.power == 2);
    d.nand.wait_until(due + 2 * ms - 1);
    CHECK(d.nand.heat.power == 2);
    d.nand.wait_until(due + 2 * ms); // ENLAT
    CHECK(d.nand.heat.power == (2 | asleep));
    d.nand.wait_until(due + 22 * ms - 1);
    CHECK(d.nand.heat.power == (2 | asleep));
    d.nand.wait_until(due + 22 * ms);
    CHECK(d.nand.heat.power == 3);
    d.nand.wait_until(due + 40 * ms); // EXLAT of state 2, ENLAT of 3
    CHECK(d.nand.heat.power == (3 | asleep));
    const std::uint64_t took = read_after(d, 100 * ms);
    CHECK(took >= 40 * ms);
    CHECK(took < 41 * ms);
    REQUIRE(set_table(d, {}, 0).status == 0);
    pass(d, 1000 * ms);
    CHECK(d.nand.heat.power == 0);
    d.check_everything();
}

TEST_CASE("power states: a table into states that work, or that there are not, is refused")
{
    drive d(with_states());
    CHECK(set_table(d, {{5, 1}}).status == invalid_field);
    CHECK(set_table(d, {{5, 0}}).status == invalid_field);
    CHECK(set_table(d, {{5, 4}}).status == invalid_field);
    CHECK(set_table(d, {{0, 1}, {1, 3}}).status == 0); // no time: no transition
    REQUIRE(d.nand.execute(0, admin(NVME_ADMIN_SET_FEATURES, 0x8000000Cu, 1)).status ==
            (NVME_SC_FEATURE_NOT_SAVEABLE | dnr));
    reset(d);
    CHECK(get_feature(d, 0x0C).dw0 == 0);
}

TEST_CASE("power states: what the drive draws beyond its state is made good by throttling")
{
    drive d(with_states());
    d.create_queues();
    // 8 W are 8000 uJ from one look to the next. As much as it may: nothing happens.
    std::uint32_t divider = 0; // at most
    const auto draw = [&](std::uint32_t microjoules) {
        const std::uint64_t end = d.nand.time_ns() + ms;
        while (d.nand.time_ns() < end) {
            REQUIRE(d.start_write(0, 8));
            while (d.pump()) {
            }
            d.nand.wait_until(d.nand.time_ns() + 50 * us);
            divider = std::max(divider, d.nand.heat.divider);
        }
        d.nand.heat.microjoules += microjoules;
    };
    for (int i = 0; i < 6; ++i) {
        draw(7900);
    }
    CHECK(divider == 0);
    draw(24100); // a step's worth was put by: at least 8.1 mJ beyond what it may
    draw(0);
    draw(0);
    CHECK(divider == 2);           // the clock
    CHECK(d.nand.heat.level == 0); // it is not heat
    for (int i = 0; i < 5; ++i) {
        pass(d, ms);
    }
    d.drain();
    CHECK(d.nand.heat.divider == 0);
    d.check_everything();
}

TEST_CASE("power states: data are right over sleeps, and when power goes in one")
{
    drive d(with_states());
    d.create_queues();
    REQUIRE(set_table(d, {{1, 2}, {1, 2}, {3, 3}}).status == 0);
    std::mt19937_64 random(7);
    for (int i = 0; i < 40; ++i) {
        const std::uint64_t lba = random() % (d.sectors() - 8);
        if (i % 3 == 2) {
            REQUIRE(d.start_read(lba, 8));
        } else {
            REQUIRE(d.start_write(lba, 8, i % 4 == 0));
        }
        pass(d, random() % (60 * ms));
        while (d.pump()) {
        }
    }
    pass(d, 100 * ms);
    while (d.pump()) {
    }
    REQUIRE((d.nand.heat.power & asleep) != 0);
    CHECK(d.mismatches == 0);
    REQUIRE(d.start_flush());
    pass(d, 100 * ms);
    while (d.pump()) {
    }
    pass(d, 100 * ms);
    REQUIRE((d.nand.heat.power & asleep) != 0);
    d.nand.power_cut();
    d.nand.power_on();
    REQUIRE(d.nand.enable());
    d.create_queues();
    CHECK((d.nand.heat.power & asleep) == 0);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("power states: a drive without figures has two, and no transitions of its own")
{
    drive d(tiny_drive());
    std::vector<std::uint8_t> page(4096);
    REQUIRE(d.nand.execute(0, identify(1, 0), &page).status == 0);
    CHECK(page[263] == 1);
    CHECK(page[265] == 0);
    CHECK(get(page, 2048, 2) == 0);
    CHECK(get_feature(d, 0x0C).status == invalid_field);
    REQUIRE(set_feature(d, 0x02, 1) == 0);
    pass(d, 1000 * ms);
    CHECK(d.nand.heat.power == 0);
}

} // namespace ssdvp::test::power_states_test
