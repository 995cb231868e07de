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

} // namespace flash_channel_test
