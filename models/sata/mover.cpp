// SPDX-License-Identifier: Apache-2.0
//
// The data mover. Data of a command are got together in the front end's memory, and cross the link
// as a whole and in order: one DMA Setup, then Data FIS of at most 8 KiB.
#include <algorithm>

#include "models/common/data_mode.h"
#include "models/regs/ata_records.h"
#include "models/sata/front_end.h"

namespace ssdvp::sata {

namespace {

constexpr std::uint8_t drq = ATA_STATUS_GOOD | ATA_STATUS_DRQ;

} // namespace

void front_end::move(const fe_move& m)
{
    if (!check_move(m,
                    {slots, FE_MOVE_COMPLETE,
                     FE_MOVE_CQE | FE_MOVE_NOTIFY | FE_MOVE_IRQ | FE_MOVE_METADATA | SFE_MOVE_CLEAN,
                     0xFFFF})) {
        return;
    }
    command_slot& s = m_slots[m.slot];
    const bool known = s.owner.firmware;
    if (!known) {
        not_firmwares(m, s.owner);
    } else if ((m.flags & FE_MOVE_CQE) != 0) {
        take_back(m.slot);
    }
    if (!known || !s.busy || s.aborted) {
        refused_move(m);
        return;
    }
    ++m_stats.moves;
    stamp_order(m);
    const sim_time start = now() + m_config.move_latency;
    stamp(m.slot, latency_part::front_end, start);
    if ((m.flags & SFE_MOVE_CLEAN) != 0) {
        clean_queue();
    }
    bool ok = true;
    bool waits = false;
    if (m.op == FE_MOVE_TO_HOST && m.length != 0) {
        ok = fill(m, start);
    } else if (m.op == FE_MOVE_FROM_HOST && m.length != 0) {
        waits = true;
    }
    s.finish = later(s.finish, start);
    tell_move(m, start, s.finish);
    if ((m.flags & FE_MOVE_CQE) != 0) {
        s.ended = true;
        s.end = m;
    } else if (!waits && (m.flags & FE_MOVE_NOTIFY) != 0) {
        const std::uint8_t status = ok ? FE_DONE_OK : FE_DONE_TRANSFER_ERROR;
        m_agenda.push(s.finish, {job_kind::done, m.flags, status, m.slot, 0, m.tag});
    }
    if (waits) {
        want(m, start);
    } else if (s.ended) {
        end_command(m.slot);
    }
}

/// A reset emptied the slot, or the queue has stopped: firmware gets its buffer back, the host sees
/// nothing.
void front_end::refused_move(const fe_move& m)
{
    command_slot& s = m_slots[m.slot];
    m_stats.stale_moves += s.busy ? 0 : 1;
    if ((m.flags & FE_MOVE_NOTIFY) != 0) {
        append_done({m.tag, m.slot, m.flags, FE_DONE_TRANSFER_ERROR});
    }
    if (s.busy && s.aborted && !s.ended && (m.flags & FE_MOVE_CQE) != 0) {
        release(m.slot);
        admit();
    }
}

/// From a buffer to the command's data. False: they have no such bytes.
bool front_end::fill(const fe_move& m, sim_time start)
{
    command_slot& s = m_slots[m.slot];
    const bool takes = is_in(s.form.moves) || s.form.moves == protocol::discard;
    if (!takes || std::uint64_t{m.offset} + m.length > s.form.bytes || !reaches(m)) {
        wrong_data(m, takes);
        s.error = ATA_STATUS_GOOD | ATA_STATUS_ERR | ATA_ERROR_ABRT << 8;
        return false;
    }
    const dma_result r = memory_dma(tlm::TLM_READ_COMMAND, m, start);
    stamp(m.slot, latency_part::dram, r.end);
    s.finish = later(s.finish, r.end);
    s.filled += m.length;
    return r.ok;
}

/// To a buffer, as soon as the host has sent that far.
void front_end::want(const fe_move& m, sim_time start)
{
    command_slot& s = m_slots[m.slot];
    s.pending.push_back({m, start});
    const bool takes = is_out(s.form.moves);
    if (!takes || std::uint64_t{m.offset} + m.length > s.form.bytes || !reaches(m)) {
        wrong_data(m, takes);
        s.error = ATA_STATUS_GOOD | ATA_STATUS_ERR | ATA_ERROR_ABRT << 8;
    }
    if (s.error != 0) {
        drop_pending(m.slot);
        if (s.ended) {
            end_command(m.slot);
        }
        return;
    }
    if (!s.asked) {
        s.asked = true;
        queue_sequence(m.slot);
    }
    land(m.slot);
}

/// Moves whose data have come.
void front_end::land(std::uint16_t slot)
{
    command_slot& s = m_slots[slot];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < s.pending.size(); ++i) {
        const pending_move p = s.pending[i];
        if (p.move.offset + p.move.length > s.filled) {
            s.pending[kept++] = p;
            continue;
        }
        const dma_result r = memory_dma(tlm::TLM_WRITE_COMMAND, p.move, later(p.start, s.finish));
        stamp(slot, latency_part::dram, r.end);
        s.finish = later(s.finish, r.end);
        if ((p.move.flags & FE_MOVE_CQE) == 0 && (p.move.flags & FE_MOVE_NOTIFY) != 0) {
            m_agenda.push(r.end, {job_kind::done, p.move.flags, FE_DONE_OK, slot, 0, p.move.tag});
        }
    }
    s.pending.resize(kept);
    if (s.ended && kept == 0 && !s.completing) {
        end_command(slot);
    }
}

