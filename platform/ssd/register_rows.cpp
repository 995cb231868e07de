// SPDX-License-Identifier: Apache-2.0
//
// Generated from models/regs/*.rdl by scripts/generate-registers: do not edit.
#include "platform/ssd/register_guard.h"

// clang-format off
namespace ssdvp::platform {

const std::vector<register_row> nvme_fe_rows = {
    {"", "CMD_BASE_LO", 0x0, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "CMD_BASE_HI", 0x4, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "CMD_SIZE", 0x8, 1, 4, 0xFFFFFFFFu, {{"ENTRIES", 0, 31}}},
    {"", "CMD_HEAD", 0xC, 1, 4, 0xFFFFFFFFu, {{"INDEX", 0, 31}}},
    {"", "MOVE_BASE_LO", 0x10, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "MOVE_BASE_HI", 0x14, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "MOVE_SIZE", 0x18, 1, 4, 0xFFFFFFFFu, {{"ENTRIES", 0, 31}}},
    {"", "MOVE_TAIL", 0x1C, 1, 4, 0xFFFFFFFFu, {{"INDEX", 0, 31}}},
    {"", "DONE_BASE_LO", 0x20, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "DONE_BASE_HI", 0x24, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "DONE_SIZE", 0x28, 1, 4, 0xFFFFFFFFu, {{"ENTRIES", 0, 31}}},
    {"", "DONE_HEAD", 0x2C, 1, 4, 0xFFFFFFFFu, {{"INDEX", 0, 31}}},
    {"", "INT_ENABLE", 0x30, 1, 4, 0x1Fu,
    {{"COMMAND", 0, 0}, {"DONE", 1, 1}, {"DONE_QUIET", 2, 2}, {"CC", 3, 3}, {"DOORBELL", 4, 4}}},
    {"", "INT_STATUS", 0x34, 1, 4, 0x0u,
    {{"COMMAND", 0, 0}, {"DONE", 1, 1}, {"DONE_QUIET", 2, 2}, {"CC", 3, 3}, {"DOORBELL", 4, 4}}},
    {"", "CC", 0x38, 1, 4, 0x0u, {{"CC", 0, 31}}},
    {"", "CSTS", 0x3C, 1, 4, 0xFu, {{"RDY", 0, 0}, {"CFS", 1, 1}, {"SHST", 2, 3}}},
    {"", "LBA_SHIFT", 0x40, 1, 4, 0xFFFFFFFFu, {{"VALUE", 0, 31}}},
    {"", "MDTS", 0x44, 1, 4, 0xFFFFFFFFu, {{"VALUE", 0, 31}}},
    {"", "SLOTS", 0x48, 1, 4, 0x0u, {{"VALUE", 0, 31}}},
    {"", "QUEUE_MAX", 0x4C, 1, 4, 0x0u, {{"VALUE", 0, 31}}},
    {"", "VECTORS", 0x50, 1, 4, 0x0u, {{"VALUE", 0, 31}}},
    {"", "QUEUE_ENTRIES", 0x54, 1, 4, 0x0u, {{"VALUE", 0, 31}}},
    {"", "ARBITRATION", 0x58, 1, 4, 0xFFFFFF07u,
    {{"AB", 0, 2}, {"LPW", 8, 15}, {"MPW", 16, 23}, {"HPW", 24, 31}}},
    {"", "COALESCING", 0x5C, 1, 4, 0xFFFFu, {{"THR", 0, 7}, {"TIME", 8, 15}}},
    {"", "Q_ID", 0x60, 1, 4, 0xFFFFFFFFu, {{"VALUE", 0, 31}}},
    {"", "Q_BASE_LO", 0x64, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "Q_BASE_HI", 0x68, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "Q_SIZE", 0x6C, 1, 4, 0xFFFFFFFFu, {{"VALUE", 0, 31}}},
    {"", "Q_CQID", 0x70, 1, 4, 0xFFFFFFFFu, {{"VALUE", 0, 31}}},
    {"", "Q_VECTOR", 0x74, 1, 4, 0x1FFFFu, {{"NUMBER", 0, 15}, {"IEN", 16, 16}}},
    {"", "Q_COMMAND", 0x78, 1, 4, 0xFFFFFFFFu, {{"COMMAND", 0, 31}}},
    {"", "Q_STATE", 0x7C, 1, 4, 0x0u, {{"SQ", 0, 0}, {"CQ", 1, 1}, {"BOUND", 16, 31}}},
    {"", "Q_PRIORITY", 0x80, 1, 4, 0x3u, {{"CLASS", 0, 1}}},
    {"", "VEC_ID", 0x84, 1, 4, 0xFFFFFFFFu, {{"VALUE", 0, 31}}},
    {"", "VEC_CONTROL", 0x88, 1, 4, 0x1u, {{"CD", 0, 0}}},
    {"", "DOORBELL_ERROR", 0x8C, 1, 4, 0x0u,
    {{"REGISTER", 0, 0}, {"VALUE", 1, 1}, {"COMPLETION", 2, 2}, {"QUEUE", 16, 31}}},
    {"", "NS_ID", 0x90, 1, 4, 0xFFFFFFFFu, {{"VALUE", 0, 31}}},
    {"", "NS_FORMAT", 0x94, 1, 4, 0x3FFFFFFu,
    {{"SHIFT", 0, 7}, {"METADATA", 8, 23}, {"EXTENDED", 24, 24}, {"PROTECTED", 25, 25}}},
    {"", "LOOKUP_CONTROL", 0x98, 1, 4, 0x301u, {{"ENABLE", 0, 0}, {"MODE", 8, 9}}},
    {"", "LOOKUP_FORMAT", 0x9C, 1, 4, 0xFFFFFFu,
    {{"UNIT", 0, 7}, {"PAGE", 8, 15}, {"ENTRY", 16, 23}}},
    {"", "LOOKUP_ADDRESS", 0xA0, 1, 4, 0xFFFFFFu,
    {{"PLANE", 0, 7}, {"LUN", 8, 15}, {"ROW", 16, 23}}},
    {"", "LOOKUP_PAGES", 0xA4, 1, 4, 0xFFFFFFFFu, {{"VALUE", 0, 31}}},
    {"", "LOOKUP_UNITS", 0xA8, 1, 4, 0xFFFFFFFFu, {{"VALUE", 0, 31}}},
    {"", "LOOKUP_MAP_LO", 0xAC, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "LOOKUP_MAP_HI", 0xB0, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "LOOKUP_STATE_LO", 0xB4, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "LOOKUP_STATE_HI", 0xB8, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "LOOKUP_MARKS_LO", 0xBC, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "LOOKUP_MARKS_HI", 0xC0, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "LOOKUP_DATA_LO", 0xC4, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "LOOKUP_DATA_HI", 0xC8, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "LOOKUP_FENCE", 0xCC, 1, 4, 0x1u, {{"PENDING", 0, 0}}},
    {"", "LOOKUP_READS", 0xD0, 1, 4, 0x0u, {{"VALUE", 0, 31}}},
    {"", "LOOKUP_SECTORS", 0xD4, 1, 4, 0x0u, {{"VALUE", 0, 31}}},
};

const std::vector<register_row> sata_fe_rows = {
    {"", "CMD_BASE_LO", 0x0, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "CMD_BASE_HI", 0x4, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "CMD_SIZE", 0x8, 1, 4, 0xFFFFFFFFu, {{"ENTRIES", 0, 31}}},
    {"", "CMD_HEAD", 0xC, 1, 4, 0xFFFFFFFFu, {{"INDEX", 0, 31}}},
    {"", "MOVE_BASE_LO", 0x10, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "MOVE_BASE_HI", 0x14, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "MOVE_SIZE", 0x18, 1, 4, 0xFFFFFFFFu, {{"ENTRIES", 0, 31}}},
    {"", "MOVE_TAIL", 0x1C, 1, 4, 0xFFFFFFFFu, {{"INDEX", 0, 31}}},
    {"", "DONE_BASE_LO", 0x20, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "DONE_BASE_HI", 0x24, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "DONE_SIZE", 0x28, 1, 4, 0xFFFFFFFFu, {{"ENTRIES", 0, 31}}},
    {"", "DONE_HEAD", 0x2C, 1, 4, 0xFFFFFFFFu, {{"INDEX", 0, 31}}},
    {"", "INT_ENABLE", 0x30, 1, 4, 0xFu,
    {{"COMMAND", 0, 0}, {"DONE", 1, 1}, {"DONE_QUIET", 2, 2}, {"LINK", 3, 3}}},
    {"", "INT_STATUS", 0x34, 1, 4, 0x0u,
    {{"COMMAND", 0, 0}, {"DONE", 1, 1}, {"DONE_QUIET", 2, 2}, {"LINK", 3, 3}}},
    {"", "LINK", 0x38, 1, 4, 0x0u, {{"ENABLE", 0, 0}, {"HARD", 16, 16}}},
    {"", "READY", 0x3C, 1, 4, 0x1u, {{"RDY", 0, 0}}},
    {"", "OPTIONS", 0x40, 1, 4, 0x1u, {{"AUTO_ACTIVATE", 0, 0}}},
    {"", "MDTS", 0x44, 1, 4, 0xFFFFFFFFu, {{"BYTES", 0, 31}}},
    {"", "SLOTS", 0x48, 1, 4, 0x0u, {{"VALUE", 0, 31}}},
    {"", "SPEED", 0x4C, 1, 4, 0x0u, {{"GENERATION", 0, 2}}},
    {"", "QUEUE_ERROR", 0x50, 1, 4, 0x0u,
    {{"TAG", 0, 4}, {"STATUS", 8, 15}, {"ERROR", 16, 23}, {"SINGLE", 30, 30}, {"STOPPED", 31, 31}}},
    {"", "ERROR_LBA_LO", 0x54, 1, 4, 0x0u, {{"BITS", 0, 31}}},
    {"", "ERROR_LBA_HI", 0x58, 1, 4, 0x0u, {{"BITS", 0, 15}}},
};

const std::vector<register_row> channel_rows = {
    {"", "SQ_BASE_LO", 0x0, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "SQ_BASE_HI", 0x4, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "SQ_SIZE", 0x8, 1, 4, 0xFFFFFFFFu, {{"ENTRIES", 0, 31}}},
    {"", "SQ_TAIL", 0xC, 1, 4, 0xFFFFFFFFu, {{"INDEX", 0, 31}}},
    {"", "CQ_BASE_LO", 0x10, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "CQ_BASE_HI", 0x14, 1, 4, 0xFFFFFFFFu, {{"BITS", 0, 31}}},
    {"", "CQ_SIZE", 0x18, 1, 4, 0xFFFFFFFFu, {{"ENTRIES", 0, 31}}},
    {"", "CQ_HEAD", 0x1C, 1, 4, 0xFFFFFFFFu, {{"INDEX", 0, 31}}},
    {"", "INT_ENABLE", 0x20, 1, 4, 0x1u, {{"POSTED", 0, 0}}},
    {"", "LUNS", 0x24, 1, 4, 0x0u, {{"LUNS", 0, 31}}},
    {"", "SUSPEND", 0x28, 1, 4, 0x3u, {{"ERASES", 0, 0}, {"PROGRAMS", 1, 1}}},
};

const std::vector<register_row> irq_rows = {
    {"CORE", "PENDING_LO", 0x0, 9, 32, 0xFFFFFFFFu, {{"LINES", 0, 31}}},
    {"CORE", "PENDING_HI", 0x4, 9, 32, 0xFFFFFFFFu, {{"LINES", 0, 31}}},
    {"CORE", "ENABLE_LO", 0x8, 9, 32, 0xFFFFFFFFu, {{"LINES", 0, 31}}},
    {"CORE", "ENABLE_HI", 0xC, 9, 32, 0xFFFFFFFFu, {{"LINES", 0, 31}}},
    {"CORE", "DOORBELL", 0x10, 9, 32, 0xFFFFFFFFu, {{"ANY", 0, 31}}},
};

const std::vector<register_row> timer_rows = {
    {"", "NOW_LO", 0x0, 1, 4, 0x0u, {{"NS", 0, 31}}},
    {"", "NOW_HI", 0x4, 1, 4, 0x0u, {{"NS", 0, 31}}},
    {"", "ONESHOT", 0x8, 1, 4, 0xFFFFFFFFu, {{"NS", 0, 31}}},
};

const std::vector<register_row> nor_rows = {
    {"", "STATUS", 0x0, 1, 4, 0x0u, {{"BUSY", 0, 0}, {"FAILED", 1, 1}}},
    {"", "COMMAND", 0x4, 1, 4, 0xFFFFFFFFu, {{"OP", 0, 31}}},
    {"", "AREA", 0x8, 1, 4, 0xFFFFFFFFu, {{"NUMBER", 0, 31}}},
    {"", "OFFSET", 0xC, 1, 4, 0xFFFFFFFFu, {{"BYTES", 0, 31}}},
    {"", "LENGTH", 0x10, 1, 4, 0xFFFFFFFFu, {{"BYTES", 0, 31}}},
    {"", "DATA", 0x14, 1, 4, 0xFFFFFFFFu, {{"WORD", 0, 31}}},
};

const std::vector<register_row> thermal_rows = {
    {"", "COMPOSITE", 0x0, 1, 4, 0x0u, {{"CENTIKELVIN", 0, 31}}},
    {"", "CONTROLLER", 0x4, 1, 4, 0x0u, {{"CENTIKELVIN", 0, 31}}},
    {"", "NAND", 0x8, 1, 4, 0x0u, {{"CENTIKELVIN", 0, 31}}},
    {"", "LOW", 0xC, 1, 4, 0xFFFFFFFFu, {{"CENTIKELVIN", 0, 31}}},
    {"", "HIGH", 0x10, 1, 4, 0xFFFFFFFFu, {{"CENTIKELVIN", 0, 31}}},
    {"", "LEVEL", 0x14, 1, 4, 0x3u, {{"STEP", 0, 1}}},
    {"", "DIVIDER", 0x18, 1, 4, 0x7u, {{"EXPONENT", 0, 2}}},
    {"", "ENERGY", 0x1C, 1, 4, 0x0u, {{"MICROJOULES", 0, 31}}},
    {"", "POWER", 0x20, 1, 4, 0x11Fu, {{"STATE", 0, 4}, {"ASLEEP", 8, 8}}},
};

} // namespace ssdvp::platform
