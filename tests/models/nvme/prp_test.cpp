// SPDX-License-Identifier: Apache-2.0
//
// Shapes of PRPs: what is fetched, where data lands, and what is wrong. NVMe 1.4 section 4.3.
#include <cstring>

#include "tests/models/nvme/bench.h"

namespace prp_test {

using namespace ssdvp;
using namespace ssdvp::test;

namespace {

constexpr std::uint64_t data = nvme_bench::data;
constexpr std::uint64_t list = nvme_bench::ram + 0x300000;

/// Submits a read of `bytes`, moves it in one piece of data 1, 2, 3, ... and reaps its status.
std::uint16_t transfer_read(nvme_bench& b, const nvme_sqe& sqe, std::uint32_t bytes)
{
    for (std::uint32_t i = 0; i < bytes; ++i) {
        b.memory[nvme_bench::buffer + i] = static_cast<unsigned char>(i * 7 + i / 256);
    }
    b.read.clear();
    b.submit(1, sqe);
    b.run(5_us);
    fe_command c{};
    REQUIRE(b.take(c));
    b.order(data_move(FE_MOVE_TO_HOST, c.slot, bytes, FE_MOVE_CQE));
    b.run(200_us);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    b.ring_cq(1);
    b.run(1_us);
    return static_cast<std::uint16_t>(e.status >> 1);
}

bool same(nvme_bench& b, std::uint64_t host, std::uint32_t offset, std::uint32_t length)
{
    return std::memcmp(&b.host[host], b.memory.data() + nvme_bench::buffer + offset, length) == 0;
}

} // namespace

TEST_CASE("one page with an offset needs PRP1 alone")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    CHECK(transfer_read(b, read_sqe(0, 1024, data + 0x804, 0xDEAD), 1024) == 0);
    CHECK(b.read.size() == 1); // the entry
    CHECK(same(b, data + 0x804, 0, 1024));
    CHECK(b.host[data + 0x803] == 0);
    CHECK(b.host[data + 0x804 + 1024] == 0);
}

TEST_CASE("two pages need PRP1 and PRP2, no list")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    CHECK(transfer_read(b, read_sqe(0, 4096, data + 0x204, data + 0x5000), 4096) == 0);
    CHECK(b.read.size() == 1);
    CHECK(same(b, data + 0x204, 0, 4096 - 0x204));
    CHECK(same(b, data + 0x5000, 4096 - 0x204, 0x204));
    CHECK(b.host[data + 0x5000 + 0x204] == 0);
}

TEST_CASE("three pages need a list of two entries")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.at<std::uint64_t>(list + 16) = data + 0x8000;
    b.at<std::uint64_t>(list + 24) = data + 0x3000;
    const auto before = b.wire.stats();
    CHECK(transfer_read(b, read_sqe(0, 8704, data + 0x200, list + 16), 8704) == 0);
    CHECK(b.read == std::vector<std::uint64_t>{nvme_bench::sq_base(1), list + 16});
    CHECK(same(b, data + 0x200, 0, 0xE00));
    CHECK(same(b, data + 0x8000, 0xE00, 0x1000));
    CHECK(same(b, data + 0x3000, 0x1E00, 0x400));
    // Down: doorbell 24, entry 84, list 20 + 8 * 2, head doorbell 24 (section 9.2).
    CHECK(b.wire.stats().bytes_down - before.bytes_down == 24 + 84 + 36 + 24);
}

TEST_CASE("the command waits for its list")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    const sim_time t = now();
    b.irqs.clear();
    b.at<std::uint64_t>(list) = data + 0x1000;
    b.at<std::uint64_t>(list + 8) = data + 0x2000;
    b.ledger.open(64, t);
    b.submit(1, read_sqe(0, 12288, data, list));
    b.run(5_us);
    const std::uint64_t round = 6094 + 150000 + 400000 + 150000; // and 84 or 36 bytes
    REQUIRE(b.irqs.size() == 1);
    CHECK((b.irqs[0] - t).ps() == 156094 + round + 21329 + round + 9141 + 100000);
    const auto& parts = b.ledger.parts(64);
    CHECK(parts[static_cast<std::size_t>(latency_part::link)].ps() ==
          156094 + 2 * round + 21329 + 9141);
}

