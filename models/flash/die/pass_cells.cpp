// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/pass_cells.h"

namespace ssdvp::flash {

void pass_cells::coarse(plane_index plane, lun_block_index block, page_index page,
                        std::uint32_t programmed, const page_register& from)
{
    pass_counts had = counts(block, programmed);
    ++had.coarse;
    m_blocks[block.value()] = had;
    m_sums[place(block, page)] = from.checksum() | 1;
    load(plane, block, page);
}

bool pass_cells::same(lun_block_index block, page_index page, const page_register& from) const
{
    const auto found = m_sums.find(place(block, page));
    return found != m_sums.end() && found->second == (from.checksum() | 1);
}

void pass_cells::fine(plane_index plane, lun_block_index block, page_index page)
{
    const auto found = m_blocks.find(block.value());
    pass_counts& had = found->second;
    ++had.fine;
    m_sums.erase(place(block, page));
    load(plane, block, page);
    if (m_order.ends_word_line(page)) {
        had.done = had.fine;
    }
    if (had.done == had.coarse) {
        m_blocks.erase(found); // its last word line
    }
}

void pass_cells::erase(lun_block_index block)
{
    const auto found = m_blocks.find(block.value());
    if (found == m_blocks.end()) {
        return;
    }
    const page_index end(found->second.coarse);
    for (page_index p(found->second.fine); p < end; ++p) {
        m_sums.erase(place(block, p));
    }
    m_blocks.erase(found);
}

} // namespace ssdvp::flash
