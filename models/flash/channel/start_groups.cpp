// SPDX-License-Identifier: Apache-2.0
//
// What comes before the command of a start phase.
#include "models/flash/channel/sequencer.h"

namespace ssdvp::flash {

/// The vendor's prefix of one command cycle for a program mode; none for the normal one.
bool sequencer::send_mode(const flash_desc& d, plane_index plane, sim_time& at)
{
    if (d.program_mode == FLASH_MODE_NORMAL) {
        return true;
    }
    prepare(d, plane);
    m_group.first = d.program_mode == FLASH_MODE_SLC ? onfi::MODE_SLC : onfi::MODE_SHALLOW;
    return send(at, at);
}

/// ... before the program of a copyback that goes from SLC mode to the normal one.
bool sequencer::leave_slc(const flash_desc& d, plane_index plane, sim_time& at)
{
    if ((d.flags & FLASH_FLAG_FOLD) == 0) {
        return true;
    }
    prepare(d, plane);
    m_group.first = onfi::MODE_NORMAL;
    return send(at, at);
}

} // namespace ssdvp::flash
