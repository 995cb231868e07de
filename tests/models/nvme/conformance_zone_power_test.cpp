// SPDX-License-Identifier: Apache-2.0
//
// Zones and the rest of the drive: other commands that write, management and format of zoned
// namespaces, resets of the controller, shutdown and loss of power.
#include "tests/models/nvme/zone_bench.h"

namespace ssdvp::test::conformance_zone_power_test {

namespace {

constexpr std::uint16_t dnr = conformance_bench::dnr;
constexpr std::uint16_t invalid_field = conformance_bench::invalid_field;
constexpr std::uint32_t size = zone_bench::size;
constexpr std::uint32_t capacity = zone_bench::capacity;

nvme_cqe create(conformance_bench& b, std::uint64_t blocks, std::uint8_t format, std::uint32_t set)
{
    bytes data(4096);
    put(data, 0, blocks);
    put(data, 8, blocks);
    data[26] = format;
    return b.execute(0, command(NVME_ADMIN_NS_MANAGEMENT, 0, set << 24), &data);
}

std::uint16_t attach(conformance_bench& b, std::uint32_t nsid)
{
    bytes data(4096);
    put(data, 0, 1 | 1 << 16);
    return b.status(0, of(nsid, command(NVME_ADMIN_NS_ATTACHMENT, 0)), &data);
}

std::uint16_t remove(conformance_bench& b, std::uint32_t nsid)
{
    return b.status(0, of(nsid, command(NVME_ADMIN_NS_MANAGEMENT, 1)));
}

std::uint16_t copy(zone_bench& b, std::uint64_t from, std::uint32_t blocks, std::uint64_t to)
{
    bytes range(32);
    put(range, 8, from);
    put(range, 16, blocks - 1);
    nvme_sqe q = io(NVME_IO_COPY, to, 1); // one range
    return b.status(1, q, &range);
}

} // namespace

TEST_CASE("zones: Write Zeroes and Copy write at the pointer, and what would unmap does not")
{
    zone_bench b;
    b.begin();
    REQUIRE(b.write(0, 4) == 0);
    nvme_sqe zeroes = io(NVME_IO_WRITE_ZEROES, 4, 4);
    zeroes.cdw12 |= 1u << 25; // DEAC
    REQUIRE(b.status(1, zeroes) == 0);
    CHECK(b.written(0) == 8);
    CHECK(b.is_zero(4, 4));
    CHECK(b.status(1, io(NVME_IO_WRITE_ZEROES, 4, 4)) == (NVME_SC_ZONE_INVALID_WRITE | dnr));
    CHECK(b.status(1, io(NVME_IO_WRITE_ZEROES, 8, capacity)) == (NVME_SC_ZONE_BOUNDARY | dnr));
    REQUIRE(copy(b, 0, 4, size) == 0);
    CHECK(b.written(1) == 4);
    bytes data(4 * 4096);
    REQUIRE(b.status(1, io(NVME_IO_READ, size, 4), &data) == 0);
    CHECK(data == pattern(data.size(), 0));
    CHECK(copy(b, 0, 4, size) == (NVME_SC_ZONE_INVALID_WRITE | dnr));
    CHECK(copy(b, 0, capacity - 3, size + 4) == (NVME_SC_ZONE_BOUNDARY | dnr));
    CHECK(b.written(1) == 4);
    CHECK(b.status(1, io(NVME_IO_WRITE_UNCORRECTABLE, 8, 1)) == (NVME_SC_INVALID_OPCODE | dnr));
    bytes range(16);
    range[4] = 4; // blocks 0 to 3
    CHECK(b.status(1, of(1, command(NVME_IO_DSM, 0, NVME_DSM_DEALLOCATE)), &range) == 0);
    CHECK(b.holds(0, 4));
    REQUIRE(b.status(1, io(NVME_IO_FLUSH, 0, 1)) == 0);
    b.cut();
    CHECK(b.written(0) == 8); // zeroes are written ones
    CHECK(b.written(1) == 4);
}

TEST_CASE("zones: a conventional and a zoned namespace, made by command, side by side")
{
    zone_bench b;
    b.begin();
    REQUIRE(remove(b, 1) == 0);
    REQUIRE(create(b, 100, 0, NVME_CSI_NVM).dw0 == 1);
    CHECK(create(b, 4 * size + 1, 1, NVME_CSI_ZONED).status >> 1 == invalid_field);
    CHECK(create(b, 4 * size, 0, NVME_CSI_ZONED).status >> 1 == (NVME_SC_INVALID_FORMAT | dnr));
    CHECK(create(b, 4 * size, 1, 1).status >> 1 == (NVME_SC_COMMAND_SET_NOT_SUPPORTED | dnr));
    CHECK(create(b, b.zones() * size, 1, NVME_CSI_ZONED).status >> 1 ==
          (NVME_SC_NAMESPACE_CAPACITY | dnr));
    REQUIRE(create(b, 4 * size, 1, NVME_CSI_ZONED).dw0 == 2);
    REQUIRE(attach(b, 1) == 0);
    REQUIRE(attach(b, 2) == 0);
    bytes data = pattern(4096, 7);
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 40, 8), &data) == 0); // anywhere
    CHECK(b.status(1, io(NVME_IO_ZONE_APPEND, 0, 8), &data) == (NVME_SC_INVALID_OPCODE | dnr));
    CHECK(b.status(1, b.receive(0, 0, 4096), &data) == (NVME_SC_INVALID_OPCODE | dnr));
    data = pattern(4096, 8);
    REQUIRE(b.status(1, of(2, io(NVME_IO_WRITE, 2 * size, 1)), &data) == 0);
    CHECK(b.status(1, of(2, io(NVME_IO_WRITE, 2 * size, 1)), &data) ==
          (NVME_SC_ZONE_INVALID_WRITE | dnr));
    CHECK(b.status(0, of(2, command(NVME_ADMIN_FORMAT, 0))) == (NVME_SC_INVALID_FORMAT | dnr));
    REQUIRE(b.status(1, io(NVME_IO_FLUSH, 0, 1)) == 0);
    b.cut();
    REQUIRE(b.status(1, of(2, b.receive(2 * size, 1u << 16, 128)), &(data = bytes(128))) == 0);
    CHECK(data[64 + 1] >> 4 == zone_bench::closed);
    CHECK(get(data, 64 + 24, 8) == 2 * size + 1);
    b.disable();
    b.command_sets = 0; // the NVM command set alone
    b.enable();
    CHECK(get(b.identify(2), 0, 8) == 1);
    CHECK(attach(b, 2) == (NVME_SC_COMMAND_SET_NOT_ENABLED | dnr));
    b.disable();
    b.command_sets = 6;
    b.enable();
    b.create_queues(1, 64);
    REQUIRE(b.status(0, of(2, command(NVME_ADMIN_FORMAT, 1))) == 0);
    REQUIRE(b.status(1, of(2, io(NVME_IO_WRITE, 2 * size, 1)), &(data = bytes(4096))) == 0);
    REQUIRE(remove(b, 2) == 0);
    REQUIRE(create(b, 4 * size, 1, NVME_CSI_ZONED).dw0 == 2);
    REQUIRE(attach(b, 2) == 0);
    REQUIRE(b.status(1, of(2, b.receive(0, 1u << 8, 4096)), &(data = bytes(4096))) == 0);
    CHECK(get(data, 0, 8) == 4); // all empty
}

