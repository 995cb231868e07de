// SPDX-License-Identifier: Apache-2.0
//
// What a front end enters in the latency ledger when firmware orders a move.
#pragma once

#include "models/common/latency_ledger.h"
#include "models/regs/nvme_fe_regs.h"

namespace ssdvp {

/// Up to `t` the command of `m.slot` waited for what m.wait says (enum fe_wait), else for the core
/// at `desk` or its work.
inline void stamp_order(latency_ledger& ledger, const fe_move& m, unsigned desk, sim_time t)
{
    switch (m.wait) {
    case FE_WAIT_PROGRAM:
        ledger.stamp_slot(m.slot, latency_part::wait_program, t);
        break;
    case FE_WAIT_GC:
        ledger.stamp_slot(m.slot, latency_part::wait_gc, t);
        break;
    case FE_WAIT_ERASE:
        ledger.stamp_slot(m.slot, latency_part::wait_erase, t);
        break;
    default:
        break;
    }
    ledger.hand_on(m.slot, desk, t);
}

} // namespace ssdvp
