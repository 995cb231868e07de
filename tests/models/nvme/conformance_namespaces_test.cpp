// SPDX-License-Identifier: Apache-2.0
//
// Namespaces and Format NVM on a whole drive: NVM Express base 1.4 sections 5.19, 5.20 and 5.23.
#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test::conformance_namespaces_test {

namespace {

constexpr std::uint16_t dnr = conformance_bench::dnr;
constexpr std::uint16_t invalid_field = conformance_bench::invalid_field;

nvme_cqe create(conformance_bench& b, std::uint64_t blocks, std::uint8_t format)
{
    bytes data(4096);
    put(data, 0, blocks);
    put(data, 8, blocks);
    data[26] = format;
    return b.execute(0, command(NVME_ADMIN_NS_MANAGEMENT, 0), &data);
}

std::uint16_t attach(conformance_bench& b, std::uint32_t nsid, bool on)
{
    bytes data(4096);
    put(data, 0, 1 | 1 << 16);
    return b.status(0, of(nsid, command(NVME_ADMIN_NS_ATTACHMENT, on ? 0 : 1)), &data);
}

std::uint16_t remove(conformance_bench& b, std::uint32_t nsid)
{
    return b.status(0, of(nsid, command(NVME_ADMIN_NS_MANAGEMENT, 1)));
}

} // namespace

TEST_CASE("namespaces: made, attached, apart from each other, there after a loss of power")
{
    conformance_bench b;
    b.enable();
    REQUIRE(remove(b, 1) == 0);
    CHECK(get(b.identify(1), 296, 8) == b.sectors() * 512);
    REQUIRE(create(b, 1000, 0).dw0 == 1);
    REQUIRE(create(b, 2000, 0).dw0 == 2);
    CHECK(create(b, b.sectors(), 0).status >> 1 == (NVME_SC_NAMESPACE_CAPACITY | dnr));
    CHECK(create(b, 8, 8).status >> 1 == (NVME_SC_INVALID_FORMAT | dnr));
    CHECK(create(b, 0, 0).status >> 1 == invalid_field);
    CHECK(attach(b, 2, false) == (NVME_SC_NAMESPACE_NOT_ATTACHED | dnr));
    REQUIRE(attach(b, 1, true) == 0);
    REQUIRE(attach(b, 2, true) == 0);
    CHECK(attach(b, 2, true) == (NVME_SC_NAMESPACE_ATTACHED | dnr));
    CHECK(attach(b, 5, true) == invalid_field);
    b.create_queues(1, 16);
    for (std::uint32_t nsid = 1; nsid <= 2; ++nsid) {
        bytes data = pattern(4096, nsid);
        REQUIRE(b.status(1, of(nsid, io(NVME_IO_WRITE, 0, 8)), &data) == 0);
        REQUIRE(b.status(1, of(nsid, io(NVME_IO_WRITE, 1000 * nsid - 8, 8)), &data) == 0);
        CHECK(b.status(1, of(nsid, io(NVME_IO_WRITE, 1000 * nsid - 7, 8)), &data) ==
              (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    }
    REQUIRE(b.status(1, of(0xFFFFFFFF, io(NVME_IO_FLUSH, 0, 1))) == 0);
    b.power_cycle();
    b.create_queues(1, 16);
    CHECK(get(b.identify(2), 0, 8) == (1 | 2ull << 32));
    for (std::uint32_t nsid = 1; nsid <= 2; ++nsid) {
        CHECK(get(b.identify(0, nsid), 0, 8) == 1000 * nsid);
        for (const std::uint64_t lba : {std::uint64_t{0}, std::uint64_t{1000 * nsid - 8}}) {
            bytes data(4096);
            REQUIRE(b.status(1, of(nsid, io(NVME_IO_READ, lba, 8)), &data) == 0);
            CHECK(data == pattern(4096, nsid));
        }
    }
    REQUIRE(remove(b, 1) == 0);
    bytes data(4096);
    CHECK(b.status(1, io(NVME_IO_READ, 0, 8), &data) == invalid_field);
    REQUIRE(create(b, 1000, 0).dw0 == 1);
    REQUIRE(attach(b, 1, true) == 0);
    REQUIRE(b.status(1, io(NVME_IO_READ, 0, 8), &data) == 0);
    CHECK(data == bytes(4096));
}

TEST_CASE("Format NVM to blocks of 4 KiB and back")
{
    conformance_bench b;
    b.enable();
    b.create_queues(1, 16);
    bytes data = pattern(4096, 1);
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 16, 8), &data) == 0);
    REQUIRE(b.status(0, of(1, command(NVME_ADMIN_FORMAT, 1))) == 0);
    CHECK(get(b.identify(0, 1), 0, 8) == b.sectors() / 8);
    REQUIRE(b.status(1, io(NVME_IO_READ, 2, 1), &data) == 0);
    CHECK(data == bytes(4096));
    data = pattern(128 * 1024, 2);
    REQUIRE(b.status(1, io(NVME_IO_WRITE, b.sectors() / 8 - 32, 32), &data) == 0);
    CHECK(b.status(1, io(NVME_IO_WRITE, b.sectors() / 8 - 31, 32), &data) ==
          (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    CHECK(b.status(1, io(NVME_IO_READ, 0, 33)) == invalid_field); // beyond MDTS
    REQUIRE(b.status(1, io(NVME_IO_FLUSH, 0, 1)) == 0);
    b.power_cycle();
    b.create_queues(1, 16);
    data.assign(data.size(), 0);
    REQUIRE(b.status(1, io(NVME_IO_READ, b.sectors() / 8 - 32, 32), &data) == 0);
    CHECK(data == pattern(128 * 1024, 2));
    REQUIRE(b.status(0, of(0xFFFFFFFF, command(NVME_ADMIN_FORMAT, 1 << 9))) == 0);
    CHECK(get(b.identify(0, 1), 0, 8) == b.sectors());
    data.assign(4096, 1);
    REQUIRE(b.status(1, io(NVME_IO_READ, b.sectors() - 8, 8), &data) == 0);
    CHECK(data == bytes(4096));
    CHECK(b.status(0, of(1, command(NVME_ADMIN_FORMAT, 8))) == (NVME_SC_INVALID_FORMAT | dnr));
    CHECK(b.status(0, of(1, command(NVME_ADMIN_FORMAT, 2 << 9))) == invalid_field);
    CHECK(b.status(0, of(3, command(NVME_ADMIN_FORMAT))) == invalid_field);
    CHECK(b.status(0, of(0, command(NVME_ADMIN_FORMAT))) == (NVME_SC_INVALID_NAMESPACE | dnr));
}

} // namespace ssdvp::test::conformance_namespaces_test
