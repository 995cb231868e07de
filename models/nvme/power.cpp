// SPDX-License-Identifier: Apache-2.0
//
// The controller loses power: no registers, no queues, no commands; CSTS reads 0.
#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

void front_end::power_off()
{
    m_agenda.clear();
    m_held.clear();
    m_asks_later = false;
    m_asked_until = sim_time();
    controller_reset();
    m_cc = m_csts = m_aqa = m_intm = 0;
    m_asq = m_acq = 0;
    m_msix.assign(m_msix.size(), msix_vector());
    close_rings();
    m_cc_written = false;
    m_lba_shift = lba_shift_at_reset;
    m_mdts = mdts_at_reset;
    m_fatal = false;
    m_window = {};
}

} // namespace ssdvp::nvme
