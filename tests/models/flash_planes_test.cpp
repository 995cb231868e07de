// SPDX-License-Identifier: Apache-2.0
//
// Independent plane reads on a channel, with times worked out by hand (one transfer is 51.2 us,
// commands take no time) and, on a real bus, with the closed formulas of what a LUN can read.
#include "tests/models/flash_bench.h"

namespace flash_planes_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr sim_time tR = 20_us;
constexpr sim_time tPROG = 200_us;
constexpr sim_time xfer(51200000);

channel_config ideal(bool independent = true)
{
    channel_config c = small_config();
    c.luns = 1;
    c.ecc_latency = sim_time();
    c.status_poll = false;
    c.die.timing.tR = {tR};
    c.die.timing.tPROG = {tPROG};
    c.die.timing.tDBSY = sim_time();
    c.die.independent_plane_reads = independent;
    return c;
}

flash_desc on_plane(flash_op op, unsigned tag, unsigned plane, unsigned block = 0,
                    unsigned page = 0)
{
    flash_desc d = descriptor(op, tag);
    d.plane_mask = static_cast<std::uint8_t>(1u << plane);
    d.block = block;
    d.page = page;
    return d;
}
flash_desc read_of(unsigned tag, unsigned plane, unsigned page = 0)
{
    return on_plane(FLASH_OP_READ, tag, plane, 0, page);
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
    [[nodiscard]] lun_stats lun() const { return b.channel.lun(lun_index(0)).stats(); }
};

const array_time& reading(const lun_stats& s)
{
    return s.arrays[static_cast<std::size_t>(array_use::read)];
}

} // namespace

TEST_CASE("planes: two reads of a LUN sense at the same time")
{
    times t(ideal());
    const auto done = t.run({read_of(0, 0), read_of(1, 1, 5)});
    CHECK(done[0] == tR + xfer);
    CHECK(done[1] == tR + 2u * xfer);
    CHECK(t.b.channel.stats().overlapped == 1);
}

TEST_CASE("planes: without independent reads the second one waits for the first one's data")
{
    times t(ideal(false));
    const auto done = t.run({read_of(0, 0), read_of(1, 1, 5)});
    CHECK(done[1] == 2u * (tR + xfer));
    CHECK(t.b.channel.stats().overlapped == 0);
}

TEST_CASE("planes: reads of one plane follow each other, and one of another plane passes them")
{
    times t(ideal());
    const auto done = t.run({read_of(0, 0), read_of(1, 0, 1), read_of(2, 1)});
    CHECK(done[0] == tR + xfer);
    CHECK(done[2] == tR + 2u * xfer);
    CHECK(done[1] == tR + 3u * xfer); // senses from tR + xfer on
}

TEST_CASE(
    "planes: a program waits for the reads before it, and the reads behind it for the program")
{
    times t(ideal());
    const auto done = t.run(
        {read_of(0, 0), read_of(1, 0, 1), on_plane(FLASH_OP_PROGRAM, 2, 1, 4), read_of(3, 2)});
    CHECK(done[0] == tR + xfer);
    CHECK(done[1] == 2u * (tR + xfer));
    CHECK(done[2] == done[1] + xfer + tPROG);
    CHECK(done[3] == done[2] + tR + xfer);
    CHECK(t.b.channel.stats().overlapped == 0);
}

TEST_CASE("planes: a LUN is busy while any of them works, each of them counts for the energy")
{
    channel_config c = ideal();
    c.die.timing.tR = {20_us, 50_us};
    times t(c);
    t.b.put(read_of(0, 0, 0));
    t.b.put(read_of(1, 1, 1));
    t.b.ring();
    t.b.run_to(10_us);
    CHECK(t.lun().busy == 10_us);
    CHECK(reading(t.lun()).time == 10_us);
    CHECK(reading(t.lun()).planes == 20_us);
    t.b.run_to(30_us);
    CHECK(t.lun().busy == 30_us);
    CHECK(reading(t.lun()).planes == 50_us);
    t.b.run();
    CHECK(t.lun().busy == 50_us);
    CHECK(reading(t.lun()).time == 50_us);
    CHECK(reading(t.lun()).planes == 70_us);
    CHECK(t.lun().reads == 2);
}

TEST_CASE("planes: sequential lets one operation go at a time")
{
    channel_config c = ideal();
    c.arbiter = arbiter_kind::sequential;
    times t(c);
    const auto done = t.run({read_of(0, 0), read_of(1, 1)});
    CHECK(done[1] == 2u * (tR + xfer));
}

