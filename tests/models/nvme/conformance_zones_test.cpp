// SPDX-License-Identifier: Apache-2.0
//
// Zoned namespaces on a whole drive: Zoned Namespace Command Set 1.1, and command sets as NVM
// Express base 2.0 has them.
#include "tests/models/nvme/zone_bench.h"

namespace ssdvp::test::conformance_zones_test {

namespace {

constexpr std::uint16_t dnr = conformance_bench::dnr;
constexpr std::uint16_t invalid_field = conformance_bench::invalid_field;
constexpr std::uint32_t size = zone_bench::size;
constexpr std::uint32_t capacity = zone_bench::capacity;
constexpr std::uint32_t zoned = std::uint32_t{NVME_CSI_ZONED} << 24; // CSI in dword 11

std::uint16_t identify(conformance_bench& b, std::uint32_t dword10, std::uint32_t dword11,
                       std::uint32_t nsid, bytes& page)
{
    page.assign(4096, 0);
    return b.status(0, of(nsid, command(NVME_ADMIN_IDENTIFY, dword10, dword11)), &page);
}

nvme_cqe append(zone_bench& b, std::uint64_t lba, std::uint32_t blocks)
{
    bytes data = pattern(std::size_t{blocks} * zone_bench::block, 1);
    return b.execute(1, io(NVME_IO_ZONE_APPEND, lba, blocks), &data);
}

std::uint16_t status_of(const nvme_cqe& c)
{
    return static_cast<std::uint16_t>(c.status >> 1);
}

} // namespace

TEST_CASE("zones: what Identify tells, and a host that does not ask for them")
{
    zone_bench b;
    b.enable();
    bytes page(4096);
    CHECK(get(b.identify(2), 0, 4) == 0); // no active namespace
    CHECK(b.identify(0, 1) == bytes(4096));
    CHECK(b.set_feature(NVME_FEATURE_COMMAND_SETS, 0) == invalid_field);
    b.disable();
    b.begin();
    CHECK(get(b.identify(2), 0, 4) == 1);
    REQUIRE(identify(b, 0x1C | 1u << 16, 0, 0, page) == 0);
    CHECK(get(page, 0, 8) == 5); // NVM and zoned, together
    CHECK(get(page, 8, 8) == 0);
    CHECK(identify(b, 0x1C | 2u << 16, 0, 0, page) == invalid_field);
    page = b.identify(0, 1);
    CHECK(get(page, 0, 8) == b.zones() * size);
    CHECK(page[26] == 1);                       // FLBAS
    CHECK((page[130] == 0 && page[134] == 12)); // LBAF0, LBAF1
    CHECK((page[33] & 0xF) == 1);               // DLFEAT: zeroes, Write Zeroes does not deallocate
    CHECK(b.identify(3, 1)[36] == NVME_CSI_ZONED);
    REQUIRE(identify(b, 0x05, zoned, 1, page) == 0);
    CHECK(get(page, 2, 2) == 1); // OZCS: reads across
    CHECK(get(page, 4, 4) == zone_bench::active_most - 1);
    CHECK(get(page, 8, 4) == zone_bench::open_most - 1);
    CHECK(get(page, 2816, 8) == 0);
    CHECK(get(page, 2816 + 16, 8) == size);
    CHECK(page[2816 + 24] == 0); // ZDES
    CHECK(identify(b, 0x05, 0, 1, page) == (NVME_SC_INVALID_COMMAND_SET | dnr));
    CHECK(identify(b, 0x05, 1u << 24, 1, page) == invalid_field);
    CHECK(identify(b, 0x05, zoned, 0, page) == (NVME_SC_INVALID_NAMESPACE | dnr));
    CHECK(identify(b, 0x05, zoned, 9, page) == 0);
    CHECK(page == bytes(4096));
    REQUIRE(identify(b, 0x06, zoned, 0, page) == 0);
    CHECK(page[0] == 0); // ZASL: as MDTS
    REQUIRE(identify(b, 0x07, zoned, 0, page) == 0);
    CHECK(get(page, 0, 8) == 1);
    REQUIRE(identify(b, 0x07, 0, 0, page) == 0);
    CHECK(get(page, 0, 8) == 0);
    REQUIRE(identify(b, 0x1A, zoned, 0, page) == 0);
    CHECK(get(page, 0, 8) == 1);
    REQUIRE(identify(b, 0x1B, zoned, 1, page) == 0);
    CHECK(get(page, 2816 + 16, 8) == size);
    CHECK(b.set_feature(NVME_FEATURE_COMMAND_SETS, 0) == 0);
    CHECK(b.set_feature(NVME_FEATURE_COMMAND_SETS, 1) == (NVME_SC_COMMAND_SETS_REJECTED | dnr));
    CHECK(b.get_feature(NVME_FEATURE_COMMAND_SETS).dw0 == 0);
}

TEST_CASE("zones: commands of each command set in the log of effects")
{
    zone_bench b;
    b.begin();
    for (const std::uint32_t set : {0u, 2u}) {
        bytes page(4096);
        nvme_sqe q = command(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_EFFECTS | 1023u << 16);
        q.cdw14 = set << 24;
        REQUIRE(b.status(0, q, &page) == 0);
        CHECK((get(page, 1024 + 4 * NVME_IO_ZONE_APPEND, 4) != 0) == (set == 2));
        CHECK((get(page, 1024 + 4 * NVME_IO_WRITE_UNCORRECTABLE, 4) != 0) == (set == 0));
        CHECK(get(page, 1024 + 4 * NVME_IO_WRITE, 4) != 0);
        q.cdw14 = 1u << 24;
        CHECK(b.status(0, q, &page) == invalid_field);
    }
}

TEST_CASE("zones: without them their commands are unknown, and so is their command set")
{
    conformance_bench b;
    b.command_sets = 6;
    b.enable();
    b.create_queues(1, 16);
    bytes page(4096);
    REQUIRE(identify(b, 0x1C | 0xFFFFu << 16, 0, 0, page) == 0);
    CHECK(get(page, 0, 8) == 1);
    CHECK(identify(b, 0x05, zoned, 1, page) == invalid_field);
    CHECK(identify(b, 0x05, 0, 1, page) == 0);
    for (const auto op : {NVME_IO_ZONE_SEND, NVME_IO_ZONE_RECEIVE, NVME_IO_ZONE_APPEND}) {
        CHECK(b.status(1, io(op, 0, 1), &page) == (NVME_SC_INVALID_OPCODE | dnr));
    }
    bytes data(4096);
    nvme_sqe q = command(NVME_ADMIN_NS_MANAGEMENT, 0, zoned);
    CHECK(b.status(0, q, &data) == (NVME_SC_COMMAND_SET_NOT_SUPPORTED | dnr));
}

TEST_CASE("zones: a write at the write pointer, and nowhere else")
{
    zone_bench b;
    b.begin();
    CHECK(b.report_of().count == b.zones());
    CHECK(b.state_of(1) == zone_bench::empty);
    CHECK(b.written(1) == 0);
    REQUIRE(b.write(size, 4) == 0);
    CHECK(b.state_of(1) == zone_bench::implicit);
    CHECK(b.written(1) == 4);
    CHECK(b.write(size, 1) == (NVME_SC_ZONE_INVALID_WRITE | dnr));
    CHECK(b.write(size + 3, 1) == (NVME_SC_ZONE_INVALID_WRITE | dnr));
    CHECK(b.write(size + 5, 1) == (NVME_SC_ZONE_INVALID_WRITE | dnr));
    CHECK(b.write(size + 4, capacity - 3) == (NVME_SC_ZONE_BOUNDARY | dnr));
    CHECK(b.written(1) == 4);
    REQUIRE(b.write(size + 4, capacity - 4) == 0);
    CHECK(b.state_of(1) == zone_bench::full);
    CHECK(b.zone_of(1).pointer == zone_bench::no_pointer);
    CHECK(b.write(size + capacity, 1) == (NVME_SC_ZONE_FULL | dnr));
    CHECK(b.write(size, 1) == (NVME_SC_ZONE_FULL | dnr));
    CHECK(b.holds(size, 4));
    CHECK(b.holds(size + 4, capacity - 4));
    CHECK(b.is_zero(size + capacity, size - capacity)); // between capacity and size
    CHECK(b.write(b.zones() * size - 1, 2) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    CHECK(b.status(1, io(NVME_IO_WRITE, 0, 33)) == invalid_field); // MDTS, before the pointer moves
    CHECK(b.written(0) == 0);
}

TEST_CASE("zones: reads of what was not written, and across the end of a zone")
{
    zone_bench b({"host.nvme.zns.read_across=false"});
    b.begin();
    bytes page(4096);
    REQUIRE(identify(b, 0x05, zoned, 1, page) == 0);
    CHECK(get(page, 2, 2) == 0);
    REQUIRE(b.write(0, 2) == 0);
    CHECK(b.is_zero(2, 4));
    bytes data(2 * 4096);
    CHECK(b.status(1, io(NVME_IO_READ, size - 1, 2), &data) == (NVME_SC_ZONE_BOUNDARY | dnr));
    CHECK(b.status(1, io(NVME_IO_COMPARE, size - 1, 2), &data) == (NVME_SC_ZONE_BOUNDARY | dnr));
    CHECK(b.status(1, io(NVME_IO_VERIFY, size - 1, 2)) == (NVME_SC_ZONE_BOUNDARY | dnr));
    CHECK(b.status(1, io(NVME_IO_READ, size - 2, 2), &data) == 0);
    data = pattern(data.size(), 0);
    CHECK(b.status(1, io(NVME_IO_COMPARE, 0, 2), &data) == 0);
    CHECK(b.status(1, io(NVME_IO_VERIFY, 0, 2)) == 0);
    data[5000] ^= 1;
    CHECK(b.status(1, io(NVME_IO_COMPARE, 0, 2), &data) == NVME_SC_COMPARE_FAILURE);
}

TEST_CASE("zones: Zone Append returns where it went")
{
    zone_bench b;
    b.begin();
    CHECK(status_of(append(b, 2 * size + 1, 1)) == invalid_field); // no first block of a zone
    CHECK(append(b, 2 * size, 3).dw0 == 2 * size);
    const nvme_cqe second = append(b, 2 * size, 5);
    CHECK((second.dw0 == 2 * size + 3 && second.dw1 == 0));
    CHECK(b.written(2) == 8);
    CHECK(status_of(append(b, 2 * size, capacity - 7)) == (NVME_SC_ZONE_BOUNDARY | dnr));
    CHECK(append(b, 2 * size, capacity - 8).dw0 == 2 * size + 8);
    CHECK(status_of(append(b, 2 * size, 1)) == (NVME_SC_ZONE_FULL | dnr));
    CHECK(status_of(append(b, 2 * size, 33)) == invalid_field); // ZASL
    CHECK(status_of(append(b, b.zones() * size, 1)) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    bytes data(5 * 4096);
    REQUIRE(b.status(1, io(NVME_IO_READ, 2 * size + 3, 5), &data) == 0);
    CHECK(data == pattern(data.size(), 1));
    CHECK(b.write(2 * size + size, 1) == 0); // the next zone is as it was
}

TEST_CASE("zones: 32 appends at a time to two zones have blocks of their own, without a gap")
{
    zone_bench b;
    b.begin();
    constexpr unsigned each = 14;
    std::map<std::uint16_t, unsigned> sent;
    for (unsigned i = 0; i < 2 * each; ++i) {
        nvme_sqe q = io(NVME_IO_ZONE_APPEND, i % 2 * size, 2);
        q.cdw12 |= i % 3 == 0 ? NVME_RW_FUA : 0;
        const bytes data = pattern(8192, 100 + i);
        q.prp1 = b.data_address() + std::uint64_t{i} * 8192;
        q.prp2 = q.prp1 + 4096;
        std::copy(data.begin(), data.end(), b.host(q.prp1));
        sent[b.submit(1, q, false)] = i;
    }
    b.ring(1);
    const auto done = b.completed(1, 5000000);
    REQUIRE(done.size() == 2 * each);
    std::map<std::uint32_t, unsigned> places;
    for (const auto& [cid, cqe] : done) {
        REQUIRE(cqe.status >> 1 == 0);
        CHECK(cqe.dw0 / size == sent[cid] % 2);
        CHECK(places.emplace(cqe.dw0, sent[cid]).second);
    }
    for (const std::uint32_t zone : {0u, 1u}) {
        CHECK(b.state_of(zone) == zone_bench::full);
        for (std::uint32_t i = 0; i < each; ++i) {
            const auto at = places.find(zone * size + 2 * i);
            REQUIRE(at != places.end());
            bytes data(8192);
            REQUIRE(b.status(1, io(NVME_IO_READ, at->first, 2), &data) == 0);
            CHECK(data == pattern(8192, 100 + at->second));
        }
    }
}

TEST_CASE("zones: what each action does in each state")
{
    zone_bench b;
    b.begin();
    const std::uint16_t wrong = NVME_SC_ZONE_INVALID_TRANSITION | dnr;
    CHECK(b.send_to(0, zone_bench::close) == wrong); // empty
    CHECK(b.send_to(0, zone_bench::reset) == 0);
    CHECK(b.send_to(0, zone_bench::offline) == wrong);
    CHECK(b.send_to(0, zone_bench::open) == 0);
    CHECK(b.state_of(0) == zone_bench::opened);
    CHECK(b.send_to(0, zone_bench::open) == 0);
    REQUIRE(b.write(0, 1) == 0);
    CHECK(b.state_of(0) == zone_bench::opened); // a write changes nothing of that
    CHECK(b.send_to(0, zone_bench::close) == 0);
    CHECK(b.state_of(0) == zone_bench::closed);
    CHECK(b.send_to(0, zone_bench::close) == 0);
    CHECK(b.written(0) == 1);
    REQUIRE(b.write(1, 1) == 0);
    CHECK(b.state_of(0) == zone_bench::implicit);
    CHECK(b.send_to(0, zone_bench::open) == 0);
    CHECK(b.state_of(0) == zone_bench::opened);
    CHECK(b.send_to(0, zone_bench::finish) == 0);
    CHECK(b.state_of(0) == zone_bench::full);
    CHECK(b.send_to(0, zone_bench::finish) == 0);
    CHECK(b.send_to(0, zone_bench::open) == wrong);
    CHECK(b.send_to(0, zone_bench::close) == wrong);
    CHECK(b.send_to(0, zone_bench::offline) == wrong);
    CHECK(b.write(2, 1) == (NVME_SC_ZONE_FULL | dnr));
    CHECK(b.holds(0, 1));
    CHECK(b.send_to(0, zone_bench::reset) == 0);
    CHECK(b.state_of(0) == zone_bench::empty);
    CHECK(b.is_zero(0, 4));
    CHECK(b.write(0, 2) == 0);
    CHECK(b.send_to(1, zone_bench::finish) == 0); // an empty one too
    CHECK(b.state_of(1) == zone_bench::full);
    CHECK(b.send(1, zone_bench::open) == invalid_field); // no first block
    CHECK(b.send(0, 0) == invalid_field);                // no action
    CHECK(b.send(0, 6) == invalid_field);
    CHECK(b.send(0, 0x10) == invalid_field); // descriptor extensions: none
    CHECK(b.send(0, 0x11) == invalid_field); // nor random write areas
    CHECK(b.send(0, zone_bench::open | 1u << 9) == invalid_field);
    CHECK(b.send(b.zones() * size, zone_bench::open) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
}

TEST_CASE("zones: Select All takes the zones of the states that the action names")
{
    zone_bench b;
    b.begin();
    REQUIRE(b.write(0, 1) == 0);
    REQUIRE(b.send_to(1, zone_bench::open) == 0);
    REQUIRE(b.send_to(2, zone_bench::finish) == 0);
    REQUIRE(b.send(12345678, zone_bench::close | zone_bench::all) == 0); // the block is ignored
    CHECK(b.state_of(0) == zone_bench::closed);
    CHECK(b.state_of(1) == zone_bench::closed);
    CHECK(b.state_of(2) == zone_bench::full);
    CHECK(b.state_of(3) == zone_bench::empty);
    REQUIRE(b.send(0, zone_bench::open | zone_bench::all) == 0);
    CHECK(b.state_of(0) == zone_bench::opened);
    CHECK(b.state_of(3) == zone_bench::empty);
    REQUIRE(b.send_to(3, zone_bench::open) == 0); // all three that may be open
    REQUIRE(b.send_to(3, zone_bench::close) == 0);
    REQUIRE(b.write(4 * size, 1) == 0);
    CHECK(b.send(0, zone_bench::open | zone_bench::all) == NVME_SC_ZONE_TOO_MANY_OPEN);
    CHECK(b.state_of(3) == zone_bench::closed); // none of them
    REQUIRE(b.send(0, zone_bench::finish | zone_bench::all) == 0);
    for (const std::uint32_t zone : {0u, 1u, 2u, 3u, 4u}) {
        CHECK(b.state_of(zone) == zone_bench::full);
    }
    CHECK(b.state_of(5) == zone_bench::empty);
    CHECK(b.send(0, zone_bench::offline | zone_bench::all) == 0); // none is read only
    REQUIRE(b.send(0, zone_bench::reset | zone_bench::all) == 0);
    CHECK(b.report_of(0, 1u << 8).count == b.zones());
    CHECK(b.is_zero(0, 1));
    REQUIRE(b.write(0, 1) == 0);
}

TEST_CASE("zones: limits of open and active zones, at their edge")
{
    zone_bench b;
    b.begin();
    for (const std::uint32_t zone : {0u, 1u, 2u}) {
        REQUIRE(b.send_to(zone, zone_bench::open) == 0);
    }
    CHECK(b.send_to(3, zone_bench::open) == NVME_SC_ZONE_TOO_MANY_OPEN);
    CHECK(b.write(3 * size, 1) == NVME_SC_ZONE_TOO_MANY_OPEN); // all three are open by command
    CHECK(b.written(3) == 0);
    REQUIRE(b.send_to(0, zone_bench::close) == 0);
    REQUIRE(b.write(3 * size, 1) == 0);
    REQUIRE(b.write(4 * size, 1) == 0); // which closes zone 3: a write had opened it
    CHECK(b.state_of(3) == zone_bench::closed);
    CHECK(b.state_of(4) == zone_bench::implicit);
    CHECK(b.state_of(1) == zone_bench::opened);
    CHECK(b.write(5 * size, 1) == NVME_SC_ZONE_TOO_MANY_ACTIVE); // 0 to 4 are
    CHECK(b.send_to(5, zone_bench::open) == NVME_SC_ZONE_TOO_MANY_ACTIVE);
    REQUIRE(b.write(3 * size + 1, 1) == 0); // an active one goes on
    CHECK(b.state_of(4) == zone_bench::closed);
    REQUIRE(b.write(4 * size + 1, capacity - 1) == 0); // a full one is neither
    REQUIRE(b.write(5 * size, 1) == 0);
    REQUIRE(b.send_to(5, zone_bench::finish) == 0);
    REQUIRE(b.write(6 * size, 1) == 0);
    REQUIRE(b.send_to(6, zone_bench::reset) == 0); // nor is one that is empty again
    REQUIRE(b.write(7 * size, 1) == 0);
}

TEST_CASE("zones: of those that writes have opened the one written longest ago is closed")
{
    zone_bench b;
    b.begin();
    for (const std::uint32_t zone : {0u, 1u, 2u}) {
        REQUIRE(b.write(zone * size, 1) == 0);
    }
    REQUIRE(b.write(1, 1) == 0); // zone 0 again
    REQUIRE(b.write(3 * size, 1) == 0);
    CHECK(b.state_of(0) == zone_bench::implicit);
    CHECK(b.state_of(1) == zone_bench::closed);
    CHECK(b.state_of(2) == zone_bench::implicit);
}

TEST_CASE("zones: reports, filtered, in part, longer than a page, and wrong ones")
{
    zone_bench b;
    b.begin();
    REQUIRE(b.write(size, 1) == 0);
    REQUIRE(b.send_to(2, zone_bench::open) == 0);
    REQUIRE(b.send_to(3, zone_bench::finish) == 0);
    REQUIRE(b.write(4 * size, 1) == 0);
    REQUIRE(b.send_to(4, zone_bench::close) == 0);
    const std::uint64_t found[] = {b.zones(), b.zones() - 4, 1, 1, 1, 1, 0, 0};
    for (std::uint32_t filter = 0; filter < 8; ++filter) {
        CHECK(b.report_of(0, filter << 8).count == found[filter]);
    }
    CHECK(b.report_of(0, 5u << 8).zones.at(0).start == 3 * size);
    CHECK(b.report_of(4 * size, 1u << 8).count == b.zones() - 5); // from a zone on
    CHECK(b.report_of(4 * size + 7).zones.at(0).start == 4 * size);
    CHECK(b.report_of(0, 0, 256).count == b.zones()); // the buffer has room for three
    CHECK(b.report_of(0, 1u << 16, 256).count == 3);
    CHECK(b.report_of(0, 1u << 16, 64).count == 0);
    const zone_bench::report whole = b.report_of(0, 0, 64 * (b.zones() + 1));
    REQUIRE(whole.zones.size() == b.zones());
    REQUIRE(b.zones() > 64); // more than a page of them
    for (std::uint64_t i = 0; i < b.zones(); ++i) {
        REQUIRE(whole.zones[i].start == i * size);
    }
    bytes page(4096);
    CHECK(b.status(1, b.receive(0, 1, 4096), &page) == invalid_field);       // extended
    CHECK(b.status(1, b.receive(0, 8u << 8, 4096), &page) == invalid_field); // no such filter
    CHECK(b.status(1, b.receive(0, 0, 60), &page) == invalid_field);         // no room for a header
    CHECK(b.status(1, b.receive(0, 0, 132 * 1024)) == invalid_field);        // MDTS
    CHECK(b.status(1, b.receive(b.zones() * size, 0, 4096), &page) ==
          (NVME_SC_LBA_OUT_OF_RANGE | dnr));
}

} // namespace ssdvp::test::conformance_zones_test
