// SPDX-License-Identifier: Apache-2.0
//
// MSI-X to the host, interrupt conditions to firmware.
#include "tests/models/nvme/bench.h"

namespace interrupts_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

std::uint16_t command(nvme_bench& b, std::uint16_t cid)
{
    b.submit(1, read_sqe(cid, 512, nvme_bench::data));
    b.run(3_us);
    fe_command c{};
    REQUIRE(b.take(c));
    return c.slot;
}

fe_move notice(std::uint16_t slot, std::uint8_t flags, std::uint32_t tag)
{
    fe_move m = data_move(FE_MOVE_FROM_HOST, slot, 512, flags);
    m.tag = tag;
    return m;
}

constexpr std::uint64_t control1 = NVME_REG_MSIX_TABLE + 16 + 12;

} // namespace

TEST_CASE("a masked vector is pending and is sent once when it is unmasked")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.bar_write(control1, 1);
    b.order(completion_move(command(b, 0)));
    b.order(completion_move(command(b, 1)));
    b.run(3_us);
    CHECK(b.messages.empty());
    nvme_cqe e{};
    CHECK(b.reap(1, e)); // the entries are there
    CHECK(b.reap(1, e));
    const auto before = b.wire.stats();
    b.bar_write(control1, 0);
    b.run(1_us);
    REQUIRE(b.messages.size() == 1);
    CHECK(b.messages[0].data == 1);
    CHECK(b.wire.stats().bytes_up - before.bytes_up == 24);
    b.bar_write(control1, 1);
    b.bar_write(control1, 0);
    b.run(1_us);
    CHECK(b.messages.size() == 1);
    CHECK(b.dut.stats().host_interrupts == 1);
}

TEST_CASE("pending bits are in the table's neighbour, a word for 32 vectors")
{
    nvme::front_end_config config = bench_front_end();
    config.queue_pairs = 40;
    config.vectors = 41;
    nvme_bench b("bench", config);
    b.start();
    b.create_io_at(40, 8, nvme_bench::ram + 0x140000, nvme_bench::ram + 0x240000,
                   FE_PRIORITY_URGENT);
    b.bar_write(NVME_REG_MSIX_TABLE + 16 * 40 + 12, 1);
    b.submit(40, read_sqe(0, 512, nvme_bench::data));
    b.run(3_us);
    fe_command c{};
    REQUIRE(b.take(c));
    b.order(completion_move(c.slot));
    b.run(3_us);
    CHECK(b.messages.empty());
    CHECK(b.bar_read(NVME_REG_MSIX_PBA) == 0);
    CHECK(b.bar_read(NVME_REG_MSIX_PBA + 4) == 1u << 8);
    b.bar_write(NVME_REG_MSIX_PBA + 4, 0); // read-only
    b.run(1_us);
    CHECK(b.bar_read(NVME_REG_MSIX_PBA + 4) == 1u << 8);
    b.bar_write(NVME_REG_MSIX_TABLE + 16 * 40 + 12, 0);
    b.run(1_us);
    CHECK(b.bar_read(NVME_REG_MSIX_PBA + 4) == 0);
    REQUIRE(b.messages.size() == 1);
    CHECK(b.messages[0].data == 40);
}

TEST_CASE("INTMS holds messages back beside the vector's own mask, INTMC lets them go")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.bar_write(NVME_REG_INTMS, 1u << 1);
    b.order(completion_move(command(b, 0)));
    b.run(3_us);
    CHECK(b.messages.empty());
    CHECK(b.bar_read(NVME_REG_MSIX_PBA) == 1u << 1);
    b.bar_write(NVME_REG_INTMC, ~(1u << 1)); // the others
    b.bar_write(control1, 1);
    b.bar_write(NVME_REG_INTMC, 1u << 1);
    b.run(1_us);
    CHECK(b.messages.empty()); // the other mask holds it
    b.bar_write(NVME_REG_INTMS, 1u << 1);
    b.bar_write(control1, 0);
    b.run(1_us);
    CHECK(b.messages.empty());
    b.bar_write(NVME_REG_INTMC, 1u << 1);
    b.run(1_us);
    CHECK(b.messages.size() == 1);
    CHECK(b.bar_read(NVME_REG_MSIX_PBA) == 0);
}

TEST_CASE("a mask that arrives while the message is on its way holds it back")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    const std::uint16_t slot = command(b, 0);
    b.order(completion_move(slot), 10_ns);
    b.bar_write(control1, 1); // there after 157 ns; the message after 227 ns
    b.run(1_us);
    CHECK(b.messages.empty());
    b.bar_write(control1, 0);
    b.run(1_us);
    CHECK(b.messages.size() == 1);
}

