// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/mover.h"

#include <algorithm>

#include <fmt/format.h>

#include "models/common/data_mode.h"
#include "models/common/tag_pattern.h"

namespace ssdvp::nvme {

namespace {

/// Moves of one direction follow each other; metadata go the way of data.
std::uint8_t direction_of(std::uint8_t op)
{
    switch (op) {
    case FE_MOVE_META_TO_HOST:
        return FE_MOVE_TO_HOST;
    case FE_MOVE_META_FROM_HOST:
        return FE_MOVE_FROM_HOST;
    default:
        return op;
    }
}

/// What a move addresses.
const data_map& map_of(const command_slot& c, const fe_move& m)
{
    return m.op >= FE_MOVE_META_TO_HOST ? c.metadata : c.data;
}

front_end_base::move_limits limits_of(const front_end_config& config)
{
    front_end_base::move_limits l{};
    l.slots = static_cast<std::uint16_t>(config.slots);
    l.last_op = FE_MOVE_WRITE_MEMORY;
    l.flags = FE_MOVE_CQE | FE_MOVE_NOTIFY | FE_MOVE_IRQ | FE_MOVE_METADATA;
    l.status = 0x7FFF;
    return l;
}

} // namespace

data_mover::data_mover(front_end_shared& shared, completions& completed)
    : m_shared(shared), m_completions(completed), m_limits(limits_of(shared.config))
{}

void data_mover::move(const fe_move& m)
{
    front_end_base& block = m_shared.block;
    if (!block.check_move(m, m_limits)) {
        return;
    }
    if (m.op >= FE_MOVE_READ_MEMORY) {
        ++m_shared.stats.moves;
        move_memory(m);
        return;
    }
    command_slot& c = m_shared.slots[m.slot];
    if (!c.owner.firmware) {
        block.not_firmwares(m, c.owner);
        stale_move(m);
        return;
    }
    ++m_shared.stats.moves;
    if ((m.flags & FE_MOVE_CQE) != 0) {
        take_back(c);
    }
    block.stamp_order(m);
    if (c.held != 0 || (direction_of(m.op) == FE_MOVE_FROM_HOST && !may_ask())) {
        hold(m);
        return;
    }
    begin(m);
}

/// Between firmware's buffer and memory of the host that no command names.
void data_mover::move_memory(const fe_move& m)
{
    dma_result r{now() + m_shared.config.move_latency, m_shared.block.reaches(m)};
    for (std::uint32_t at = 0; r.ok && at < m.length;) {
        const std::uint32_t length = std::min(m.length - at, staging_size);
        r = memory_run(m, at, length, r.end);
        at += length;
    }
    const std::uint8_t status = r.ok ? FE_DONE_OK : FE_DONE_TRANSFER_ERROR;
    if ((m.flags & FE_MOVE_NOTIFY) != 0) {
        m_shared.tell(r.end, {job_kind::done, m.flags, status, m.slot, 0, m.tag});
    }
}

dma_result data_mover::memory_run(const fe_move& m, std::uint32_t at, std::uint32_t length,
                                  sim_time start)
{
    front_end_base& block = m_shared.block;
    host_port& host = m_shared.host;
    tlm::tlm_generic_payload& link_gp = host.payload();
    const bool to_host = m.op == FE_MOVE_WRITE_MEMORY;
    m_memory_gp.set_command(to_host ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    m_memory_gp.set_address(m.buffer + at);
    link_gp.set_command(to_host ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    link_gp.set_address(m.host + at);
    for (tlm::tlm_generic_payload* gp : {&m_memory_gp, &link_gp}) {
        gp->set_data_ptr(m_staging.data());
        gp->set_data_length(length);
        set_byte_enables(*gp, data_mode::full);
    }
    if (!to_host) {
        const dma_result got = host.move_data(start);
        return got.ok ? block.dma(block.memory, m_memory_gp, got.end) : got;
    }
    const dma_result read = block.dma(block.memory, m_memory_gp, start);
    if (!read.ok) {
        return read;
    }
    const dma_result sent = host.move_data(read.end);
    return {host.wire_end(), sent.ok}; // posted: done when it has left
}

void data_mover::hold(const fe_move& m)
{
    if (m_held.full()) {
        m_held.set_capacity(2 * m_held.capacity());
    }
    m_held.push_back(m);
    ++m_shared.slots[m.slot].held;
    if (!m_asks_later) {
        ask_later();
    }
}

void data_mover::ask_later()
{
    m_asks_later = true;
    m_shared.agenda.push(later(now(), m_asked_until - m_shared.config.ask_ahead), {job_kind::ask});
}

void data_mover::ask()
{
    m_asks_later = false;
    while (!m_held.empty()) {
        if (direction_of(m_held.front().op) == FE_MOVE_FROM_HOST &&
            m_asked_until > now() + m_shared.config.ask_ahead) {
            ask_later();
            return;
        }
        const fe_move m = m_held.front();
        m_held.pop_front();
        command_slot& c = m_shared.slots[m.slot];
        --c.held;
        if (!c.busy || c.completing) {
            stale_move(m);
            continue;
        }
        m_shared.block.stamp(m.slot, latency_part::link, now());
        begin(m);
    }
}

void data_mover::give_held_back()
{
    while (!m_held.empty()) {
        const fe_move m = m_held.front();
        m_held.pop_front();
        m_shared.slots[m.slot].held = 0;
        stale_move(m);
    }
}

void data_mover::reset()
{
    for (; !m_held.empty(); m_held.pop_front()) {
        m_shared.slots[m_held.front().slot].held = 0; // else the slot's next command would wait
    }
    m_asks_later = false;
    m_asked_until = sim_time();
}

void data_mover::begin(const fe_move& m)
{
    command_slot& c = m_shared.slots[m.slot];
    // Moves in the same direction follow each other through DRAM and link; others wait.
    const sim_time first_dma = now() + m_shared.config.move_latency;
    const std::uint8_t direction = direction_of(m.op);
    const sim_time start = direction == c.last_op ? first_dma : later(first_dma, c.finish);
    c.last_op = direction;
    m_shared.block.stamp(m.slot, latency_part::front_end, start);
    bool ok = true;
    if (m.op != FE_MOVE_COMPLETE) {
        ok = move_data(m, start);
    }
    c.finish = later(c.finish, start);
    m_shared.block.tell_move(m, start, c.finish);
    const std::uint8_t status = ok ? FE_DONE_OK : FE_DONE_TRANSFER_ERROR;
    if ((m.flags & FE_MOVE_CQE) != 0) {
        m_completions.order(m, status);
    } else if ((m.flags & FE_MOVE_NOTIFY) != 0) {
        m_shared.tell(c.finish, {job_kind::done, m.flags, status, m.slot, 0, m.tag});
    }
}

/// A controller reset emptied the slot: firmware gets its buffer back, the host sees nothing.
void data_mover::stale_move(const fe_move& m)
{
    ++m_shared.stats.stale_moves;
    if ((m.flags & FE_MOVE_NOTIFY) != 0) {
        m_shared.block.append_done({m.tag, m.slot, m.flags, FE_DONE_TRANSFER_ERROR});
    }
}

bool data_mover::move_data(const fe_move& m, sim_time start)
{
    command_slot& c = m_shared.slots[m.slot];
    if (m.length == 0) {
        return true;
    }
    if (!m_shared.block.reaches(m)) { // that is on record
        c.error = NVME_SC_DATA_TRANSFER_ERROR;
        return false;
    }
    const data_map& map = map_of(c, m);
    if (const std::uint16_t status = map.refusal(m.offset, m.length); status != 0) {
        c.error = status;
        if (map.error == 0) {
            beyond_data(m, map.length);
        }
        return false;
    }
    std::uint32_t at = 0;
    while (at < m.length) {
        const host_run run = run_at(map, m.offset + at, m.length - at, staging_size);
        at += run.length;
        if (run.bucket) {
            continue;
        }
        const dma_result r = move_run(m, run, at - run.length, start);
        c.finish = later(c.finish, r.end);
        if (!r.ok) {
            c.error = NVME_SC_DATA_TRANSFER_ERROR;
            return false;
        }
    }
    front_end_stats& stats = m_shared.stats;
    (direction_of(m.op) == FE_MOVE_TO_HOST ? stats.bytes_to_host : stats.bytes_from_host) +=
        m.length;
    return true;
}

/// One run of host memory through the staging buffer; `at` is its place in the move.
dma_result data_mover::move_run(const fe_move& m, host_run run, std::uint32_t at, sim_time start)
{
    command_slot& c = m_shared.slots[m.slot];
    front_end_base& block = m_shared.block;
    host_port& host = m_shared.host;
    tlm::tlm_generic_payload& link_gp = host.payload();
    const bool to_host = direction_of(m.op) == FE_MOVE_TO_HOST;
    m_memory_gp.set_command(to_host ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    m_memory_gp.set_address(m.buffer + at);
    link_gp.set_command(to_host ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    link_gp.set_address(run.address);
    for (tlm::tlm_generic_payload* gp : {&m_memory_gp, &link_gp}) {
        gp->set_data_ptr(m_staging.data());
        gp->set_data_length(run.length);
        set_enables(*gp, m, m.offset + at);
    }
    const auto memory_dma = [&](sim_time earliest) {
        const dma_result r = block.dma(block.memory, m_memory_gp, earliest);
        if (!r.ok) {
            no_memory(m, m.buffer + at);
        }
        block.stamp(m.slot, latency_part::dram, r.end);
        return r;
    };
    if (to_host) {
        const dma_result read = memory_dma(start);
        if (!read.ok) {
            return read;
        }
        const dma_result sent = host.move_data(later(read.end, c.wire_end));
        c.wire_end = host.wire_end();
        block.stamp(m.slot, latency_part::link, c.wire_end);
        return {c.wire_end, sent.ok}; // posted: done when it has left
    }
    const dma_result got = host.move_data(start);
    m_asked_until = host.wire_end();
    block.stamp(m.slot, latency_part::link, got.end);
    return got.ok ? memory_dma(got.end) : got;
}

/// Byte enables of data that starts `offset` bytes into the command's data.
void data_mover::set_enables(tlm::tlm_generic_payload& gp, const fe_move& m,
                             std::uint32_t offset) const
{
    const bool all = (m.flags & FE_MOVE_METADATA) != 0 || m.op >= FE_MOVE_META_TO_HOST;
    const data_mode mode = all ? data_mode::full : m_shared.config.data;
    set_byte_enables(gp, mode);
    const bool whole = offset % sector_size == 0 && gp.get_data_length() % sector_size == 0;
    if (mode == data_mode::tag && !whole) {
        gp.set_byte_enable_ptr(
            const_cast<unsigned char*>(tag_pattern.data() + offset % sector_size));
    }
}

/// Firmware has ordered its completion: any further move of the slot is one too many.
void data_mover::take_back(command_slot& c)
{
    command_owner& o = c.owner;
    o.end(now(), m_shared.order);
    o.last_lba = lba_of(c.sqe);
    o.last_number = c.sqe.cid;
    o.last_queue = c.sq;
    o.last_opcode = c.sqe.opcode;
}

void data_mover::beyond_data(const fe_move& m, std::uint32_t length)
{
    m_shared.block.misuse(FE_REG_MOVE_TAIL, [&] {
        return fmt::format("offset {} and length {} lie beyond the command's {} bytes of {} ({})",
                           m.offset, m.length, length,
                           m.op >= FE_MOVE_META_TO_HOST ? "metadata" : "data",
                           m_shared.block.describe(m));
    });
}

void data_mover::no_memory(const fe_move& m, std::uint64_t address)
{
    m_shared.block.misuse(front_end_base::no_register, [&] {
        return fmt::format("buffer is {:#x}: no SRAM or DRAM at {:#x} ({})", m.buffer, address,
                           m_shared.block.describe(m));
    });
}

} // namespace ssdvp::nvme
