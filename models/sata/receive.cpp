// SPDX-License-Identifier: Apache-2.0
//
// Frames of the host. They are heard of ahead of time; what they do counts from their arrival.
#include <cstddef>
#include <cstring>
#include <fmt/format.h>

#include "models/regs/ata_records.h"
#include "models/sata/front_end.h"

namespace ssdvp::sata {

/// False is R_ERR: Serial ATA 3.x section 9.4, a frame that the transport layer does not know.
bool front_end::on_frame(const frame& f, sim_time arrival)
{
    bool taken = false;
    if (m_agenda.due()) {
        drain(); // what ends now ends before
    }
    if (f.header_length != 0 && f.header_length == fis::size_of(f.type())) {
        if (f.type() == fis::REGISTER_H2D && f.data_length == 0) {
            taken = register_frame(f, arrival);
        } else if (f.type() == fis::DATA) {
            taken = data_frame(f, arrival);
        }
    }
    m_stats.refused_frames += taken || f.damaged ? 0 : 1;
    flush_bits();
    update_irq();
    return taken;
}

bool front_end::register_frame(const frame& f, sim_time arrival)
{
    fis::register_h2d h;
    std::memcpy(&h, f.header, sizeof h);
    if ((h.flags & fis::FLAG_COMMAND) == 0) {
        control_frame(h, arrival);
    } else {
        m_issued[f.slot % tags] = f.issued;
        command(h, f.slot, arrival);
    }
    return true;
}

namespace {

bool asks_for_error(const fis::register_h2d& f)
{
    return (f.command == ATA_READ_LOG_EXT || f.command == ATA_READ_LOG_DMA_EXT) &&
           f.lba_low[0] == ATA_LOG_QUEUE_ERROR;
}

} // namespace

/// The command register was written. With BSY set it changes nothing (ATA8-APT: only resets do).
void front_end::command(const fis::register_h2d& f, std::uint8_t host_slot, sim_time arrival)
{
    if (m_signature_due || m_held || m_slots[single].busy || arrival < m_clear) {
        ++m_stats.ignored_commands;
        return;
    }
    const bool queued = is_queued(form_of(f).moves);
    const std::uint32_t tag = ata_fis_tag(reinterpret_cast<const std::uint8_t*>(&f));
    m_dropped = false; // the host has given up what it was to send
    if (!m_stopped && !queued && m_queued != 0) {
        breach(SFE_NOTE_MIXED, f);
        pass_single(f, host_slot, SFE_NOTE_MIXED, arrival);
    } else if (!m_stopped && queued && m_slots[tag].busy) {
        breach(SFE_NOTE_TAG, f);
        pass_single(f, host_slot, SFE_NOTE_TAG, arrival);
    } else if (m_stopped && asks_for_error(f) && m_queued != 0) {
        m_held = true;
        m_waiting.fis = f;
        m_waiting.host_slot = host_slot;
    } else if (m_stopped) {
        pass_single(f, host_slot, SFE_NOTE_STOPPED, arrival);
    } else {
        const std::uint16_t slot = queued ? static_cast<std::uint16_t>(tag) : single;
        m_slots[slot].host_slot = host_slot;
        accept(slot, f, 0);
        stamp(slot, latency_part::link, arrival);
        if (queued) {
            release_bsy(slot, arrival);
        }
        stamp(slot, latency_part::front_end, arrival + m_config.decode_latency);
        m_agenda.push(arrival + m_config.decode_latency,
                      {job_kind::command, 0, 0, slot, m_generation, 0});
    }
}

/// Breaking the rules of the queue ends all that is in it: Serial ATA 3.x section 13.6.4.
void front_end::breach(std::uint32_t note, const fis::register_h2d& f)
{
    const std::uint8_t* bytes = reinterpret_cast<const std::uint8_t*>(&f);
    queue_error e;
    e.word = (note == SFE_NOTE_MIXED ? SFE_QUEUE_ERROR_SINGLE : ata_fis_tag(bytes)) |
             (ATA_STATUS_GOOD | ATA_STATUS_ERR) << SFE_QUEUE_ERROR_STATUS_SHIFT |
             ATA_ERROR_ABRT << SFE_QUEUE_ERROR_ERROR_SHIFT;
    e.lba = fis::lba_of(f);
    stop_queue(e);
}

/// The host may use tags again once it has log page 10h: that command waits, with BSY set, until
/// what was under way has ended inside the drive.
void front_end::admit()
{
    if (m_held && m_queued == 0) {
        m_held = false;
        pass_single(m_waiting.fis, m_waiting.host_slot, SFE_NOTE_STOPPED, now());
    }
}

/// To firmware in the slot of what is not queued.
void front_end::pass_single(const fis::register_h2d& f, std::uint8_t host_slot, std::uint32_t notes,
                            sim_time arrival)
{
    m_slots[single].host_slot = host_slot;
    accept(single, f, notes);
    stamp(single, latency_part::front_end, arrival + m_config.decode_latency);
    m_agenda.push(arrival + m_config.decode_latency,
                  {job_kind::command, 0, 0, single, m_generation, 0});
}

void front_end::accept(std::uint16_t slot, const fis::register_h2d& f, std::uint32_t notes)
{
    command_slot& s = m_slots[slot];
    s.busy = true;
    s.ended = s.completing = s.aborted = s.asked = false;
    s.fis = f;
    s.form = form_of(f);
    if (slot == single && is_queued(s.form.moves)) { // refused before its release
        s.form = {};
    }
    if (s.form.bytes > m_mdts) { // firmware refuses it
        s.form.bytes = 0;
    }
    s.notes = notes;
    s.error = 0;
    s.filled = s.asked_for = 0;
    s.finish = sim_time();
    m_queued += slot < tags ? 1 : 0;
    tell_commands();
    if (m_environment.ledger != nullptr) {
        if (m_environment.ledger_opens) {
            m_environment.ledger->open(s.host_slot, m_issued[s.host_slot % tags]);
        }
        m_environment.ledger->bind(slot, s.host_slot);
    }
}

/// A queued command gives BSY back at once; the host may send the next one.
void front_end::release_bsy(std::uint16_t slot, sim_time arrival)
{
    fis::register_d2h f;
    f.status = ATA_STATUS_GOOD;
    f.device = m_slots[slot].fis.device;
    f.count = m_slots[slot].fis.count;
    m_clear = send(f, false, arrival).arrival;
}

/// The command ring has room for every slot, or firmware has made it too small.
void front_end::hand_over(std::uint16_t slot)
{
    command_slot& s = m_slots[slot];
    if (command_ring().room() == 0) {
        misuse(SFE_REG_CMD_SIZE, [this] {
            return fmt::format("a command arrived, and the ring of CMD_SIZE {} has no room",
                               command_ring().size());
        });
        return;
    }
    s.owner.hand_over(now(), s.fis.command, m_order);
    sata_fe_request request{};
    std::memcpy(request.fis, &s.fis, sizeof request.fis);
    request.notes = s.notes;
    fe_command entry{};
    static_assert(sizeof request == sizeof entry.sqe && sizeof request.fis == sizeof s.fis);
    std::memcpy(&entry.sqe, &request, sizeof request);
    entry.slot = slot;
    entry.sq_id = SFE_SQ_ID;
    append_command(entry);
    ++m_stats.commands_fetched;
}

/// Data that the front end has asked for; the sender decides how much of them, at most 8 KiB.
bool front_end::data_frame(const frame& f, sim_time arrival)
{
    if (m_receiving == no_slot) {
        return m_dropped;
    }
    const std::uint16_t slot = m_receiving;
    command_slot& s = m_slots[slot];
    if (f.damaged || f.data_length == 0 || f.data_length > s.asked_for - s.filled) {
        transfer_failed(slot);
        end_sequence(arrival);
        return false;
    }
    if (m_config.data != data_mode::none || !s.form.medium) {
        std::memcpy(ram(slot) + s.filled, f.data, f.data_length);
    }
    s.filled += f.data_length;
    s.finish = arrival;
    m_stats.bytes_from_host += f.data_length;
    stamp(slot, latency_part::link, arrival);
    if (s.filled < s.form.bytes) {
        if (s.filled == s.asked_for) {
            ask_for_data(slot, arrival);
        }
    } else {
        end_sequence(arrival);
    }
    land(slot);
    return true;
}

} // namespace ssdvp::sata
