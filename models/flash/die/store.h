// SPDX-License-Identifier: Apache-2.0
//
// What the cells hold, sparse: a block has memory from its first program to its erase. Out-of-band
// bytes are kept in every data mode, `stored_oob` per page. Data by mode: none = nothing; tag = the
// tags of its sectors, packed with the former (packed_pages.h); full = every byte. A page written
// as metadata keeps every byte in any mode.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "models/common/lazy_array.h"
#include "models/flash/die/metadata_cells.h"
#include "models/flash/die/packed_pages.h"

namespace ssdvp::flash {

/// How full the cells of a die are.
struct cells_in_use {
    std::uint64_t blocks = 0;    // that hold pages
    std::uint64_t scattered = 0; // pages whose units were not written in the order of addresses
    std::uint64_t versions = 0;  // pages whose units are of several versions, in any order
    std::uint64_t mixed = 0;     // 4 KiB whose sectors are
    std::uint64_t metadata = 0;  // pages that are kept whole in any mode
};

class store {
public:
    explicit store(const die_config& config);
    /// What they take of the host's address space, in bytes.
    [[nodiscard]] static std::uint64_t address_space(const die_config& config,
                                                     const cells_in_use& used);

    /// Precondition: each page once between erases; those of a block in order, unless the part
    /// takes any.
    void program(lun_block_index block, page_index page, const page_register& from);
    /// Copies what the page holds to `to` in `form`; a page that was never programmed reads FFh.
    void read_data(lun_block_index block, const page_slice& slice, data_form form,
                   unsigned char* to) const;
    void read_oob(lun_block_index block, page_index page, unsigned char* to,
                  std::uint32_t length) const;
    void erase(lun_block_index block);
    /// A read of this page will follow: brings what describes its block, then what it holds, from
    /// the host's memory. The first call for a page may come at any time before the second.
    void prefetch_block(lun_block_index block) const { __builtin_prefetch(&cells(block)); }
    void prefetch_page(lun_block_index block, page_index page) const
    {
        const block_cells& b = cells(block);
        if (b.packed.programmed == 0) {
            return;
        }
        if (m_mode == data_mode::full) {
            __builtin_prefetch(page_bytes(b, page));
        } else {
            m_packed.prefetch(b.packed, page);
        }
    }

    /// In what form the page is kept.
    [[nodiscard]] data_form form_of_page(lun_block_index block, page_index page) const
    {
        return whole_page(block, page) != nullptr ? data_form::bytes : form_of(m_mode);
    }
    [[nodiscard]] std::uint32_t page_size() const { return m_page_size; }
    [[nodiscard]] std::uint32_t stored_oob() const { return m_stored_oob; }
    /// Pages programmed since the last erase.
    [[nodiscard]] std::uint32_t programmed(lun_block_index block) const
    {
        return cells(block).packed.programmed;
    }
    /// This page is one of them.
    [[nodiscard]] bool holds(lun_block_index block, page_index page) const
    {
        return m_packed.holds(cells(block).packed, page);
    }
    /// Memory held for cell contents, free buffers included.
    [[nodiscard]] std::uint64_t bytes() const;
    /// Pieces of pages whose tags take a place in the pool (tag_cells.h).
    [[nodiscard]] std::uint64_t pooled_pieces() const { return m_packed.tags().pooled_pieces(); }
    void keep(state_archive& archive);

private:
    /// Zeros = erased. A line of the host's cache.
    struct block_cells {
        packed_block packed;
        std::uint32_t data;  // in m_data, with data mode full
        std::uint32_t whole; // pages of this block in m_whole
    };
    static_assert(sizeof(block_cells) == 64);

    [[nodiscard]] static std::uint64_t place(lun_block_index block, page_index page)
    {
        return (std::uint64_t{block.value()} << 32) | page.value();
    }
    [[nodiscard]] const block_cells& cells(lun_block_index block) const
    {
        return m_blocks[block.value()];
    }
    [[nodiscard]] const unsigned char* page_bytes(const block_cells& b, page_index page) const
    {
        return m_data.at(b.data) + std::uint64_t{page.value()} * m_page_size;
    }
    /// Its number in m_metadata; null = it is not kept whole.
    [[nodiscard]] const std::uint32_t* whole_page(lun_block_index block, page_index page) const;
    void release_whole(lun_block_index block);

    std::uint32_t m_page_size;
    std::uint32_t m_stored_oob;
    std::uint32_t m_pages;
    data_mode m_mode;
    packed_pages m_packed;
    lazy_array<block_cells> m_blocks;
    buffer_pool m_data;                                              // all bytes of a block's pages
    std::vector<std::uint64_t> m_zeros;                              // tags of a page that has none
    metadata_cells m_metadata;                                       // in reduced modes
    boost::unordered_flat_map<std::uint64_t, std::uint32_t> m_whole; // whose pages are there
};

} // namespace ssdvp::flash
