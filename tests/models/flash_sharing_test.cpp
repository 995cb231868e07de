// SPDX-License-Identifier: Apache-2.0
//
// Operations that share command sequences: multi-plane (join_planes) and cache read, cache program
// (use_cache), against hand-computed times. One transfer is 51.2 us, commands take no time.
#include "tests/models/flash_bench.h"

namespace flash_sharing_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace ssdvp::literals;

namespace {

constexpr std::uint64_t xfer = 51200000; // ps
constexpr sim_time tR = 20_us;
constexpr sim_time tPROG = 200_us;
constexpr sim_time tRCBSY = 3_us;
constexpr sim_time tCBSY = 4_us;

channel_config sharing(bool planes, bool cache)
{
    channel_config c = small_config();
    c.join_planes = planes;
    c.use_cache = cache;
    c.ecc_latency = sim_time();
    c.status_poll = false;
    c.die.timing = {{tR}, {tPROG}, sim_time(), sim_time(), sim_time(), tRCBSY, tCBSY};
    c.die.data = data_mode::full;
    return c;
}

flash_desc at(flash_op op, unsigned tag, std::uint8_t planes, unsigned block, unsigned page)
{
    flash_desc d = descriptor(op, tag);
    d.plane_mask = planes;
    d.block = block;
    d.page = page;
    d.buffer = bench::data_base + tag * 0x4000ull;
    return d;
}

struct times {
    cycle_timing timing = data_only_timing();
    bench b;
    explicit times(const channel_config& c) : b(c, &timing) {}
    /// All at once; when each was posted, in ps.
    std::vector<std::uint64_t> run(const std::vector<flash_desc>& ops)
    {
        const sim_time begin = now();
        for (const flash_desc& d : ops) {
            b.put(d);
        }
        b.ring();
        b.run();
        std::vector<std::uint64_t> out;
        for (const flash_desc& d : ops) {
            CHECK(b.answers.at(d.tag).status == FLASH_STATUS_OK);
            out.push_back((b.posted.at(d.tag) - begin).ps());
        }
        return out;
    }
};

} // namespace

TEST_CASE("join_planes: reads of one page on four planes share one tR")
{
    times t(sharing(true, false));
    std::vector<flash_desc> ops;
    for (unsigned p = 0; p < 4; ++p) {
        ops.push_back(at(FLASH_OP_READ, p, static_cast<std::uint8_t>(1u << p), p, 3));
    }
    const auto done = t.run(ops);
    for (unsigned p = 0; p < 4; ++p) {
        CHECK(done[p] == tR.ps() + (p + 1) * xfer);
    }
    CHECK(t.b.channel.stats().multi_plane == 1);
    CHECK(t.b.channel.stats().joined == 3);
}

TEST_CASE("join_planes: without it each read has its own tR")
{
    times t(sharing(false, false));
    const auto done = t.run({at(FLASH_OP_READ, 0, 1, 0, 3), at(FLASH_OP_READ, 1, 2, 0, 3)});
    CHECK(done[1] == 2 * (tR.ps() + xfer));
    CHECK(t.b.channel.stats().joined == 0);
}

TEST_CASE("join_planes: other pages, the same plane, other kinds and dependants stay apart")
{
    times t(sharing(true, false));
    t.run({at(FLASH_OP_READ, 0, 1, 0, 3), at(FLASH_OP_READ, 1, 2, 0, 4),
           at(FLASH_OP_READ, 2, 1, 1, 3), at(FLASH_OP_PROGRAM, 3, 2, 5, 0),
           at(FLASH_OP_PROGRAM, 4, 1, 6, 0), at(FLASH_OP_PROGRAM, 5, 2, 5, 1)});
    // Only 3 and 4 may be joined: page 0 of two planes.
    CHECK(t.b.channel.stats().joined == 1);
}

