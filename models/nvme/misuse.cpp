// SPDX-License-Identifier: Apache-2.0
//
// What firmware does wrongly to the front end, by name; commands that it does not complete.
#include <array>
#include <fmt/format.h>

#include "models/common/open_commands.h"
#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

namespace {

constexpr std::uint32_t no_register = 0xFFF;

std::uint64_t lba_of(const nvme_sqe& sqe)
{
    return std::uint64_t{sqe.cdw11} << 32 | sqe.cdw10;
}

bool waits_by_nature(const command_slot& c)
{
    return c.sq == 0 && c.sqe.opcode == NVME_ADMIN_ASYNC_EVENT;
}

std::string name_of(std::size_t slot, const command_slot& c)
{
    const std::string what = c.sq == 0
                                 ? fmt::format("admin opcode {:02x}h", c.sqe.opcode)
                                 : fmt::format("opcode {:02x}h, LBA {}, {} blocks", c.sqe.opcode,
                                               lba_of(c.sqe), (c.sqe.cdw12 & 0xFFFFu) + 1);
    return fmt::format("CID {} of queue {}, {}, slot {}, with firmware for {:.3f} ms", c.sqe.cid,
                       c.sq, what, slot, static_cast<double>((now() - c.owner.since).ns()) / 1e6);
}

} // namespace

/// Firmware has ordered its completion: any further move of the slot is one too many.
void front_end::take_back(command_slot& c)
{
    command_owner& o = c.owner;
    o.firmware = false;
    o.since = now();
    o.last_lba = lba_of(c.sqe);
    o.last_number = c.sqe.cid;
    o.last_queue = c.sq;
    o.last_opcode = c.sqe.opcode;
}

void front_end::beyond_data(const fe_move& m, std::uint32_t length)
{
    misuse(FE_REG_MOVE_TAIL, [&] {
        return fmt::format("offset {} and length {} lie beyond the command's {} bytes of {} ({})",
                           m.offset, m.length, length,
                           m.op >= FE_MOVE_META_TO_HOST ? "metadata" : "data",
                           front_end_base::describe(m));
    });
}

void front_end::no_memory(const fe_move& m, std::uint64_t address)
{
    misuse(no_register, [&] {
        return fmt::format("buffer is {:#x}: no SRAM or DRAM at {:#x} ({})", m.buffer, address,
                           front_end_base::describe(m));
    });
}

void front_end::wrong_queue_command(std::uint32_t command)
{
    constexpr std::array names = {"?", "CREATE_SQ", "DELETE_SQ", "CREATE_CQ", "DELETE_CQ"};
    misuse(FE_REG_Q_COMMAND, [&] {
        const auto& w = m_window;
        const bool there = w.id < m_sqs.size();
        return fmt::format(
            "Q_COMMAND {} ({}) cannot be done: Q_ID {} of 1 to {} (submission queue {}, completion "
            "queue {}), Q_SIZE {} of 2 to {}, Q_CQID {}, Q_VECTOR {} of {}",
            command, names[command < names.size() ? command : 0], w.id, m_config.queue_pairs,
            there && m_sqs[w.id].exists ? "there" : "not there",
            there && m_cqs[w.id].exists ? "there" : "not there", w.size, m_config.queue_entries,
            w.cq, w.vector & FE_Q_VECTOR_NUMBER_MASK, m_config.vectors);
    });
}

void front_end::wrong_window(std::uint32_t offset, std::uint32_t value)
{
    misuse(offset, [&] {
        return offset == FE_REG_VEC_CONTROL
                   ? fmt::format("VEC_CONTROL {:#x} goes nowhere: VEC_ID is {}, and there are {} "
                                 "vectors",
                                 value, m_window.vec_id, m_config.vectors)
                   : fmt::format("NS_FORMAT {:#x} goes nowhere: NS_ID is {}, of 1 to {}", value,
                                 m_window.ns_id, namespaces_max);
    });
}

std::string front_end::open_commands() const
{
    return describe_open(
        m_slots, [this](std::size_t slot) { return !waits_by_nature(m_slots[slot]); },
        [this](std::size_t slot) { return name_of(slot, m_slots[slot]); });
}

void front_end::look_for_forgotten(sim_time age)
{
    for (std::size_t slot = 0; slot < m_slots.size(); ++slot) {
        command_owner& o = m_slots[slot].owner;
        if (m_slots[slot].sq != 0 && is_forgotten(o, now(), age, m_stats.completions)) {
            misuse(no_register, [&] {
                return fmt::format("firmware does not complete a command: {}, and has completed "
                                   "{} others since",
                                   name_of(slot, m_slots[slot]),
                                   m_stats.completions - o.ended_before);
            });
        }
    }
}

} // namespace ssdvp::nvme
