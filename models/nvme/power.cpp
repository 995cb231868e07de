// SPDX-License-Identifier: Apache-2.0
//
// The controller loses power: no registers, no queues, no commands; CSTS reads 0.
#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

void front_end::power_off()
{
    m_agenda.clear();
    for (; !m_held.empty(); m_held.pop_front()) {
        m_slots[m_held.front().slot].held = 0; // else the slot's next command would wait for them
    }
    m_asks_later = false;
    m_asked_until = sim_time();
    controller_reset();
    for (command_slot& c : m_slots) {
        c.owner = {};
    }
    m_cc = m_csts = m_aqa = m_intm = 0;
    m_asq = m_acq = 0;
    m_msix.assign(m_msix.size(), msix_vector());
    close_rings();
    m_cc_written = m_told_ready = m_reset_unseen = false;
    m_lba_shift = lba_shift_at_reset;
    m_mdts = mdts_at_reset;
    m_fatal = false;
    m_window = {};
}

} // namespace ssdvp::nvme
