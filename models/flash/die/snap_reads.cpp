// SPDX-License-Identifier: Apache-2.0
//
// Snap reads at the die: which commands they go with, and what the register gives after one
// (docs/models/die.md, Snap reads).
#include "models/flash/die/command_decoder.h"

namespace ssdvp::flash {

/// What is wrong with a 20h, or with a group that asks more of the register than a snap read left
/// there; null = nothing.
const char* command_decoder::snap_misuse(const tlm::tlm_generic_payload& gp,
                                         const onfi::extension& g) const
{
    if (g.first == onfi::READ_1 && g.second == onfi::SNAP_READ) {
        return snap_command_misuse(g);
    }
    if (!m_planes[g.plane].holds_part()) {
        return nullptr;
    }
    switch (g.first) {
    case onfi::READ_CACHE:
        return "cache read behind a snap read";
    case onfi::READ_1:
        return g.second == onfi::READ_CACHE ? "cache read behind a snap read" : nullptr;
    case onfi::NO_COMMAND:
        return g.data_out && !m_registers.selected() && !within_part(gp, g)
                   ? "data out of what a snap read did not sense"
                   : nullptr;
    case onfi::CHANGE_READ_COLUMN_1:
    case onfi::CHANGE_READ_COLUMN_ENHANCED_1:
        return !within_part(gp, g) ? "data out of what a snap read did not sense" : nullptr;
    default:
        return nullptr;
    }
}

const char* command_decoder::snap_command_misuse(const onfi::extension& g) const
{
    return !has_snap_read(m_config)                           ? "snap read, which the part lacks"
           : g.column >= m_config.geo.page_size               ? "snap read of the spare area"
           : !(m_selected - plane_set::only(g.plane)).empty() ? "snap read of several planes"
           : m_array.cache().active()                         ? "snap read in a cache sequence"
           : m_mode != FLASH_MODE_NORMAL                      ? "snap read in a program mode"
           : g.retry != 0                                     ? "snap read at a read retry level"
                                                              : nullptr;
}

/// Do the bytes that go out all lie in the part of the page that was sensed? Spare bytes do not.
bool command_decoder::within_part(const tlm::tlm_generic_payload& gp,
                                  const onfi::extension& g) const
{
    const bool any = gp.get_command() == tlm::TLM_READ_COMMAND;
    const std::uint64_t begin = std::uint64_t{m_planes[g.plane].held.part} * m_config.snap_bytes;
    const std::uint64_t end = std::uint64_t{g.column} + (any ? gp.get_data_length() : 0);
    return g.oob_length == 0 && g.column >= begin && end <= begin + m_config.snap_bytes;
}

} // namespace ssdvp::flash