/// The data do not come any more. The last move's notice goes with the command's completion.
void front_end::drop_pending(std::uint16_t slot)
{
    command_slot& s = m_slots[slot];
    for (const pending_move& p : s.pending) {
        const bool carries_end = (p.move.flags & FE_MOVE_CQE) != 0 && s.busy && !s.aborted;
        if ((p.move.flags & FE_MOVE_NOTIFY) != 0 && !carries_end) {
            m_agenda.push(
                now(), {job_kind::done, p.move.flags, FE_DONE_TRANSFER_ERROR, slot, 0, p.move.tag});
        }
    }
    s.pending.clear();
}

/// The queue that had stopped is empty; the host is told before it gets the page that says why.
void front_end::clean_queue()
{
    if (m_stopped) {
        m_stopped = false;
        m_error = {};
        send_bits(~0u, ATA_STATUS_GOOD, false, now());
    }
}

// ---- On the link: one sequence of data at a time ----

void front_end::queue_sequence(std::uint16_t slot)
{
    m_sequences.push_back(slot);
    pump();
}

/// A sequence begins when the one before has ended, not ahead of time: so what the host wants to
/// send comes between.
void front_end::pump()
{
    while (!m_sequences.empty() && m_receiving == no_slot) {
        if (m_link_free > now()) {
            if (!m_pump_due) {
                m_pump_due = true;
                m_agenda.push(m_link_free, {job_kind::pump});
            }
            return;
        }
        const std::uint16_t slot = m_sequences.front();
        m_sequences.erase(m_sequences.begin());
        const sim_time earliest = later(now(), m_slots[slot].finish);
        if (is_out(m_slots[slot].form.moves)) {
            m_receiving = slot;
            ask_for_data(slot, earliest);
        } else {
            send_sequence(slot, earliest);
        }
    }
}

void front_end::end_sequence(sim_time end)
{
    m_receiving = no_slot;
    m_link_free = later(m_link_free, end);
    pump();
}

