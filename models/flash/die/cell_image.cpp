// SPDX-License-Identifier: Apache-2.0
//
// The cells given away and taken back, for an image that outlives the run, and kept as they are.
#include "models/flash/die/cell_image.h"

#include <algorithm>
#include <utility>

#include "models/flash/die/cell_array.h"

namespace ssdvp::flash {

void cell_array::note_change(lun_block_index block, block_change::extent extent)
{
    block_change::extent& was = wear(block).change;
    if (was == block_change::none) {
        m_changes.push_back(block);
    }
    was = std::max(was, extent);
}

std::vector<block_change> cell_array::take_changes()
{
    std::vector<block_change> list;
    list.reserve(m_changes.size());
    for (const lun_block_index block : m_changes) {
        list.push_back({block, std::exchange(wear(block).change, block_change::none)});
    }
    m_changes.clear();
    return list;
}

block_image cell_array::image_of(lun_block_index block) const
{
    const block_wear& w = wear(block);
    block_image image;
    image.erases = m_pe_cycles + w.erases;
    image.programmed = m_store.programmed(block);
    if (w.shallow_pages != 0) {
        image.shallow_from = page_index(m_pages_per_block - w.shallow_pages);
    }
    image.failed = w.failed;
    image.slc = w.slc;
    image.torn = w.torn;
    return image;
}

bool cell_array::torn_page(lun_block_index block, page_index page) const
{
    return wear(block).torn == torn_state::some_pages && m_torn.holds(block, page);
}

void cell_array::restore(lun_block_index block, const block_image& image, bool whole)
{
    block_wear& w = wear(block);
    w.erases = image.erases - m_pe_cycles;
    w.shallow_pages = image.shallow_from.value() < m_pages_per_block
                          ? m_pages_per_block - image.shallow_from.value()
                          : 0;
    w.failed = image.failed;
    w.slc = image.slc;
    w.torn = image.torn;
    if (whole) {
        m_torn.heal(block, m_pages_per_block);
        m_store.erase(block);
    }
}

void cell_array::restore_page(lun_block_index block, page_index page, const page_register& from,
                              bool torn)
{
    const cell_address a = {plane_index(block.value() / m_blocks_per_plane),
                            block_index(block.value() % m_blocks_per_plane), page};
    if (m_errors != nullptr) {
        m_errors->programmed(worn(a), now());
    }
    m_limit.programmed(block, page, mode_of(a), now());
    m_store.program(block, page, from);
    if (torn) {
        m_torn.tear(block, page);
    }
}

void cell_array::keep(state_archive& archive)
{
    m_store.keep(archive);
    archive.pages(m_wear, m_wear.size());
    m_torn.keep(archive);
    m_passes.keep(archive);
    m_limit.keep(archive);
    archive.value(m_torn_pages);
    archive.value(m_torn_blocks);
    archive.list(m_changes);
    if (m_errors != nullptr) {
        m_errors->keep(archive);
    }
}

} // namespace ssdvp::flash
