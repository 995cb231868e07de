// SPDX-License-Identifier: Apache-2.0
//
// Rings, phase bits, queues and statistics of a whole channel.
#include "tests/models/flash_bench.h"

namespace flash_channel_test {

using namespace ssdvp;
using namespace ssdvp::flash;

TEST_CASE("rings wrap and the phase bit flips each time")
{
    bench b(small_config());
    b.setup_rings(4);
    for (unsigned i = 0; i < 23; ++i) {
        CHECK(b.execute(descriptor(FLASH_OP_READ, i, i % 4)).tag == i);
        b.return_entries();
    }
    CHECK(b.interrupts == 23);
}

TEST_CASE("a full completion ring holds completions back until firmware has read")
{
    bench b(small_config());
    b.setup_rings(4);
    b.write(CHANNEL_REG_INT_ENABLE, 0);
    for (unsigned i = 0; i < 3; ++i) {
        b.put(descriptor(FLASH_OP_READ, i, i));
    }
    b.ring();
    b.run();
    b.put(descriptor(FLASH_OP_READ, 3, 3));
    b.ring();
    b.run_to(now() + 10_ms);
    CHECK_FALSE(b.channel.idle());
    b.reap();
    CHECK(b.answers.size() == 3);
    b.return_entries();
    CHECK(b.channel.idle());
    b.reap();
    CHECK(b.answers.size() == 4);
}

// 7 cycles of 25 ns, tWB 100 ns, tR 40 us, tRR 20 ns, 4 KiB at 1200 MT/s, ECC 1 us.
TEST_CASE("a channel spends no event on a completion that firmware looks for")
{
    bench b(small_config(), nullptr, std::size_t{16} << 20, true, true);
    b.execute(descriptor(FLASH_OP_READ, 0));
    const sim_time t = now();
    const sim_time bus_end =
        t + 175_ns + 100_ns + 40_us + 20_ns + time_for(4096, small_config().bus.transfer_rate);
    b.foreseen.clear();
    b.interrupts = 0;
    b.submit(descriptor(FLASH_OP_READ, 1));
    b.run_to(bus_end);
    REQUIRE(b.foreseen.size() == 1);
    CHECK(b.foreseen[0] == bus_end + 1_us);
    CHECK(b.late->late_from() == bus_end + 1_us);
    CHECK(b.late->raises_at() == bus_end + 1_us);
    const std::uint64_t before = b.channel.total_activations();
    b.run_to(bus_end + 999_ns);
    b.late->catch_up(); // too early
    CHECK(b.interrupts == 0);
    b.run_to(t + 1_ms);
    CHECK(b.interrupts == 0);
    CHECK(b.channel.total_activations() == before);
    b.late->catch_up();
    CHECK(b.interrupts == 1);
    CHECK(b.answers.at(1).end_ns == (bus_end + 1_us).ns());
    CHECK(b.late->late_from() == late_device::never);
}

TEST_CASE("a full channel wakes for its completions, whoever looks: they make room")
{
    channel_config config = small_config();
    config.queue_entries = 2;
    bench b(config, nullptr, std::size_t{16} << 20, true, true);
    for (unsigned i = 0; i < 5; ++i) {
        b.put(descriptor(FLASH_OP_READ, i, i % 4));
    }
    b.ring();
    b.run_to(now() + 1_ms);
    CHECK(b.interrupts == 4); // three made room, and the fourth had its event when the last came in
    CHECK(b.answers.size() == 4);
    b.late->catch_up();
    CHECK(b.answers.size() == 5);
}

TEST_CASE("descriptors beyond the queue wait in the ring")
{
    channel_config config = small_config();
    config.queue_entries = 2;
    bench b(config);
    for (unsigned i = 0; i < 40; ++i) {
        b.put(descriptor(FLASH_OP_READ, i, i % 4));
    }
    b.ring();
    b.run();
    CHECK(b.answers.size() == 40);
}

namespace {

/// Three reads of LUN 0, then one of LUN 1: when does its LUN begin?
sim_time begin_behind_three(std::uint32_t queue_entries)
{
    channel_config config = small_config();
    config.queue_entries = queue_entries;
    bench b(config);
    for (unsigned i = 0; i < 3; ++i) {
        b.put(descriptor(FLASH_OP_READ, i, 0));
    }
    b.put(descriptor(FLASH_OP_READ, 3, 1));
    b.ring();
    b.run();
    // The first read's end makes room for one more descriptor.
    const auto made_room = static_cast<std::uint64_t>(b.posted.at(0).ns());
    CHECK(b.answers.at(3).start_ns == (queue_entries < 4 ? made_room : 175));
    return b.posted.at(3);
}

} // namespace

// A read takes more than 46 us: 7 cycles of 25 ns, tWB, tR 40 us, transfer, ECC.
TEST_CASE("a channel that holds three operations does not see the idle LUN of the fourth")
{
    CHECK(begin_behind_three(3) > 2 * 40_us);
}

TEST_CASE("a channel that holds four operations starts the fourth on its idle LUN")
{
    CHECK(begin_behind_three(4) < 50_us);
}

TEST_CASE("LUNs work at the same time")
{
    bench b(small_config());
    for (unsigned i = 0; i < 4; ++i) {
        b.put(descriptor(FLASH_OP_ERASE, i, i));
    }
    b.ring();
    b.run();
    for (unsigned i = 0; i < 4; ++i) {
        CHECK(b.posted.at(i) < 15_ms + 10_us);
        CHECK(b.channel.lun(lun_index(i)).stats().erases == 1);
    }
}

TEST_CASE("statistics count pages and blocks by purpose")
{
    bench b(small_config());
    flash_desc d = descriptor(FLASH_OP_PROGRAM, 1);
    d.plane_mask = 7;
    d.purpose = FLASH_PURPOSE_GC;
    b.execute(d);
    d.op = FLASH_OP_READ;
    d.purpose = FLASH_PURPOSE_MAP;
    b.execute(d);
    d.op = FLASH_OP_ERASE;
    d.purpose = FLASH_PURPOSE_WEAR;
    b.execute(d);
    const channel_stats s = b.channel.stats();
    CHECK(s.by_purpose[FLASH_PURPOSE_GC].programs == 3);
    CHECK(s.by_purpose[FLASH_PURPOSE_MAP].reads == 3);
    CHECK(s.by_purpose[FLASH_PURPOSE_WEAR].erases == 3);
    CHECK(s.by_purpose[FLASH_PURPOSE_HOST].reads == 0);
    CHECK(s.multi_plane == 3);
    CHECK(s.bytes_programmed == 3 * 4096);
    CHECK(s.bytes_read == 3 * 4096);
    const lun_stats l = b.channel.lun(lun_index(0)).stats();
    CHECK(l.programs == 3);
    CHECK(l.reads == 3);
    CHECK(l.erases == 3);
    CHECK(l.busy == 200_us + 40_us + 15_ms);
    CHECK(b.channel.lun(lun_index(1)).stats().busy == sim_time());
}

TEST_CASE("reset keeps the LUN busy for tRST")
{
    bench b(small_config());
    b.execute(descriptor(FLASH_OP_RESET, 1));
    CHECK(b.posted.at(1) == 4 * 25_ns + 100_ns + 5_us);
}

TEST_CASE("a longer tRST holds back what follows by as much")
{
    channel_config config = small_config();
    config.die.timing.tRST = 70_us;
    bench b(config);
    b.put(descriptor(FLASH_OP_RESET, 1));
    b.put(descriptor(FLASH_OP_READ, 2));
    b.ring();
    b.run();
    const sim_time reset = 4 * 25_ns + 100_ns + 70_us;
    CHECK(b.posted.at(1) == reset);
    CHECK(b.answers.at(2).start_ns == reset.ns());
    CHECK(b.channel.lun(lun_index(0)).stats().busy == 70_us + 40_us);
}

TEST_CASE("programs of partitions whose tags are equal have numbers of their own")
{
    flash_environment e;
    CHECK(e.program(5) == 5);
    e.partitions = 4;
    e.partition = 3;
    CHECK(e.program(0) == 3);
    CHECK(e.program(5) == 23);
}

} // namespace flash_channel_test