void front_end::send_sequence(std::uint16_t slot, sim_time earliest)
{
    command_slot& s = m_slots[slot];
    const auto bytes = static_cast<std::uint32_t>(s.form.bytes);
    sim_time end = earliest;
    if (s.form.moves == protocol::pio_in) {
        end = send_pio(slot, earliest);
    } else {
        if (s.form.moves == protocol::queued_in) {
            fis::dma_setup f;
            f.flags = fis::FLAG_TO_HOST;
            f.buffer_low = slot;
            f.count = bytes;
            end = send(f, !s.form.medium, end).end;
        }
        for (std::uint32_t at = 0; at < bytes && s.error == 0;) {
            const std::uint32_t length = std::min(bytes - at, fis::DATA_MAX);
            const sent r = send_data(slot, at, length, end);
            end = r.end;
            at += length;
            if (!r.ok) {
                transfer_failed(slot);
            }
        }
    }
    s.finish = later(s.finish, end);
    m_link_free = later(m_link_free, end);
    stamp(slot, latency_part::link, end);
    complete(slot, end);
}

/// A PIO Setup before each sector; the last one says how the command ends.
sim_time front_end::send_pio(std::uint16_t slot, sim_time earliest)
{
    command_slot& s = m_slots[slot];
    sim_time end = earliest;
    for (std::uint32_t at = 0; at < s.form.bytes && s.error == 0; at += ATA_SECTOR_BYTES) {
        const bool last = at + ATA_SECTOR_BYTES >= s.form.bytes;
        fis::pio_setup f;
        f.flags = fis::FLAG_TO_HOST | fis::FLAG_INTERRUPT;
        f.status = drq;
        f.end_status = last ? std::uint8_t{ATA_STATUS_GOOD} : std::uint8_t{ATA_STATUS_BSY};
        fis::copy_address(f, s.fis);
        f.device = s.fis.device;
        f.transfer_count = ATA_SECTOR_BYTES;
        const sent r = send_data(slot, at, ATA_SECTOR_BYTES, send(f, !s.form.medium, end).end);
        end = r.end;
        if (!r.ok) {
            transfer_failed(slot);
        }
    }
    return end;
}

/// DMA Setup for all data of a queued command; then a DMA Activate for each Data FIS, but for the
/// first one where the host has agreed to. PIO: a setup for each sector.
void front_end::ask_for_data(std::uint16_t slot, sim_time earliest)
{
    command_slot& s = m_slots[slot];
    const auto bytes = static_cast<std::uint32_t>(s.form.bytes);
    const bool metadata = !s.form.medium;
    bool activate = true;
    if (s.form.moves == protocol::pio_out) {
        fis::pio_setup f;
        f.flags = s.filled == 0 ? std::uint8_t{0} : fis::FLAG_INTERRUPT;
        f.status = drq;
        f.end_status = ATA_STATUS_BSY;
        f.transfer_count = ATA_SECTOR_BYTES;
        f.device = s.fis.device;
        s.asked_for = s.filled + ATA_SECTOR_BYTES;
        send(f, metadata, earliest);
        return;
    }
    if (s.form.moves == protocol::queued_out && s.filled == 0) {
        fis::dma_setup f;
        activate = (m_options & SFE_OPTIONS_AUTO_ACTIVATE) == 0;
        f.flags = activate ? std::uint8_t{0} : fis::FLAG_AUTO_ACTIVATE;
        f.buffer_low = slot;
        f.count = bytes;
        earliest = send(f, metadata, earliest).end;
    }
    s.asked_for = std::min(bytes, s.filled + fis::DATA_MAX);
    if (activate) {
        send(fis::dma_activate(), metadata, earliest);
    }
}

/// R_ERR on a Data FIS, of either side: the transport layer does not send it again, the command
/// fails.
void front_end::transfer_failed(std::uint16_t slot)
{
    command_slot& s = m_slots[slot];
    s.error = ATA_STATUS_GOOD | ATA_STATUS_ERR | (ATA_ERROR_ICRC | ATA_ERROR_ABRT) << 8;
    drop_pending(slot);
    if (is_out(s.form.moves) && s.ended) {
        end_command(slot);
    }
}

} // namespace ssdvp::sata
