// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/cell_array.h"

namespace ssdvp::flash {

void spare_cells::keep(state_archive& a)
{
    std::uint64_t chunks = m_chunks.size();
    a.value(chunks);
    std::vector<unsigned char> bytes(std::size_t{chunk} * m_entry_bytes);
    m_chunks.resize(chunks);
    for (auto& c : m_chunks) {
        if (!a.loading()) {
            bytes.assign(c.get(), c.get() + bytes.size());
        }
        a.list(bytes);
        if (a.loading()) {
            c.reset(new unsigned char[bytes.size()]);
            std::copy(bytes.begin(), bytes.end(), c.get());
        }
    }
    a.list(m_free);
}

void store::keep(state_archive& a)
{
    m_spare.keep(a);
    const std::uint64_t size = m_spare.block_bytes() + m_pages * m_page_bytes + m_bitmap_bytes;
    for (block_contents& b : m_blocks) {
        a.value(b.programmed);
        a.value(b.overflow);
        a.value(b.whole);
        bool held = b.cells != nullptr;
        a.value(held);
        std::vector<unsigned char> bytes;
        if (held && !a.loading()) {
            bytes.assign(b.cells, b.cells + size);
        }
        if (held) {
            a.list(bytes);
        }
        if (held && a.loading()) {
            b.cells = m_cells.take();
            std::copy(bytes.begin(), bytes.end(), b.cells);
        }
    }
    std::vector<run_tags> overflow(m_overflow.begin(), m_overflow.end());
    a.list(overflow);
    m_overflow.assign(overflow.begin(), overflow.end());
    a.list(m_free_overflow);
    std::vector<std::uint64_t> places;
    for (const auto& whole : m_whole) {
        places.push_back(whole.first);
    }
    a.list(places);
    std::vector<unsigned char> bytes(m_page_size);
    for (const std::uint64_t p : places) {
        if (!a.loading()) {
            bytes.assign(m_whole[p].get(), m_whole[p].get() + m_page_size);
        }
        a.list(bytes);
        if (a.loading()) {
            buffer copy(new unsigned char[m_page_size]);
            std::copy(bytes.begin(), bytes.end(), copy.get());
            m_whole[p] = std::move(copy);
        }
    }
}

void cell_array::keep(state_archive& a)
{
    m_store.keep(a);
    for (block_wear& w : m_wear) {
        a.value(w);
    }
}

} // namespace ssdvp::flash