TEST_CASE("a completion queue without interrupts sends none")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.reg_write(FE_REG_Q_ID, 1);
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_DELETE_SQ);
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_DELETE_CQ);
    b.reg_write(FE_REG_Q_BASE_LO, static_cast<std::uint32_t>(nvme_bench::cq_base(1)));
    b.reg_write(FE_REG_Q_VECTOR, 1);
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_CREATE_CQ);
    b.reg_write(FE_REG_Q_BASE_LO, static_cast<std::uint32_t>(nvme_bench::sq_base(1)));
    b.reg_write(FE_REG_Q_COMMAND, FE_Q_CREATE_SQ);
    b.order(completion_move(command(b, 4)));
    b.run(3_us);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    CHECK(e.cid == 4);
    CHECK(b.messages.empty());
}

TEST_CASE("quiet completions wake nobody until firmware asks")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    const std::uint16_t slot = command(b, 0);
    b.irqs.clear();
    b.order(notice(slot, FE_MOVE_NOTIFY, 1));
    b.run(3_us);
    CHECK(b.irqs.empty());
    CHECK(b.reg_read(FE_REG_INT_STATUS) == FE_INT_DONE_QUIET);
    // The condition holds already when it is enabled, at the core's local time.
    const sim_time t = now();
    b.reg_write(FE_REG_INT_ENABLE, FE_INT_DONE_QUIET, 20_ns);
    b.run(1_us);
    REQUIRE(b.irqs.size() == 1);
    CHECK(b.irqs[0] == t + 20_ns);
    fe_move_done d{};
    REQUIRE(b.done(d));
    CHECK(b.reg_read(FE_REG_INT_STATUS) == 0);
    // And becomes true while it is enabled.
    b.order(notice(slot, FE_MOVE_NOTIFY, 2));
    b.run(3_us);
    CHECK(b.irqs.size() == 2);
    CHECK(b.dut.stats().device_interrupts >= 2);
}

TEST_CASE("a front end spends no event on a quiet completion that firmware looks for")
{
    nvme_bench b("bench", bench_front_end());
    b.looks = true;
    b.start();
    b.create_io(1, 8);
    const std::uint16_t slot = command(b, 0);
    b.run(1_us);
    const std::uint64_t before = b.dut.activations();
    const sim_time ordered = now();
    b.order(notice(slot, FE_MOVE_NOTIFY, 1));
    const sim_time ends = b.late->late_from();
    CHECK(b.late->raises_at() == late_device::never);
    REQUIRE(ends > now() + 1_ns);
    b.run(ends - now() - 1_ns);
    fe_move_done d{};
    CHECK_FALSE(b.done(d));
    b.run(1_us);
    REQUIRE(b.done(d));
    CHECK(d.tag == 1);
    CHECK(b.dut.activations() == before);

    b.order(notice(slot, FE_MOVE_NOTIFY, 2)); // a loud one behind it comes in its place
    b.order(notice(slot, FE_MOVE_NOTIFY | FE_MOVE_IRQ, 3));
    b.irqs.clear();
    b.run(3_us);
    CHECK(b.irqs.size() == 1);
    REQUIRE(b.done(d));
    CHECK(d.tag == 2);
    REQUIRE(b.done(d));
    CHECK(d.tag == 3);

    // Firmware wants to be told: of what has ended at once, then of each.
    b.order(notice(slot, FE_MOVE_NOTIFY, 4));
    b.run(3_us);
    b.irqs.clear();
    const sim_time asked = now();
    b.reg_write(FE_REG_INT_ENABLE, FE_INT_DONE_QUIET, 20_ns);
    b.order(notice(slot, FE_MOVE_NOTIFY, 5), 30_ns);
    b.run(3_us);
    REQUIRE(b.irqs.size() == 2);
    CHECK(b.irqs[0] == asked + 20_ns);
    CHECK(b.irqs[1] == asked + 30_ns + (ends - ordered));
    CHECK(b.late->late_from() == late_device::never);
}

TEST_CASE("a front end spends no event on handing a command over, and says when it will")
{
    nvme_bench b("bench", bench_front_end());
    b.looks = true;
    b.start();
    b.create_io(1, 8);
    b.run(1_us);
    const std::uint64_t before = b.dut.activations();
    b.irqs.clear();
    b.submit(1, read_sqe(0, 4096, nvme_bench::data));
    b.run(5_us);
    CHECK(b.dut.activations() - before == 1); // the doorbell
    CHECK(b.irqs.empty());
    const sim_time handed = b.late->raises_at();
    CHECK(handed == b.late->late_from());
    CHECK(handed < now());
    fe_command c{};
    REQUIRE(b.take(c));
    CHECK(b.irqs.size() == 1);
    CHECK(b.late->raises_at() == late_device::never);
}

