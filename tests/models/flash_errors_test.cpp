// SPDX-License-Identifier: Apache-2.0
//
// What the channel does with what is wrong: descriptors, registers, firmware that breaks physics.
#include <functional>

#include "tests/models/flash_bench.h"

namespace flash_errors_test {

using namespace ssdvp;
using namespace ssdvp::flash;

TEST_CASE("each bad descriptor completes with its status and a fault")
{
    bench b(small_config());
    const std::vector<std::function<void(flash_desc&)>> spoil = {
        [](flash_desc& d) { d.op = 0; },
        [](flash_desc& d) { d.op = 5; },
        [](flash_desc& d) { d.lun = 4; },
        [](flash_desc& d) { d.plane_mask = 0; },
        [](flash_desc& d) { d.plane_mask = 0x10; },
        [](flash_desc& d) { d.block = 8; },
        [](flash_desc& d) { d.page = 12; },
        [](flash_desc& d) { d.length = 16384 + 512; },
        [](flash_desc& d) { d.column = 16384 - 512; },
        [](flash_desc& d) { d.column = 0xFFFFFE00u; },
        [](flash_desc& d) { d.length = 0; },
        [](flash_desc& d) { d.length = 100; },
        [](flash_desc& d) { d.oob_length = 17; },
        [](flash_desc& d) { d.oob_length = 8; },
        [](flash_desc& d) { d.purpose = FLASH_PURPOSES; },
        [](flash_desc& d) { d.program_mode = FLASH_MODE_SLC; },
        [](flash_desc& d) { d.flags = FLASH_FLAG_SG; },
        [](flash_desc& d) { d.buffer = std::uint64_t{1} << 40; }, // no memory there
        [](flash_desc& d) { d.buffer += 4; },
        [](flash_desc& d) { d.flags = 0x80; },
    };
    for (std::size_t i = 0; i < spoil.size(); ++i) {
        INFO("case " << i);
        flash_desc d = descriptor(FLASH_OP_PROGRAM, static_cast<unsigned>(i));
        spoil[i](d);
        CHECK(b.execute(d).status == FLASH_STATUS_BAD_DESCRIPTOR);
        CHECK(b.faults.count() == i + 1);
    }
    b.expected_faults = spoil.size();
    // The channel works on.
    CHECK(b.execute(descriptor(FLASH_OP_PROGRAM, 100)).status == FLASH_STATUS_OK);
    flash_desc last = descriptor(FLASH_OP_READ, 101, 3);
    last.plane_mask = 8;
    last.block = 7;
    last.page = 11;
    last.column = 16384 - 4096;
    CHECK(b.execute(last).status == FLASH_STATUS_OK); // the last of everything is in range
}

TEST_CASE("a violation of physics fails the operation and names its plane")
{
    bench b(small_config());
    flash_desc d = descriptor(FLASH_OP_PROGRAM, 1);
    d.plane_mask = 0b0100;
    CHECK(b.execute(d).status == FLASH_STATUS_OK);
    d.tag = 2;
    d.plane_mask = 0b0110; // plane 1 is fresh, plane 2 is not
    const flash_completion c = b.execute(d);
    CHECK(c.status == FLASH_STATUS_PHYSICS);
    CHECK(c.plane_fail == 0b0100);
    CHECK(c.lun == 0);
    b.expected_faults = 1;
}

namespace {

void check_endurance(bool status_poll)
{
    channel_config config = small_config();
    config.die.endurance = 2;
    config.status_poll = status_poll;
    bench b(config);
    CHECK(b.execute(descriptor(FLASH_OP_ERASE, 1)).status == FLASH_STATUS_OK);
    CHECK(b.execute(descriptor(FLASH_OP_ERASE, 2)).status == FLASH_STATUS_OK);
    const flash_completion c = b.execute(descriptor(FLASH_OP_ERASE, 3));
    CHECK(c.status == FLASH_STATUS_ERASE_FAIL);
    CHECK(c.plane_fail == 1);
    CHECK(b.channel.lun(lun_index(0)).cells().erase_count(plane_index(0), block_index(0)) == 2);
    CHECK(b.execute(descriptor(FLASH_OP_PROGRAM, 4)).status == FLASH_STATUS_PROGRAM_FAIL);
}

} // namespace

TEST_CASE("an erase beyond the endurance fails without a fault: status polled")
{
    check_endurance(true);
}

TEST_CASE("an erase beyond the endurance fails without a fault: no polling")
{
    check_endurance(false);
}

TEST_CASE("a program is in the cells when R/B# rises, not before")
{
    bench b(small_config());
    b.submit(descriptor(FLASH_OP_PROGRAM, 1));
    const sim_time rises = 7 * 25_ns + 70_ns + sim_time(3413334) + 100_ns + 200_us;
    b.run_to(rises - sim_time(1));
    CHECK(b.channel.lun(lun_index(0)).cells().programmed(plane_index(0), block_index(0)) == 0);
    b.run_to(rises);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    CHECK(b.channel.lun(lun_index(0)).cells().programmed(plane_index(0), block_index(0)) == 1);
    b.run();
}

TEST_CASE("registers answer the base protocol's errors")
{
    bench b(small_config());
    std::uint32_t v = 0;
    CHECK(b.access(tlm::TLM_READ_COMMAND, 0x2C, v) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(b.access(tlm::TLM_READ_COMMAND, 0x02, v) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(b.access(tlm::TLM_READ_COMMAND, 0x00, v, sim_time(), 2) ==
          tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(b.read(CHANNEL_REG_LUNS) == 4);
    CHECK(b.read(CHANNEL_REG_SQ_BASE_LO) == bench::sq_base);
    b.write(CHANNEL_REG_SQ_BASE_HI, 0x12);
    CHECK(b.read(CHANNEL_REG_SQ_BASE_HI) == 0x12);
    CHECK(b.read(CHANNEL_REG_CQ_SIZE) == bench::ring_entries);
    CHECK(b.read(CHANNEL_REG_INT_ENABLE) == 1);
    // Values out of range, and a register that cannot be written.
    b.write(CHANNEL_REG_SQ_SIZE, 1);
    b.write(CHANNEL_REG_SQ_SIZE, 65537);
    b.write(CHANNEL_REG_SQ_TAIL, bench::ring_entries);
    b.write(CHANNEL_REG_LUNS, 1);
    b.expected_faults = 4;
}

TEST_CASE("a posted write acts at its time")
{
    bench b(small_config());
    b.write(CHANNEL_REG_INT_ENABLE, 0, 1_us);
    b.run_to(1_us - sim_time(1));
    CHECK(b.read(CHANNEL_REG_INT_ENABLE) == 1);
    b.run_to(1_us);
    CHECK(b.read(CHANNEL_REG_INT_ENABLE) == 0);
}

TEST_CASE("interrupts come when enabled")
{
    bench b(small_config());
    b.write(CHANNEL_REG_INT_ENABLE, 0);
    b.submit(descriptor(FLASH_OP_READ, 1));
    b.run();
    CHECK(b.interrupts == 0);
    b.reap();
    CHECK(b.answers.count(1) == 1);
    b.write(CHANNEL_REG_INT_ENABLE, 1);
    b.submit(descriptor(FLASH_OP_READ, 2));
    b.run();
    CHECK(b.interrupts == 1);
}

} // namespace flash_errors_test
