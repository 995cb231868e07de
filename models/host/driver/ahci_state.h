// SPDX-License-Identifier: Apache-2.0
//
// What the SATA driver knows: commands in slots, where a sequence stands.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/time.h"
#include "models/host/driver/drive.h"
#include "models/host/driver/poll_interval.h"
#include "models/regs/ahci_regs.h"

namespace ssdvp::host {

struct ahci_driver_state {
    enum class task : std::uint8_t { interrupt, poll, watchdog };
    struct entry {
        task kind = task::interrupt;
        std::uint32_t generation = 0;
    };
    struct command {
        std::uint32_t request = 0;
        std::uint32_t offset = 0; // sectors, from the start of the request
        std::uint32_t sectors = 0;
        std::uint32_t tries = 0;
        sim_time opened;
        sim_time told; // when PxCI is written
    };
    struct verdict {
        std::uint32_t slots = 0; // whose commands failed
        std::uint16_t status = 0;
        bool again = false; // they are tried again, a few times
    };

    drive_info m_info;
    std::uint64_t m_list = 0; // command list, received FIS
    std::uint64_t m_fis = 0;
    std::uint64_t m_page = 0; // a page for IDENTIFY and logs
    std::uint64_t m_tables = 0;
    std::uint32_t m_table_bytes = 0;
    std::uint64_t m_buffers = 0;

    drive::callback m_sequence_done;
    std::size_t m_step = 0;
    std::uint32_t m_generation = 0; // of polls and watchdogs
    sim_time m_step_began;
    poll_interval m_poll_interval;
    std::uint32_t m_bring_ups = 0; // begun, of this sequence
    bool m_failed = false;
    bool m_queued = false; // reads and writes by NCQ
    bool m_write_cache = false;
    bool m_look_ahead = false;
    bool m_auto_activate = false;

    std::uint32_t m_issued = 0;   // slots with the drive
    std::uint32_t m_filled = 0;   // ... not yet told to the adapter
    std::uint32_t m_by_queue = 0; // ... that are NCQ commands
    std::uint32_t m_awaiting = 0; // after an error: to be issued again
    bool m_recovering = false;
    std::uint32_t m_causes = 0;    // PxIS of the error ...
    std::uint32_t m_error_tfd = 0; // ... and PxTFD
    bool m_was_queued = false;     // ... and whether it was among NCQ commands
    std::array<command, AHCI_SLOTS> m_commands{};

    std::uint64_t m_recoveries = 0;
    std::uint64_t m_link_resets = 0;
    std::uint64_t m_retries = 0;
};

} // namespace ssdvp::host
