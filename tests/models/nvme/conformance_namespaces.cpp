// SPDX-License-Identifier: Apache-2.0
//
// Namespaces, Format NVM and firmware images on a whole drive: NVM Express base 1.4 sections 5.11,
// 5.12, 5.19, 5.20 and 5.23.
#include <boost/crc.hpp>

#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test {

namespace {

constexpr std::uint16_t dnr = conformance_bench::dnr;
constexpr std::uint16_t invalid_field = conformance_bench::invalid_field;

std::uint32_t crc(const std::uint8_t* data, std::size_t size)
{
    boost::crc_32_type c;
    c.process_bytes(data, size);
    return c.checksum();
}

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
    CHECK(create(b, 8, 2).status >> 1 == (NVME_SC_INVALID_FORMAT | dnr));
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
    CHECK(b.status(0, of(1, command(NVME_ADMIN_FORMAT, 2))) == (NVME_SC_INVALID_FORMAT | dnr));
    CHECK(b.status(0, of(1, command(NVME_ADMIN_FORMAT, 2 << 9))) == invalid_field);
    CHECK(b.status(0, of(3, command(NVME_ADMIN_FORMAT))) == invalid_field);
    CHECK(b.status(0, of(0, command(NVME_ADMIN_FORMAT))) == (NVME_SC_INVALID_NAMESPACE | dnr));
}

TEST_CASE("firmware images: wrong ones are refused, a right one is active after a reset")
{
    conformance_bench b;
    b.enable();
    bytes image(100000);
    for (std::size_t i = 64; i < image.size(); ++i) {
        image[i] = static_cast<std::uint8_t>(i * 13);
    }
    put(image, 0, 0x57465353 | 1ull << 32);
    put(image, 8, image.size() | std::uint64_t{crc(image.data() + 64, image.size() - 64)} << 32);
    put(image, 16, HAL_ABI_VERSION);
    std::memcpy(image.data() + 20, "3.14    ", 8);
    const std::uint32_t head = crc(image.data(), 60);
    std::memcpy(image.data() + 60, &head, 4);
    const auto download = [&](std::size_t at, std::size_t size) {
        bytes piece(image.begin() + static_cast<std::ptrdiff_t>(at),
                    image.begin() + static_cast<std::ptrdiff_t>(at + size));
        return b.status(0,
                        command(NVME_ADMIN_FW_DOWNLOAD, static_cast<std::uint32_t>(size / 4 - 1),
                                static_cast<std::uint32_t>(at / 4)),
                        &piece);
    };
    const auto commit = [&](std::uint32_t action, std::uint32_t slot) {
        return b.status(0, command(NVME_ADMIN_FW_COMMIT, action << 3 | slot));
    };
    CHECK(commit(1, 2) == (NVME_SC_INVALID_FIRMWARE_IMAGE | dnr));
    REQUIRE(download(0, 65536) == 0);
    CHECK(download(32768, 4096) == (NVME_SC_OVERLAPPING_RANGE | dnr));
    CHECK(download(65540, 4096) == invalid_field);
    REQUIRE(download(65536, 34464) == 0);
    CHECK(commit(1, 1) == (NVME_SC_INVALID_FIRMWARE_SLOT | dnr));
    CHECK(commit(4, 2) == invalid_field);
    REQUIRE(commit(1, 2) == 0);
    CHECK(b.log_page(NVME_LOG_FIRMWARE_SLOT, 512)[0] == (1 | 2 << 4));
    CHECK(std::memcmp(b.identify(1).data() + 64, "0.1     ", 8) == 0);
    b.power_cycle();
    CHECK(b.log_page(NVME_LOG_FIRMWARE_SLOT, 512)[0] == 2);
    CHECK(std::memcmp(b.identify(1).data() + 64, "3.14    ", 8) == 0);
    image[50000] ^= 1;
    REQUIRE(download(0, 65536) == 0);
    REQUIRE(download(65536, 34464) == 0);
    CHECK(commit(1, 3) == (NVME_SC_INVALID_FIRMWARE_IMAGE | dnr));
}

} // namespace ssdvp::test