TEST_CASE("zones: states after a shutdown and a power-up")
{
    zone_bench b;
    b.begin();
    REQUIRE(b.write(0, 3) == 0);
    REQUIRE(b.send_to(1, zone_bench::open) == 0);
    REQUIRE(b.write(2 * size, capacity) == 0);
    REQUIRE(b.write(3 * size, 5) == 0);
    REQUIRE(b.send_to(3, zone_bench::finish) == 0);
    b.shut_down();
    b.cut();
    CHECK(b.state_of(0) == zone_bench::closed);
    CHECK(b.written(0) == 3);
    CHECK(b.state_of(1) == zone_bench::empty); // open without data
    CHECK(b.state_of(2) == zone_bench::full);
    CHECK(b.state_of(3) == zone_bench::full); // finished
    CHECK(b.holds(3 * size, 5));
    REQUIRE(b.write(3, 1) == 0);
    REQUIRE(b.send_to(3, zone_bench::reset) == 0);
    REQUIRE(b.write(3 * size, 1, true) == 0);
    b.cut();
    CHECK(b.state_of(3) == zone_bench::closed);
    CHECK(b.written(3) == 1);
    CHECK(b.holds(3 * size, 1));
    CHECK(b.is_zero(3 * size + 1, 4)); // nothing of before the reset
}

TEST_CASE("zones: a reset of the controller keeps states, and what was open stays open")
{
    zone_bench b;
    b.begin();
    REQUIRE(b.write(0, 3) == 0);
    REQUIRE(b.send_to(1, zone_bench::open) == 0);
    b.disable();
    b.begin();
    CHECK(b.state_of(0) == zone_bench::implicit);
    CHECK(b.state_of(1) == zone_bench::opened);
    REQUIRE(b.write(3, 1) == 0);
    REQUIRE(b.write(4, capacity - 4) == 0);
    // A zone's reset that a reset of the controller meets: it is over, or the zone goes on.
    nvme_sqe q = io(NVME_IO_ZONE_SEND, 0, 1);
    q.cdw12 = 0;
    q.cdw13 = zone_bench::reset;
    b.submit(1, q);
    b.run(700);
    b.disable();
    b.begin();
    const zone_bench::zone z = b.zone_of(0);
    CHECK((z.state == zone_bench::empty || z.state == zone_bench::closed ||
           z.state == zone_bench::full));
    REQUIRE(b.send_to(0, zone_bench::reset) == 0);
    CHECK(b.state_of(0) == zone_bench::empty);
    REQUIRE(b.write(0, 1) == 0);
    CHECK(b.is_zero(1, capacity - 1));
}