TEST_CASE("loud completions hold their condition until firmware has read past them")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    const std::uint16_t slot = command(b, 0);
    b.irqs.clear();
    b.order(notice(slot, FE_MOVE_NOTIFY | FE_MOVE_IRQ, 1));
    b.order(notice(slot, FE_MOVE_NOTIFY, 2));
    b.run(3_us);
    CHECK(b.irqs.size() == 1);
    CHECK(b.reg_read(FE_REG_INT_STATUS) == (FE_INT_DONE | FE_INT_DONE_QUIET));
    fe_move_done d{};
    REQUIRE(b.done(d));
    CHECK(d.tag == 1);
    CHECK(b.reg_read(FE_REG_INT_STATUS) == FE_INT_DONE_QUIET);
    REQUIRE(b.done(d));
    CHECK(b.reg_read(FE_REG_INT_STATUS) == 0);
}

TEST_CASE("a full mover completion ring keeps the rest in order until firmware reads")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    const std::uint16_t slot = command(b, 0);
    for (std::uint32_t i = 0; i < 20; ++i) {
        b.order(notice(slot, FE_MOVE_NOTIFY | FE_MOVE_IRQ, i));
    }
    b.run(20_us);
    fe_move_done d{};
    for (std::uint32_t i = 0; i < 20; ++i) {
        REQUIRE(b.done(d));
        CHECK(d.tag == i);
    }
    CHECK_FALSE(b.done(d));
    CHECK(b.reg_read(FE_REG_INT_STATUS) == 0);
}

TEST_CASE("a command condition holds until the command ring is read")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.submit(1, read_sqe(0, 512, nvme_bench::data));
    b.run(3_us);
    CHECK(b.reg_read(FE_REG_INT_STATUS) == FE_INT_COMMAND);
    fe_command c{};
    REQUIRE(b.take(c));
    CHECK(b.reg_read(FE_REG_INT_STATUS) == 0);
}

TEST_CASE("writes of CC tell firmware")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.reg_write(FE_REG_INT_ENABLE, FE_INT_CC);
    b.irqs.clear();
    const std::uint32_t shutdown = NVME_CC_EN | (1u << NVME_CC_SHN_SHIFT);
    b.bar_write(NVME_REG_CC, shutdown);
    b.run(1_us);
    CHECK(b.irqs.size() == 1);
    CHECK(b.reg_read(FE_REG_INT_STATUS) == FE_INT_CC);
    CHECK(b.reg_read(FE_REG_CC) == shutdown);
    CHECK(b.reg_read(FE_REG_INT_STATUS) == 0);
    b.reg_write(FE_REG_CSTS, NVME_CSTS_RDY | NVME_CSTS_SHST_COMPLETE);
    CHECK(b.bar_read(NVME_REG_CSTS) == (NVME_CSTS_RDY | NVME_CSTS_SHST_COMPLETE));
}

TEST_CASE("firmware that breaks the mover's rules is a fault")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    const std::uint16_t slot = command(b, 0);
    b.order(completion_move(99));
    CHECK(b.faults.count() == 1);
    fe_move m = data_move(FE_MOVE_FROM_HOST, slot, 512, 0);
    m.op = 9;
    b.order(m);
    CHECK(b.faults.count() == 2);
    m.op = FE_MOVE_FROM_HOST;
    m.buffer = 1ull << 40;
    b.order(m);
    CHECK(b.faults.count() == 3);
    b.order(completion_move(slot));
    b.order(completion_move(slot)); // twice
    CHECK(b.faults.count() == 4);
    b.reg_write(FE_REG_MOVE_TAIL, nvme_bench::move_entries);
    CHECK(b.faults.count() == 5);
    b.reg_write(FE_REG_CMD_HEAD, 20);
    CHECK(b.faults.count() == 6);
    b.run(5_us);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    CHECK(e.status >> 1 == NVME_SC_DATA_TRANSFER_ERROR);
    CHECK_FALSE(b.reap(1, e));
    b.expected_faults = 6;
}

TEST_CASE("a command that is completed twice, or not at all, is named")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    const std::uint16_t first = command(b, 0);
    const std::uint16_t other = command(b, 1);
    b.order(completion_move(first));
    b.run(100_us); // the slot may hold another command by now, that firmware has not got
    b.order(completion_move(first));
    b.run(1_us);
    REQUIRE(b.faults.count() == 1);
    const std::string what = b.faults.faults()[0].what;
    CAPTURE(what);
    CHECK(what.find(" has no command of firmware's: its last one, CID ") != std::string::npos);
    CHECK(what.find(" of queue 1, opcode ") != std::string::npos);
    CHECK(what.find("(COMPLETE)") != std::string::npos);
    b.expected_faults = 1;
    const std::string open = b.dut.open_commands();
    CAPTURE(open);
    CHECK(open.find(" of queue 1, opcode ") != std::string::npos);
    CHECK(open.find("slot " + std::to_string(other)) != std::string::npos);
    CHECK(open.find(';') == std::string::npos);
    b.dut.look_for_forgotten(1_us); // too few others have been completed
    b.order(completion_move(other));
    b.run(100_us);
    CHECK(b.dut.open_commands().empty());
}

} // namespace interrupts_test
