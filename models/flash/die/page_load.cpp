// SPDX-License-Identifier: Apache-2.0
//
// How a page register is filled in several pieces (ONFI, Change Write Column).
#include "models/flash/die/lun.h"

namespace ssdvp::flash {

void lun::put_in(const tlm::tlm_generic_payload& gp, const onfi::extension& g)
{
    page_register& page = m_planes[g.plane].page;
    if (gp.get_command() == tlm::TLM_WRITE_COMMAND) {
        page.put_data(g.column, gp.get_data_ptr(), gp.get_data_length());
    }
    page.put_oob(g.oob, g.oob_length);
}

/// The command cycle after data in; without one the register stays open.
bool lun::confirm(onfi::extension& g, sim_time end)
{
    m_loading = {};
    switch (g.second) {
    case onfi::NO_COMMAND:
        m_loading = plane_set::only(g.plane);
        return true;
    case onfi::PROGRAM_2:
        start_array(array_state::program, g, end);
        return true;
    case onfi::PROGRAM_CACHE:
        start_cache(array_state::cache_program, g, end);
        return true;
    default:
        return g.second == onfi::PROGRAM_MULTI_PLANE;
    }
}

/// 85h c: more bytes into the register that 80h opened. 85h c r: a copyback.
bool lun::change_write(const tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end)
{
    if (g.row_cycles != 0) {
        return program_copy(gp, g, end);
    }
    if (m_loading != plane_set::only(g.plane) || !g.data_in) {
        return false;
    }
    put_in(gp, g);
    return confirm(g, end);
}

/// Another command came instead of the confirm: that plane takes no part in it.
void lun::give_up_load()
{
    m_selected = m_selected - m_loading;
    m_loading = {};
}

} // namespace ssdvp::flash
