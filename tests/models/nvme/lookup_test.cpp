// SPDX-License-Identifier: Apache-2.0
//
// The look-up engine of the front end: what it takes and what it leaves to firmware, its flash
// reads and their times, fences, queues and resets.
#include <cstring>

#include "models/protocols/page_reads.h"
#include "tests/models/nvme/bench.h"

namespace lookup_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr std::uint64_t map = 0x20000, states = 0x30000, marks = 0x31000, buffers = 0x40000;
constexpr std::uint32_t units = 4096;
/// Doorbell, entry, decoding: see timing_test.cpp.
constexpr std::uint64_t decoded = 6094 + 150000 + 6094 + 150000 + 400000 + 21329 + 150000 + 100000;

struct channel : page_read_port {
    struct order {
        flash_desc read;
        sim_time when;
    };
    std::vector<order> orders;
    void read_page(const flash_desc& read) override { orders.push_back({read, now()}); }
};

/// A map of 32-bit entries for blocks of 10 pages of 2 planes of 4 LUNs on 2 channels, 4 units of
/// 4 KiB in a page: an address is row | 2 bits LUN | 1 bit plane | 2 bits unit.
struct drive : nvme_bench {
    std::array<channel, 2> channels;

    explicit drive(sim_time lookup_time, std::uint32_t enable = FE_LOOKUP_CONTROL_ENABLE)
        : nvme_bench("bench", config(lookup_time))
    {
        for (channel& c : channels) {
            dut.attach(c);
        }
        start();
        create_io(1, 8);
        reg_write(FE_REG_LOOKUP_FORMAT,
                  12u | 10u << FE_LOOKUP_FORMAT_PAGE_SHIFT | 2u << FE_LOOKUP_FORMAT_ENTRY_SHIFT);
        reg_write(FE_REG_LOOKUP_ADDRESS,
                  2u | 3u << FE_LOOKUP_ADDRESS_LUN_SHIFT | 5u << FE_LOOKUP_ADDRESS_ROW_SHIFT);
        reg_write(FE_REG_LOOKUP_PAGES, 10);
        reg_write(FE_REG_LOOKUP_UNITS, units);
        reg_write(FE_REG_LOOKUP_MAP_LO, map);
        reg_write(FE_REG_LOOKUP_STATE_LO, states);
        reg_write(FE_REG_LOOKUP_MARKS_LO, marks);
        reg_write(FE_REG_LOOKUP_DATA_LO, buffers);
        reg_write(FE_REG_LOOKUP_CONTROL, enable);
        for (std::uint32_t page = 0; page < units / 1024; ++page) {
            memory[states + page] = 0x13; // bit 0, and others
        }
    }
    static nvme::front_end_config config(sim_time lookup_time)
    {
        nvme::front_end_config c = bench_front_end();
        c.lookup_time = lookup_time;
        return c;
    }
    void map_unit(std::uint32_t unit, std::uint32_t entry)
    {
        std::memcpy(&memory[map + 4 * unit], &entry, sizeof entry);
    }
    void read(std::uint16_t cid, std::uint64_t lba, std::uint32_t bytes = 4096,
              std::uint32_t flags = 0)
    {
        nvme_sqe s = read_sqe(cid, bytes, nvme_bench::data);
        s.cdw10 = static_cast<std::uint32_t>(lba);
        s.cdw12 |= flags;
        submit(1, s);
        run(5_us);
    }
    [[nodiscard]] std::size_t orders() const
    {
        return channels[0].orders.size() + channels[1].orders.size();
    }
    bool firmware_gets_it()
    {
        fe_command c{};
        return take(c);
    }
};

/// Unit 3 of page 7 of block 2 (row 27), plane 1, LUN 3: LUN 1 of channel 1.
constexpr std::uint32_t address = 27u << 5 | 3u << 3 | 1u << 2 | 3u;

} // namespace