TEST_CASE("planes: interleaved starts and completes in the order of arrival")
{
    const std::vector<flash_desc> ops = {read_of(0, 0, 0), read_of(1, 1, 1), read_of(2, 0, 1),
                                         read_of(3, 2, 1)};
    channel_config c = ideal();
    c.die.timing.tR = {20_us, 5_us};
    c.arbiter = arbiter_kind::interleaved;
    times t(c);
    const auto done = t.run(ops);
    CHECK(done[0] == 20_us + xfer);
    CHECK(done[1] == 20_us + 2u * xfer);
    CHECK(done[2] == 20_us + 3u * xfer); // starts when plane 0 is free, and so does the one behind
    CHECK(done[3] == 20_us + 4u * xfer);
}

TEST_CASE("planes: out_of_order gives the bus to the plane that is ready first")
{
    channel_config c = ideal();
    c.die.timing.tR = {20_us, 5_us};
    times t(c);
    const auto done = t.run({read_of(0, 0, 0), read_of(1, 1, 1)});
    CHECK(done[1] == 5_us + xfer);
    CHECK(done[0] == 5_us + 2u * xfer);
}

TEST_CASE("planes: reads of a suspended erase overlap, and it resumes when all are done")
{
    channel_config c = ideal();
    c.die.suspend.kind = suspend_kind::immediate;
    times t(c);
    t.b.submit(on_plane(FLASH_OP_ERASE, 1, 0, 1));
    t.b.run_to(1_ms);
    t.b.put(read_of(2, 0));
    t.b.put(read_of(3, 1));
    t.b.put(on_plane(FLASH_OP_READ, 4, 0, 1)); // of what is erased
    t.b.ring();
    t.b.run();
    CHECK(t.b.posted.at(2) == 1100_us + tR + xfer);
    CHECK(t.b.posted.at(3) == 1100_us + tR + 2u * xfer);
    CHECK(t.b.posted.at(1) == 15_ms + 100_us + tR + 2u * xfer);
    CHECK(t.b.posted.at(4) == t.b.posted.at(1) + tR + xfer);
    CHECK(t.b.answers.at(1).suspends == 1);
}

TEST_CASE("planes: reads_per_stop counts reads of every plane")
{
    channel_config c = ideal();
    c.die.suspend.kind = suspend_kind::immediate;
    c.die.suspend.reads_per_stop = 2;
    times t(c);
    t.b.submit(on_plane(FLASH_OP_ERASE, 1, 0, 1));
    t.b.run_to(1_ms);
    for (unsigned p = 0; p < 3; ++p) {
        t.b.put(read_of(2 + p, p));
    }
    t.b.ring();
    t.b.run();
    CHECK(t.b.answers.at(1).suspends == 2);
}

TEST_CASE("planes: joined reads of a LUN at rest are one multi-plane read")
{
    channel_config c = ideal();
    c.join_planes = true;
    times t(c);
    t.run({read_of(0, 0), read_of(1, 1), read_of(2, 2, 3)});
    CHECK(t.b.channel.stats().joined == 1);
    CHECK(t.b.channel.stats().overlapped == 0);
}

TEST_CASE("planes: beside an independent read nothing is joined")
{
    channel_config c = ideal();
    c.join_planes = true;
    times t(c);
    const auto done = t.run({read_of(0, 0, 7), read_of(1, 1), read_of(2, 2)});
    CHECK(t.b.channel.stats().joined == 0);
    CHECK(t.b.channel.stats().overlapped == 2);
    CHECK(done[2] == tR + 3u * xfer);
}

TEST_CASE("planes: with use_cache reads of one plane are independent, others share sequences")
{
    channel_config c = ideal();
    c.use_cache = true;
    c.die.timing.tRCBSY = 3_us;
    times t(c);
    t.run({read_of(0, 0), read_of(1, 0, 1), read_of(2, 1)});
    CHECK(t.b.channel.stats().cached == 0);
    CHECK(t.b.channel.stats().overlapped == 1);
}

TEST_CASE("planes: with use_cache reads of several planes follow each other by 31h")
{
    channel_config c = ideal();
    c.use_cache = true;
    c.die.timing.tRCBSY = 3_us;
    times t(c);
    flash_desc first = read_of(0, 1);
    first.plane_mask = 6;
    flash_desc second = read_of(1, 1, 1);
    second.plane_mask = 6;
    second.buffer += 0x8000;
    t.run({first, second, read_of(2, 0)});
    CHECK(t.b.channel.stats().cached == 1);
    CHECK(t.b.channel.stats().overlapped == 0);
}