TEST_CASE("commands of a queue go to firmware in their order, whichever list comes first")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.create_io(2, 8);
    // The first one's list takes two reads, the second one's one, the third one has none.
    const std::uint64_t chained = list + 4096 - 8;
    b.at<std::uint64_t>(chained) = list + 0x4000;
    for (std::uint64_t i = 0; i < 2; ++i) {
        b.at<std::uint64_t>(list + 0x4000 + 8 * i) = data + 0x1000 * (i + 1);
        b.at<std::uint64_t>(list + 0x8000 + 8 * i) = data + 0x1000 * (i + 1);
    }
    b.put(1, read_sqe(0, 12288, data, chained));
    b.put(1, read_sqe(1, 12288, data, list + 0x8000));
    b.put(1, read_sqe(2, 4096, data));
    b.put(2, read_sqe(3, 4096, data));
    b.ring_sq(1);
    b.ring_sq(2);
    b.run(10_us);
    std::vector<std::uint16_t> order;
    for (fe_command c{}; b.take(c);) {
        order.push_back(c.sqe.cid);
    }
    CHECK(order == std::vector<std::uint16_t>{3, 0, 1, 2}); // a queue holds up no other
}

TEST_CASE("a list that meets the end of its page goes on where its last entry says")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    // 8 pages: 7 entries. The first list has room for 3: two pages and the pointer.
    const std::uint64_t first = list + 4096 - 24;
    b.at<std::uint64_t>(first) = data + 0x1000;
    b.at<std::uint64_t>(first + 8) = data + 0x9000;
    b.at<std::uint64_t>(first + 16) = list + 0x4000;
    for (std::uint64_t i = 0; i < 5; ++i) {
        b.at<std::uint64_t>(list + 0x4000 + 8 * i) = data + 0x10000 + 0x2000 * i;
    }
    CHECK(transfer_read(b, read_sqe(0, 32768, data, first), 32768) == 0);
    CHECK(b.read == std::vector<std::uint64_t>{nvme_bench::sq_base(1), first, list + 0x4000});
    CHECK(same(b, data, 0, 0x2000));
    CHECK(same(b, data + 0x9000, 0x2000, 0x1000));
    for (std::uint32_t i = 0; i < 5; ++i) {
        CHECK(same(b, data + 0x10000 + 0x2000 * i, 0x3000 + 0x1000 * i, 0x1000));
    }
}

TEST_CASE("pages, lists and offsets around and above 4 GiB")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    const std::uint64_t border = 1ull << 32;
    const auto lies = [&](std::uint64_t host, std::uint32_t offset, std::uint32_t length) {
        return std::memcmp(&b.at<unsigned char>(host),
                           b.memory.data() + nvme_bench::buffer + offset, length) == 0;
    };
    CHECK(transfer_read(b, read_sqe(0, 8192, border - 4096, border), 8192) == 0);
    CHECK(lies(border - 4096, 0, 8192)); // one run across
    CHECK(transfer_read(b, read_sqe(0, 4096, border - 0x1000 + 0xFFC, border + 0x3000), 4096) == 0);
    CHECK(lies(border - 4, 0, 4));
    CHECK(lies(border + 0x3000, 4, 4092));
    const std::uint64_t first = border - 16; // two entries below, the rest of the list above
    b.at<std::uint64_t>(first) = border + 0x1000;
    b.at<std::uint64_t>(first + 8) = border + 0x8000; // the next list
    b.at<std::uint64_t>(border + 0x8000) = border - 0x8000;
    b.at<std::uint64_t>(border + 0x8008) = data;
    CHECK(transfer_read(b, read_sqe(0, 16384, border + 0x2000, first), 16384) == 0);
    CHECK(b.read.size() == 3);
    CHECK(b.read.at(1) == first);
    CHECK(b.read.back() == border + 0x8000);
    CHECK(lies(border + 0x2000, 0, 4096));
    CHECK(lies(border + 0x1000, 4096, 4096));
    CHECK(lies(border - 0x8000, 8192, 4096));
    CHECK(lies(data, 12288, 4096));
}

