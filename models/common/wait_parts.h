// SPDX-License-Identifier: Apache-2.0
//
// The latency part of each reason for which firmware held a command (enum fe_wait), and what the
// command waited behind.
#pragma once

#include "models/common/latency_ledger.h"
#include "models/regs/channel_records.h"
#include "models/regs/fe_wait.h"

namespace ssdvp {

/// `wait` < FE_WAITS.
inline latency_part part_of_wait(std::uint8_t wait)
{
    constexpr std::array<latency_part, FE_WAITS> parts = {
        latency_part::wait_core,   latency_part::wait_program, latency_part::wait_gc,
        latency_part::wait_erase,  latency_part::wait_read,    latency_part::wait_map,
        latency_part::wait_buffer, latency_part::wait_power};
    return parts[wait];
}

/// What a command that firmware held waited behind; none: for a core, or for power.
inline blocker blocker_of_wait(std::uint8_t wait)
{
    constexpr std::array<blocker, FE_WAITS> behind = {{
        {},
        {blocking_work::program, FLASH_PURPOSE_HOST},
        {blocking_work::room, FLASH_PURPOSE_GC},
        {blocking_work::erase, FLASH_PURPOSE_GC},
        {blocking_work::read, FLASH_PURPOSE_HOST},
        {blocking_work::read, FLASH_PURPOSE_MAP},
        {blocking_work::room, FLASH_PURPOSE_HOST}, // a slot, or a page buffer
        {},                                        // no work: the drive was asleep
    }};
    return behind[wait];
}

} // namespace ssdvp