TEST_CASE("join_planes: programs and erases share their array time, and each has its own answer")
{
    channel_config c = sharing(true, false);
    times t(c);
    auto done = t.run({at(FLASH_OP_PROGRAM, 0, 1, 0, 0), at(FLASH_OP_PROGRAM, 1, 4, 0, 0)});
    CHECK(done[0] == 2 * xfer + tPROG.ps());
    CHECK(done[1] == done[0]);
    done = t.run({at(FLASH_OP_ERASE, 2, 1, 0, 0), at(FLASH_OP_ERASE, 3, 8, 2, 0)});
    CHECK(done[0] == done[1]);
    CHECK(done[0] == (15_ms).ps());
}

TEST_CASE("join_planes: the planes of joined programs hold their own data")
{
    times t(sharing(true, false));
    for (unsigned p = 0; p < 4; ++p) {
        std::memset(t.b.memory.at(bench::data_base + p * 0x4000ull), 0x40 + static_cast<int>(p),
                    4096);
    }
    std::vector<flash_desc> writes;
    std::vector<flash_desc> reads;
    for (unsigned p = 0; p < 4; ++p) {
        const auto mask = static_cast<std::uint8_t>(1u << p);
        writes.push_back(at(FLASH_OP_PROGRAM, p, mask, p, 0));
        reads.push_back(at(FLASH_OP_READ, 8 + p, mask, p, 0));
    }
    t.run(writes);
    t.run(reads);
    for (unsigned p = 0; p < 4; ++p) {
        CHECK(*t.b.memory.at(bench::data_base + (8 + p) * 0x4000ull + 4095) == 0x40 + p);
    }
    CHECK(t.b.channel.stats().joined == 6);
}

TEST_CASE("cache read: transfers hide the array when they take longer")
{
    times t(sharing(false, true));
    std::vector<flash_desc> ops;
    for (unsigned i = 0; i < 4; ++i) {
        ops.push_back(at(FLASH_OP_READ, i, 1, i, 2 * i)); // random: 00h..31h
    }
    const auto done = t.run(ops);
    for (unsigned i = 0; i < 4; ++i) {
        CHECK(done[i] == tR.ps() + (i + 1) * (tRCBSY.ps() + xfer));
    }
    CHECK(t.b.channel.stats().cached == 3);
}

TEST_CASE("cache read: the array hides transfers when it takes longer")
{
    channel_config c = sharing(false, true);
    c.die.timing.tR = {100_us};
    times t(c);
    std::vector<flash_desc> ops;
    for (unsigned i = 0; i < 4; ++i) {
        ops.push_back(at(FLASH_OP_READ, i, 1, 5, i)); // sequential: 31h alone
    }
    const auto done = t.run(ops);
    for (unsigned i = 0; i < 4; ++i) {
        CHECK(done[i] == (i + 1) * (100_us + tRCBSY).ps() + xfer);
    }
}

TEST_CASE("cache read: a read on another plane ends the sequence")
{
    times t(sharing(false, true));
    const auto done = t.run({at(FLASH_OP_READ, 0, 1, 0, 0), at(FLASH_OP_READ, 1, 1, 0, 1),
                             at(FLASH_OP_READ, 2, 2, 0, 1)});
    CHECK(done[1] == tR.ps() + 2 * (tRCBSY.ps() + xfer));
    CHECK(done[2] == done[1] + tR.ps() + xfer);
}

TEST_CASE("cache program: data in hides behind the array")
{
    times t(sharing(false, true));
    std::vector<flash_desc> ops;
    for (unsigned i = 0; i < 4; ++i) {
        ops.push_back(at(FLASH_OP_PROGRAM, i, 1, 5, i));
    }
    const auto done = t.run(ops);
    const std::uint64_t first = xfer + tCBSY.ps(); // its array begins
    CHECK(done[0] == first + tPROG.ps() + tCBSY.ps());
    CHECK(done[1] == first + 2 * tPROG.ps() + 2 * tCBSY.ps());
    CHECK(done[2] == first + 4 * tPROG.ps() + 2 * tCBSY.ps()); // with the last one's verdict
    CHECK(done[3] == done[2]);
    CHECK(t.b.channel.stats().cached == 3);
}