TEST_CASE("lists may be chained more than once, and a pointer to the next starts its page")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    // 5 pages, 4 entries: lists that have room for 2, for the whole rest, and one that lies badly.
    const std::uint64_t first = list + 4096 - 16;
    b.at<std::uint64_t>(first) = data + 0x1000;
    b.at<std::uint64_t>(first + 8) = list + 0x4008;
    CHECK(transfer_read(b, read_sqe(0, 20480, data, first), 20480) == NVME_SC_PRP_OFFSET_INVALID);
    b.at<std::uint64_t>(first + 8) = 1ull << 40;
    CHECK(transfer_read(b, read_sqe(0, 20480, data, first), 20480) == NVME_SC_DATA_TRANSFER_ERROR);
    // The largest transfer, from an offset: 33 pages, 32 entries; the first list holds 1 pointer.
    const std::uint64_t end = list + 0x6000 - 8;
    b.at<std::uint64_t>(end) = list + 0x8000;
    for (std::uint64_t i = 0; i < 32; ++i) {
        b.at<std::uint64_t>(list + 0x8000 + 8 * i) = data + 0x2000 * (i + 1);
    }
    CHECK(transfer_read(b, read_sqe(0, 131072, data + 0x800, end), 131072) == 0);
    CHECK(b.read.size() == 3);
    CHECK(b.read.at(1) == end);
    CHECK(b.read.back() == list + 0x8000);
    CHECK(same(b, data + 0x800, 0, 0x800));
    for (std::uint32_t i = 0; i < 31; ++i) {
        CHECK(same(b, data + 0x2000 * (i + 1), 0x800 + 0x1000 * i, 0x1000));
    }
    CHECK(same(b, data + 0x2000 * 32, 0x800 + 0x1000 * 31, 0x800));
}

TEST_CASE("a list that ends exactly with its page needs no other")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    const std::uint64_t first = list + 4096 - 24;
    for (std::uint64_t i = 0; i < 3; ++i) {
        b.at<std::uint64_t>(first + 8 * i) = data + 0x1000 * (i + 1);
    }
    CHECK(transfer_read(b, read_sqe(0, 16384, data, first), 16384) == 0);
    CHECK(b.read.size() == 2);
    CHECK(same(b, data, 0, 16384));
}

TEST_CASE("pages that follow each other in host memory cost what they cost apart")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    for (std::uint64_t i = 0; i < 7; ++i) {
        b.at<std::uint64_t>(list + 8 * i) = data + 0x1000 * (i + 1);      // together
        b.at<std::uint64_t>(list + 64 + 8 * i) = data + 0x2000 * (i + 1); // apart
    }
    const auto s0 = b.wire.stats();
    CHECK(transfer_read(b, read_sqe(0, 32768, data, list), 32768) == 0);
    const auto s1 = b.wire.stats();
    CHECK(same(b, data, 0, 32768));
    CHECK(transfer_read(b, read_sqe(0, 32768, data, list + 64), 32768) == 0);
    const auto s2 = b.wire.stats();
    CHECK(s1.bytes_up - s0.bytes_up == 24 + 24 + 8 * 4480 + 40 + 24);
    CHECK(s2.bytes_up - s1.bytes_up == s1.bytes_up - s0.bytes_up);
    CHECK(s2.tlps_up - s1.tlps_up == s1.tlps_up - s0.tlps_up);
}

