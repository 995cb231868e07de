// SPDX-License-Identifier: Apache-2.0
//
// Namespaces, Format NVM, and the commands that read without sending data. NVM Express base 1.4
// sections 5.19, 5.20, 5.23 and 6; Copy: NVM command set 1.0 section 3.2.
#include <cstring>

#include "models/regs/choices/cache_policy.h"
#include "tests/firmware/flash_reader.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::nvme_namespace_test {
namespace {

using bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t everything = 0xFFFFFFFF;

host_completion create(drive& d, std::uint64_t blocks, std::uint32_t format,
                       std::uint64_t capacity = 0)
{
    bytes data(4096);
    put(data, 0, blocks);
    put(data, 8, capacity != 0 ? capacity : blocks);
    data[26] = static_cast<std::uint8_t>(format);
    return d.nand.execute(0, admin(NVME_ADMIN_NS_MANAGEMENT, 0), &data);
}

std::uint16_t remove(drive& d, std::uint32_t nsid)
{
    nvme_sqe q = admin(NVME_ADMIN_NS_MANAGEMENT, 1);
    q.nsid = nsid;
    return d.nand.execute(0, q).status;
}

std::uint16_t attach(drive& d, std::uint32_t nsid, bool on, std::uint16_t controller = 1)
{
    bytes data(4096);
    put(data, 0, 1 | controller << 16);
    nvme_sqe q = admin(NVME_ADMIN_NS_ATTACHMENT, on ? 0 : 1);
    q.nsid = nsid;
    return d.nand.execute(0, q, &data).status;
}

std::uint16_t format(drive& d, std::uint32_t nsid, std::uint32_t dword10)
{
    nvme_sqe q = admin(NVME_ADMIN_FORMAT, dword10);
    q.nsid = nsid;
    return d.nand.execute(0, q).status;
}

bytes identified(drive& d, std::uint32_t cns, std::uint32_t nsid)
{
    bytes page(4096);
    REQUIRE(d.nand.execute(0, identify(cns, nsid), &page).status == 0);
    return page;
}

bytes pattern(std::uint32_t size, std::uint32_t seed)
{
    bytes data(size);
    for (std::uint32_t i = 0; i < size; ++i) {
        data[i] = static_cast<std::uint8_t>((i / 512 * 37 + i % 512 * 11 + seed) ^ (i >> 3));
    }
    return data;
}

struct block {
    std::uint32_t nsid;
    std::uint64_t lba;
    std::uint32_t size = 512;
};

/// Blocks of a namespace from `at` on.
std::uint16_t access(drive& d, std::uint8_t opcode, const block& at, bytes& data)
{
    nvme_sqe q = io(opcode, at.lba, static_cast<std::uint32_t>(data.size() / at.size));
    q.nsid = at.nsid;
    return d.nand.execute(1, q, &data).status;
}

ram_config full_drive()
{
    ram_config c = tiny_drive();
    c.params.host.data_mode = 2; // every byte counts
    return c;
}

constexpr std::uint64_t all = 17 * 128 * 8; // sectors of the drive

} // namespace

