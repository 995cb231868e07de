// SPDX-License-Identifier: Apache-2.0
//
// An erase of three loops of 5 ms and reads that meet it, on a bus that takes no time for commands.
#pragma once

#include "tests/models/flash_bench.h"

namespace flash_suspend_bench {

using namespace ssdvp;
using namespace ssdvp::flash;

/// Commands take no time: the oracle's terms.
inline channel_config ideal(suspend_kind suspend)
{
    channel_config c = small_config();
    c.ecc_latency = sim_time();
    c.status_poll = false;
    c.die.timing.tDBSY = sim_time();
    c.die.suspend.kind = suspend;
    return c;
}

inline flash_desc erase_of(unsigned tag, std::uint32_t block)
{
    flash_desc d = descriptor(FLASH_OP_ERASE, tag);
    d.block = block;
    return d;
}

inline flash_desc read_of(unsigned tag, std::uint32_t block)
{
    flash_desc d = descriptor(FLASH_OP_READ, tag);
    d.block = block;
    return d;
}

inline constexpr sim_time data_time(51200000);
inline constexpr sim_time read_time = 40_us + data_time;

/// Erase of 3 loops at 0, a read of another block at 1.2 ms.
inline sim_time read_start(bench& b)
{
    b.submit(erase_of(1, 1));
    b.run_to(1200_us);
    b.submit(read_of(2, 2));
    b.run();
    CHECK(b.answers.at(1).status == FLASH_STATUS_OK);
    CHECK((b.posted.at(2) - read_time).ns() == b.answers.at(2).start_ns);
    return sim_time(b.answers.at(2).start_ns * 1000);
}

} // namespace flash_suspend_bench
