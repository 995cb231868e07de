// SPDX-License-Identifier: Apache-2.0
//
// How commands end at the host, and errors of the queue.
#include <algorithm>

#include "models/regs/ata_records.h"
#include "models/sata/front_end.h"

namespace ssdvp::sata {

namespace {

constexpr bool failed(std::uint32_t status)
{
    return (status & (ATA_STATUS_ERR | ATA_STATUS_DF)) != 0;
}

} // namespace

/// A status of 0 is a good one, as in NVMe.
std::uint32_t front_end::status_of(const command_slot& s)
{
    const std::uint32_t status = s.error != 0 ? s.error : s.end.status;
    return (status & 0xFFu) != 0 ? status : status | ATA_STATUS_GOOD;
}

/// Firmware has ordered the end, and all it has ordered before is done but for data to the host.
void front_end::end_command(std::uint16_t slot)
{
    command_slot& s = m_slots[slot];
    if (!s.pending.empty()) {
        return; // behind the host's data
    }
    const std::uint32_t status = status_of(s);
    if (is_in(s.form.moves) && !failed(status)) {
        if (s.filled != s.form.bytes) {
            not_filled(slot);
            s.error = ATA_STATUS_GOOD | ATA_STATUS_ERR | ATA_ERROR_ABRT << 8;
            complete(slot, s.finish);
            return;
        }
        queue_sequence(slot);
        return;
    }
    complete(slot, s.finish);
}

void front_end::complete(std::uint16_t slot, sim_time earliest)
{
    command_slot& s = m_slots[slot];
    const std::uint32_t status = status_of(s);
    s.completing = true;
    earliest = later(earliest, now());
    if (slot < tags) {
        complete_queued(slot, status, earliest);
    } else if (s.form.moves == protocol::pio_in && !failed(status)) {
        arrive(slot, later(now(), m_sent.arrival)); // the last PIO Setup has said it
    } else {
        const sim_time arrival = send_register(slot, status, earliest);
        m_clear = later(m_clear, arrival);
        arrive(slot, arrival);
    }
}

void front_end::complete_queued(std::uint16_t slot, std::uint32_t status, sim_time earliest)
{
    if (!failed(status)) {
        if (earliest != m_bits_at) {
            flush_bits();
        }
        m_bits |= 1u << slot; // with others of this moment
        m_bits_at = earliest;
        return;
    }
    if (earliest > now()) { // the queue goes on until then, and another error may come first
        m_slots[slot].completing = false;
        m_agenda.push(earliest, {job_kind::failure, 0, 0, slot, m_generation, stops()});
        return;
    }
    fail_queued(slot, status);
}

/// Unless the queue has stopped meanwhile: then it was aborted like the others.
void front_end::post_failure(const job& j)
{
    if (j.key == m_generation && j.value == stops()) {
        m_slots[j.slot].completing = true;
        fail_queued(j.slot, status_of(m_slots[j.slot]));
    }
}

void front_end::fail_queued(std::uint16_t slot, std::uint32_t status)
{
    const command_slot& s = m_slots[slot];
    const std::uint64_t told = s.end.result & SFE_RESULT_LBA;
    queue_error e;
    e.word = slot | (status & 0xFFu) << SFE_QUEUE_ERROR_STATUS_SHIFT |
             (status >> 8 & 0xFFu) << SFE_QUEUE_ERROR_ERROR_SHIFT;
    e.lba = told != 0 ? told : fis::lba_of(s.fis);
    stop_queue(e);
    send_bits(0, status, true, now());
    arrive(slot, m_sent.arrival);
}

/// Register FIS with the interrupt bit. Returns its arrival.
sim_time front_end::send_register(std::uint16_t slot, std::uint32_t status, sim_time earliest)
{
    const command_slot& s = m_slots[slot];
    fis::register_d2h f;
    f.flags = fis::FLAG_INTERRUPT;
    f.status = static_cast<std::uint8_t>(status);
    f.error = static_cast<std::uint8_t>(status >> 8);
    f.device = s.fis.device;
    if (s.end.result != 0) {
        const auto count = static_cast<std::uint32_t>(s.end.result >> 48);
        const std::uint64_t lba = s.end.result & SFE_RESULT_LBA;
        fis::set_lba(f, s.form.lba28 ? lba & 0xFFFFFFu : lba);
        f.device = static_cast<std::uint8_t>(s.form.lba28 ? lba >> 24 & 15u : 0u);
        f.count = static_cast<std::uint8_t>(count);
        f.count_high = static_cast<std::uint8_t>(count >> 8);
    } else {
        fis::copy_address(f, s.fis);
    }
    return send(f, false, earliest).arrival;
}

/// Behind all Set Device Bits before.
void front_end::send_bits(std::uint32_t tags_done, std::uint32_t status, bool interrupt,
                          sim_time earliest)
{
    fis::set_device_bits f;
    f.flags = interrupt ? fis::FLAG_INTERRUPT : std::uint8_t{0};
    f.status = static_cast<std::uint8_t>(status & fis::SDB_STATUS_MASK);
    f.error = static_cast<std::uint8_t>(status >> 8);
    f.active = tags_done;
    m_bits_end = send(f, false, later(earliest, m_bits_end)).end;
    ++m_stats.set_device_bits;
}

/// Queued commands that ended at the same moment share a frame.
void front_end::flush_bits()
{
    if (m_bits == 0) {
        return;
    }
    const std::uint32_t bits = m_bits;
    m_bits = 0;
    send_bits(bits, ATA_STATUS_GOOD, true, later(m_bits_at, now()));
    const sim_time arrival = m_sent.arrival;
    for (std::uint16_t slot = 0; slot < tags; ++slot) {
        if ((bits >> slot & 1u) != 0) {
            arrive(slot, arrival);
        }
    }
}

/// The host hears of the end then; the slot is free.
void front_end::arrive(std::uint16_t slot, sim_time arrival)
{
    const command_slot& s = m_slots[slot];
    const std::uint8_t status = s.error != 0 ? FE_DONE_TRANSFER_ERROR : FE_DONE_OK;
    stamp(slot, latency_part::completion, arrival);
    m_agenda.push(arrival,
                  {job_kind::completion, s.end.flags, status, slot, m_generation, s.end.tag});
}

void front_end::tell_watch(std::uint16_t slot)
{
    const command_slot& s = m_slots[slot];
    const std::uint32_t status = status_of(s);
    m_environment.watch->on_command(
        {s.fis, s.host_slot, failed(status) ? status : std::uint32_t{ATA_STATUS_GOOD}, ram(slot),
         s.form.medium ? 0 : s.filled, m_issued[s.host_slot % tags]},
        now());
}

void front_end::post_completion(const job& j)
{
    if (j.key == m_generation) {
        m_stats.completions += m_slots[j.slot].aborted ? 0 : 1;
        if (m_environment.watch != nullptr && !m_slots[j.slot].aborted) {
            tell_watch(j.slot);
        }
        release(j.slot);
    }
    if ((j.flags & FE_MOVE_NOTIFY) != 0) {
        append_done({j.value, j.slot, j.flags, j.status});
    }
    admit();
}

/// Serial ATA 3.x section 13.6.4: what is in the queue is aborted, and nothing but log page 10h is
/// served any more. What firmware has under way for it ends unseen.
void front_end::stop_queue(const queue_error& error)
{
    flush_bits();
    ++m_stats.queue_stops;
    m_stopped = true;
    m_error = error;
    m_error.word |= SFE_QUEUE_ERROR_STOPPED;
    for (std::uint16_t slot = 0; slot < tags; ++slot) {
        command_slot& s = m_slots[slot];
        if (!s.busy || s.completing) {
            continue;
        }
        ++m_stats.aborted_commands;
        drop_pending(slot);
        s.aborted = true;
        const auto at = std::find(m_sequences.begin(), m_sequences.end(), slot);
        if (at != m_sequences.end()) {
            m_sequences.erase(at);
        }
        if (m_receiving == slot) {
            m_receiving = no_slot;
            m_dropped = true;
        }
        if (s.ended) { // firmware has done its part
            s.completing = true;
            m_agenda.push(now(), {job_kind::completion, s.end.flags, FE_DONE_TRANSFER_ERROR, slot,
                                  m_generation, s.end.tag});
        }
    }
}

void front_end::release(std::uint16_t slot)
{
    command_slot& s = m_slots[slot];
    m_queued -= slot < tags ? 1 : 0;
    s.busy = false;
    tell_commands();
    unbind(slot);
}

} // namespace ssdvp::sata
