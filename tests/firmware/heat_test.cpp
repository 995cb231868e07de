// SPDX-License-Identifier: Apache-2.0
//
// What firmware does about heat, with sensors that say what the test wants.
#include "tests/firmware/nvme_commands.h"

#include "models/regs/thermal_regs.h"

namespace ssdvp::test::heat_test {

namespace {

constexpr std::uint64_t step_us = 10;

/// Limits of 75, 78 and 90 degrees, a kelvin of hysteresis.
ram_config with_sensors()
{
    ram_config c = tiny_drive();
    c.params.thermal = {1, step_us, 343, 353, 34800, 35100, 36300, 100, 500, 125, 2, 0};
    return c;
}

/// The drive works, and firmware has looked at `centikelvin` at least once.
void heat_to(drive& d, std::uint32_t centikelvin)
{
    d.nand.heat.composite = d.nand.heat.controller = d.nand.heat.nand = centikelvin;
    const std::uint64_t looks = d.nand.heat.looks;
    (void)log_page(d, NVME_LOG_SMART | 1u << 15, 512);
    d.nand.wait_until(d.nand.time_ns() + 3000 * step_us);
    d.nand.settle();
    REQUIRE(d.nand.heat.looks > looks);
}

std::vector<std::uint8_t> smart(drive& d)
{
    return log_page(d, NVME_LOG_SMART, 512);
}

} // namespace

TEST_CASE("heat: throttling begins at the threshold, not a hundredth of a kelvin below it")
{
    drive d(with_sensors());
    d.create_queues();
    heat_to(d, 34799);
    CHECK(d.nand.heat.level == 0);
    heat_to(d, 34800);
    CHECK(d.nand.heat.level == 1);
    CHECK(d.nand.heat.divider == 0);
    heat_to(d, 35099);
    CHECK(d.nand.heat.level == 1);
    heat_to(d, 35100);
    CHECK(d.nand.heat.level == 2);
    CHECK(d.nand.heat.divider == 2); // clock / 4
    heat_to(d, 36299);
    CHECK(d.nand.heat.level == 2);
    d.check_rules();
}

TEST_CASE("heat: it ends a kelvin lower, not a hundredth of one higher")
{
    drive d(with_sensors());
    d.create_queues();
    heat_to(d, 35100);
    heat_to(d, 35000);
    CHECK(d.nand.heat.level == 2);
    heat_to(d, 34999);
    CHECK(d.nand.heat.level == 1);
    CHECK(d.nand.heat.divider == 0);
    heat_to(d, 34700);
    CHECK(d.nand.heat.level == 1);
    heat_to(d, 34699);
    CHECK(d.nand.heat.level == 0);
}

TEST_CASE("heat: data are right whatever the level, and a drive that is stopped waits")
{
    drive d(with_sensors());
    d.create_queues();
    for (const std::uint32_t t : {30000u, 34800u, 35100u}) {
        heat_to(d, t);
        fill(d, 0.3);
        d.check_everything();
    }
    heat_to(d, 36300); // the command that woke it was taken before
    CHECK(d.nand.heat.level == 3);
    const std::uint64_t before = d.completed;
    REQUIRE(d.start_read(0, 8));
    d.nand.settle();
    d.nand.wait_until(d.nand.time_ns() + 10000 * step_us);
    while (d.pump()) {
    }
    CHECK(d.completed == before);
    d.nand.heat.composite = 34700; // not yet below every threshold
    d.nand.raise_heat();
    d.nand.settle();
    CHECK(d.nand.heat.level == 3);
    d.nand.heat.composite = 34699;
    d.nand.raise_heat();
    d.drain();
    CHECK(d.nand.heat.level == 0);
    CHECK(d.completed == before + 1);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("heat: an idle drive does not look, and is woken up where something changes")
{
    drive d(with_sensors());
    d.create_queues();
    heat_to(d, 34900);
    REQUIRE(d.nand.heat.level == 1);
    const std::uint64_t looks = d.nand.heat.looks;
    CHECK(d.nand.heat.low == 34700);  // light throttling ends below
    CHECK(d.nand.heat.high == 35100); // heavy begins
    d.nand.wait_until(d.nand.time_ns() + 600ull * 1000000000);
    CHECK(d.nand.heat.looks == looks);
    d.nand.heat.composite = 34650;
    d.nand.raise_heat();
    d.nand.settle();
    CHECK(d.nand.heat.looks == looks + 1);
    CHECK(d.nand.heat.level == 0);
    CHECK(d.nand.heat.low == 34300); // WCTEMP
    CHECK(d.nand.heat.high == 34800);
}

TEST_CASE("heat: SMART has temperatures, minutes above the limits, and throttling")
{
    drive d(with_sensors());
    d.create_queues();
    const auto minutes = [&](std::uint64_t n) { // idle at the temperature of the last look
        d.nand.wait_until(d.nand.time_ns() + n * 60000000000ull + 1000000000);
        d.nand.raise_heat();
        d.nand.settle();
    };
    heat_to(d, 34299);
    minutes(5);
    CHECK(get(smart(d), 192, 4) == 0);
    d.nand.heat.controller = 34567;
    heat_to(d, 34300);
    minutes(2);
    CHECK(get(smart(d), 192, 4) == 2);
    CHECK(get(smart(d), 196, 4) == 0);
    heat_to(d, 35300);
    minutes(3);
    heat_to(d, 34900);
    const auto page = smart(d);
    CHECK(get(page, 192, 4) == 2);
    CHECK(get(page, 196, 4) == 3);
    CHECK(get(page, 1, 2) == 349);
    CHECK(get(page, 200, 2) == 349);
    CHECK(get(page, 202, 2) == 349);
    CHECK(get(page, 216, 4) == 0); // from none to heavy at once
    CHECK(get(page, 220, 4) == 1);
    CHECK(get(page, 228, 4) / 60 == 3);
}

TEST_CASE("heat: minutes and counts of SMART outlive power that goes after a flush")
{
    drive d(with_sensors());
    d.create_queues();
    heat_to(d, 35300);
    d.nand.wait_until(d.nand.time_ns() + 121000000000ull);
    heat_to(d, 30000);
    REQUIRE(get(smart(d), 196, 4) == 2);
    REQUIRE(set_feature(d, 0x02 | 0x80000000u, 0) == 0); // a record of the drive's state
    restart(d);
    CHECK(get(smart(d), 196, 4) == 2);
    CHECK(get(smart(d), 192, 4) == 0);
    CHECK(get(smart(d), 220, 4) == 1);
    CHECK(get(smart(d), 228, 4) == 121);
}

TEST_CASE("heat: thresholds of sensors, and the event that tells of one")
{
    drive d(with_sensors());
    CHECK(get_feature(d, 0x04).dw0 == 343);
    CHECK(get_feature(d, 0x04, 1u << 16).dw0 == 0xFFFF);
    CHECK(get_feature(d, 0x04, 2u << 16 | 1u << 20).dw0 == 0);
    CHECK(get_feature(d, 0x04, 3u << 16).status == invalid_field);
    CHECK(get_feature(d, 0x04, 0xFu << 16).status == invalid_field);
    CHECK(set_feature(d, 0x04, 3u << 16 | 350) == invalid_field);
    REQUIRE(set_feature(d, 0x04, 2u << 16 | 350) == 0);
    CHECK(get_feature(d, 0x04, 2u << 16).dw0 == 350);
    CHECK(get_feature(d, 0x04).dw0 == 343);
    REQUIRE(set_feature(d, 0x04, 0xFu << 16 | 345) == 0);
    for (const std::uint32_t sensor : {0u, 1u, 2u}) {
        CHECK(get_feature(d, 0x04, sensor << 16).dw0 == 345);
    }
    REQUIRE(set_feature(d, 0x0B, 0x02) == 0);
    const std::int64_t waits = d.nand.submit(0, admin(NVME_ADMIN_ASYNC_EVENT), nullptr);
    heat_to(d, 34499);
    CHECK(completed(d).count(waits) == 0);
    CHECK((smart(d)[0] & 2) == 0);
    d.nand.heat.composite = 34500;
    d.nand.raise_heat();
    const auto done = completed(d);
    REQUIRE(done.count(waits) == 1);
    CHECK(done.at(waits).dw0 == (1u | 1u << 8 | 2u << 16)); // SMART, temperature, log 02h
    CHECK((smart(d)[0] & 2) == 2);
}

TEST_CASE("heat: the host's thermal management")
{
    drive d(with_sensors());
    std::vector<std::uint8_t> page(4096);
    REQUIRE(d.nand.execute(0, identify(1, 0), &page).status == 0);
    CHECK(get(page, 266, 2) == 343);
    CHECK(get(page, 268, 2) == 353);
    CHECK(get(page, 322, 2) == 1);
    CHECK(get(page, 324, 2) == 273);
    CHECK(get(page, 326, 2) == 473);
    CHECK(get_feature(d, 0x10).dw0 == (348u << 16 | 351));
    CHECK(set_feature(d, 0x10, 350u << 16 | 350) == invalid_field);
    CHECK(set_feature(d, 0x10, 272u << 16 | 350) == invalid_field);
    CHECK(set_feature(d, 0x10, 340u << 16 | 474) == invalid_field);
    REQUIRE(set_feature(d, 0x10, 320u << 16 | 330) == 0);
    CHECK(get_feature(d, 0x10).dw0 == (320u << 16 | 330));
    CHECK(get_feature(d, 0x10 | 0x100).dw0 == (348u << 16 | 351));
    heat_to(d, 31999);
    CHECK(d.nand.heat.level == 0);
    heat_to(d, 32000);
    CHECK(d.nand.heat.level == 1);
    heat_to(d, 33000);
    CHECK(d.nand.heat.level == 2);
    REQUIRE(set_feature(d, 0x10, 0) == 0); // neither
    heat_to(d, 36000);
    CHECK(d.nand.heat.level == 0);
    heat_to(d, 36300); // the drive's own limit stays
    CHECK(d.nand.heat.level == 3);
}

TEST_CASE("heat: a drive without sensors has none of this")
{
    drive d(tiny_drive());
    std::vector<std::uint8_t> page(4096);
    REQUIRE(d.nand.execute(0, identify(1, 0), &page).status == 0);
    CHECK(get(page, 266, 2) == 343);
    CHECK(get(page, 322, 2) == 0);
    CHECK(get_feature(d, 0x10).status == invalid_field);
    CHECK(get_feature(d, 0x04, 1u << 16).status == invalid_field);
    CHECK(get(smart(d), 1, 2) == 300);
    CHECK(d.nand.heat.looks == 0);
}

} // namespace ssdvp::test::heat_test