TEST_CASE("lookup: an entry of the map becomes a flash read, and its data the command's")
{
    drive d(1_us);
    d.map_unit(1500, address + 1);
    const sim_time t0 = now();
    d.read(5, 1500 * 8 + 2, 1024);
    REQUIRE(d.orders() == 1);
    const channel::order& o = d.channels[1].orders.at(0);
    CHECK((o.when - t0).ps() == decoded + 1'000'000);
    CHECK(o.read.op == FLASH_OP_READ);
    CHECK(o.read.lun == 1);
    CHECK(o.read.plane_mask == 2);
    CHECK(o.read.block == 2);
    CHECK(o.read.page == 7);
    CHECK(o.read.column == 3 * 4096 + 2 * 512);
    CHECK(o.read.length == 1024);
    CHECK(o.read.trace == o.read.tag);
    CHECK(o.read.buffer == buffers + std::uint64_t{o.read.tag} * 4096);
    d.memory[o.read.buffer + 1023] = 0xA5;
    const sim_time t1 = now();
    d.dut.reader().page_arrived(o.read.tag, FLASH_STATUS_OK);
    d.run(5_us);
    REQUIRE(d.messages.size() == 1);
    // Mover, DRAM, 1 KiB in four TLPs of 280 bytes, entry and message: as timing_test.cpp sums.
    CHECK((d.messages[0].when - t1).ps() == 50000 + 300000 + 284375 + 10157 + 6094 + 150000);
    CHECK(d.host[nvme_bench::data + 1023] == 0xA5);
    nvme_cqe e{};
    REQUIRE(d.reap(1, e));
    CHECK(e.cid == 5);
    CHECK(e.status == 1);
    CHECK(d.dut.free_slots() == 16);
    CHECK_FALSE(d.firmware_gets_it());
    CHECK(d.reg_read(FE_REG_LOOKUP_READS) == 1);
    CHECK(d.reg_read(FE_REG_LOOKUP_SECTORS) == 2);
}

