// SPDX-License-Identifier: Apache-2.0
//
// Namespaces with metadata and protection information on a whole drive: NVM Express base 1.4
// sections 5.23 (Format NVM), 6 (commands), 8.2 (metadata), 8.3 (protection).
#include <boost/crc.hpp>

#include "tests/models/nvme/conformance_bench.h"

namespace ssdvp::test::conformance_metadata_test {

namespace {

constexpr std::uint16_t dnr = conformance_bench::dnr;
constexpr std::uint16_t invalid_field = conformance_bench::invalid_field;
constexpr std::uint16_t invalid_format = NVME_SC_INVALID_FORMAT | dnr;
constexpr std::uint16_t invalid_protection = NVME_SC_INVALID_PROTECTION | dnr;
constexpr std::uint32_t act = 8u << NVME_PRINFO_SHIFT;
constexpr std::uint32_t guard = 4u << NVME_PRINFO_SHIFT;
constexpr std::uint32_t app = 2u << NVME_PRINFO_SHIFT;
constexpr std::uint32_t ref = 1u << NVME_PRINFO_SHIFT;
constexpr std::uint32_t all = guard | app | ref;

/// Formats: 2 to 4 are 512 bytes with 8, 16, 64 of metadata; 5 to 7 the same with 4096.
struct meta_bench : conformance_bench {
    explicit meta_bench(const std::vector<std::string>& sets = {}) : conformance_bench(sets)
    {
        enable();
        create_queues(1, 16);
        m_meta = allocate(65536);
    }
    /// dword 10 of Format NVM.
    std::uint16_t format(std::uint32_t dword10)
    {
        return status(0, of(1, command(NVME_ADMIN_FORMAT, dword10)));
    }
    /// Data at PRPs, metadata at MPTR, `offset` into its page.
    std::uint16_t with(nvme_sqe q, bytes* data, bytes* meta, std::uint32_t offset = 0)
    {
        if (meta != nullptr) {
            q.mptr = m_meta + offset;
            std::copy(meta->begin(), meta->end(), host(q.mptr));
        }
        const std::uint16_t s = status(1, q, data);
        if (meta != nullptr) {
            std::copy_n(host(q.mptr), meta->size(), meta->begin());
        }
        return s;
    }
    [[nodiscard]] std::uint64_t meta_address() const { return m_meta; }

private:
    std::uint64_t m_meta = 0;
};

nvme_sqe checked(nvme_sqe q, std::uint32_t prinfo, std::uint32_t reference = 0,
                 std::uint16_t application = 0, std::uint16_t mask = 0xFFFF)
{
    q.cdw12 |= prinfo;
    q.cdw14 = reference;
    q.cdw15 = application | std::uint32_t{mask} << 16;
    return q;
}

/// Protection information: where it is, and the tags of the first block.
struct tags {
    std::size_t block, each; // bytes of data, of metadata
    std::uint32_t reference;
    std::uint16_t application;
    bool first = false, counts = true;
};

bytes protection(const bytes& data, const tags& t)
{
    const auto [block, each, reference, application, first, counts] = t;
    bytes meta = pattern(data.size() / block * each, 77);
    for (std::size_t i = 0; i < data.size() / block; ++i) {
        std::uint8_t* const own = meta.data() + i * each;
        const std::size_t at = first ? 0 : each - 8;
        boost::crc_optimal<16, 0x8BB7, 0, 0, false, false> crc;
        crc.process_bytes(data.data() + i * block, block);
        crc.process_bytes(own, at);
        const std::uint32_t tag = reference + static_cast<std::uint32_t>(counts ? i : 0);
        const std::uint64_t value =
            std::uint64_t{crc.checksum()} << 48 | std::uint64_t{application} << 32 | tag;
        for (unsigned k = 0; k < 8; ++k) {
            own[at + k] = static_cast<std::uint8_t>(value >> (56 - 8 * k));
        }
    }
    return meta;
}

} // namespace

TEST_CASE("metadata: what Identify offers, and formats that there are not")
{
    meta_bench b;
    bytes ns = b.identify(0, 1);
    CHECK(ns[25] == 4); // units of 4 KiB hold a block of 512 bytes and its metadata, no larger one
    CHECK(ns[27] == 3);
    CHECK(ns[28] == 0x1F);
    CHECK(get(ns, 136, 4) == (8 | 9u << 16));
    CHECK(get(ns, 140, 4) == (16 | 9u << 16));
    CHECK(get(ns, 144, 4) == (64 | 9u << 16));
    CHECK(b.format(5) == invalid_format);
    CHECK(b.format(0 | 1 << 5) == invalid_format); // protection without metadata
    CHECK(b.format(2 | 4 << 5) == invalid_format); // type 4
    REQUIRE(b.format(3 | 1 << 4 | 2 << 5 | 1 << 8) == 0);
    ns = b.identify(0, 1);
    CHECK(get(ns, 0, 8) == b.sectors() / 2);
    CHECK(ns[26] == (3 | 0x10));
    CHECK(ns[29] == (2 | 8));
    REQUIRE(b.format(4) == 0);
    CHECK(b.identify(0, 1)[26] == 4);
    CHECK(b.identify(0, 1)[29] == 0);
    REQUIRE(b.format(0) == 0);
    CHECK(get(b.identify(0, 1), 0, 8) == b.sectors());
}

TEST_CASE("metadata: a namespace is made with them, beside one without")
{
    meta_bench b;
    REQUIRE(b.status(0, of(1, command(NVME_ADMIN_NS_MANAGEMENT, 1))) == 0);
    const auto create = [&](std::uint8_t flbas, std::uint8_t dps) {
        bytes data(4096);
        put(data, 0, 64);
        put(data, 8, 64);
        data[26] = flbas;
        data[29] = dps;
        return b.execute(0, command(NVME_ADMIN_NS_MANAGEMENT, 0), &data);
    };
    CHECK(create(5, 0).status >> 1 == invalid_format);
    CHECK(create(0, 1).status >> 1 == invalid_format);
    CHECK(create(2, 4).status >> 1 == invalid_format);
    CHECK(create(2, 0x11).status >> 1 == invalid_format);
    CHECK(create(0x22, 0).status >> 1 == invalid_format);
    REQUIRE(create(2, 1).dw0 == 1);
    REQUIRE(create(0, 0).dw0 == 2);
    for (std::uint32_t nsid = 1; nsid <= 2; ++nsid) {
        bytes list(4096);
        put(list, 0, 1 | 1 << 16);
        REQUIRE(b.status(0, of(nsid, command(NVME_ADMIN_NS_ATTACHMENT, 0)), &list) == 0);
    }
    CHECK(get(b.identify(0, 1), 48, 8) == 128 * 512);
    bytes plain = pattern(64 * 512, 2);
    REQUIRE(b.status(1, of(2, io(NVME_IO_WRITE, 0, 64)), &plain) == 0);
    bytes data = pattern(64 * 512, 1);
    bytes meta = protection(data, {512, 8, 0, 5});
    REQUIRE(b.with(checked(io(NVME_IO_WRITE, 0, 64), all, 0, 5), &data, &meta) == 0);
    CHECK(b.with(io(NVME_IO_WRITE, 1, 64), &data, &meta) == (NVME_SC_LBA_OUT_OF_RANGE | dnr));
    bytes got(64 * 512), got_meta(64 * 8);
    REQUIRE(b.with(checked(io(NVME_IO_READ, 0, 64), all, 0, 5), &got, &got_meta) == 0);
    CHECK(got == pattern(64 * 512, 1));
    CHECK(got_meta == meta);
    REQUIRE(b.status(1, of(2, io(NVME_IO_READ, 0, 64)), &got) == 0);
    CHECK(got == pattern(64 * 512, 2));
}

TEST_CASE(
    "metadata at MPTR: any blocks, any dword, across pages, by SGL, there after power was lost")
{
    meta_bench b;
    REQUIRE(b.format(4) == 0);
    bytes data(128 * 512), meta(128 * 64);
    REQUIRE(b.with(io(NVME_IO_READ, 0, 128), &data, &meta) == 0);
    CHECK(data == bytes(data.size())); // never written: zeroes
    CHECK(meta == bytes(meta.size()));
    data = pattern(256 * 512, 1); // all of MDTS: in several runs
    meta = pattern(256 * 64, 2);
    REQUIRE(b.with(io(NVME_IO_WRITE, 3, 256), &data, &meta, 4092) == 0);
    CHECK(b.with(io(NVME_IO_WRITE, 3, 257), &data, &meta) == invalid_field);
    CHECK(b.with(io(NVME_IO_WRITE, 3, 1), nullptr, &meta, 2) == NVME_SC_INVALID_FIELD);
    // One block in the middle; its neighbours keep theirs.
    bytes one = pattern(512, 9), one_meta = pattern(64, 8);
    REQUIRE(b.with(io(NVME_IO_WRITE, 100, 1), &one, &one_meta) == 0);
    std::copy(one.begin(), one.end(), data.begin() + 97 * 512);
    std::copy(one_meta.begin(), one_meta.end(), meta.begin() + 97 * 64);
    bytes got(256 * 512), got_meta(256 * 64);
    REQUIRE(b.with(io(NVME_IO_READ, 3, 256), &got, &got_meta, 8188) == 0);
    CHECK(got == data);
    CHECK(got_meta == meta);
    // PSDT 10b: MPTR is the address of an SGL; its segment has two blocks of odd lengths.
    nvme_sqe q = io(NVME_IO_READ, 3, 2);
    const std::uint64_t at = b.meta_address() + 32768;
    nvme_sgl list[3] = {{at + 512, 48, {}, NVME_SGL_LAST_SEGMENT << 4},
                        {at + 1001, 57, {}, 0},
                        {at + 2003, 71, {}, 0}};
    std::memcpy(b.host(at), list, 16);
    std::memcpy(b.host(at + 512), list + 1, 32);
    list[0].length = 32;
    std::memcpy(b.host(at), list, 16);
    q.prp1 = b.data_address();
    q.prp2 = 1024; // one data block
    q.flags = NVME_PSDT_SGL_MPTR << NVME_PSDT_SHIFT;
    q.mptr = at;
    REQUIRE(b.status(1, q) == 0);
    CHECK(std::memcmp(b.host(at + 1001), meta.data(), 57) == 0);
    CHECK(std::memcmp(b.host(at + 2003), meta.data() + 57, 71) == 0);
    list[2].length = 70;
    std::memcpy(b.host(at + 512), list + 1, 32);
    CHECK(b.status(1, q) == NVME_SC_METADATA_SGL_LENGTH_INVALID);
    REQUIRE(b.status(1, io(NVME_IO_FLUSH, 0, 1)) == 0);
    b.power_cycle();
    b.create_queues(1, 16);
    REQUIRE(b.with(io(NVME_IO_READ, 3, 256), &got, &got_meta) == 0);
    CHECK(got == data);
    CHECK(got_meta == meta);
}

TEST_CASE("metadata behind the data of each block")
{
    meta_bench b;
    REQUIRE(b.format(3 | 1 << 4) == 0);
    bytes data = pattern(40 * 528, 3);
    REQUIRE(b.status(1, io(NVME_IO_WRITE, 1, 40), &data) == 0);
    bytes got(40 * 528);
    REQUIRE(b.status(1, io(NVME_IO_READ, 1, 40), &got) == 0);
    CHECK(got == data);
    REQUIRE(b.status(1, io(NVME_IO_COMPARE, 1, 40), &data) == 0);
    data[528 * 7 + 520] ^= 1; // of metadata
    CHECK(b.status(1, io(NVME_IO_COMPARE, 1, 40), &data) == NVME_SC_COMPARE_FAILURE);
    // MDTS counts them: 248 blocks of 528 bytes are 128 KiB less 128 bytes.
    bytes most = pattern(248 * 528, 4);
    CHECK(b.status(1, io(NVME_IO_WRITE, 0, 248), &most) == 0);
    CHECK(b.status(1, io(NVME_IO_WRITE, 0, 249), &most) == invalid_field);
}

TEST_CASE("protection: a wrong guard, application or reference tag, of each type")
{
    meta_bench b;
    struct one_case {
        std::uint32_t type, first, each;
    };
    for (const one_case c : {one_case{1, 0, 8}, {1, 1, 16}, {2, 0, 16}, {3, 0, 8}}) {
        CAPTURE(c.type, c.first, c.each);
        REQUIRE(b.format((c.each == 8 ? 2 : 3) | c.type << 5 | c.first << 8) == 0);
        const std::uint64_t lba = 16;
        const std::uint32_t tag = c.type == 1 ? 16 : 0xFFFFFFF8; // goes round
        const std::uint32_t checks = c.type == 3 ? guard | app : all;
        const bytes data = pattern(16 * 512, 1);
        const bytes meta = protection(data, {512, c.each, tag, 0x1234, c.first != 0, c.type != 3});
        const auto write = [&](bytes d, bytes m, std::uint32_t prinfo) {
            return b.with(checked(io(NVME_IO_WRITE, lba, 16), prinfo, tag, 0x1234), &d, &m);
        };
        const auto read = [&](std::uint32_t prinfo, std::uint32_t reference, std::uint16_t own,
                              std::uint16_t mask) {
            bytes d(16 * 512), m(16 * c.each);
            return b.with(checked(io(NVME_IO_READ, lba, 16), prinfo, reference, own, mask), &d, &m);
        };
        CHECK(read(checks, tag, 0x1234, 0xFFFF) == 0); // never written: FFh, which is not checked
        bytes wrong = data;
        wrong[15 * 512 + 511] ^= 1;
        CHECK(write(wrong, meta, checks) == NVME_SC_GUARD_CHECK);
        wrong = meta;
        wrong[c.each * 4 + (c.first != 0 ? 0 : c.each - 8) + 3] ^= 1;
        CHECK(write(data, wrong, checks) == NVME_SC_APPLICATION_TAG_CHECK);
        wrong = meta;
        wrong[c.each * 4 + (c.first != 0 ? 0 : c.each - 8) + 7] ^= 1;
        CHECK(write(data, wrong, checks) == (c.type == 3 ? 0 : NVME_SC_REFERENCE_TAG_CHECK));
        REQUIRE(b.format((c.each == 8 ? 2 : 3) | c.type << 5 | c.first << 8) == 0);
        CHECK(write(wrong, meta, checks) != 0);
        bytes d(16 * 512, 1), m(16 * c.each, 1);
        REQUIRE(b.with(io(NVME_IO_READ, lba, 16), &d, &m) == 0); // nothing of them was written
        CHECK(d == bytes(d.size()));
        REQUIRE(write(data, meta, checks) == 0);
        CHECK(read(checks, tag, 0x1234, 0xFFFF) == 0);
        CHECK(read(checks, tag, 0x1274, 0xFFFF) == NVME_SC_APPLICATION_TAG_CHECK);
        CHECK(read(checks, tag, 0x1274, 0xFFBF) == 0); // the bit is masked
        CHECK(read(guard, tag, 0x1274, 0xFFFF) == 0);
        if (c.type == 3) {
            CHECK(read(ref, tag, 0x1234, 0xFFFF) == invalid_protection);
        } else {
            CHECK(read(checks, tag + 1, 0x1234, 0xFFFF) ==
                  (c.type == 1 ? invalid_protection : std::uint16_t{NVME_SC_REFERENCE_TAG_CHECK}));
        }
    }
}

TEST_CASE("protection: made by the controller, and left out")
{
    meta_bench b;
    REQUIRE(b.format(2 | 1 << 5) == 0);
    bytes data = pattern(256 * 512, 1);
    REQUIRE(b.with(checked(io(NVME_IO_WRITE, 8, 256), act, 8, 0xABCD), &data, nullptr) == 0);
    bytes got(256 * 512), meta(256 * 8);
    REQUIRE(b.with(checked(io(NVME_IO_READ, 8, 256), all, 8, 0xABCD), &got, &meta) == 0);
    CHECK(got == data);
    CHECK(meta == protection(data, {512, 8, 8, 0xABCD}));
    got.assign(got.size(), 0);
    REQUIRE(b.with(checked(io(NVME_IO_READ, 8, 256), act | all, 8, 0xABCD), &got, nullptr) == 0);
    CHECK(got == data);
    CHECK(b.with(checked(io(NVME_IO_READ, 8, 256), act | all, 8, 0xABCE), &got, nullptr) ==
          NVME_SC_APPLICATION_TAG_CHECK);
    // Zeroes: with it they are written, without they are as deallocated.
    REQUIRE(b.status(1, checked(io(NVME_IO_WRITE_ZEROES, 8, 100), act, 8, 7)) == 0);
    CHECK(b.status(1, checked(io(NVME_IO_WRITE_ZEROES, 8, 100), act | guard, 8, 7)) ==
          invalid_protection);
    bytes zero(100 * 512), zero_meta(100 * 8);
    REQUIRE(b.with(checked(io(NVME_IO_READ, 8, 100), all, 8, 7), &zero, &zero_meta) == 0);
    CHECK(zero == bytes(100 * 512));
    CHECK(zero_meta == protection(zero, {512, 8, 8, 7}));
    REQUIRE(b.status(1, io(NVME_IO_WRITE_ZEROES, 9, 50)) == 0);
    REQUIRE(b.with(checked(io(NVME_IO_READ, 9, 50), all, 9, 7), &zero, nullptr) != 0xFFFF);
    zero_meta.assign(50 * 8, 0);
    zero.assign(50 * 512, 1);
    REQUIRE(b.with(checked(io(NVME_IO_READ, 9, 50), all, 9, 7), &zero, &zero_meta) == 0);
    CHECK(zero == bytes(50 * 512));
    CHECK(zero_meta == bytes(50 * 8, 0xFF));
    // Metadata beside it stay the host's.
    REQUIRE(b.format(3 | 1 << 4 | 2 << 5) == 0);
    bytes both = pattern(4 * 528, 6);
    REQUIRE(b.status(1, checked(io(NVME_IO_WRITE, 0, 4), act, 1000, 3), &both) == 0);
    bytes back(4 * 528);
    REQUIRE(b.status(1, checked(io(NVME_IO_READ, 0, 4), act | all, 1000, 3), &back) == 0);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(std::memcmp(&back[i * 528], &both[i * 528], 520) == 0);
        CHECK(back[i * 528 + 527] == static_cast<std::uint8_t>(1000 + i));
        CHECK(std::memcmp(&back[i * 528 + 520], &both[i * 528 + 520], 8) != 0);
    }
}

