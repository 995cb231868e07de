// SPDX-License-Identifier: Apache-2.0
//
// Snap reads on a channel: which reads become one, and what they cost, with times worked out by
// hand: 4 KiB take 51.2 us on the bus, tR is 40 us, a quarter of the page 15 us; commands take no
// time.
#include "tests/models/flash_bench.h"

namespace flash_snap_reads_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr sim_time tR = 40_us;
constexpr sim_time tRSNAP = 15_us;
constexpr sim_time xfer(51200000);

channel_config snapping()
{
    channel_config c = small_config();
    c.luns = 1;
    c.ecc_latency = sim_time();
    c.status_poll = false;
    c.die.timing.tDBSY = sim_time();
    c.die.timing.tRSNAP = {tRSNAP};
    c.die.snap_bytes = 4096;
    return c;
}

flash_desc read_of(unsigned tag, unsigned column = 0, unsigned length = 4096, unsigned plane = 0)
{
    flash_desc d = descriptor(FLASH_OP_READ, tag);
    d.plane_mask = static_cast<std::uint8_t>(1u << plane);
    d.column = column;
    d.length = length;
    d.page = tag % 12;
    d.buffer = bench::data_base + tag * 0x4000ull;
    return d;
}

struct times {
    cycle_timing timing = data_only_timing();
    bench b;
    explicit times(const channel_config& c) : b(c, &timing) {}
    /// All at once; when each was posted.
    std::vector<sim_time> run(const std::vector<flash_desc>& ops)
    {
        const sim_time begin = now();
        for (const flash_desc& d : ops) {
            b.put(d);
        }
        b.ring();
        b.run();
        std::vector<sim_time> out;
        for (const flash_desc& d : ops) {
            CHECK(b.answers.at(d.tag).status == FLASH_STATUS_OK);
            out.push_back(b.posted.at(d.tag) - begin);
        }
        return out;
    }
    /// Array time of one read alone.
    sim_time array_of(const flash_desc& d)
    {
        const sim_time before = b.channel.lun(lun_index(0)).stats().busy;
        run({d});
        return b.channel.lun(lun_index(0)).stats().busy - before;
    }
    [[nodiscard]] std::uint64_t snaps() const { return b.channel.stats().snap_reads; }
};

} // namespace

TEST_CASE("snap read: a quarter of a page takes tRSNAP and its transfer")
{
    times t(snapping());
    CHECK(t.run({read_of(0)})[0] == tRSNAP + xfer);
    CHECK(t.snaps() == 1);
    const lun_stats lun = t.b.channel.lun(lun_index(0)).stats();
    CHECK(lun.reads == 1);
    CHECK(lun.arrays[static_cast<std::size_t>(array_use::read)].time == tRSNAP);
}

TEST_CASE("snap read: a part without them reads the page")
{
    channel_config c = snapping();
    c.die.timing.tRSNAP = {};
    times t(c);
    CHECK(t.run({read_of(0)})[0] == tR + xfer);
    CHECK(t.snaps() == 0);
}

TEST_CASE("snap read: reads within one part, and no others")
{
    times t(snapping());
    CHECK(t.array_of(read_of(0, 0, 512)) == tRSNAP);
    CHECK(t.array_of(read_of(1, 3584, 512)) == tRSNAP);
    CHECK(t.array_of(read_of(2, 4096, 4096)) == tRSNAP);
    CHECK(t.array_of(read_of(3, 12288, 4096)) == tRSNAP);
    CHECK(t.array_of(read_of(4, 3584, 1024)) == tR); // its two sectors lie in two parts
    CHECK(t.array_of(read_of(5, 0, 4608)) == tR);
    CHECK(t.array_of(read_of(6, 0, 16384)) == tR);
    flash_desc both = read_of(7);
    both.plane_mask = 3;
    CHECK(t.array_of(both) == tR);
    flash_desc oob = read_of(8);
    oob.oob = bench::data_base + 0x80000;
    oob.oob_length = 16;
    CHECK(t.array_of(oob) == tR);
    oob.length = 0;
    oob.tag = 9;
    CHECK(t.array_of(oob) == tR);
    CHECK(t.snaps() == 4);
}

TEST_CASE("snap read: a read retry level and SLC mode have their own times")
{
    channel_config c = snapping();
    c.die.errors.retry_gain = {0.5};
    c.die.timing.tR_retry = 70_us;
    c.die.timing.slc = {20_us, 100_us, 3_ms};
    times t(c);
    flash_desc d = read_of(0);
    d.retry = 1;
    CHECK(t.array_of(d) == 70_us);
    d = descriptor(FLASH_OP_PROGRAM, 1);
    d.program_mode = FLASH_MODE_SLC;
    t.run({d});
    d = read_of(2);
    d.page = 0;
    d.program_mode = FLASH_MODE_SLC;
    CHECK(t.array_of(d) == 20_us);
    CHECK(t.snaps() == 0);
}

