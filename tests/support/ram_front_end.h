// SPDX-License-Identifier: Apache-2.0
//
// State of the RAM drive's front end and channels: all that a power cut takes away.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "models/regs/channel_regs.h"
#include "models/regs/memory_map.h"
#include "models/regs/nvme_fe_regs.h"
#include "models/regs/sata_fe_regs.h"
#include "tests/support/ram_config.h"

namespace ssdvp::test {

struct ram_lun {
    std::deque<flash_desc> waiting; // the first one is executing
    std::uint32_t background = 0;   // operations that are no host reads
};

struct ram_channel {
    std::uint64_t sq = 0, cq = 0;
    std::uint32_t sq_size = 0, cq_size = 0, tail = 0, cq_tail = 0, cq_head = 0, phase = 1;
    std::uint32_t rung = 0; // doorbells since firmware woke
    bool enabled = false;
    std::vector<ram_lun> luns;
};

struct ram_slot {
    bool busy = false;
    std::uint32_t id = 0;
    std::uint16_t sq = 0;
    std::vector<std::uint8_t>* data = nullptr;
    std::size_t metadata = 0; // MPTR: where they begin in there
    std::deque<fe_move> moves;
    bool completing = false;
};

struct ram_front_end {
    std::vector<ram_slot> slots;
    std::map<std::uint32_t, std::uint32_t> sqs; // id -> cq
    std::set<std::uint32_t> cqs;
    std::array<std::uint32_t, MAP_NVME_SIZE / 4> registers{}; // plain ones, by offset / 4
    std::deque<fe_move> memory_moves;                         // of no command
    std::uint32_t cmd_tail = 0, cmd_head = 0, cmd_phase = 1;
    std::uint32_t move_head = 0;
    std::uint32_t done_tail = 0, done_head = 0, done_phase = 1;
    std::uint32_t loud_unread = 0, move_rung = 0;
    std::uint32_t cc = 0, csts = 0;
    bool cc_written = false;
    std::deque<host_completion> completions;
};

} // namespace ssdvp::test