TEST_CASE("protection: Compare, Verify, Copy, Dataset Management, Write Uncorrectable")
{
    meta_bench b;
    REQUIRE(b.format(3 | 1 << 5) == 0);
    const bytes data = pattern(64 * 512, 1);
    const bytes meta = protection(data, {512, 16, 32, 9});
    bytes d = data, m = meta;
    REQUIRE(b.with(checked(io(NVME_IO_WRITE, 32, 64), all, 32, 9), &d, &m) == 0);
    const auto compare = [&](std::uint32_t prinfo, std::uint16_t own) {
        return b.with(checked(io(NVME_IO_COMPARE, 32, 64), prinfo, 32, own), &d, &m);
    };
    CHECK(compare(all, 9) == 0);
    CHECK(compare(all, 8) == NVME_SC_APPLICATION_TAG_CHECK);
    CHECK(compare(act, 9) == invalid_protection);
    m[40 * 16 + 3] ^= 4;
    CHECK(compare(all, 9) == NVME_SC_COMPARE_FAILURE);
    m = meta;
    m[40 * 16 + 13] ^= 4; // protection information is checked, not compared
    CHECK(compare(all, 9) == 0);
    d[63 * 512] ^= 1;
    CHECK(compare(all, 9) == NVME_SC_COMPARE_FAILURE);
    CHECK(b.status(1, checked(io(NVME_IO_VERIFY, 32, 64), all, 32, 9)) == 0);
    CHECK(b.status(1, checked(io(NVME_IO_VERIFY, 0, 2000), all, 0, 9)) == 0);
    CHECK(b.status(1, checked(io(NVME_IO_VERIFY, 32, 64), all, 32, 1)) ==
          NVME_SC_APPLICATION_TAG_CHECK);

    // Copy: both halves, the other way round; reference tags follow the blocks.
    bytes ranges(64);
    nvme_copy_range r[2] = {{0, 64, 31, 0, 0, 64, 9, 0xFFFF}, {0, 32, 31, 0, 0, 32, 9, 0xFFFF}};
    const auto copy = [&](std::uint32_t reader, std::uint32_t writer, std::uint32_t tag) {
        std::memcpy(ranges.data(), r, sizeof r);
        nvme_sqe q = checked(of(1, command(NVME_IO_COPY, 200)), writer, tag, 11);
        q.cdw12 |= 1u | reader >> (NVME_PRINFO_SHIFT - NVME_PRINFO_SOURCE_SHIFT);
        return b.status(1, q, &ranges);
    };
    CHECK(copy(all, act, 200) == invalid_field);
    CHECK(copy(act | all, act | all, 201) == invalid_protection);
    r[1].application = 10;
    CHECK(copy(act | all, act, 200) == NVME_SC_APPLICATION_TAG_CHECK);
    r[1].application = 9;
    CHECK(copy(all, all, 200) == NVME_SC_APPLICATION_TAG_CHECK); // they have 9, not 11
    bytes got(64 * 512), got_meta(64 * 16);
    REQUIRE(b.with(io(NVME_IO_READ, 200, 64), &got, &got_meta) == 0);
    CHECK(got == bytes(64 * 512)); // nothing was written so far
    REQUIRE(copy(act | all, act, 200) == 0);
    REQUIRE(b.with(checked(io(NVME_IO_READ, 200, 64), all, 200, 11), &got, &got_meta) == 0);
    CHECK(std::memcmp(got.data(), data.data() + 32 * 512, 32 * 512) == 0);
    CHECK(std::memcmp(got.data() + 32 * 512, data.data(), 32 * 512) == 0);
    CHECK(std::memcmp(got_meta.data(), meta.data() + 32 * 16, 8) == 0);

    const nvme_dsm_range range = {0, 8, 40};
    bytes list(16);
    std::memcpy(list.data(), &range, 16);
    nvme_sqe q = of(1, command(NVME_IO_DSM, 0, NVME_DSM_DEALLOCATE));
    REQUIRE(b.status(1, q, &list) == 0);
    REQUIRE(b.with(checked(io(NVME_IO_READ, 32, 64), all, 32, 9), &got, &got_meta) == 0);
    for (std::size_t i = 0; i < 64; ++i) {
        const bool gone = i >= 8 && i < 16;
        CHECK((got_meta[i * 16 + 8] == 0xFF && got_meta[i * 16 + 15] == 0xFF) == gone);
    }
    REQUIRE(b.status(1, io(NVME_IO_WRITE_UNCORRECTABLE, 33, 1)) == 0);
    CHECK(b.with(io(NVME_IO_READ, 32, 4), &got, &got_meta) == NVME_SC_UNRECOVERED_READ_ERROR);
    CHECK(b.with(io(NVME_IO_READ, 34, 4), &got, &got_meta) == 0);
    REQUIRE(b.with(io(NVME_IO_READ, 32, 1), &got, &got_meta) == 0);
}

