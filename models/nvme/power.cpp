// SPDX-License-Identifier: Apache-2.0
//
// The controller loses power: no registers, no queues, no commands; CSTS reads 0.
#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

void front_end::power_off()
{
    m_agenda.clear();
    controller_reset();
    m_raise = 0;
    m_cc = m_csts = m_aqa = m_intm = 0;
    m_asq = m_acq = 0;
    m_msix.assign(m_msix.size(), msix_vector());
    m_commands = m_moves = m_dones = ring_view();
    m_done_irq.clear();
    m_done_backlog.clear();
    m_done_irq_unread = 0;
    m_int_enable = 0;
    m_cc_written = false;
    m_lba_shift = lba_shift_at_reset;
    m_mdts = mdts_at_reset;
    m_fatal = false;
    m_window = {};
}

} // namespace ssdvp::nvme