TEST_CASE("cache program: a waiting read keeps programs apart")
{
    times t(sharing(false, true));
    t.run({at(FLASH_OP_PROGRAM, 0, 1, 5, 0), at(FLASH_OP_PROGRAM, 1, 1, 5, 1),
           at(FLASH_OP_READ, 2, 1, 6, 0)});
    CHECK(t.b.channel.stats().cached == 0);
}

TEST_CASE("cache program: what an urgent program passed keeps those that depend on it behind")
{
    channel_config c = sharing(false, true);
    c.arbiter = arbiter_kind::priorities;
    c.age_limit = 10_ms;
    times t(c);
    std::vector<flash_desc> ops = {
        at(FLASH_OP_PROGRAM, 0, 2, 7, 0), at(FLASH_OP_PROGRAM, 1, 1, 5, 0),
        at(FLASH_OP_PROGRAM, 2, 1, 6, 0), at(FLASH_OP_PROGRAM, 3, 1, 5, 1)};
    for (flash_desc& d : ops) {
        d.priority = d.block == 5 ? 2 : 1;
    }
    const auto done = t.run(ops); // page 1 of block 5 waits beside the urgent one, behind page 0
    CHECK(done[2] < done[1]);
    CHECK(done[1] <= done[3]);
}

TEST_CASE("cache program: what fails is told of the program that failed")
{
    channel_config c = sharing(false, true);
    c.status_poll = true;
    c.die.factory_bad_share = 1.0;
    times t(c);
    for (unsigned i = 0; i < 3; ++i) {
        t.b.put(at(FLASH_OP_PROGRAM, i, 1, 5, i));
    }
    t.b.ring();
    t.b.run();
    for (unsigned i = 0; i < 3; ++i) {
        CHECK(t.b.answers.at(i).status == FLASH_STATUS_PROGRAM_FAIL);
        CHECK(t.b.answers.at(i).plane_fail == 1);
    }
    CHECK(t.b.channel.stats().cached == 2);
}

TEST_CASE("cache sequences move the right data")
{
    times t(sharing(false, true));
    std::vector<flash_desc> writes;
    std::vector<flash_desc> reads;
    for (unsigned i = 0; i < 6; ++i) {
        std::memset(t.b.memory.at(bench::data_base + i * 0x4000ull), 0x30 + static_cast<int>(i),
                    4096);
        writes.push_back(at(FLASH_OP_PROGRAM, i, 1, 5, i));
        reads.push_back(at(FLASH_OP_READ, 16 + i, 1, 5, i % 2 == 0 ? i : 6 - i));
    }
    t.run(writes);
    t.run(reads);
    for (unsigned i = 0; i < 6; ++i) {
        const unsigned page = i % 2 == 0 ? i : 6 - i;
        CHECK(*t.b.memory.at(bench::data_base + (16 + i) * 0x4000ull + 17) == 0x30 + page);
    }
}

namespace {

constexpr slc_timing slc{10_us, 60_us, 4_ms};

/// A TLC part of 12 pages per block: 4 in SLC mode.
channel_config slc_sharing(bool planes, bool cache)
{
    channel_config c = sharing(planes, cache);
    c.die.timing.slc = slc;
    return c;
}

flash_desc in_slc(flash_desc d)
{
    d.program_mode = FLASH_MODE_SLC;
    return d;
}

} // namespace

