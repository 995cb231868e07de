// SPDX-License-Identifier: Apache-2.0
//
// Retention limit of shallow pages: a step at the limit, with and without an error model.
#include "models/flash/die/retention_limit.h"
#include "tests/models/flash_bench.h"

namespace flash_retention_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr std::uint64_t source = bench::data_base;
constexpr std::uint64_t sink = bench::data_base + 0x400000;

channel_config limited(double rber = 0.0)
{
    channel_config c = small_config();
    c.ecc_latency = sim_time();
    c.status_poll = false;
    c.die.data = data_mode::full;
    c.die.timing.tPROG = {900_us};
    c.die.timing.shallow_speed_up = 1.8; // 500 us
    c.die.shallow_retention = 10_ms;
    c.die.errors.rber = rber;
    return c;
}

flash_desc of_page(flash_op op, unsigned tag, std::uint32_t page, flash_program_mode mode)
{
    flash_desc d = descriptor(op, tag);
    d.program_mode = static_cast<std::uint8_t>(mode);
    d.page = page;
    d.buffer = op == FLASH_OP_PROGRAM ? source : sink;
    return d;
}

flash_status status_of(bench& b, const flash_desc& d)
{
    b.submit(d);
    b.run();
    const auto status = static_cast<flash_status>(b.answers.at(d.tag).status);
    b.return_entries();
    return status;
}

void wait_until(bench& b, sim_time t)
{
    if (t > now()) {
        b.run_to(t);
    }
}

void check_step(double rber)
{
    bench b(limited(rber));
    for (std::uint32_t i = 0; i < 4096; ++i) {
        *b.memory.at(source + i) = static_cast<unsigned char>(i * 13 + i / 512);
    }
    CHECK(status_of(b, of_page(FLASH_OP_PROGRAM, 1, 0, FLASH_MODE_SHALLOW)) == FLASH_STATUS_OK);
    const sim_time shallow = b.posted.at(1);
    CHECK(status_of(b, of_page(FLASH_OP_PROGRAM, 2, 1, FLASH_MODE_NORMAL)) == FLASH_STATUS_OK);
    // The array senses tR (40 us) after the command: at most a few us before that ends.
    wait_until(b, shallow + 10_ms - 60_us);
    CHECK(status_of(b, of_page(FLASH_OP_READ, 3, 0, FLASH_MODE_NORMAL)) == FLASH_STATUS_OK);
    CHECK(std::memcmp(b.memory.at(source), b.memory.at(sink), 4096) == 0);
    wait_until(b, shallow + 10_ms);
    CHECK(status_of(b, of_page(FLASH_OP_READ, 4, 0, FLASH_MODE_NORMAL)) ==
          FLASH_STATUS_UNCORRECTABLE);
    CHECK(std::memcmp(b.memory.at(source), b.memory.at(sink), 4096) != 0);
    CHECK(status_of(b, of_page(FLASH_OP_READ, 5, 1, FLASH_MODE_NORMAL)) == FLASH_STATUS_OK);
    CHECK(std::memcmp(b.memory.at(source), b.memory.at(sink), 4096) == 0);
    // The erase makes it a page as any other.
    CHECK(status_of(b, of_page(FLASH_OP_ERASE, 6, 0, FLASH_MODE_NORMAL)) == FLASH_STATUS_OK);
    CHECK(status_of(b, of_page(FLASH_OP_PROGRAM, 7, 0, FLASH_MODE_NORMAL)) == FLASH_STATUS_OK);
    wait_until(b, now() + 20_ms);
    CHECK(status_of(b, of_page(FLASH_OP_READ, 8, 0, FLASH_MODE_NORMAL)) == FLASH_STATUS_OK);
}

} // namespace

TEST_CASE("retention: readable until the limit, not from it on, deep pages as ever")
{
    die_config die = small_config().die;
    die.shallow_retention = 10_ms;
    retention_limit l(die);
    const sim_time t0 = 3_ms;
    l.programmed(lun_block_index(1), page_index(2), FLASH_MODE_SHALLOW, t0);
    l.programmed(lun_block_index(1), page_index(3), FLASH_MODE_NORMAL, t0);
    CHECK_FALSE(l.passed(lun_block_index(1), page_index(2), t0 + 10_ms - 1_ps));
    CHECK(l.passed(lun_block_index(1), page_index(2), t0 + 10_ms));
    CHECK_FALSE(l.passed(lun_block_index(1), page_index(3), t0 + 1_s));
    CHECK_FALSE(l.passed(lun_block_index(1), page_index(1), t0 + 1_s));
    l.programmed(lun_block_index(1), page_index(2), FLASH_MODE_NORMAL,
                 t0 + 20_ms); // erased, and programmed deep
    CHECK_FALSE(l.passed(lun_block_index(1), page_index(2), t0 + 1_s));

    die.retention_speed = 4.0;
    retention_limit fast(die);
    fast.programmed(lun_block_index(0), page_index(0), FLASH_MODE_SHALLOW, sim_time());
    CHECK_FALSE(fast.passed(lun_block_index(0), page_index(0), 2500_us - 1_ps));
    CHECK(fast.passed(lun_block_index(0), page_index(0), 2500_us));

    die.shallow_retention = sim_time();
    retention_limit none(die);
    none.programmed(lun_block_index(0), page_index(0), FLASH_MODE_SHALLOW, sim_time());
    CHECK_FALSE(none.passed(lun_block_index(0), page_index(0), 1000_s));
}

TEST_CASE("retention: a read beyond the limit is uncorrectable without an error model")
{
    check_step(0.0);
}

TEST_CASE("retention: ... and with one")
{
    check_step(1e-6);
}

TEST_CASE("retention: a speed-up shortens each page's own program time")
{
    channel_config c = limited();
    c.die.timing.tPROG = {600_us, 900_us};
    CHECK(shallow_program(c.die.timing, page_index(0)) == sim_time(333333333));
    CHECK(shallow_program(c.die.timing, page_index(1)) == 500_us);
    c.die.timing.shallow_speed_up = 0.0;
    c.die.timing.tPROG_shallow = 400_us;
    CHECK(shallow_program(c.die.timing, page_index(1)) == 400_us);
}

} // namespace flash_retention_test
