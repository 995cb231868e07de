// SPDX-License-Identifier: Apache-2.0
//
// Generated from models/regs/*.rdl by scripts/generate-registers: do not edit.
#include "platform/ssd/register_guard.h"

// clang-format off
namespace ssdvp::platform {

const std::vector<register_row> nvme_fe_rows = {
    {"CMD_BASE_LO", 0x0, 1, 4, 0xFFFFFFFFu},
    {"CMD_BASE_HI", 0x4, 1, 4, 0xFFFFFFFFu},
    {"CMD_SIZE", 0x8, 1, 4, 0xFFFFFFFFu},
    {"CMD_HEAD", 0xC, 1, 4, 0xFFFFFFFFu},
    {"MOVE_BASE_LO", 0x10, 1, 4, 0xFFFFFFFFu},
    {"MOVE_BASE_HI", 0x14, 1, 4, 0xFFFFFFFFu},
    {"MOVE_SIZE", 0x18, 1, 4, 0xFFFFFFFFu},
    {"MOVE_TAIL", 0x1C, 1, 4, 0xFFFFFFFFu},
    {"DONE_BASE_LO", 0x20, 1, 4, 0xFFFFFFFFu},
    {"DONE_BASE_HI", 0x24, 1, 4, 0xFFFFFFFFu},
    {"DONE_SIZE", 0x28, 1, 4, 0xFFFFFFFFu},
    {"DONE_HEAD", 0x2C, 1, 4, 0xFFFFFFFFu},
    {"INT_ENABLE", 0x30, 1, 4, 0x1Fu},
    {"INT_STATUS", 0x34, 1, 4, 0x0u},
    {"CC", 0x38, 1, 4, 0x0u},
    {"CSTS", 0x3C, 1, 4, 0xFu},
    {"LBA_SHIFT", 0x40, 1, 4, 0xFFFFFFFFu},
    {"MDTS", 0x44, 1, 4, 0xFFFFFFFFu},
    {"SLOTS", 0x48, 1, 4, 0x0u},
    {"QUEUE_MAX", 0x4C, 1, 4, 0x0u},
    {"VECTORS", 0x50, 1, 4, 0x0u},
    {"QUEUE_ENTRIES", 0x54, 1, 4, 0x0u},
    {"ARBITRATION", 0x58, 1, 4, 0xFFFFFF07u},
    {"COALESCING", 0x5C, 1, 4, 0xFFFFu},
    {"Q_ID", 0x60, 1, 4, 0xFFFFFFFFu},
    {"Q_BASE_LO", 0x64, 1, 4, 0xFFFFFFFFu},
    {"Q_BASE_HI", 0x68, 1, 4, 0xFFFFFFFFu},
    {"Q_SIZE", 0x6C, 1, 4, 0xFFFFFFFFu},
    {"Q_CQID", 0x70, 1, 4, 0xFFFFFFFFu},
    {"Q_VECTOR", 0x74, 1, 4, 0x1FFFFu},
    {"Q_COMMAND", 0x78, 1, 4, 0xFFFFFFFFu},
    {"Q_STATE", 0x7C, 1, 4, 0x0u},
    {"Q_PRIORITY", 0x80, 1, 4, 0x3u},
    {"VEC_ID", 0x84, 1, 4, 0xFFFFFFFFu},
    {"VEC_CONTROL", 0x88, 1, 4, 0x1u},
    {"DOORBELL_ERROR", 0x8C, 1, 4, 0x0u},
    {"NS_ID", 0x90, 1, 4, 0xFFFFFFFFu},
    {"NS_FORMAT", 0x94, 1, 4, 0x3FFFFFFu},
};

const std::vector<register_row> sata_fe_rows = {
    {"CMD_BASE_LO", 0x0, 1, 4, 0xFFFFFFFFu},
    {"CMD_BASE_HI", 0x4, 1, 4, 0xFFFFFFFFu},
    {"CMD_SIZE", 0x8, 1, 4, 0xFFFFFFFFu},
    {"CMD_HEAD", 0xC, 1, 4, 0xFFFFFFFFu},
    {"MOVE_BASE_LO", 0x10, 1, 4, 0xFFFFFFFFu},
    {"MOVE_BASE_HI", 0x14, 1, 4, 0xFFFFFFFFu},
    {"MOVE_SIZE", 0x18, 1, 4, 0xFFFFFFFFu},
    {"MOVE_TAIL", 0x1C, 1, 4, 0xFFFFFFFFu},
    {"DONE_BASE_LO", 0x20, 1, 4, 0xFFFFFFFFu},
    {"DONE_BASE_HI", 0x24, 1, 4, 0xFFFFFFFFu},
    {"DONE_SIZE", 0x28, 1, 4, 0xFFFFFFFFu},
    {"DONE_HEAD", 0x2C, 1, 4, 0xFFFFFFFFu},
    {"INT_ENABLE", 0x30, 1, 4, 0xFu},
    {"INT_STATUS", 0x34, 1, 4, 0x0u},
    {"LINK", 0x38, 1, 4, 0x0u},
    {"READY", 0x3C, 1, 4, 0x1u},
    {"OPTIONS", 0x40, 1, 4, 0x1u},
    {"MDTS", 0x44, 1, 4, 0xFFFFFFFFu},
    {"SLOTS", 0x48, 1, 4, 0x0u},
    {"SPEED", 0x4C, 1, 4, 0x0u},
    {"QUEUE_ERROR", 0x50, 1, 4, 0x0u},
    {"ERROR_LBA_LO", 0x54, 1, 4, 0x0u},
    {"ERROR_LBA_HI", 0x58, 1, 4, 0x0u},
};

const std::vector<register_row> channel_rows = {
    {"SQ_BASE_LO", 0x0, 1, 4, 0xFFFFFFFFu},
    {"SQ_BASE_HI", 0x4, 1, 4, 0xFFFFFFFFu},
    {"SQ_SIZE", 0x8, 1, 4, 0xFFFFFFFFu},
    {"SQ_TAIL", 0xC, 1, 4, 0xFFFFFFFFu},
    {"CQ_BASE_LO", 0x10, 1, 4, 0xFFFFFFFFu},
    {"CQ_BASE_HI", 0x14, 1, 4, 0xFFFFFFFFu},
    {"CQ_SIZE", 0x18, 1, 4, 0xFFFFFFFFu},
    {"CQ_HEAD", 0x1C, 1, 4, 0xFFFFFFFFu},
    {"INT_ENABLE", 0x20, 1, 4, 0x1u},
    {"LUNS", 0x24, 1, 4, 0x0u},
    {"SUSPEND", 0x28, 1, 4, 0x3u},
};

const std::vector<register_row> irq_rows = {
    {"PENDING_LO", 0x0, 3, 32, 0xFFFFFFFFu},
    {"PENDING_HI", 0x4, 3, 32, 0xFFFFFFFFu},
    {"ENABLE_LO", 0x8, 3, 32, 0xFFFFFFFFu},
    {"ENABLE_HI", 0xC, 3, 32, 0xFFFFFFFFu},
    {"DOORBELL", 0x10, 3, 32, 0xFFFFFFFFu},
};

const std::vector<register_row> timer_rows = {
    {"NOW_LO", 0x0, 1, 4, 0x0u},
    {"NOW_HI", 0x4, 1, 4, 0x0u},
    {"ONESHOT", 0x8, 1, 4, 0xFFFFFFFFu},
};

const std::vector<register_row> nor_rows = {
    {"STATUS", 0x0, 1, 4, 0x0u},
    {"COMMAND", 0x4, 1, 4, 0xFFFFFFFFu},
    {"AREA", 0x8, 1, 4, 0xFFFFFFFFu},
    {"OFFSET", 0xC, 1, 4, 0xFFFFFFFFu},
    {"LENGTH", 0x10, 1, 4, 0xFFFFFFFFu},
    {"DATA", 0x14, 1, 4, 0xFFFFFFFFu},
};

} // namespace ssdvp::platform