TEST_CASE("SLC mode: planes share the array times of the mode")
{
    times t(slc_sharing(true, false));
    std::vector<flash_desc> erases;
    std::vector<flash_desc> writes;
    std::vector<flash_desc> reads;
    for (unsigned p = 0; p < 4; ++p) {
        const auto mask = static_cast<std::uint8_t>(1u << p);
        std::memset(t.b.memory.at(bench::data_base + (4 + p) * 0x4000ull),
                    0x50 + static_cast<int>(p), 4096);
        erases.push_back(in_slc(at(FLASH_OP_ERASE, p, mask, p, 0)));
        writes.push_back(in_slc(at(FLASH_OP_PROGRAM, 4 + p, mask, p, 0)));
        reads.push_back(in_slc(at(FLASH_OP_READ, 8 + p, mask, p, 0)));
    }
    CHECK(t.run(erases) == std::vector<std::uint64_t>(4, slc.tBERS.ps()));
    CHECK(t.run(writes) == std::vector<std::uint64_t>(4, 4 * xfer + slc.tPROG.ps()));
    const auto done = t.run(reads);
    for (unsigned p = 0; p < 4; ++p) {
        CHECK(done[p] == slc.tR.ps() + (p + 1) * xfer);
        CHECK(*t.b.memory.at(bench::data_base + (8 + p) * 0x4000ull + 4095) == 0x50 + p);
    }
    CHECK(t.b.channel.stats().joined == 9);
}

TEST_CASE("SLC mode: cache sequences have the array times of the mode, and move the right data")
{
    times t(slc_sharing(false, true));
    std::vector<flash_desc> writes;
    std::vector<flash_desc> sequential;
    std::vector<flash_desc> random;
    for (unsigned i = 0; i < 4; ++i) {
        std::memset(t.b.memory.at(bench::data_base + i * 0x4000ull), 0x30 + static_cast<int>(i),
                    4096);
        writes.push_back(in_slc(at(FLASH_OP_PROGRAM, i, 1, 5, i)));
        sequential.push_back(in_slc(at(FLASH_OP_READ, 8 + i, 1, 5, i)));
        random.push_back(in_slc(at(FLASH_OP_READ, 16 + i, 1, 5, 3 - i)));
    }
    const std::uint64_t step = std::max(slc.tPROG.ps(), xfer) + tCBSY.ps();
    const auto done = t.run(writes);
    CHECK(done[0] == xfer + tCBSY.ps() + step);
    CHECK(done[1] == xfer + tCBSY.ps() + 2 * step);
    CHECK(done[3] == xfer + tCBSY.ps() + 2 * step + 2 * slc.tPROG.ps());
    for (const auto& reads : {sequential, random}) {
        const auto read = t.run(reads);
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned tag = reads[i].tag;
            CHECK(read[i] == slc.tR.ps() + (i + 1) * (tRCBSY.ps() + xfer));
            CHECK(*t.b.memory.at(bench::data_base + tag * 0x4000ull + 17) == 0x30 + reads[i].page);
        }
    }
    CHECK(t.b.channel.stats().cached == 9);
}

TEST_CASE("program modes: operations of different modes share nothing")
{
    times t(slc_sharing(true, true));
    const auto done =
        t.run({at(FLASH_OP_PROGRAM, 0, 1, 0, 0), in_slc(at(FLASH_OP_PROGRAM, 1, 2, 0, 0)),
               at(FLASH_OP_PROGRAM, 2, 1, 0, 1)});
    CHECK(done[2] == 3 * xfer + 2 * tPROG.ps() + slc.tPROG.ps());
    t.run({at(FLASH_OP_READ, 3, 1, 0, 0), in_slc(at(FLASH_OP_READ, 4, 2, 0, 0)),
           at(FLASH_OP_READ, 5, 1, 0, 1)});
    t.run({at(FLASH_OP_ERASE, 6, 1, 0, 0), in_slc(at(FLASH_OP_ERASE, 7, 2, 0, 0))});
    CHECK(t.b.channel.stats().joined == 0);
    CHECK(t.b.channel.stats().cached == 0);
}

} // namespace flash_sharing_test