TEST_CASE("lookup: a look-up lasts as long as its memory or its time, and they follow each other")
{
    drive d(100_ns); // the memory takes 300 ns
    d.map_unit(0, 1);
    d.map_unit(1, 1);
    const sim_time t0 = now();
    d.put(1, read_sqe(0, 4096, nvme_bench::data));
    nvme_sqe second = read_sqe(1, 4096, nvme_bench::data);
    second.cdw10 = 8;
    d.submit(1, second);
    d.run(5_us);
    REQUIRE(d.channels[0].orders.size() == 2);
    // Both entries come with one read of 128 bytes: 16250 ps more than one takes.
    CHECK((d.channels[0].orders[0].when - t0).ps() == decoded + 16250 + 300'000);
    CHECK((d.channels[0].orders[1].when - d.channels[0].orders[0].when).ps() == 100'000);
}

TEST_CASE("lookup: what is not a mapped unit on the flash alone goes to firmware")
{
    drive d(1_us);
    d.map_unit(1, address + 1);
    d.map_unit(2, 0x80000000u | (address + 1)); // lost
    d.map_unit(1024, address + 1);
    d.map_unit(9, address + 1);
    d.memory[states + 1] = 0x12; // the page of units 1024 to 2047 is not here
    d.memory[marks + 1] = 0x02;  // the buffer has unit 9
    struct refused {
        const char* why;
        std::uint64_t lba;
        std::uint32_t bytes, flags;
    };
    const refused table[] = {
        {"no entry", 0, 4096, 0},          {"lost", 16, 4096, 0},
        {"map page", 1024 * 8, 4096, 0},   {"mark", 9 * 8, 4096, 0},
        {"two units", 12, 4096, 0},        {"more than a unit", 8, 8192, 0},
        {"FUA", 8, 4096, 1u << 30},        {"beyond the map", units * 8, 4096, 0},
        {"protection", 8, 4096, 1u << 26},
    };
    for (const refused& r : table) {
        INFO(r.why);
        d.read(1, r.lba, r.bytes, r.flags);
        CHECK(d.firmware_gets_it());
        CHECK(d.orders() == 0);
    }
    d.read(2, 8);
    CHECK(d.orders() == 1);
}

TEST_CASE("lookup: without the bit, and for what is no read, there is no engine")
{
    drive d(1_us, 0);
    d.map_unit(1, address + 1);
    d.read(0, 8);
    CHECK(d.firmware_gets_it());
    d.reg_write(FE_REG_LOOKUP_CONTROL, FE_LOOKUP_CONTROL_ENABLE);
    nvme_sqe s = read_sqe(1, 4096, nvme_bench::data);
    s.opcode = NVME_IO_WRITE;
    s.cdw10 = 8;
    d.submit(1, s);
    d.run(5_us);
    CHECK(d.firmware_gets_it());
    CHECK(d.orders() == 0);
}

TEST_CASE("lookup: a read that the flash does not give back is firmware's to repeat")
{
    drive d(1_us);
    d.map_unit(1, address + 1);
    d.read(3, 8);
    REQUIRE(d.orders() == 1);
    d.dut.reader().page_arrived(d.channels[1].orders[0].read.tag, FLASH_STATUS_UNCORRECTABLE);
    d.run(1_us);
    fe_command c{};
    REQUIRE(d.take(c));
    CHECK(c.sqe.cid == 3);
    d.order(completion_move(c.slot));
    d.run(5_us);
    CHECK(d.messages.size() == 1);
}

TEST_CASE("lookup: a fence holds until the reads from before it have landed, and no longer")
{
    drive d(1_us);
    d.map_unit(1, address + 1);
    d.reg_write(FE_REG_LOOKUP_FENCE, 1);
    CHECK(d.reg_read(FE_REG_LOOKUP_FENCE) == 0);
    d.read(0, 8);
    d.reg_write(FE_REG_LOOKUP_FENCE, 1);
    CHECK(d.reg_read(FE_REG_LOOKUP_FENCE) == FE_LOOKUP_FENCE_PENDING);
    d.read(1, 8); // behind it
    REQUIRE(d.orders() == 2);
    d.dut.reader().page_arrived(d.channels[1].orders[1].read.tag, FLASH_STATUS_OK);
    CHECK(d.reg_read(FE_REG_LOOKUP_FENCE) == FE_LOOKUP_FENCE_PENDING);
    d.dut.reader().page_arrived(d.channels[1].orders[0].read.tag, FLASH_STATUS_OK);
    CHECK(d.reg_read(FE_REG_LOOKUP_FENCE) == 0);
    d.run(10_us);
    CHECK(d.messages.size() == 2);
}

TEST_CASE("lookup: reads of a queue that is deleted end without the host, their slots are free")
{
    drive d(1_us);
    d.map_unit(1, address + 1);
    d.read(0, 8);
    REQUIRE(d.orders() == 1);
    d.delete_io(1);
    d.create_io(1, 8); // a new queue with that number
    d.dut.reader().page_arrived(d.channels[1].orders[0].read.tag, FLASH_STATUS_OK);
    d.run(5_us);
    CHECK(d.messages.empty());
    CHECK(d.dut.free_slots() == 16);
    CHECK(d.reg_read(FE_REG_LOOKUP_READS) == 0);
}

TEST_CASE("lookup: the buffer of a slot waits for the flash read of before a reset")
{
    drive d(1_us);
    d.map_unit(1, address + 1);
    d.read(0, 8);
    REQUIRE(d.orders() == 1);
    d.bar_write(NVME_REG_CC, 0);
    d.run(1_us);
    d.reg_write(FE_REG_CSTS, 0);
    d.reg_write(FE_REG_LOOKUP_FENCE, 1);
    CHECK(d.reg_read(FE_REG_LOOKUP_FENCE) == FE_LOOKUP_FENCE_PENDING);
    d.enable();
    d.create_io(1, 8);
    d.read(4, 8); // the same slot: firmware's for once
    CHECK(d.orders() == 1);
    CHECK(d.firmware_gets_it());
    d.dut.reader().page_arrived(d.channels[1].orders[0].read.tag, FLASH_STATUS_OK);
    CHECK(d.reg_read(FE_REG_LOOKUP_FENCE) == 0);
    d.run(5_us);
    CHECK(d.messages.empty());
}

} // namespace lookup_test
