// SPDX-License-Identifier: Apache-2.0
//
// COMRESET, software reset, loss of power; and the signature that ends them.
#include "models/common/data_mode.h"
#include "models/regs/ata_records.h"
#include "models/sata/front_end.h"

namespace ssdvp::sata {

/// In this order: what commands leave behind is for firmware that a reset leaves at work. Here it
/// has no rings any more, so it goes with all else that was to come.
void front_end::power_off()
{
    drop_all();
    m_agenda.clear();
    close_rings();
    m_options = m_ready = 0;
    m_link_changed = m_shown = m_phy = m_srst = m_resetting = m_hard = m_signature_due = false;
    m_pump_due = false;
    resize(SFE_MDTS_RESET);
    for (command_slot& s : m_slots) {
        s.owner = {};
    }
    m_order = {};
}

/// All commands are gone. What firmware still orders for them is stale.
void front_end::drop_all()
{
    ++m_generation;
    for (std::uint16_t i = 0; i < slots; ++i) {
        command_slot& s = m_slots[i];
        drop_pending(i);
        s.owner.drop(m_order);
        if (!s.busy) {
            continue;
        }
        const bool announced =
            s.completing && (std::uint64_t{m_bits} >> i & 1u) == 0; // its notice is on its way
        if (s.ended && !announced && (s.end.flags & FE_MOVE_NOTIFY) != 0) {
            m_agenda.push(now(),
                          {job_kind::done, s.end.flags, FE_DONE_TRANSFER_ERROR, i, 0, s.end.tag});
        }
        release(i);
    }
    m_held = false;
    m_sequences.clear();
    m_receiving = no_slot;
    m_dropped = false;
    m_stopped = false;
    m_error = {};
    m_bits = 0;
    m_bits_end = m_link_free = m_clear = sim_time();
}

void front_end::begin_reset(bool hard)
{
    ++m_stats.resets;
    drop_all();
    m_hard = hard;
    m_resetting = m_resetting || m_shown;
    m_signature_due = true;
    m_link_changed = true;
    raise(SFE_INT_LINK);
}

void front_end::on_phy(bool up)
{
    if (!up && !m_phy) {
        return; // the power went before the link did
    }
    m_phy = up;
    m_up.set(now(), up ? 1 : 0);
    if (!up) {
        m_srst = false;
        begin_reset(true);
    } else {
        m_signature_due = true;
        m_hard = true;
        m_link_changed = true;
        raise(SFE_INT_LINK);
        send_signature();
    }
    update_irq();
}

/// BSY ends with it, once the link is up and firmware ready.
void front_end::send_signature()
{
    if (!m_signature_due || !enabled() || (m_ready & SFE_READY_RDY) == 0) {
        return;
    }
    fis::register_d2h f;
    f.status = ATA_STATUS_GOOD;
    f.error = ATA_DIAGNOSTIC_PASSED;
    f.lba_low[0] = 1;
    f.count = 1;
    m_signature_due = false;
    m_ready_since = m_clear = send(f, false, now()).arrival;
}

/// Device control: SRST set and cleared again is a reset that leaves the link alone.
void front_end::control_frame(const fis::register_h2d& f, sim_time)
{
    const bool srst = (f.control & ATA_CONTROL_SRST) != 0;
    if (srst == m_srst) {
        return;
    }
    m_srst = srst;
    if (srst) {
        begin_reset(false);
    } else {
        m_link_changed = true;
        raise(SFE_INT_LINK);
        send_signature();
    }
}

} // namespace ssdvp::sata