TEST_CASE("wrong PRPs fail the command when its data must move through them")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.at<std::uint64_t>(list) = data + 0x1000;
    b.at<std::uint64_t>(list + 8) = data + 0x2008; // inside a page
    CHECK(transfer_read(b, read_sqe(0, 512, data + 2), 512) == NVME_SC_PRP_OFFSET_INVALID);
    CHECK(transfer_read(b, read_sqe(0, 8192, data, data + 0x1200), 8192) ==
          NVME_SC_PRP_OFFSET_INVALID);
    CHECK(transfer_read(b, read_sqe(0, 12288, data, list + 4), 12288) ==
          NVME_SC_PRP_OFFSET_INVALID);
    CHECK(transfer_read(b, read_sqe(0, 12288, data, list), 12288) == NVME_SC_PRP_OFFSET_INVALID);
    CHECK(transfer_read(b, read_sqe(0, 12288, data, 1ull << 40), 12288) ==
          NVME_SC_DATA_TRANSFER_ERROR); // no list there
    CHECK(transfer_read(b, read_sqe(0, 4096, 1ull << 40), 4096) == NVME_SC_DATA_TRANSFER_ERROR);
    CHECK(b.host[data + 2] == 0);
    // The same command is fine as far as its good pages reach.
    CHECK(transfer_read(b, read_sqe(0, 12288, data, list), 8192) == 0);
}

TEST_CASE("the mover reports a wrong PRP, and the completion carries it whatever firmware says")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    b.submit(1, read_sqe(3, 512, data + 1));
    b.run(3_us);
    fe_command c{};
    REQUIRE(b.take(c));
    fe_move m = data_move(FE_MOVE_FROM_HOST, c.slot, 512, FE_MOVE_NOTIFY);
    m.tag = 5;
    b.order(m);
    b.run(3_us);
    fe_move_done d{};
    REQUIRE(b.done(d));
    CHECK(d.tag == 5);
    CHECK(d.status == FE_DONE_TRANSFER_ERROR);
    b.order(completion_move(c.slot, NVME_SC_SUCCESS));
    b.run(3_us);
    nvme_cqe e{};
    REQUIRE(b.reap(1, e));
    CHECK(e.status >> 1 == NVME_SC_PRP_OFFSET_INVALID);
}

TEST_CASE("a move beyond the command's data is refused")
{
    nvme_bench b("bench", bench_front_end());
    b.start();
    b.create_io(1, 8);
    CHECK(transfer_read(b, read_sqe(0, 4096, data), 4097) == NVME_SC_DATA_TRANSFER_ERROR);
    CHECK(b.host[data + 4096] == 0);
    b.reg_write(FE_REG_MDTS, 4096); // a longer command keeps no pages: firmware has to refuse it
    CHECK(transfer_read(b, read_sqe(0, 8192, data, data + 4096), 512) ==
          NVME_SC_DATA_TRANSFER_ERROR);
    b.expected_faults = 2;
}

TEST_CASE("tags travel with their sectors, however pages cut them, and metadata travels whole")
{
    nvme::front_end_config config = bench_front_end();
    config.data = data_mode::tag;
    nvme_bench b("bench", config);
    b.start();
    b.create_io(1, 8);
    // 4 KiB from offset 0x104 of a page: the eighth sector spans two pages.
    CHECK(transfer_read(b, read_sqe(0, 4096, data + 0x104, data + 0x3000), 4096) == 0);
    const auto host_byte = [&](std::uint32_t i) {
        return b.host[i < 4096 - 0x104 ? data + 0x104 + i : data + 0x3000 + i - (4096 - 0x104)];
    };
    for (std::uint32_t i = 0; i < 4096; ++i) {
        const unsigned char sent = b.memory[nvme_bench::buffer + i];
        CHECK(host_byte(i) == (i % 512 < 8 ? sent : 0));
    }
    b.submit(1, read_sqe(1, 512, data + 0x8000));
    b.run(3_us);
    fe_command c{};
    REQUIRE(b.take(c));
    b.order(data_move(FE_MOVE_TO_HOST, c.slot, 512, FE_MOVE_CQE | FE_MOVE_METADATA));
    b.run(3_us);
    CHECK(same(b, data + 0x8000, 0, 512));
}

TEST_CASE("with no data the time passes and no byte moves")
{
    nvme::front_end_config config = bench_front_end();
    config.data = data_mode::none;
    nvme_bench b("bench", config);
    b.start();
    b.create_io(1, 8);
    const auto before = b.wire.stats();
    CHECK(transfer_read(b, read_sqe(0, 4096, data), 4096) == 0);
    CHECK(b.wire.stats().bytes_up - before.bytes_up == 4568);
    CHECK(b.host[data + 1] == 0);
}

} // namespace prp_test
