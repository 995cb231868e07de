// SPDX-License-Identifier: Apache-2.0
//
// Program modes of a LUN: SLC mode, the shallow program, and word lines programmed in one pass.
#include "models/flash/die/lun.h"

namespace ssdvp::flash {

using namespace literals;

/// The vendor's command cycle before 00h, 80h or 60h.
bool lun::prefix(onfi::opcode command)
{
    const array_timing& t = m_config.timing;
    const bool slc = command == onfi::MODE_SLC;
    if ((slc ? t.slc.tPROG : shallow_program(t, page_index(0))) == sim_time()) {
        return false;
    }
    m_mode = slc ? FLASH_MODE_SLC : FLASH_MODE_SHALLOW;
    return true;
}

namespace {

sim_time word_line_time(const array_timing& t, std::uint32_t pages)
{
    sim_time sum;
    for (std::uint32_t p = 0; p < pages; ++p) {
        sum += t.tPROG[p % t.tPROG.size()];
    }
    return t.tPROG_word_line != sim_time() ? t.tPROG_word_line : sum;
}

} // namespace

/// Array time where it is not that of the part's usual lists; else 0.
sim_time lun::special_length(array_state what, const onfi::extension& g) const
{
    const array_timing& t = m_config.timing;
    const plane_slot& p = m_planes[g.plane];
    if (what == array_state::read) {
        return p.next_mode == FLASH_MODE_SLC ? t.slc.tR : sim_time();
    }
    if (what == array_state::erase) {
        return p.target_mode == FLASH_MODE_SLC ? t.slc.tBERS : sim_time();
    }
    if (what != array_state::program) {
        return {};
    }
    if (p.target_mode != FLASH_MODE_NORMAL) {
        return p.target_mode == FLASH_MODE_SLC ? t.slc.tPROG : shallow_program(t, p.target.page);
    }
    if (!m_config.one_pass) {
        return {};
    }
    const auto bits = static_cast<std::uint32_t>(m_config.cell);
    return only_latched(p.target, p.target_mode) ? later(t.tDBSY, 1_ps) : word_line_time(t, bits);
}

/// Does the program of this page leave it in the latches, for its word line's last page?
bool lun::only_latched(const cell_address& a, flash_program_mode mode) const
{
    const auto bits = static_cast<std::uint32_t>(m_config.cell);
    return m_config.one_pass && mode == FLASH_MODE_NORMAL && a.page.value() % bits != bits - 1 &&
           a.page.value() + 1 != m_config.geo.pages_per_block;
}

} // namespace ssdvp::flash
