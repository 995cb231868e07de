// SPDX-License-Identifier: Apache-2.0
//
// Cells that a power cut left between two states: pages whose program, blocks whose erase did not
// end. What they hold is garbage of no code word, the same at every read, until an erase has ended.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>

#include "models/flash/die/store.h"

namespace ssdvp::flash {

/// Of a block; kept beside its wear, so that a read of a block without torn cells asks one byte.
enum class torn_state : std::uint8_t { whole, some_pages, all_pages };

class torn_cells {
public:
    explicit torn_cells(std::uint64_t key) : m_key(key) {}

    void tear(lun_block_index block, page_index page) { m_pages.insert(place(block, page)); }
    [[nodiscard]] bool holds(lun_block_index block, page_index page) const
    {
        return m_pages.contains(place(block, page));
    }
    /// The block, of `pages` pages, was erased.
    void heal(lun_block_index block, std::uint32_t pages);

    /// What the page's data area reads as, in `form`.
    void read_data(lun_block_index block, const page_slice& slice, data_form form,
                   unsigned char* to) const;
    void read_oob(lun_block_index block, page_index page, unsigned char* to,
                  std::uint32_t length) const;
    void keep(state_archive& archive) { archive.set(m_pages); }

private:
    [[nodiscard]] static std::uint64_t place(lun_block_index block, page_index page)
    {
        return (std::uint64_t{block.value()} << 32) | page.value();
    }
    [[nodiscard]] std::uint64_t garbage(lun_block_index block, page_index page,
                                        std::uint64_t word) const;

    std::uint64_t m_key; // of the run and the die
    boost::unordered_flat_set<std::uint64_t> m_pages;
};

} // namespace ssdvp::flash
