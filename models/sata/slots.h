// SPDX-License-Identifier: Apache-2.0
//
// Commands in the drive.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/command_owner.h"
#include "models/common/time.h"
#include "models/regs/sata_fe_regs.h"
#include "models/sata/commands.h"

namespace ssdvp::sata {

constexpr std::uint16_t no_slot = 0xFFFF;
constexpr std::uint16_t tags = 32;
constexpr std::uint16_t single = SFE_SLOT_SINGLE; // the command that is not queued
constexpr std::uint16_t slots = SFE_SLOTS_RESET;
static_assert(slots == tags + 1 && single == tags);

/// Data that wait for the host's.
struct pending_move {
    fe_move move;
    sim_time start;
};

/// A command in the drive, from its Register FIS until the host has heard how it ended.
struct command_slot {
    bool busy = false;
    bool ended = false;      // firmware has ordered its end: `end`
    bool completing = false; // the host is being told
    bool aborted = false;    // the queue has stopped: the host hears nothing more of it
    bool asked = false;      // the host was asked for its data
    std::uint8_t host_slot = 0;
    fis::register_h2d fis{};
    command_form form{};
    std::uint32_t notes = 0;     // SFE_NOTE_*
    std::uint32_t error = 0;     // ATA Status and Error that replace firmware's, 0 = none
    std::uint32_t filled = 0;    // bytes of the data that the drive has got together
    std::uint32_t asked_for = 0; // bytes that the host may have sent
    fe_move end{};
    std::vector<pending_move> pending;
    command_owner owner;
    sim_time finish; // latest end of what was done
};

/// Log page 10h.
struct queue_error {
    std::uint32_t word = 0; // SFE_QUEUE_ERROR_*
    std::uint64_t lba = 0;
};

} // namespace ssdvp::sata