TEST_CASE("planes: a multi-plane read and one at a retry level have the LUN for themselves")
{
    channel_config c = ideal();
    c.die.errors.retry_gain = {1.0};
    times t(c);
    flash_desc both = read_of(1, 1);
    both.plane_mask = 6;
    both.buffer += 0x8000;
    flash_desc again = read_of(2, 3);
    again.retry = 1;
    const auto done = t.run({read_of(0, 0), both, again});
    CHECK(done[1] == 2u * tR + 3u * xfer);
    CHECK(done[2] == 3u * tR + 4u * xfer);
}

TEST_CASE("planes: power goes while they read: nothing is torn, and what had ended counts")
{
    channel_config c = ideal();
    c.die.timing.tR = {20_us, 50_us};
    times t(c);
    t.b.put(read_of(0, 0, 0));
    t.b.put(read_of(1, 1, 1));
    t.b.ring();
    t.b.run_to(20_us);
    t.b.channel.power_off();
    CHECK(t.lun().reads == 1);
    CHECK(t.lun().busy == 20_us);
    t.b.run_to(1_ms);
    CHECK(t.b.channel.rb(lun_index(0)).read());
    CHECK(t.lun().busy == 20_us);
    CHECK(t.b.channel.lun(lun_index(0)).cells().torn_pages() == 0);
    t.b.setup_rings(bench::ring_entries);
    const auto done = t.run({on_plane(FLASH_OP_PROGRAM, 2, 1, 3), read_of(3, 1, 1)});
    CHECK(done[0] == xfer + tPROG);
}

TEST_CASE("planes: each is polled, and seen to be ready by its own poll")
{
    channel_config c = ideal();
    c.poll_period = 15_us;
    c.die.timing.tR = {20_us, 31_us};
    times t(c);
    const auto done = t.run({read_of(0, 0, 0), read_of(1, 1, 1)});
    CHECK(done[0] == 30_us + xfer);
    CHECK(done[1] == 30_us + 2u * xfer); // ready at 45 us, while the bus transfers
    const sim_time poll = t.timing.data(1, false);
    CHECK(t.b.channel.stats().polling == 7u * poll); // at 0, 15, 30; at 0, 15, 30, 45 us
}

TEST_CASE("planes: what a read waits for is told by its plane")
{
    times t(ideal());
    const auto traced = [&t](flash_desc d, std::uint16_t slot) {
        t.b.ledger.open(slot, now());
        t.b.ledger.bind(slot, slot);
        d.trace = slot;
        return d;
    };
    const auto part = [&t](unsigned slot, latency_part p) {
        return t.b.ledger.parts(slot)[static_cast<std::size_t>(p)];
    };
    t.run({traced(read_of(0, 0), 1), traced(read_of(1, 0, 1), 2), traced(read_of(2, 1), 3)});
    CHECK(part(1, latency_part::array) == tR);
    CHECK(part(2, latency_part::wait_read) == tR + xfer); // for its plane
    CHECK(part(2, latency_part::array) == tR);
    CHECK(part(2, latency_part::queue) == 2u * xfer - xfer - tR); // for the bus
    CHECK(part(3, latency_part::wait_read) == sim_time());
    CHECK(part(3, latency_part::queue) == xfer);
    CHECK(part(3, latency_part::bus) == xfer);
}

namespace {

constexpr unsigned many = 400;

/// 4 KiB reads of a LUN, equally many of each plane, all queued at once: the time of one.
double time_per_read(bench& b, unsigned planes)
{
    for (unsigned i = 0; i < many; ++i) {
        b.put(read_of(i, (i + i / planes) % planes, i % 12));
    }
    const sim_time begin = now();
    b.ring();
    b.run();
    sim_time last;
    for (const auto& [tag, when] : b.posted) {
        last = later(last, when);
    }
    return static_cast<double>((last - begin).ps()) / many;
}

channel_config real(unsigned planes, bool independent, sim_time array)
{
    channel_config c = small_config();
    c.luns = 1;
    c.die.geo.planes = planes;
    c.die.timing.tR = {array};
    c.die.independent_plane_reads = independent;
    return c;
}

// NV-DDR3 at 1200 MT/s, in ns: 7 cycles of 25 and 4,096 bytes; tWB 100, tRR 20, tRHW 100.
constexpr double command = 7 * 25;
constexpr double data = 4096 / 1.2;
constexpr double turn = 100;
// 78h r, tWHR, one cycle of two bytes; 06h c r E0h, tCCS: where another plane reads.
constexpr double asks = 4 * 25 + 80 + 2 / 1.2 + turn;
constexpr double selects = 7 * 25 + 300;

} // namespace

