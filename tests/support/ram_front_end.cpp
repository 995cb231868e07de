// SPDX-License-Identifier: Apache-2.0
//
// The front end of the RAM drive: commands, moves, queue window, reset.
#include <cstring>
#include <stdexcept>

#include "tests/support/ram_nand.h"

namespace ssdvp::test {

std::uint32_t ram_nand::fe_conditions() const
{
    return (m_fe.cmd_head != m_fe.cmd_tail ? FE_INT_COMMAND : 0u) |
           (m_fe.loud_unread != 0 ? FE_INT_DONE : 0u) |
           (m_fe.done_head != m_fe.done_tail ? FE_INT_DONE_QUIET : 0u) |
           (m_fe.cc_written ? FE_INT_CC : 0u);
}

void ram_nand::raise_fe(std::uint32_t conditions)
{
    if ((fe_register(FE_REG_INT_ENABLE) & conditions) != 0) {
        m_pending |= 1ull << IRQ_LINE_NVME;
    }
}

std::uint32_t ram_nand::fe_read(std::uint32_t offset)
{
    switch (offset) {
    case FE_REG_SLOTS:
        return config.slots;
    case FE_REG_QUEUE_MAX:
        return config.queue_max;
    case FE_REG_VECTORS:
        return config.vectors;
    case FE_REG_QUEUE_ENTRIES:
        return config.queue_entries;
    case FE_REG_CC:
        m_fe.cc_written = false;
        return m_fe.cc;
    case FE_REG_CSTS:
        return m_fe.csts;
    case FE_REG_INT_STATUS:
        return fe_conditions();
    case FE_REG_Q_COMMAND:
        return 0;
    default:
        return fe_register(offset);
    }
}

void ram_nand::fe_write(std::uint32_t offset, std::uint32_t value)
{
    fe_register(offset) = value;
    switch (offset) {
    case FE_REG_CMD_SIZE:
        m_fe.cmd_tail = m_fe.cmd_head = 0;
        m_fe.cmd_phase = 1;
        break;
    case FE_REG_CMD_HEAD:
        m_fe.cmd_head = value;
        break;
    case FE_REG_MOVE_SIZE:
        m_fe.move_head = 0;
        break;
    case FE_REG_MOVE_TAIL:
        if (++m_fe.move_rung > 1) {
            violate("two mover doorbells in one round");
        }
        take_moves(value);
        break;
    case FE_REG_DONE_SIZE:
        m_fe.done_tail = m_fe.done_head = 0;
        m_fe.done_phase = 1;
        m_fe.loud_unread = 0;
        break;
    case FE_REG_DONE_HEAD:
        m_fe.done_head = value;
        m_fe.loud_unread = 0;
        break;
    case FE_REG_INT_ENABLE:
        raise_fe(fe_conditions());
        break;
    case FE_REG_CSTS:
        m_boot_reads = (m_fe.csts & NVME_CSTS_RDY) == 0 ? m_reads : m_boot_reads;
        m_fe.csts = value;
        break;
    case FE_REG_Q_COMMAND:
        queue_command(value);
        break;
    default:
        break;
    }
}

void ram_nand::queue_command(std::uint32_t command)
{
    const std::uint32_t id = fe_register(FE_REG_Q_ID);
    const std::uint32_t cq = fe_register(FE_REG_Q_CQID);
    bool ok = id != 0 && id <= config.queue_max;
    switch (command) {
    case FE_Q_CREATE_CQ:
        ok = ok && fe_register(FE_REG_Q_SIZE) <= config.queue_entries && m_fe.cqs.insert(id).second;
        break;
    case FE_Q_CREATE_SQ:
        ok = ok && fe_register(FE_REG_Q_SIZE) <= config.queue_entries && m_fe.cqs.count(cq) != 0 &&
             m_fe.sqs.emplace(id, cq).second;
        break;
    case FE_Q_DELETE_SQ:
        ok = m_fe.sqs.erase(id) == 1;
        break;
    case FE_Q_DELETE_CQ:
        for (const auto& sq : m_fe.sqs) {
            ok = ok && sq.second != id;
        }
        ok = ok && m_fe.cqs.erase(id) == 1;
        break;
    default:
        ok = false;
    }
    if (!ok) {
        violate("queue window command that the hardware cannot do");
    }
}

void ram_nand::append_command(const nvme_sqe& sqe, std::uint16_t sq, std::uint16_t slot)
{
    fe_command c{};
    c.sqe = sqe;
    c.slot = slot;
    c.sq_id = sq;
    c.phase = m_fe.cmd_phase;
    const std::uint32_t size = fe_register(FE_REG_CMD_SIZE);
    if ((m_fe.cmd_tail + 1) % size == m_fe.cmd_head) {
        violate("command ring overrun");
    }
    const std::uint64_t entry = fe_register(FE_REG_CMD_BASE_LO) + m_fe.cmd_tail * sizeof c;
    std::memcpy(memory(entry), &c, sizeof c);
    wrote(entry, sizeof c);
    m_fe.cmd_tail = (m_fe.cmd_tail + 1) % size;
    m_fe.cmd_phase ^= m_fe.cmd_tail == 0 ? 1u : 0u;
    raise_fe(FE_INT_COMMAND);
}

std::int64_t ram_nand::submit(std::uint16_t sq, const nvme_sqe& sqe,
                              std::vector<std::uint8_t>* data)
{
    for (std::size_t i = 0; i < m_fe.slots.size(); ++i) {
        if (!m_fe.slots[i].busy) {
            return occupy(static_cast<std::uint16_t>(i), sq, sqe, data);
        }
    }
    return -1;
}

std::int64_t ram_nand::occupy(std::uint16_t slot, std::uint16_t sq, const nvme_sqe& sqe,
                              std::vector<std::uint8_t>* data)
{
    ram_slot& s = m_fe.slots.at(slot);
    if (s.busy) {
        return -1;
    }
    s.busy = true;
    s.completing = false;
    s.id = m_next_id++;
    s.sq = sq;
    s.data = data;
    s.metadata = static_cast<std::size_t>(sqe.mptr);
    append_command(sqe, sq, slot);
    return s.id;
}

std::int64_t ram_nand::submit_ata(const sata_fe_request& request, std::vector<std::uint8_t>* data)
{
    const bool queued = request.notes == 0 && request.fis[2] >= 0x60 && request.fis[2] <= 0x65;
    nvme_sqe sqe;
    std::memcpy(&sqe, &request, sizeof sqe);
    return occupy(static_cast<std::uint16_t>(queued ? request.fis[12] >> 3 : SFE_SLOT_SINGLE),
                  SFE_SQ_ID, sqe, data);
}

std::uint32_t ram_nand::sata_read(std::uint32_t offset)
{
    return offset == SFE_REG_SPEED || offset > SFE_REG_SLOTS ? fe_register(offset)
                                                             : fe_read(offset);
}

bool ram_nand::completion(host_completion& out)
{
    if (m_fe.completions.empty()) {
        return false;
    }
    out = m_fe.completions.front();
    m_fe.completions.pop_front();
    return true;
}

host_completion ram_nand::execute(std::uint16_t sq, const nvme_sqe& sqe,
                                  std::vector<std::uint8_t>* data)
{
    host_completion c;
    const std::int64_t id = submit(sq, sqe, data);
    for (;;) {
        while (completion(c)) {
            if (c.id == id) {
                return c;
            }
        }
        if (!step() && !elapse()) {
            throw std::runtime_error("the command never completes: " + m_panic_text);
        }
    }
}

void ram_nand::take_moves(std::uint32_t tail)
{
    const std::uint32_t size = fe_register(FE_REG_MOVE_SIZE);
    while (m_fe.move_head != tail) {
        fe_move m;
        std::memcpy(&m, memory(fe_register(FE_REG_MOVE_BASE_LO)) + m_fe.move_head * sizeof m,
                    sizeof m);
        m_fe.move_head = (m_fe.move_head + 1) % size;
        if (m.op == FE_MOVE_READ_MEMORY || m.op == FE_MOVE_WRITE_MEMORY) {
            m_fe.memory_moves.push_back(m);
            schedule(1, static_cast<std::uint32_t>(m_fe.slots.size()), 0);
            continue;
        }
        ram_slot& s = m_fe.slots.at(m.slot);
        if (!s.busy || s.completing) {
            if (s.busy) {
                violate("move after the command's completion");
            }
            append_done(m, m.slot, false); // left over from before a reset
            continue;
        }
        s.completing = (m.flags & FE_MOVE_CQE) != 0;
        s.moves.push_back(m);
        if (s.moves.size() == 1) {
            schedule(1, m.slot, 0);
        }
    }
}

void ram_nand::copy_host(const fe_move& m, std::vector<std::uint8_t>& data)
{
    const bool apart = m.op == FE_MOVE_META_TO_HOST || m.op == FE_MOVE_META_FROM_HOST;
    const std::size_t from = m.offset + (apart ? m_fe.slots.at(m.slot).metadata : 0);
    if (from + m.length > data.size()) {
        violate("move beyond the host's data");
        return;
    }
    const bool all = (m.flags & FE_MOVE_METADATA) != 0 || config.params.host.data_mode == 2;
    if (!all && config.params.host.data_mode == 0) {
        return;
    }
    const std::uint32_t stride = all ? m.length : sector;
    for (std::uint32_t at = 0; at < m.length; at += stride) {
        std::uint8_t* host = data.data() + from + at;
        std::uint8_t* buffer = memory(m.buffer + at);
        const bool out = m.op == FE_MOVE_TO_HOST || m.op == FE_MOVE_META_TO_HOST;
        std::memcpy(out ? host : buffer, out ? buffer : host, all ? m.length : 8);
        wrote(m.buffer + at, out ? 0 : (all ? m.length : 8));
    }
}

/// The oldest one. Every so often somebody has changed what comes back.
void ram_nand::end_memory_move()
{
    const fe_move m = m_fe.memory_moves.front();
    m_fe.memory_moves.pop_front();
    const std::uint64_t at = m.host - ram_host_base;
    const bool there = m.host >= ram_host_base && at + m.length <= host_memory.size();
    if (there && m.op == FE_MOVE_WRITE_MEMORY) {
        std::memcpy(host_memory.data() + at, memory(m.buffer), m.length);
    } else if (there) {
        if (config.damage_every != 0 && ++m_memory_reads % config.damage_every == 0) {
            host_memory[at + m_memory_reads % m.length] ^= 0x40;
        }
        std::memcpy(memory(m.buffer), host_memory.data() + at, m.length);
        wrote(m.buffer, m.length);
    }
    append_done(m, m.slot, there);
}

void ram_nand::end_move(std::uint32_t slot)
{
    if (slot == m_fe.slots.size()) {
        end_memory_move();
        return;
    }
    ram_slot& s = m_fe.slots[slot];
    if (s.moves.empty()) {
        return; // a reset took them
    }
    const fe_move m = s.moves.front();
    s.moves.pop_front();
    if (m.op != FE_MOVE_COMPLETE) {
        if (s.data == nullptr) {
            violate("data move of a command without data");
        } else {
            copy_host(m, *s.data);
        }
    }
    append_done(m, static_cast<std::uint16_t>(slot), true);
    if ((m.flags & FE_MOVE_CQE) != 0) {
        m_fe.completions.push_back({s.id, m.status, m.dw0, m.wait, m.flags, m.result});
        s.busy = false;
        s.completing = false;
    } else if (!s.moves.empty()) {
        schedule(1, slot, 0);
    }
}

void ram_nand::append_done(const fe_move& m, std::uint16_t slot, bool ok)
{
    if ((m.flags & FE_MOVE_NOTIFY) == 0) {
        return;
    }
    fe_move_done d{};
    d.tag = m.tag;
    d.slot = slot;
    d.status = ok ? FE_DONE_OK : FE_DONE_TRANSFER_ERROR;
    d.phase = static_cast<std::uint8_t>(m_fe.done_phase);
    const std::uint32_t size = fe_register(FE_REG_DONE_SIZE);
    if ((m_fe.done_tail + 1) % size == m_fe.done_head) {
        violate("mover completion ring overrun");
    }
    const std::uint64_t entry = fe_register(FE_REG_DONE_BASE_LO) + m_fe.done_tail * sizeof d;
    std::memcpy(memory(entry), &d, sizeof d);
    wrote(entry, sizeof d);
    m_fe.done_tail = (m_fe.done_tail + 1) % size;
    m_fe.done_phase ^= m_fe.done_tail == 0 ? 1u : 0u;
    const bool loud = (m.flags & FE_MOVE_IRQ) != 0;
    m_fe.loud_unread += loud ? 1 : 0;
    raise_fe(FE_INT_DONE_QUIET | (loud ? FE_INT_DONE : 0u));
}

void ram_nand::controller_reset()
{
    for (std::uint32_t i = 0; i < m_fe.slots.size(); ++i) {
        ram_slot& s = m_fe.slots[i];
        for (const fe_move& m : s.moves) {
            append_done(m, static_cast<std::uint16_t>(i), false);
        }
        s = ram_slot();
    }
    m_fe.sqs.clear();
    m_fe.cqs.clear();
    m_fe.completions.clear();
}

void ram_nand::write_cc(std::uint32_t value)
{
    const bool reset = (m_fe.cc & NVME_CC_EN) != 0 && (value & NVME_CC_EN) == 0;
    m_fe.cc = value;
    if (reset) {
        controller_reset();
    }
    m_fe.cc_written = true;
    raise_fe(FE_INT_CC);
}

bool ram_nand::enable()
{
    if (m_powered) {
        write_cc(NVME_CC_EN | (6u << NVME_CC_IOSQES_SHIFT) | (4u << NVME_CC_IOCQES_SHIFT));
    }
    while (m_powered && (m_fe.csts & NVME_CSTS_RDY) == 0) {
        if (!step()) {
            throw std::runtime_error("the controller never becomes ready: " + m_panic_text);
        }
    }
    return m_powered;
}

} // namespace ssdvp::test