TEST_CASE("snap read: every part of a page gives its own bytes")
{
    channel_config c = snapping();
    c.die.data = data_mode::full;
    times t(c);
    for (unsigned i = 0; i < 16384; ++i) {
        *t.b.memory.at(bench::data_base + i) = static_cast<unsigned char>(i / 512);
    }
    flash_desc program = descriptor(FLASH_OP_PROGRAM, 0);
    program.length = 16384;
    t.run({program});
    for (unsigned part = 0; part < 4; ++part) {
        flash_desc d = read_of(1 + part, part * 4096);
        d.page = 0;
        t.run({d});
        for (unsigned sector = 0; sector < 8; ++sector) {
            CHECK(*t.b.memory.at(d.buffer + sector * 512 + 511) == part * 8 + sector);
        }
    }
    CHECK(t.snaps() == 4);
}

TEST_CASE("snap read: independent planes sense at the same time")
{
    channel_config c = snapping();
    c.die.independent_plane_reads = true;
    times t(c);
    const auto done = t.run({read_of(0), read_of(1, 0, 4096, 1), read_of(2, 0, 16384, 2)});
    CHECK(done[0] == tRSNAP + xfer);
    CHECK(done[1] == tRSNAP + 2u * xfer);
    CHECK(done[2] == done[1] + 4u * xfer); // its tR has passed meanwhile
    CHECK(t.snaps() == 2);
    CHECK(t.b.channel.stats().overlapped == 2);
}

TEST_CASE("snap read: with use_cache reads of pages follow each other, snap reads stand alone")
{
    channel_config c = snapping();
    c.use_cache = true;
    c.die.timing.tRCBSY = 3_us;
    times t(c);
    const auto small = t.run({read_of(0), read_of(1), read_of(2)});
    for (unsigned i = 0; i < 3; ++i) {
        CHECK(small[i] == (i + 1u) * (tRSNAP + xfer));
    }
    CHECK(t.b.channel.stats().cached == 0);
    const auto mixed = t.run({read_of(3), read_of(4, 0, 16384), read_of(5, 0, 16384), read_of(6)});
    CHECK(mixed[0] == tRSNAP + xfer);
    CHECK(mixed[1] == mixed[0] + tR + 3_us + 4u * xfer);
    CHECK(mixed[2] == mixed[1] + 3_us + 4u * xfer); // its tR is hidden
    CHECK(mixed[3] == mixed[2] + tRSNAP + xfer);
    CHECK(t.b.channel.stats().cached == 1);
    CHECK(t.snaps() == 5);
}

TEST_CASE("snap read: with join_planes those that wait share one tR, one alone is a snap read")
{
    channel_config c = snapping();
    c.join_planes = true;
    times t(c);
    flash_desc other = read_of(1, 4096, 4096, 1);
    other.page = 0;
    const auto done = t.run({read_of(0), other});
    CHECK(done[0] == tR + xfer);
    CHECK(done[1] == tR + 2u * xfer);
    CHECK(t.b.channel.stats().joined == 1);
    CHECK(t.snaps() == 0);
    CHECK(t.run({read_of(2)})[0] == tRSNAP + xfer);
    CHECK(t.snaps() == 1);
}

namespace {

/// Reads of all sizes, programs in page order, erases.
void play(channel_config c)
{
    c.die.timing.tRCBSY = 3_us;
    c.die.timing.tCBSY = 3_us;
    c.die.suspend.programs = c.die.suspend.kind != suspend_kind::none;
    bench b(c);
    std::uint32_t state = 5;
    const auto draw = [&state](unsigned n) {
        state = state * 1664525u + 1013904223u;
        return (state >> 8) % n;
    };
    unsigned next_page = 0;
    for (unsigned i = 0; i < 900; ++i) {
        const unsigned size = 512u << draw(6);
        flash_desc d = read_of(i, draw(16384 / size) * size, size, draw(4));
        d.buffer = bench::data_base;
        d.block = draw(3);
        if (draw(12) == 0) {
            d.op = next_page == 12 ? FLASH_OP_ERASE : FLASH_OP_PROGRAM;
            d.plane_mask = 1;
            d.block = 5;
            d.page = next_page;
            next_page = next_page == 12 ? 0 : next_page + 1;
        }
        d.priority = static_cast<std::uint8_t>(draw(3));
        b.submit(d);
        b.run_to(now() + sim_time((1 + draw(50)) * 1000000ull));
        b.return_entries();
    }
    b.run();
    for (const auto& [tag, answer] : b.answers) {
        CHECK(answer.status == FLASH_STATUS_OK);
    }
    REQUIRE(b.answers.size() == 900);
    CHECK(b.channel.stats().snap_reads > 20);
}

} // namespace

TEST_CASE("snap read: a mixture of sizes breaks no rule of die and bus, whatever shares sequences")
{
    channel_config c = snapping();
    c.join_planes = c.use_cache = true;
    play(c);
}

TEST_CASE("snap read: a mixture of sizes breaks no rule of die and bus, by plane and priority")
{
    channel_config c = snapping();
    c.arbiter = arbiter_kind::priorities;
    c.age_limit = 5_ms;
    c.use_cache = true;
    c.die.independent_plane_reads = true;
    c.die.suspend.kind = suspend_kind::immediate;
    play(c);
}

} // namespace flash_snap_reads_test
