// SPDX-License-Identifier: Apache-2.0
//
// What a power cut leaves in the array. Wear and bad blocks are as they were: an erase that did not
// end counts for nothing.
#include "models/flash/die/cell_array.h"

namespace ssdvp::flash {

void cell_array::tear(const cell_address& a)
{
    const bool between = between_passes(a);
    if (torn(a) && !between) {
        return;
    }
    if (between && !m_store.holds(lun_block(a), a.page)) {
        m_passes.cut(lun_block(a), a.page);
    }
    wear(lun_block(a)).torn = torn_state::some_pages;
    m_torn.tear(lun_block(a), a.page);
    changed(lun_block(a), block_change::whole);
    ++m_torn_pages;
}

void cell_array::cut_program(const cell_address& a, const page_register& from,
                             const program_way& way)
{
    if (program(a, from, way) == FLASH_STATUS_OK) {
        tear(a);
    }
}

void cell_array::cut_erase(const cell_address& a)
{
    block_wear& w = wear(lun_block(a));
    if (w.factory_bad || w.failed || w.torn == torn_state::all_pages) {
        return;
    }
    m_torn.heal(lun_block(a), m_pages_per_block); // counted as a block from now on
    w.torn = torn_state::all_pages;
    changed(lun_block(a), block_change::whole);
    ++m_torn_blocks;
}

} // namespace ssdvp::flash
