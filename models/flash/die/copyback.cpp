// SPDX-License-Identifier: Apache-2.0
//
// Copyback in the die: what 35h read goes from the page register to another page of its plane, bit
// errors included.
#include <algorithm>

#include "models/flash/die/lun.h"

namespace ssdvp::flash {

void cell_array::copy_to(page_register& to, const cell_address& from,
                         std::vector<unsigned char>& scratch) const
{
    const data_form form = m_store.form_of_page(lun_block(from), from.page);
    scratch.resize(std::max(m_store.page_size(), m_store.stored_oob()));
    to.begin(form);
    if (form != data_form::nothing) {
        read_data(from, {from.page, 0, m_store.page_size()}, form, scratch.data());
        to.put_data(0, scratch.data(), m_store.page_size());
    }
    read_oob(from, scratch.data(), m_store.stored_oob());
    to.put_oob(scratch.data(), m_store.stored_oob());
}

/// 85h c r: the register becomes the page of another address of the plane.
bool lun::program_copy(const tlm::tlm_generic_payload& gp, onfi::extension& g, sim_time end)
{
    const geometry& geo = m_config.geo;
    if (!m_copyback.contains(g.plane) || m_suspended || g.block.value() >= geo.blocks_per_plane ||
        g.page.value() >= geo.pages_per_block) {
        return false;
    }
    plane_slot& p = m_planes[g.plane];
    m_copyback.erase(g.plane);
    m_cells.copy_to(p.page, p.address, m_copy);
    put_in(gp, g);
    p.carried = p.noise.rber;
    p.carried_torn = p.noise.torn;
    p.address = p.target = {g.plane, g.block, g.page};
    p.target_mode = p.mode;
    p.holds_page = false;
    m_selected.insert(g.plane);
    return confirm(g, end);
}

} // namespace ssdvp::flash
