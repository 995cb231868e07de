// SPDX-License-Identifier: Apache-2.0
//
// What firmware does wrongly to a front end, by name: rings, and moves.
#include <fmt/format.h>

#include "models/common/front_end_base.h"

namespace ssdvp {

namespace {

const char* ring_of(std::uint32_t offset)
{
    return offset < FE_REG_MOVE_BASE_LO ? "CMD" : offset < FE_REG_DONE_BASE_LO ? "MOVE" : "DONE";
}

constexpr std::array operations = {"?",           "TO_HOST",      "FROM_HOST",
                                   "COMPLETE",    "META_TO_HOST", "META_FROM_HOST",
                                   "READ_MEMORY", "WRITE_MEMORY"};

std::string wrong_field(const fe_move& m, const front_end_base::move_limits& l)
{
    if (m.op < FE_MOVE_TO_HOST || m.op > l.last_op) {
        return fmt::format("op is {}: unknown operation", m.op);
    }
    if (m.slot >= l.slots) {
        return fmt::format("slot is {}: there are {}", m.slot, l.slots);
    }
    if ((m.flags & ~l.flags) != 0) {
        return fmt::format("flags are {:#x}: unknown are {:#x}", m.flags, m.flags & ~l.flags);
    }
    if (m.wait >= FE_WAITS) {
        return fmt::format("wait is {}: unknown reason", m.wait);
    }
    if (m.status > l.status && (m.flags & FE_MOVE_CQE) != 0) {
        return fmt::format("status is {:#x}: at most {:#x}", m.status, l.status);
    }
    if (m.buffer % dma_alignment != 0) {
        return fmt::format("buffer is {:#x}: address that is not a multiple of 8", m.buffer);
    }
    return fmt::format("buffer is {:#x}: the {} bytes from there on are not all SRAM or DRAM of "
                       "firmware's",
                       m.buffer, m.length);
}

} // namespace

void front_end_base::wrong_tail(std::uint32_t tail)
{
    misuse(FE_REG_MOVE_TAIL, [&] {
        return fmt::format("MOVE_TAIL does not take {}: MOVE_SIZE is {}", tail, m_moves.size());
    });
}

void front_end_base::wrong_size(std::uint32_t offset, std::uint32_t entries)
{
    misuse(offset, [&] {
        return fmt::format("{}_SIZE does not take {}: a ring has {} entries at least, or 0",
                           ring_of(offset), entries, FE_CMD_SIZE_MIN);
    });
}

void front_end_base::wrong_place(std::uint32_t offset, std::uint64_t base, std::uint32_t entries)
{
    misuse(offset, [&] {
        return fmt::format("{0}_BASE is {1:#x}: the {2} entries of {0}_SIZE from there on are not "
                           "all SRAM or DRAM of firmware's",
                           ring_of(offset), base, entries);
    });
}

void front_end_base::wrong_head(std::uint32_t offset, std::uint32_t head)
{
    const ring_view& ring = offset == FE_REG_CMD_HEAD ? m_commands : m_dones;
    misuse(offset, [&] {
        return fmt::format("{0}_HEAD does not take {1}: entries {2} to {3} of {0}_SIZE {4} are "
                           "there to be read",
                           ring_of(offset), head, ring.head, ring.tail, ring.size());
    });
}

std::string front_end_base::describe(const fe_move& m) const
{
    return fmt::format("move {} of the mover ring, op {} ({}), slot {}, flags {:#x}, tag {}",
                       m_taken, m.op, operations[m.op < operations.size() ? m.op : 0], m.slot,
                       m.flags, m.tag);
}

bool front_end_base::report_move(const fe_move& m, const move_limits& l)
{
    misuse(FE_REG_MOVE_TAIL,
           [&] { return fmt::format("{} ({})", wrong_field(m, l), describe(m)); });
    return m.slot < l.slots && m.op >= FE_MOVE_TO_HOST && m.op <= l.last_op;
}

void front_end_base::not_firmwares(const fe_move& m, const command_owner& o)
{
    if (o.dropped) {
        return;
    }
    misuse(FE_REG_MOVE_TAIL, [&] {
        if (o.since == sim_time()) {
            return fmt::format("slot {} has no command of firmware's ({})", m.slot, describe(m));
        }
        const std::string which =
            o.last_queue == command_owner::no_queue
                ? fmt::format("tag {}, command {:02x}h", o.last_number, o.last_opcode)
                : fmt::format("CID {} of queue {}, opcode {:02x}h", o.last_number, o.last_queue,
                              o.last_opcode);
        return fmt::format("slot {} has no command of firmware's: its last one, {}, LBA {}, was "
                           "completed at {} ns ({})",
                           m.slot, which, o.last_lba, o.since.ns(), describe(m));
    });
}

} // namespace ssdvp