TEST_CASE("namespaces: create, attach, lists, capacity, delete")
{
    drive d(full_drive());
    CHECK(get(identified(d, 1, 0), 280, 8) == all * 512);
    CHECK(get(identified(d, 1, 0), 296, 8) == 0);
    CHECK(create(d, 8, 0).status == (NVME_SC_NAMESPACE_CAPACITY | dnr));
    CHECK(remove(d, 2) == invalid_field); // not allocated
    CHECK(remove(d, 17) == (NVME_SC_INVALID_NAMESPACE | dnr));
    REQUIRE(remove(d, 1) == 0);
    CHECK(get(identified(d, 1, 0), 296, 8) == all * 512);
    CHECK(get(identified(d, 2, 0), 0, 4) == 0);

    host_completion c = create(d, 1000, 0);
    REQUIRE(c.status == 0);
    CHECK(c.dw0 == 1);
    c = create(d, 100, 1); // of 4 KiB
    REQUIRE(c.status == 0);
    CHECK(c.dw0 == 2);
    CHECK(create(d, 0, 0).status == invalid_field);
    CHECK(create(d, 8, 0, 16).status == invalid_field); // NCAP > NSZE
    CHECK(create(d, 16, 0, 8).status == (NVME_SC_NOT_THIN_PROVISIONED | dnr));
    CHECK(create(d, 16, 8).status == (NVME_SC_INVALID_FORMAT | dnr));
    CHECK(create(d, all, 0).status == (NVME_SC_NAMESPACE_CAPACITY | dnr));
    CHECK(create(d, ~0ull, 1).status == (NVME_SC_NAMESPACE_CAPACITY | dnr));
    CHECK(get(identified(d, 1, 0), 296, 8) == (all - 1000 - 800) * 512);
    // Allocated, inactive.
    CHECK(get(identified(d, 2, 0), 0, 4) == 0);
    CHECK(get(identified(d, 0x10, 0), 0, 8) == (1 | 2ull << 32));
    CHECK(get(identified(d, 0x10, 1), 0, 8) == 2);
    CHECK(identified(d, 0, 1) == bytes(4096));
    CHECK(get(identified(d, 0x11, 2), 0, 8) == 100);
    CHECK(get(identified(d, 0x11, 2), 48, 8) == 100 * 4096);
    CHECK(identified(d, 0x11, 2)[26] == 1);
    CHECK(get(identified(d, 0x12, 2), 0, 2) == 0);
    CHECK(get(identified(d, 0x13, 0), 0, 4) == (1 | 1 << 16));
    d.create_queues();
    bytes data(4096);
    CHECK(access(d, NVME_IO_READ, {2, 0, 4096}, data) == invalid_field);
    CHECK(attach(d, 3, true) == invalid_field);
    CHECK(attach(d, 0, true) == (NVME_SC_INVALID_NAMESPACE | dnr));
    CHECK(attach(d, 2, true, 2) == (NVME_SC_CONTROLLER_LIST_INVALID | dnr));
    CHECK(attach(d, 2, false) == (NVME_SC_NAMESPACE_NOT_ATTACHED | dnr));
    REQUIRE(attach(d, 2, true) == 0);
    CHECK(attach(d, 2, true) == (NVME_SC_NAMESPACE_ATTACHED | dnr));
    CHECK(get(identified(d, 0x12, 2), 0, 4) == (1 | 1 << 16));
    CHECK(get(identified(d, 2, 0), 0, 8) == 2);
    CHECK(access(d, NVME_IO_READ, {2, 0, 4096}, data) == 0);
    CHECK(data == bytes(4096));
    CHECK(access(d, NVME_IO_READ, {2, 99, 4096}, data) == 0);
    CHECK(access(d, NVME_IO_READ, {2, 100, 4096}, data) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    const bytes descriptors = identified(d, 3, 2);
    CHECK(get(descriptors, 0, 2) == 0x0801);
    CHECK(get(descriptors, 12, 2) == 0x1002);
    CHECK(std::memcmp(descriptors.data() + 4, identified(d, 0, 2).data() + 120, 8) == 0);
    bytes page(4096);
    CHECK(d.nand.execute(0, identify(3, 1), &page).status == (NVME_SC_INVALID_NAMESPACE | dnr));
    REQUIRE(remove(d, everything) == 0);
    CHECK(get(identified(d, 0x10, 0), 0, 4) == 0);
    CHECK(get(identified(d, 1, 0), 296, 8) == all * 512);
    d.check_rules();
}

TEST_CASE("sixteen namespaces, and no seventeenth")
{
    drive d(full_drive());
    REQUIRE(remove(d, 1) == 0);
    for (std::uint32_t i = 1; i <= 16; ++i) {
        REQUIRE(create(d, 8, 0).dw0 == i);
    }
    CHECK(create(d, 8, 0).status == (NVME_SC_NAMESPACE_IDENTIFIER | dnr));
    REQUIRE(remove(d, 7) == 0);
    CHECK(create(d, 16, 0).dw0 == 7); // elsewhere: the gap is too small
    d.check_rules();
}

TEST_CASE("namespaces keep to themselves, through power cuts too")
{
    drive d(full_drive());
    REQUIRE(remove(d, 1) == 0);
    REQUIRE(create(d, 1000, 0).status == 0);
    REQUIRE(create(d, 100, 1).status == 0);
    REQUIRE(create(d, 333, 0).status == 0); // ends within a unit: it gets all of it
    for (std::uint32_t i = 1; i <= 3; ++i) {
        REQUIRE(attach(d, i, true) == 0);
    }
    const std::uint32_t size[] = {512, 4096, 512};
    const std::uint64_t last[] = {999, 99, 335};
    d.create_queues();
    const auto write = [&] {
        for (std::uint32_t i = 0; i < 3; ++i) {
            for (const std::uint64_t lba : {std::uint64_t{0}, last[i]}) {
                bytes data = pattern(size[i], i * 2 + (lba != 0));
                REQUIRE(access(d, NVME_IO_WRITE, {i + 1, lba, size[i]}, data) == 0);
            }
        }
        nvme_sqe flush = io(NVME_IO_FLUSH, 0, 1);
        flush.nsid = everything;
        REQUIRE(d.nand.execute(1, flush).status == 0);
    };
    const auto check = [&] {
        for (std::uint32_t i = 0; i < 3; ++i) {
            for (const std::uint64_t lba : {std::uint64_t{0}, last[i]}) {
                bytes data(size[i]);
                REQUIRE(access(d, NVME_IO_READ, {i + 1, lba, size[i]}, data) == 0);
                CHECK(data == pattern(size[i], i * 2 + (lba != 0)));
            }
            bytes data(size[i]);
            CHECK(access(d, NVME_IO_READ, {i + 1, last[i] + 1, size[i]}, data) ==
                  (NVME_SC_LBA_OUT_OF_RANGE | dnr));
        }
    };
    write();
    check();
    restart(d);
    d.create_queues();
    check();
    // One that is deleted leaves nothing to the next one at its place.
    REQUIRE(remove(d, 1) == 0);
    restart(d);
    CHECK(get(identified(d, 0x10, 0), 0, 8) == (2 | 3ull << 32));
    REQUIRE(create(d, 1000, 0).dw0 == 1);
    REQUIRE(attach(d, 1, true) == 0);
    d.create_queues();
    bytes data(512, 0xEE);
    REQUIRE(access(d, NVME_IO_READ, {1, 999}, data) == 0);
    CHECK(data == bytes(512));
    write();
    check();
    shut_down(d);
    restart(d);
    d.create_queues();
    check();
    // A clean drive: the table goes to the flash before the command ends.
    shut_down(d);
    restart(d);
    REQUIRE(attach(d, 2, false) == 0);
    restart(d);
    CHECK(get(identified(d, 2, 0), 0, 8) == (1 | 3ull << 32));
    d.check_rules();
}

TEST_CASE("Format NVM: block sizes, errors, and nothing is left")
{
    drive d(full_drive());
    d.create_queues();
    bytes data = pattern(4096, 1);
    REQUIRE(access(d, NVME_IO_WRITE, {1, 8}, data) == 0);
    CHECK(format(d, 1, 8) == (NVME_SC_INVALID_FORMAT | dnr));
    CHECK(format(d, 1, 1 << 5) == (NVME_SC_INVALID_FORMAT | dnr)); // protection
    CHECK(format(d, 1, 2 << 9) == invalid_field);                  // cryptographic erase
    CHECK(format(d, 2, 0) == invalid_field);
    CHECK(format(d, 0, 0) == (NVME_SC_INVALID_NAMESPACE | dnr));
    REQUIRE(access(d, NVME_IO_READ, {1, 8}, data) == 0);
    CHECK(data == pattern(4096, 1));
    REQUIRE(format(d, 1, 1 << 9) == 0); // user data erase, same blocks
    REQUIRE(access(d, NVME_IO_READ, {1, 8}, data) == 0);
    CHECK(data == bytes(4096));
    REQUIRE(format(d, everything, 1) == 0);
    CHECK(get(identified(d, 0, 1), 0, 8) == all / 8);
    CHECK(identified(d, 0, 1)[26] == 1);
    CHECK(get(identified(d, 0, 1), 16, 8) == 0); // NUSE: nothing is left
    data = pattern(8192, 2);
    REQUIRE(access(d, NVME_IO_WRITE, {1, all / 8 - 2, 4096}, data) == 0);
    CHECK(access(d, NVME_IO_WRITE, {1, all / 8 - 1, 4096}, data) ==
          (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    bytes large(17 * 4096);
    CHECK(access(d, NVME_IO_READ, {1, 0, 4096}, large) == invalid_field); // 68 KiB, MDTS 64 KiB
    nvme_sqe flush = io(NVME_IO_FLUSH, 0, 1);
    REQUIRE(d.nand.execute(1, flush).status == 0);
    CHECK(get(identified(d, 0, 1), 16, 8) == 2);
    restart(d);
    d.create_queues();
    CHECK(get(identified(d, 0, 1), 0, 8) == all / 8);
    CHECK(get(identified(d, 0, 1), 16, 8) == 2);
    data = bytes(8192);
    REQUIRE(access(d, NVME_IO_READ, {1, all / 8 - 2, 4096}, data) == 0);
    CHECK(data == pattern(8192, 2));
    // Deallocate counts blocks of the namespace.
    nvme_sqe trim = io(NVME_IO_DSM, 0, 1);
    trim.cdw10 = 0;
    trim.cdw11 = NVME_DSM_DEALLOCATE;
    bytes range(16);
    put(range, 0, 1ull << 32);
    put(range, 8, all / 8 - 2);
    REQUIRE(d.nand.execute(1, trim, &range).status == 0);
    REQUIRE(access(d, NVME_IO_READ, {1, all / 8 - 2, 4096}, data) == 0);
    CHECK(std::memcmp(data.data() + 4096, pattern(8192, 2).data() + 4096, 4096) == 0);
    CHECK(bytes(data.begin(), data.begin() + 4096) == bytes(4096));
    put(range, 0, 2ull << 32);
    put(range, 8, all / 8 - 1);
    CHECK(d.nand.execute(1, trim, &range).status == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    d.check_rules();
}

TEST_CASE("a namespace that changes is told of, once per reading of its log")
{
    drive d(full_drive());
    ram_nand& n = d.nand;
    REQUIRE(set_feature(d, 0x0B, 0x100) == 0);
    const std::int64_t first = n.submit(0, admin(NVME_ADMIN_ASYNC_EVENT), nullptr);
    const std::int64_t second = n.submit(0, admin(NVME_ADMIN_ASYNC_EVENT), nullptr);
    bytes list(4096);
    put(list, 0, 1 | 1 << 16);
    const auto change = [&](std::uint32_t select) {
        nvme_sqe q = admin(NVME_ADMIN_NS_ATTACHMENT, select);
        q.nsid = 1;
        n.submit(0, q, &list);
        return completed(d);
    };
    auto done = change(1);
    REQUIRE(done.size() == 2);
    CHECK(done[first].dw0 == (2 | 4u << 16)); // notice, namespace attribute changed, log 04h
    CHECK(change(0).size() == 1);             // masked
    bytes page(4096);
    const nvme_sqe log = admin(NVME_ADMIN_GET_LOG_PAGE, NVME_LOG_CHANGED_NAMESPACES | 1023u << 16);
    n.submit(0, log, &page);
    done = completed(d); // what happened meanwhile
    REQUIRE(done.size() == 2);
    CHECK(done[second].status == 0);
    CHECK(get(page, 0, 8) == 1);
    CHECK(get(log_page(d, NVME_LOG_CHANGED_NAMESPACES, 4096), 0, 8) == 0);
}

TEST_CASE("reads and writes of a namespace under format are refused")
{
    ram_config c = full_drive();
    c.params.host.trim = 0; // zeroes are programmed, which takes its time
    drive d(c);
    d.create_queues();
    bytes data = pattern(65536, 3);
    for (std::uint64_t lba = 0; lba + 128 <= all; lba += 128) {
        REQUIRE(access(d, NVME_IO_WRITE, {1, lba}, data) == 0);
    }
    nvme_sqe q = admin(NVME_ADMIN_FORMAT, 1 << 9);
    q.nsid = 1;
    const std::int64_t f = d.nand.submit(0, q, nullptr);
    const std::int64_t again = d.nand.submit(0, q, nullptr);
    const std::int64_t read = d.nand.submit(1, io(NVME_IO_READ, 0, 8), &data);
    auto done = completed(d);
    CHECK(done[f].status == 0);
    CHECK(done[again].status == NVME_SC_FORMAT_IN_PROGRESS);
    CHECK(done[read].status == NVME_SC_FORMAT_IN_PROGRESS);
    CHECK(access(d, NVME_IO_READ, {1, 0}, data) == 0);
    CHECK(data == bytes(65536));
    d.check_identities();
    d.check_rules();
}

TEST_CASE("Compare: equal, different in one byte, buffered and on the flash")
{
    ram_config c = full_drive();
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    drive d(c);
    d.create_queues();
    bytes data = pattern(65536, 4);
    bytes other = data;
    REQUIRE(access(d, NVME_IO_WRITE, {1, 3}, data) == 0);
    for (int round = 0; round < 2; ++round) {
        CHECK(access(d, NVME_IO_COMPARE, {1, 3}, data) == 0);
        for (const std::size_t at : {0u, 511u, 40000u, 65535u}) {
            other[at] ^= 0x10;
            CHECK(access(d, NVME_IO_COMPARE, {1, 3}, other) == NVME_SC_COMPARE_FAILURE);
            other[at] ^= 0x10;
        }
        bytes zero(1024);
        CHECK(access(d, NVME_IO_COMPARE, {1, 4000}, zero) == 0); // never written
        REQUIRE(d.nand.execute(1, io(NVME_IO_FLUSH, 0, 1)).status == 0);
        d.nand.settle();
    }
    CHECK(access(d, NVME_IO_COMPARE, {1, all}, data) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    // Several at once take turns.
    std::vector<bytes> buffers(8, data);
    for (std::size_t i = 1; i < 8; i += 2) {
        buffers[i][i * 1000] ^= 1;
    }
    std::map<std::int64_t, std::size_t> which;
    for (std::size_t i = 0; i < 8; ++i) {
        which[d.nand.submit(1, io(NVME_IO_COMPARE, 3, 128), &buffers[i])] = i;
    }
    d.nand.settle();
    unsigned seen = 0;
    for (host_completion done; d.nand.completion(done); ++seen) {
        CHECK(done.status == (which[done.id] % 2 != 0 ? NVME_SC_COMPARE_FAILURE : 0));
    }
    CHECK(seen == 8);
    CHECK(d.nand.free_slots() == 32);
    d.check_rules();
}

TEST_CASE("Copy: ranges, errors, as a write")
{
    ram_config c = full_drive();
    c.params.cache.policy = GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    drive d(c);
    d.create_queues();
    bytes data = pattern(32768, 5);
    REQUIRE(access(d, NVME_IO_WRITE, {1, 100}, data) == 0);
    const auto copy = [&](std::uint64_t to, std::uint32_t dword12,
                          const std::vector<std::pair<std::uint64_t, std::uint32_t>>& from) {
        bytes list = copy_ranges(from);
        nvme_sqe q = io(NVME_IO_COPY, to, 1);
        q.cdw12 = static_cast<std::uint32_t>(from.size() - 1) | dword12;
        return d.nand.execute(1, q, &list).status;
    };
    const std::uint32_t fua = GENERATE(0u, 1u << 30);
    REQUIRE(copy(1003, fua, {{100, 5}, {120, 1}, {110, 8}, {5000, 2}}) == 0);
    bytes read(16 * 512);
    REQUIRE(access(d, NVME_IO_READ, {1, 1003}, read) == 0);
    bytes expected(16 * 512);
    std::memcpy(expected.data(), data.data(), 5 * 512);
    std::memcpy(expected.data() + 5 * 512, data.data() + 20 * 512, 512);
    std::memcpy(expected.data() + 6 * 512, data.data() + 10 * 512, 8 * 512);
    CHECK(read == expected);
    REQUIRE(copy(100, 0, {{104, 8}}) == 0); // onto itself, in part
    read.resize(8 * 512);
    REQUIRE(access(d, NVME_IO_READ, {1, 100}, read) == 0);
    CHECK(std::memcmp(read.data(), data.data() + 4 * 512, read.size()) == 0);
    CHECK(copy(0, 1 << 8, {{0, 1}}) == invalid_field); // format 1
    CHECK(copy(0, 0, {{all - 1, 2}}) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    CHECK(copy(all - 1, 0, {{0, 2}}) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    CHECK(copy(0, 0, {{0, 128}, {500, 1}}) == (NVME_SC_COPY_SIZE_LIMIT | dnr)); // MCL 128
    CHECK(copy(2000, 0, {{0, 128}}) == 0);
    CHECK(copy(0, 0, std::vector<std::pair<std::uint64_t, std::uint32_t>>(17, {0, 1})) ==
          (NVME_SC_COPY_SIZE_LIMIT | dnr)); // MSRC 16
    REQUIRE(copy(3000, 0, std::vector<std::pair<std::uint64_t, std::uint32_t>>(16, {100, 1})) == 0);
    CHECK(d.nand.free_slots() == 32);
    d.check_rules();
}

TEST_CASE("Write Uncorrectable spoils blocks until they are written, Verify finds them")
{
    drive d(full_drive());
    d.create_queues();
    bytes data = pattern(8192, 6);
    bytes one(512);
    const auto verify = [&](std::uint64_t lba, std::uint32_t n) {
        return d.nand.execute(1, io(NVME_IO_VERIFY, lba, n)).status;
    };
    REQUIRE(access(d, NVME_IO_WRITE, {1, 0}, data) == 0);
    CHECK(verify(0, 16) == 0);
    CHECK(verify(all - 1, 2) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    REQUIRE(d.nand.execute(1, io(NVME_IO_WRITE_UNCORRECTABLE, 3, 6)).status == 0);
    const auto check = [&](std::uint64_t lba, bool bad) {
        INFO("sector " << lba);
        CHECK(access(d, NVME_IO_READ, {1, lba}, one) == (bad ? NVME_SC_UNRECOVERED_READ_ERROR : 0));
        CHECK(verify(lba, 1) == (bad ? NVME_SC_UNRECOVERED_READ_ERROR : 0));
        CHECK(access(d, NVME_IO_COMPARE, {1, lba}, one) ==
              (bad ? NVME_SC_UNRECOVERED_READ_ERROR : 0));
    };
    for (std::uint64_t lba = 0; lba < 12; ++lba) {
        check(lba, lba >= 3 && lba < 9);
    }
    restart(d); // it lasts
    d.create_queues();
    bytes fresh = pattern(1024, 7);
    REQUIRE(access(d, NVME_IO_WRITE, {1, 5}, fresh) == 0); // in the middle
    REQUIRE(d.nand.execute(1, io(NVME_IO_FLUSH, 0, 1)).status == 0);
    restart(d);
    d.create_queues();
    for (std::uint64_t lba = 2; lba < 10; ++lba) {
        check(lba, lba == 3 || lba == 4 || lba == 7 || lba == 8);
    }
    REQUIRE(access(d, NVME_IO_READ, {1, 6}, one) == 0);
    CHECK(std::memcmp(one.data(), fresh.data() + 512, 512) == 0);
    REQUIRE(d.nand.execute(1, io(NVME_IO_WRITE_ZEROES, 0, 8)).status == 0);
    check(7, false);
    check(8, true);
    nvme_sqe trim = io(NVME_IO_DSM, 0, 1);
    trim.cdw10 = 0;
    trim.cdw11 = NVME_DSM_DEALLOCATE;
    bytes range(16);
    put(range, 0, 8ull << 32);
    put(range, 8, 8);
    REQUIRE(d.nand.execute(1, trim, &range).status == 0);
    check(8, false);
    // The table has 32 ranges; what is over is refused, and not done.
    for (std::uint64_t i = 0; i < 32; ++i) {
        REQUIRE(d.nand.execute(1, io(NVME_IO_WRITE_UNCORRECTABLE, 100 + 2 * i, 1)).status == 0);
    }
    CHECK(d.nand.execute(1, io(NVME_IO_WRITE_UNCORRECTABLE, 500, 1)).status ==
          NVME_SC_INTERNAL_ERROR);
    check(500, false);
    check(100 + 62, true);
    d.check_rules();
}

} // namespace ssdvp::test::nvme_namespace_test
