// SPDX-License-Identifier: Apache-2.0
//
// Out-of-band bytes of a block's pages, compact: 16 bytes per page while its 64-bit words from the
// second on count up by one, as those of units that were written in order do; else the words after
// the first lie in a pool. Few words, or bytes that are no whole words, are kept as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/state_archive.h"
#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

class spare_cells {
public:
    /// `pages` of a block, `stored` bytes of each.
    spare_cells(std::uint32_t pages, std::uint32_t stored);

    /// What a block needs; its cells start as zeros or as another block left them, after reset().
    [[nodiscard]] std::uint64_t block_bytes() const { return m_block_bytes; }
    void reset(unsigned char* block) const;
    void keep(unsigned char* block, page_index page, const unsigned char* from);
    /// Precondition: keep() of the page since reset(), length <= stored.
    void read(const unsigned char* block, page_index page, unsigned char* to,
              std::uint32_t length) const;
    /// The block is erased: its part of the pool is free.
    void release(unsigned char* block);
    void keep(state_archive& a);
    /// The part of the block that a read of the page looks at first.
    [[nodiscard]] const unsigned char* cells(const unsigned char* block, page_index page) const
    {
        return block + m_map_bytes + std::uint64_t{page.value()} * m_page_bytes;
    }
    /// What a page takes of the pool when its words are there, with its place in the list.
    [[nodiscard]] std::uint64_t pooled_bytes() const
    {
        return m_compact ? m_entry_bytes + sizeof(std::uint64_t) : 0;
    }
    /// Memory of the pool.
    [[nodiscard]] std::uint64_t pool_bytes() const
    {
        return m_chunks.size() * chunk * std::uint64_t{m_entry_bytes};
    }

private:
    static constexpr std::uint32_t chunk = 1024; // entries
    static constexpr std::uint32_t word = 8;

    [[nodiscard]] bool counts_up(const unsigned char* from) const;
    [[nodiscard]] unsigned char* entry(std::uint64_t i) const
    {
        return m_chunks[i / chunk].get() + i % chunk * m_entry_bytes;
    }
    std::uint64_t take_entry();

    std::uint32_t m_pages;
    std::uint32_t m_stored;
    bool m_compact;
    std::uint32_t m_map_bytes;   // a bit per page: its words are in the pool
    std::uint32_t m_page_bytes;  // in the block
    std::uint32_t m_entry_bytes; // in the pool
    std::uint64_t m_block_bytes;
    std::vector<std::unique_ptr<unsigned char[]>> m_chunks;
    std::vector<std::uint64_t> m_free;
};

} // namespace ssdvp::flash
