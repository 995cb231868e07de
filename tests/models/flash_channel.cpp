// SPDX-License-Identifier: Apache-2.0
//
// Rings, phase bits, queues and statistics of a whole channel.
#include "tests/models/flash_bench.h"

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
        CHECK(b.channel.lun(i).stats().erases == 1);
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
    const lun_stats l = b.channel.lun(0).stats();
    CHECK(l.programs == 3);
    CHECK(l.reads == 3);
    CHECK(l.erases == 3);
    CHECK(l.busy == 200_us + 40_us + 15_ms);
    CHECK(b.channel.lun(1).stats().busy == sim_time());
}

TEST_CASE("reset keeps the LUN busy for tRST")
{
    bench b(small_config());
    b.execute(descriptor(FLASH_OP_RESET, 1));
    CHECK(b.posted.at(1) == 4 * 25_ns + 100_ns + 5_us);
}