TEST_CASE("zones: a write while the zone is being reset is refused, and one behind it is good")
{
    zone_bench b;
    b.begin();
    REQUIRE(b.write(0, capacity) == 0);
    nvme_sqe reset = io(NVME_IO_ZONE_SEND, 0, 1);
    reset.cdw12 = 0;
    reset.cdw13 = zone_bench::reset;
    nvme_sqe write = io(NVME_IO_WRITE, 0, 1);
    b.point(write, 4096);
    const std::uint16_t first = b.submit(1, reset, false);
    const std::uint16_t second = b.submit(1, write, false);
    const std::uint16_t third = b.submit(1, reset, false); // two resets at a time
    b.ring(1);
    CHECK(b.await(1, first).status >> 1 == 0);
    const auto refused = static_cast<std::uint16_t>(b.await(1, second).status >> 1);
    CHECK((refused == (NVME_SC_ZONE_INVALID_WRITE | dnr) || refused == (NVME_SC_ZONE_FULL | dnr)));
    CHECK(b.await(1, third).status >> 1 == 0);
    CHECK(b.state_of(0) == zone_bench::empty);
    CHECK(b.write(0, 1) == 0);
}

TEST_CASE("zones: what was flushed, or written with FUA, is below the write pointer after any cut")
{
    // Zones are written round robin, with resets; power goes at many moments.
    zone_bench b;
    b.begin();
    std::vector<std::uint64_t> durable(4, 0); // blocks of each zone that may not be lost
    std::vector<std::uint64_t> pointer(4, 0);
    unsigned seed = 1;
    for (unsigned round = 0; round < 12; ++round) {
        for (unsigned step = 0; step < 3 + round; ++step) {
            seed = seed * 1103515245 + 12345;
            const std::uint32_t zone = (seed >> 16) % 4;
            const std::uint32_t blocks = 1 + (seed >> 20) % 3;
            const std::uint64_t lba = zone * size + pointer[zone];
            if (pointer[zone] + blocks > capacity) {
                REQUIRE(b.send_to(zone, zone_bench::reset) == 0);
                pointer[zone] = durable[zone] = 0;
                continue;
            }
            const bool fua = (seed >> 24) % 3 == 0;
            REQUIRE(b.write(lba, blocks, fua) == 0);
            pointer[zone] += blocks;
            durable[zone] = fua ? pointer[zone] : durable[zone];
            if ((seed >> 26) % 4 == 0) {
                REQUIRE(b.status(1, io(NVME_IO_FLUSH, 0, 1)) == 0);
                durable = pointer;
            }
        }
        nvme_sqe unfinished = io(NVME_IO_ZONE_APPEND, 0, 1); // under way when power goes
        b.point(unfinished, 4096);
        b.submit(1, unfinished);
        b.run(200 + 900 * round);
        b.cut();
        for (std::uint32_t zone = 0; zone < 4; ++zone) {
            const zone_bench::zone z = b.zone_of(zone);
            const std::uint64_t written =
                z.state == zone_bench::full ? capacity : z.pointer - z.start;
            CHECK(written >= durable[zone]);
            CHECK(written <= pointer[zone] + (zone == 0 ? 1 : 0));
            CHECK((z.state == zone_bench::closed || z.state == zone_bench::empty ||
                   z.state == zone_bench::full));
            if (written < capacity) {
                CHECK(b.is_zero(zone * size + written, 1));
            }
            // What follows begins at a pointer of its own: the seed of the data is their block.
            REQUIRE(b.send_to(zone, zone_bench::reset) == 0);
            pointer[zone] = durable[zone] = 0;
        }
    }
}

TEST_CASE("zones: every block that a power cut leaves below the pointer is the one written there")
{
    zone_bench b;
    b.begin();
    for (const unsigned wait : {0u, 3000u, 9000u, 40000u}) {
        for (std::uint32_t at = 0; at < 20; at += 2) {
            REQUIRE(b.write(at, 2) == 0);
            REQUIRE(b.write(size + at, 2, at == 8) == 0);
        }
        b.run(wait);
        b.cut();
        CHECK(b.written(1) >= 10);
        for (const std::uint32_t zone : {0u, 1u}) {
            for (std::uint32_t at = 0; at + 2 <= b.written(zone); at += 2) {
                const std::uint64_t lba = zone * size + at;
                CHECK((b.holds(lba, 2) || b.is_zero(lba, 1) || b.is_zero(lba + 1, 1)));
            }
            REQUIRE(b.send_to(zone, zone_bench::reset) == 0);
        }
        for (std::uint32_t at = 0; at < 10; at += 2) {
            CHECK(b.is_zero(size + at, 2));
        }
    }
}

} // namespace ssdvp::test::conformance_zone_power_test
