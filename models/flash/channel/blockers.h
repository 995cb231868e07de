// SPDX-License-Identifier: Apache-2.0
//
// What operations of a LUN wait behind, and which latency part that is.
#pragma once

#include "models/common/latency_ledger.h"
#include "models/common/latency_place.h"
#include "models/flash/channel/descriptor.h"

namespace ssdvp::flash {

/// What a later operation waits behind.
inline blocker work_of(const flash_desc& d)
{
    switch (kind_of(d)) {
    case op_kind::program:
        return {blocking_work::program, d.purpose};
    case op_kind::erase:
        return {blocking_work::erase, d.purpose};
    case op_kind::read:
    case op_kind::other:
        break;
    }
    return {blocking_work::read, d.purpose};
}

/// What it calls this wait.
inline latency_part class_of(blocker b)
{
    if (b.work == blocking_work::none) {
        return latency_part::queue;
    }
    if (b.work == blocking_work::erase) {
        return latency_part::wait_erase;
    }
    switch (b.purpose) {
    case FLASH_PURPOSE_GC:
    case FLASH_PURPOSE_FOLD:
    case FLASH_PURPOSE_MERGE:
    case FLASH_PURPOSE_REFRESH:
    case FLASH_PURPOSE_WEAR:
        return latency_part::wait_gc;
    default:
        return b.work == blocking_work::program ? latency_part::wait_program
                                                : latency_part::wait_read;
    }
}

} // namespace ssdvp::flash
