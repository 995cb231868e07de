// SPDX-License-Identifier: Apache-2.0
//
// The host memory buffer on a whole drive: NVM Express base 1.4 sections 5.15.2.2 (Identify),
// 5.21.1.13 (feature 0Dh), 8.9.
#include <algorithm>

#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test::conformance_host_memory_test {

namespace {

constexpr std::uint16_t invalid_field = conformance_bench::invalid_field;
constexpr std::uint16_t sequence_error = NVME_SC_COMMAND_SEQUENCE | conformance_bench::dnr;
constexpr std::uint32_t feature = 0x0D, enabled = 1, returned = 2;
constexpr std::uint64_t page = 4096;

const std::vector<std::string> lends = {"ftl.scheme=dftl",          "ftl.map_memory=hmb",
                                        "ftl.map_cache=64KiB",      "ftl.hmb.minimum=16KiB",
                                        "ftl.hmb.preferred=128KiB", "data=full"};

using descriptors = std::vector<nvme_host_descriptor>;

/// A list in host memory, `skew` bytes into its page.
std::uint64_t list_of(conformance_bench& b, const descriptors& d, std::uint64_t skew = 0)
{
    const std::uint64_t list = b.allocate(page) + skew;
    std::memcpy(b.host(list), d.data(), d.size() * sizeof d[0]);
    return list;
}

nvme_sqe lending(std::uint64_t list, std::uint32_t size, std::uint32_t entries,
                 std::uint32_t dword11 = enabled)
{
    nvme_sqe q = command(NVME_ADMIN_SET_FEATURES, feature, dword11);
    q.cdw12 = size;
    q.cdw13 = static_cast<std::uint32_t>(list);
    q.cdw14 = static_cast<std::uint32_t>(list >> 32);
    q.cdw15 = entries;
    return q;
}

std::uint16_t lend(conformance_bench& b, const descriptors& d)
{
    std::uint32_t size = 0;
    for (const nvme_host_descriptor& one : d) {
        size += one.pages;
    }
    return b.status(0, lending(list_of(b, d), size, static_cast<std::uint32_t>(d.size())));
}

std::uint16_t take_back(conformance_bench& b)
{
    return b.set_feature(feature, 0);
}

/// Dword 0 of Get Features, and its data.
std::uint32_t attributes(conformance_bench& b, bytes& data)
{
    data.assign(page, 0xEE);
    const nvme_cqe cqe = b.execute(0, command(NVME_ADMIN_GET_FEATURES, feature), &data);
    REQUIRE(cqe.status >> 1 == 0);
    return cqe.dw0;
}

std::uint64_t map_pages(const conformance_bench& b)
{
    return (b.sectors() / 8 + 1023) / 1024; // entries of 4 bytes
}

/// That the drive can make use of.
std::uint64_t lent_pages(conformance_bench& b)
{
    return b.drive().firmware_telemetry().hmb.pages;
}

} // namespace

TEST_CASE("host memory: Identify asks for it")
{
    conformance_bench b(lends);
    b.enable();
    const bytes id = b.identify(1);
    CHECK(get(id, 272, 4) == std::min<std::uint64_t>(32, map_pages(b))); // HMPRE
    CHECK(get(id, 276, 4) == 4);                                         // HMMIN
    CHECK(get(id, 332, 4) == 1);                                         // HMMINDS: a map page
    CHECK(get(id, 336, 2) == 32);                                        // HMMAXD
}

TEST_CASE("host memory: a drive that has its map in DRAM knows no such feature")
{
    conformance_bench b({"ftl.scheme=dftl"});
    b.enable();
    const bytes id = b.identify(1);
    CHECK(get(id, 272, 8) == 0);
    CHECK(get(id, 332, 6) == 0);
    CHECK(take_back(b) == invalid_field);
    CHECK(b.get_feature(feature).status >> 1 == invalid_field);
}

TEST_CASE("host memory: Set Features lends it, Get Features tells it, a reset takes it back")
{
    conformance_bench b(lends);
    b.enable();
    const std::uint64_t first = b.allocate(2 * page), second = b.allocate(6 * page);
    const descriptors d = {{first, 2, 0}, {second, 6, 0}};
    const std::uint64_t list = list_of(b, d, 16);
    bytes data;
    CHECK(attributes(b, data) == 0);
    CHECK(get(data, 0, 8) == 0);
    REQUIRE(b.status(0, lending(list, 8, 2)) == 0);
    CHECK(lent_pages(b) == std::min<std::uint64_t>(8, map_pages(b)));
    CHECK(attributes(b, data) == enabled);
    CHECK(get(data, 0, 4) == 8);
    CHECK(get(data, 4, 4) == (list & 0xFFFFFFFF));
    CHECK(get(data, 8, 4) == list >> 32);
    CHECK(get(data, 12, 4) == 2);
    CHECK(bytes(data.begin() + 16, data.end()) == bytes(page - 16, 0));

    CHECK(b.status(0, lending(list, 8, 2)) == sequence_error); // it is enabled
    CHECK(lent_pages(b) == std::min<std::uint64_t>(8, map_pages(b)));
    CHECK(take_back(b) == 0);
    CHECK(take_back(b) == 0); // it has none: nothing to do
    CHECK(lent_pages(b) == 0);
    CHECK(attributes(b, data) == 0);
    REQUIRE(b.status(0, lending(list, 8, 2, enabled | returned)) == 0);
    CHECK(attributes(b, data) == (enabled | returned));
    b.disable();
    b.enable();
    CHECK(lent_pages(b) == 0);
    CHECK(attributes(b, data) == 0);
}