namespace {

void many_commands(meta_bench& b)
{
    REQUIRE(b.format(2 | 1 << 5) == 0);
    const auto submit = [&](std::uint8_t opcode, std::uint32_t i) {
        nvme_sqe q = checked(io(opcode, i * 8, 8), act | all, i * 8, 1);
        q.prp1 = b.data_address() + i * 4096;
        return b.submit(1, q, false);
    };
    for (std::uint32_t i = 0; i < 12; ++i) {
        const bytes data = pattern(4096, i);
        std::copy(data.begin(), data.end(), b.data() + i * 4096);
        submit(NVME_IO_WRITE, i);
    }
    b.ring(1);
    for (const auto& [cid, cqe] : b.completed(1)) {
        CHECK(cqe.status >> 1 == 0);
    }
    std::memset(b.data(), 0, 12 * 4096);
    for (std::uint32_t i = 0; i < 12; ++i) {
        submit(NVME_IO_READ, i);
    }
    b.ring(1);
    const auto done = b.completed(1);
    CHECK(done.size() == 12);
    for (std::uint32_t i = 0; i < 12; ++i) {
        const bytes data = pattern(4096, i);
        CHECK(std::equal(data.begin(), data.end(), b.data() + i * 4096));
        submit(NVME_IO_READ, i);
    }
    b.ring(1);
    b.run(3000); // some are staged, some wait
    b.disable();
    b.enable();
    b.create_queues(1, 16);
    std::memset(b.data(), 0, 12 * 4096);
    for (std::uint32_t i = 0; i < 12; ++i) {
        submit(NVME_IO_READ, i);
    }
    b.ring(1);
    CHECK(b.completed(1).size() == 12);
    for (std::uint32_t i = 0; i < 12; ++i) {
        const bytes data = pattern(4096, i);
        CHECK(std::equal(data.begin(), data.end(), b.data() + i * 4096));
    }
}

} // namespace

