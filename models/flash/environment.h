// SPDX-License-Identifier: Apache-2.0
//
// What a flash channel is given by its surroundings. Pointers outlive the channel; null = absent.
#pragma once

#include <cstdint>

#include "models/common/dma_memory.h"
#include "models/common/fault_log.h"
#include "models/common/latency_ledger.h"
#include "models/common/timeline.h"
#include "models/flash/bus/bus_tap.h"
#include "models/flash/bus/cycle_timing.h"
#include "models/flash/die/array_watch.h"
#include "models/protocols/flash_indices.h"
#include "models/protocols/page_reads.h"

namespace ssdvp::flash {

struct flash_environment {
    latency_ledger* ledger = nullptr;
    unsigned desk = 0;            // of the core that rings this channel (latency_ledger::hand_on)
    std::uint32_t partitions = 1; // FTLs, whose tags are their own; this channel is of this one
    std::uint32_t partition = 0;
    fault_log* faults = nullptr;
    dma_memory memory;     // what descriptors may point to
    unsigned irq_line = 0; // of the interrupt controller
    channel_index channel;
    page_read_client* reader = nullptr; // orders reads beside firmware
    /// Told of each program and erase that begins in a die.
    array_watch* watch = nullptr;
    /// Bus constants other than those of config.bus; for tests.
    const cycle_timing* timing = nullptr;
    /// Put base-protocol checkers on the ONFI sockets inside; they report to `faults`.
    bool check_protocol = false;
    /// Hold the bus against the table of ONFI constraints; what breaks them goes to `faults`.
    bool check_onfi = false;
    /// Cycle groups and arrays are told to it.
    timeline* trace = nullptr;
    /// Told of cycle groups and of each edge of R/B#: falling edges are on the agenda, too.
    bus_watch* watch_bus = nullptr;
    /// The R/B# signals follow the dies, for tracing: their falling edges are on the agenda, too.
    bool trace_ready = false;

    /// Of all programs of the drive, for the ledger and fe_move.operation.
    [[nodiscard]] std::uint32_t program(std::uint32_t tag) const
    {
        return tag * partitions + partition;
    }
};

} // namespace ssdvp::flash