TEST_CASE("host memory: what is wrong with a list, and with the command")
{
    conformance_bench b(lends);
    b.enable();
    const std::uint64_t at = b.allocate(64 * page);
    const std::uint64_t list = list_of(b, {{at, 8, 0}});
    CHECK(b.status(0, lending(list, 3, 1)) == invalid_field); // below HMMIN
    CHECK(b.status(0, lending(list, 8, 0)) == invalid_field);
    CHECK(b.status(0, lending(list + 8, 8, 1)) == invalid_field); // not a multiple of 16
    CHECK(b.status(0, lending(list, 9, 1)) == invalid_field);     // HSIZE is not the sum
    CHECK(lend(b, {{at + 512, 8, 0}}) == invalid_field);
    CHECK(lend(b, {{at, 8, 0}, {at + 8 * page, 0, 0}}) == invalid_field);
    CHECK(lend(b, {{at, 8, 0}, {at + 7 * page, 4, 0}}) == invalid_field); // a page twice
    CHECK(lend(b, {{at + 8 * page, 8, 0}, {at, 9, 0}}) == invalid_field);
    CHECK(lend(b, {{0xFFFFFFFFFFFFF000, 8, 0}}) == invalid_field);
    nvme_sqe saves = lending(list, 8, 1);
    saves.cdw10 |= 1u << 31;
    CHECK(b.status(0, saves) == (NVME_SC_FEATURE_NOT_SAVEABLE | conformance_bench::dnr));
    CHECK(b.status(0, of(1, lending(list, 8, 1))) ==
          (NVME_SC_FEATURE_NOT_NAMESPACE | conformance_bench::dnr));
    CHECK(lent_pages(b) == 0);
    CHECK(lend(b, {{at, 8, 0}, {at + 8 * page, 8, 0}}) == 0); // side by side is not twice
    CHECK(take_back(b) == 0);
    descriptors many;
    for (std::uint64_t i = 0; i < 40; ++i) {
        many.push_back({at + i * page, 1, 0});
    }
    CHECK(lend(b, many) == 0); // those behind the 32nd are not used
    CHECK(take_back(b) == 0);
}

namespace {

/// A drive that has copies of its map in the host's memory.
struct lent_drive {
    static constexpr std::uint64_t units = 3000;

    conformance_bench b{lends};
    std::uint64_t pages = 0, at = 0; // where, in the host's memory

    lent_drive()
    {
        b.enable();
        b.create_queues(1, 64);
        pages = map_pages(b);
        at = b.allocate(pages * page);
        REQUIRE(lend(b, {{at, static_cast<std::uint32_t>(pages), 0}}) == 0);
        for (std::uint64_t i = 0; i < units; ++i) {
            bytes data = pattern(4096, static_cast<std::uint32_t>(i));
            REQUIRE(b.status(1, io(NVME_IO_WRITE, lba_of(i), 8), &data) == 0);
        }
    }
    /// A map page apart: each write needs another page, and the table cannot hold them all.
    std::uint64_t lba_of(std::uint64_t i) { return i * 1031 % (b.sectors() / 8) * 8; }
    [[nodiscard]] bool touched()
    {
        const bytes nothing(pages * page, 0);
        return std::memcmp(b.host(at), nothing.data(), nothing.size()) != 0;
    }
    void clear() { std::memset(b.host(at), 0, pages * page); }
    void read_back()
    {
        for (std::uint64_t i = 0; i < units; ++i) {
            bytes data(4096);
            REQUIRE(b.status(1, io(NVME_IO_READ, lba_of(i), 8), &data) == 0);
            REQUIRE(data == pattern(4096, static_cast<std::uint32_t>(i)));
        }
    }
};

} // namespace

TEST_CASE("host memory: copies of map pages lie there, and nowhere once it is taken back")
{
    lent_drive d;
    const telemetry lent = d.b.drive().firmware_telemetry();
    CHECK(lent.hmb.writes > 0);
    CHECK(lent.hmb.hits > 0);
    CHECK(lent.hmb.damaged == 0);
    CHECK(d.touched());

    REQUIRE(take_back(d.b) == 0);
    d.clear(); // the host's own business now
    d.read_back();
    CHECK_FALSE(d.touched());
    CHECK(d.b.drive().firmware_telemetry().hmb.hits == lent.hmb.hits);
}

TEST_CASE("host memory: a drive that is shut down has none")
{
    lent_drive d;
    d.b.shut_down();
    const telemetry shut = d.b.drive().firmware_telemetry();
    CHECK(shut.hmb.hits > 0);
    CHECK(shut.hmb.pages == 0);
    CHECK(d.touched());
    d.clear(); // the host's own business now
    d.b.run(100'000'000);
    d.b.disable();
    d.b.enable();
    d.b.create_queues(1, 64);
    d.read_back();
    CHECK_FALSE(d.touched());
    CHECK(d.b.drive().firmware_telemetry().hmb.hits == shut.hmb.hits);
}

} // namespace ssdvp::test::conformance_host_memory_test