TEST_CASE("metadata: more commands than stagings, and a reset among them")
{
    meta_bench b;
    many_commands(b);
}

TEST_CASE("metadata: the same with three cores")
{
    meta_bench b({"cpu.cores=3", "cpu.roles=each_apart"});
    many_commands(b);
}

TEST_CASE("metadata: commands that wait for a staging while their namespace is formatted")
{
    meta_bench b({"host.nvme.queue_entries=128"});
    REQUIRE(b.status(0, of(1, command(NVME_ADMIN_NS_MANAGEMENT, 1))) == 0);
    bytes create(4096), list(4096);
    put(create, 0, 512); // sectors: a transfer of 256 blocks, formatted in no time
    put(create, 8, 512);
    create[26] = 2;
    REQUIRE(b.execute(0, command(NVME_ADMIN_NS_MANAGEMENT, 0), &create).dw0 == 1);
    put(list, 0, 1 | 1 << 16);
    REQUIRE(b.status(0, of(1, command(NVME_ADMIN_NS_ATTACHMENT, 0)), &list) == 0);
    b.create_queues(2, 128);
    const std::uint64_t prps = b.allocate(4096);
    for (std::uint64_t i = 1; i < 32; ++i) {
        const std::uint64_t page = b.data_address() + i * 4096;
        std::memcpy(b.host(prps + (i - 1) * 8), &page, 8);
    }
    std::size_t late = 0;
    for (std::uint64_t wait = 0; wait < 100000; wait += 25000) {
        for (unsigned i = 0; i < 120; ++i) {
            nvme_sqe q = io(i % 2 == 0 ? NVME_IO_WRITE : NVME_IO_COMPARE, 0, 256);
            q.prp1 = b.data_address();
            q.prp2 = prps;
            q.mptr = b.meta_address();
            b.submit(2, q, false);
        }
        b.ring(2);
        b.run(wait);
        // With metadata behind each block, 256 are more than a transfer.
        REQUIRE(b.format(2 | 1 << 4) == 0);
        for (const auto& [cid, cqe] : b.completed(2, 20000000)) {
            const unsigned status = cqe.status >> 1;
            late += status == NVME_SC_FORMAT_IN_PROGRESS ? 1 : 0;
            CHECK((status == 0 || status == NVME_SC_FORMAT_IN_PROGRESS || status == invalid_field ||
                   status == NVME_SC_COMPARE_FAILURE));
        }
        REQUIRE(b.format(2) == 0);
    }
    CHECK(late != 0);
    bytes data = pattern(64 * 512, 1), meta = pattern(64 * 8, 2);
    CHECK(b.with(io(NVME_IO_WRITE, 0, 64), &data, &meta) == 0);
}

TEST_CASE("metadata of blocks of 4 KiB, where units hold them, and FUA")
{
    meta_bench b(
        {"ftl.map_unit=8KiB", "nand.page_size=16KiB", "nand.oob_size=512B", "cache.capacity=1MiB"});
    CHECK(b.identify(0, 1)[25] == 7);
    REQUIRE(b.format(7 | 3 << 5) == 0);
    CHECK(get(b.identify(0, 1), 0, 8) == b.sectors() / 16);
    const bytes data = pattern(32 * 4096, 1);
    const bytes meta = protection(data, {4096, 64, 5, 6, false, false});
    bytes d = data, m = meta;
    nvme_sqe q = checked(io(NVME_IO_WRITE, 3, 32), guard | app, 5, 6);
    q.cdw12 |= NVME_RW_FUA;
    REQUIRE(b.with(q, &d, &m) == 0);
    b.power_cycle();
    b.create_queues(1, 16);
    bytes got(32 * 4096), got_meta(32 * 64);
    REQUIRE(b.with(checked(io(NVME_IO_READ, 3, 32), guard | app, 5, 6), &got, &got_meta) == 0);
    CHECK(got == data);
    CHECK(got_meta == meta);
}

} // namespace ssdvp::test::conformance_metadata_test
