// SPDX-License-Identifier: Apache-2.0
//
// What a front end enters in the latency ledger when firmware orders a move.
#pragma once

#include "models/common/latency_ledger.h"
#include "models/regs/nvme_fe_regs.h"

namespace ssdvp {

/// Up to `t` the command of `m.slot` waited for what m.wait says (enum fe_wait), else for the core
/// at `desk`, but for the core's work on it.
inline void stamp_order(latency_ledger& ledger, const fe_move& m, unsigned desk, sim_time t)
{
    latency_part wait = latency_part::queue;
    switch (m.wait) {
    case FE_WAIT_PROGRAM:
        wait = latency_part::wait_program;
        break;
    case FE_WAIT_GC:
        wait = latency_part::wait_gc;
        break;
    case FE_WAIT_ERASE:
        wait = latency_part::wait_erase;
        break;
    default:
        break;
    }
    ledger.hand_on(m.slot, desk, t, wait);
}

} // namespace ssdvp
