// SPDX-License-Identifier: Apache-2.0
//
// The data mover: between buffers in the controller's memory and the host's pages.
#include <cstring>

#include "models/common/data_mode.h"
#include "models/common/tag_pattern.h"
#include "models/nvme/front_end.h"

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

} // namespace

void front_end::move(const fe_move& m)
{
    ++m_stats.moves;
    if (!check_move(m, m_move_limits)) {
        return;
    }
    command_slot& c = m_slots[m.slot];
    if (!c.owner.firmware) {
        not_firmwares(m, c.owner);
        stale_move(m);
        return;
    }
    if ((m.flags & FE_MOVE_CQE) != 0) {
        take_back(c);
    }
    stamp_order(m);
    if (c.held != 0 || (direction_of(m.op) == FE_MOVE_FROM_HOST && !may_ask())) {
        hold(m);
        return;
    }
    begin(m);
}

/// The host is asked for data no earlier than keeps the link full: what is ordered beyond that
/// waits here, where the fetch of a command, of a list, or a read's data do not wait behind it.
bool front_end::may_ask() const
{
    return m_held.empty() && m_asked_until <= now() + m_config.ask_ahead;
}

void front_end::hold(const fe_move& m)
{
    if (m_held.full()) {
        m_held.set_capacity(2 * m_held.capacity());
    }
    m_held.push_back(m);
    ++m_slots[m.slot].held;
    if (!m_asks_later) {
        ask_later();
    }
}

void front_end::ask_later()
{
    m_asks_later = true;
    m_agenda.push(later(now(), m_asked_until - m_config.ask_ahead), {job_kind::ask});
}

/// The link has little left to bring: the next of the moves that wait, with what follows them in
/// their commands.
void front_end::ask()
{
    m_asks_later = false;
    while (!m_held.empty()) {
        if (direction_of(m_held.front().op) == FE_MOVE_FROM_HOST &&
            m_asked_until > now() + m_config.ask_ahead) {
            ask_later();
            return;
        }
        const fe_move m = m_held.front();
        m_held.pop_front();
        command_slot& c = m_slots[m.slot];
        --c.held;
        if (!c.busy || c.completing) {
            stale_move(m);
            continue;
        }
        stamp(m.slot, latency_part::link, now());
        begin(m);
    }
}

/// A controller reset: nothing that waits will be asked for.
void front_end::give_held_back()
{
    while (!m_held.empty()) {
        const fe_move m = m_held.front();
        m_held.pop_front();
        m_slots[m.slot].held = 0;
        stale_move(m);
    }
}

void front_end::begin(const fe_move& m)
{
    command_slot& c = m_slots[m.slot];
    // Moves in the same direction follow each other through DRAM and link; others wait.
    const sim_time first_dma = now() + m_config.move_latency;
    const std::uint8_t direction = direction_of(m.op);
    const sim_time start = direction == c.last_op ? first_dma : later(first_dma, c.finish);
    c.last_op = direction;
    stamp(m.slot, latency_part::front_end, start);
    bool ok = true;
    if (m.op != FE_MOVE_COMPLETE) {
        ok = move_data(m, start);
    }
    c.finish = later(c.finish, start);
    const std::uint8_t status = ok ? FE_DONE_OK : FE_DONE_TRANSFER_ERROR;
    if ((m.flags & FE_MOVE_CQE) != 0) {
        order_completion(m, status);
    } else if ((m.flags & FE_MOVE_NOTIFY) != 0) {
        m_agenda.push(c.finish, {job_kind::done, m.flags, status, m.slot, 0, m.tag});
    }
}

/// A controller reset emptied the slot: firmware gets its buffer back, the host sees nothing.
void front_end::stale_move(const fe_move& m)
{
    ++m_stats.stale_moves;
    if ((m.flags & FE_MOVE_NOTIFY) != 0) {
        append_done({m.tag, m.slot, m.flags, FE_DONE_TRANSFER_ERROR});
    }
}

bool front_end::move_data(const fe_move& m, sim_time start)
{
    command_slot& c = m_slots[m.slot];
    if (m.length == 0) {
        return true;
    }
    if (!reaches(m)) { // that is on record
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
    (direction_of(m.op) == FE_MOVE_TO_HOST ? m_stats.bytes_to_host : m_stats.bytes_from_host) +=
        m.length;
    return true;
}

/// One run of host memory through the staging buffer; `at` is its place in the move.
dma_result front_end::move_run(const fe_move& m, host_run run, std::uint32_t at, sim_time start)
{
    command_slot& c = m_slots[m.slot];
    const bool to_host = direction_of(m.op) == FE_MOVE_TO_HOST;
    m_memory_gp.set_command(to_host ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    m_memory_gp.set_address(m.buffer + at);
    m_link_gp.set_command(to_host ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    m_link_gp.set_address(run.address);
    m_tlp.carries = tlp::portion::whole;
    m_tlp.reads = tlp::purpose::data;
    for (tlm::tlm_generic_payload* gp : {&m_memory_gp, &m_link_gp}) {
        gp->set_data_ptr(m_staging.data());
        gp->set_data_length(run.length);
        set_enables(*gp, m, m.offset + at);
    }
    const auto memory_dma = [&](sim_time earliest) {
        const dma_result r = dma(memory, m_memory_gp, earliest);
        if (!r.ok) {
            no_memory(m, m.buffer + at);
        }
        stamp(m.slot, latency_part::dram, r.end);
        return r;
    };
    if (to_host) {
        const dma_result read = memory_dma(start);
        if (!read.ok) {
            return read;
        }
        const dma_result sent = dma(link, m_link_gp, later(read.end, c.wire_end));
        c.wire_end = m_tlp.wire_end;
        stamp(m.slot, latency_part::link, c.wire_end);
        return {c.wire_end, sent.ok}; // posted: done when it has left
    }
    const dma_result got = dma(link, m_link_gp, start);
    m_asked_until = m_tlp.wire_end;
    stamp(m.slot, latency_part::link, got.end);
    return got.ok ? memory_dma(got.end) : got;
}

/// Byte enables of data that starts `offset` bytes into the command's data.
void front_end::set_enables(tlm::tlm_generic_payload& gp, const fe_move& m,
                            std::uint32_t offset) const
{
    const bool all = (m.flags & FE_MOVE_METADATA) != 0 || m.op >= FE_MOVE_META_TO_HOST;
    const data_mode mode = all ? data_mode::full : m_config.data;
    set_byte_enables(gp, mode);
    const bool whole = offset % sector_size == 0 && gp.get_data_length() % sector_size == 0;
    if (mode == data_mode::tag && !whole) {
        gp.set_byte_enable_ptr(
            const_cast<unsigned char*>(tag_pattern.data() + offset % sector_size));
    }
}

} // namespace ssdvp::nvme
