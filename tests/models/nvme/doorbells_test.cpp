// SPDX-License-Identifier: Apache-2.0
//
// Doorbells written wrongly: what firmware learns, for the asynchronous events 0/00h and 0/01h.
// NVM Express base 1.4 section 5.2, figure 147.
#include "tests/models/nvme/bench.h"

namespace doorbells_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr std::uint32_t of_queue(std::uint32_t id)
{
    return id << FE_DOORBELL_ERROR_QUEUE_SHIFT;
}

/// What is reported of one write; nothing stays behind.
std::uint32_t report(nvme_bench& b, std::uint32_t queue, bool completion, std::uint32_t value)
{
    b.irqs.clear();
    b.bar_write(NVME_REG_DOORBELL + 8 * queue + (completion ? 4 : 0), value);
    b.run(1_us);
    const std::uint32_t error = b.reg_read(FE_REG_DOORBELL_ERROR);
    CHECK(b.irqs.size() == (error != 0 ? 1 : 0));
    CHECK(b.reg_read(FE_REG_DOORBELL_ERROR) == 0);
    CHECK((b.reg_read(FE_REG_INT_STATUS) & FE_INT_DOORBELL) == 0);
    return error;
}

} // namespace

TEST_CASE("a wrong doorbell is told apart: no such queue, or no such value")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.reg_write(FE_REG_INT_ENABLE, FE_INT_DOORBELL);
    constexpr std::uint32_t reg = FE_DOORBELL_ERROR_REGISTER;
    constexpr std::uint32_t val = FE_DOORBELL_ERROR_VALUE;
    constexpr std::uint32_t cq = FE_DOORBELL_ERROR_COMPLETION;
    CHECK(report(b, 2, false, 1) == (reg | of_queue(2))); // not created
    CHECK(report(b, 4, true, 1) == (reg | cq | of_queue(4)));
    CHECK(report(b, 5, false, 1) == (reg | of_queue(5))); // not in the hardware
    CHECK(report(b, 511, true, 0) == (reg | cq | of_queue(511)));
    CHECK(report(b, 1, false, 8) == (val | of_queue(1))); // beyond the end
    CHECK(report(b, 1, false, 0xFFFF0001) == (val | of_queue(1)));
    CHECK(report(b, 1, false, 0) == (val | of_queue(1)));     // the value it has
    CHECK(report(b, 1, true, 0) == (val | cq | of_queue(1))); // likewise
    CHECK(report(b, 1, true, 1) == (val | cq | of_queue(1))); // an empty queue's
    CHECK(report(b, 0, true, 3) == (val | cq));
    CHECK(b.dut.stats().commands_fetched == 0);
    CHECK(b.bar_read(NVME_REG_CSTS) == NVME_CSTS_RDY);
    CHECK(report(b, 1, false, 7) == 0); // the last that fits
    CHECK(b.dut.stats().commands_fetched == 7);
}

TEST_CASE("until firmware reads, kinds add up and the first queue stays")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.bar_write(NVME_REG_DOORBELL + 8, 9);
    b.bar_write(NVME_REG_DOORBELL + 8 * 3 + 4, 9);
    b.run(1_us);
    CHECK(b.reg_read(FE_REG_INT_STATUS) == FE_INT_DOORBELL);
    b.irqs.clear();
    b.reg_write(FE_REG_INT_ENABLE, FE_INT_DOORBELL); // it holds already
    CHECK(b.irqs.size() == 1);
    CHECK(b.reg_read(FE_REG_DOORBELL_ERROR) ==
          (FE_DOORBELL_ERROR_REGISTER | FE_DOORBELL_ERROR_VALUE | of_queue(1)));
    CHECK(b.reg_read(FE_REG_INT_STATUS) == 0);
}

TEST_CASE("a controller that is not ready has nobody to tell")
{
    nvme_bench b("bench", bench_front_end());
    b.prepare();
    b.bar_write(NVME_REG_DOORBELL + 8, 1);
    b.run(1_us);
    CHECK(b.reg_read(FE_REG_DOORBELL_ERROR) == 0);
    b.enable();
    b.bar_write(NVME_REG_DOORBELL + 8, 1);
    b.run(1_us);
    b.bar_write(NVME_REG_CC, 0); // the reset takes the report with it
    b.run(1_us);
    CHECK(b.reg_read(FE_REG_DOORBELL_ERROR) == 0);
    CHECK(b.dut.stats().invalid_doorbells == 2);
}

} // namespace doorbells_test