TEST_CASE("formula: one plane at a time, a LUN reads 1 / (tR + transfer)")
{
    bench b(real(4, false, 40_us));
    const double expected = command + 100 + 40000 + 20 + data + turn;
    CHECK(time_per_read(b, 4) / 1000 == Approx(expected).epsilon(0.01));
}

/// Each plane is at work for tR, its command and its data; the bus is far from full.
TEST_CASE("formula: P independent planes read P / (tR + transfer)")
{
    bench b(real(4, true, 40_us));
    const double each = command + 100 + 40000 + asks + selects + data + turn;
    CHECK(time_per_read(b, 4) / 1000 == Approx(each / 4).epsilon(0.02));
}

TEST_CASE("formula: two planes read twice as much as one")
{
    bench b(real(2, true, 40_us));
    const double each = command + 100 + 40000 + asks + selects + data + turn;
    CHECK(time_per_read(b, 2) / 1000 == Approx(each / 2).epsilon(0.02));
}

/// Commands, status and data of each read cross the bus one after another.
TEST_CASE("formula: with a short tR the bus is the limit of the planes")
{
    bench b(real(4, true, 5_us));
    const double each = command + asks + selects + data + turn;
    CHECK(time_per_read(b, 4) / 1000 == Approx(each).epsilon(0.05));
}

namespace {

/// Draws operations that the cells take: programs in page order, each block erased before.
class mixture {
public:
    explicit mixture(std::uint32_t seed) : m_state(seed) {}
    flash_desc next(unsigned tag)
    {
        const unsigned plane = draw(4);
        const unsigned block = 1 + draw(4);
        unsigned& page = m_pages[plane * 8 + block];
        flash_desc d = on_plane(FLASH_OP_READ, tag, plane, block, draw(12));
        d.priority = static_cast<std::uint8_t>(draw(3));
        const unsigned kind = draw(10);
        if (kind == 0 && page < 12) {
            d = on_plane(FLASH_OP_PROGRAM, tag, plane, block, page++);
        } else if (kind == 1 && page != 0) {
            d = on_plane(FLASH_OP_ERASE, tag, plane, block);
            page = 0;
        } else if (kind == 2) {
            d.plane_mask = 0x0F;
            d.length = 512;
        }
        return d;
    }
    unsigned draw(unsigned n)
    {
        m_state = m_state * 1664525u + 1013904223u;
        return (m_state >> 8) % n;
    }

private:
    std::uint32_t m_state;
    std::array<unsigned, 64> m_pages{};
};

void play(channel_config c)
{
    c.die.independent_plane_reads = true;
    c.die.suspend.programs = c.die.suspend.kind != suspend_kind::none;
    bench b(c);
    mixture m(7);
    for (unsigned i = 0; i < 900; ++i) {
        b.submit(m.next(i));
        b.run_to(now() + sim_time((1 + m.draw(60)) * 1000000ull));
        b.return_entries();
    }
    b.run();
    REQUIRE(b.answers.size() == 900);
    for (const auto& [tag, answer] : b.answers) {
        CHECK(answer.status == FLASH_STATUS_OK);
    }
    CHECK(b.channel.stats().overlapped > 20);
}

} // namespace

TEST_CASE("planes: a mixture of all kinds breaks no rule of die and bus, out of order")
{
    channel_config c = small_config();
    c.die.suspend.kind = suspend_kind::immediate;
    c.join_planes = true;
    play(c);
}

TEST_CASE("planes: a mixture of all kinds breaks no rule of die and bus, by priority")
{
    channel_config c = small_config();
    c.arbiter = arbiter_kind::priorities;
    c.age_limit = 5_ms;
    c.die.suspend.kind = suspend_kind::deferred;
    play(c);
}

TEST_CASE("planes: a mixture of all kinds breaks no rule of die and bus, polled and in order")
{
    channel_config c = small_config();
    c.arbiter = arbiter_kind::interleaved;
    c.poll_period = 7_us;
    play(c);
}

} // namespace flash_planes_test
