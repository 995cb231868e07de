// SPDX-License-Identifier: Apache-2.0
//
// State of the host's queues and of the commands in the drive.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/command_owner.h"
#include "models/common/time.h"
#include "models/nvme/data_map.h"
#include "models/regs/nvme_regs.h"

namespace ssdvp::nvme {

constexpr std::uint16_t no_slot = 0xFFFF;

/// Positions of a host ring of `size` entries.
struct host_ring {
    bool exists = false;
    std::uint64_t base = 0; // host address
    std::uint32_t size = 0; // entries
    std::uint32_t head = 0;
    std::uint32_t tail = 0;

    [[nodiscard]] std::uint32_t used() const
    {
        return tail >= head ? tail - head : tail + size - head;
    }
    [[nodiscard]] std::uint32_t distance(std::uint32_t from, std::uint32_t to) const
    {
        return to >= from ? to - from : to + size - from;
    }
};

struct submission_queue : host_ring {
    std::uint16_t cq = 0;
    std::vector<sim_time> rung; // per entry: when the doorbell that covers it arrived
    sim_time complete;          // the last command fetched has arrived with all its pointers
};

struct completion_queue : host_ring {
    bool interrupts = false;
    bool phase = true;
    std::uint16_t vector = 0;
    std::uint16_t submission_queues = 0; // bound to it
    std::uint32_t epoch = 0;             // tells a queue from an earlier one with its number
    std::uint32_t committed = 0;         // entries on their way
    std::uint16_t first_waiting = no_slot;
    std::uint16_t last_waiting = no_slot;

    [[nodiscard]] bool room() const { return used() + committed < size - 1; }
};

/// A command in the drive, from its fetch until its completion entry is sent.
struct command_slot {
    bool busy = false;
    bool completing = false;  // its completion was ordered
    std::uint8_t last_op = 0; // direction of the move before: see direction_of()
    std::uint16_t sq = 0;
    std::uint16_t cq = 0;
    std::uint16_t error = 0;      // status that replaces firmware's, 0 = none
    std::uint16_t status = 0;     // firmware's
    std::uint16_t next = no_slot; // next that waits for room in the completion queue
    std::uint32_t cq_epoch = 0;
    std::uint32_t dw0 = 0;
    std::uint32_t held = 0; // of its moves, those that wait for the link
    nvme_sqe sqe{};
    data_map data;
    data_map metadata; // at MPTR
    sim_time finish;   // latest end of its moves
    sim_time wire_end; // latest end of its data on the link to the host
    sim_time rung;     // its doorbell was written
    command_owner owner;
};

/// Of an I/O command.
[[nodiscard]] inline std::uint64_t lba_of(const nvme_sqe& sqe)
{
    return std::uint64_t{sqe.cdw11} << 32 | sqe.cdw10;
}

/// MSI-X table entry, its pending bit, and the completions whose message waits for others.
struct msix_vector {
    std::uint32_t address_low = 0;
    std::uint32_t address_high = 0;
    std::uint32_t data = 0;
    std::uint32_t control = NVME_MSIX_TABLE_CONTROL_RESET;
    bool pending = false;
    bool never_waits = false; // coalescing disabled (feature 09h)
    bool timed = false;       // the end of the time is in the agenda
    std::uint32_t held = 0;   // completions without their message
    sim_time since;           // first of them

    [[nodiscard]] bool masked() const { return (control & NVME_MSIX_TABLE_CONTROL_MASK) != 0; }
    [[nodiscard]] std::uint64_t address() const
    {
        return (std::uint64_t{address_high} << 32) | address_low;
    }
};

} // namespace ssdvp::nvme
