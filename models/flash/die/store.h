// SPDX-License-Identifier: Apache-2.0
//
// What the cells hold, sparse: a block has memory from its first program to its erase. Out-of-band
// bytes are kept in every data mode, `stored_oob` per page (spare_cells.h). Data by mode: none =
// nothing; tag = 8 bytes per 4 KiB run while its tags count up sector by sector (or are all zero),
// else 64 bytes in an overflow pool; full = every byte. A page written as metadata keeps every byte
// in any mode.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "models/common/state_archive.h"
#include "models/flash/config.h"
#include "models/flash/die/buffer_pool.h"
#include "models/flash/die/spare_cells.h"
#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

/// What of a page's data moves.
enum class data_form : std::uint8_t { nothing, tags, bytes };

[[nodiscard]] constexpr data_form form_of(data_mode mode)
{
    return mode == data_mode::full  ? data_form::bytes
           : mode == data_mode::tag ? data_form::tags
                                    : data_form::nothing;
}

/// What the byte enables of `gp` let through.
[[nodiscard]] inline data_form form_of(const tlm::tlm_generic_payload& gp)
{
    const unsigned char* enables = gp.get_byte_enable_ptr();
    if (enables == nullptr) {
        return data_form::bytes;
    }
    return enables == byte_enables(data_mode::tag) ? data_form::tags : data_form::nothing;
}

/// A page register: the page about to be programmed.
class page_register {
public:
    page_register(std::uint32_t page_size, std::uint32_t stored_oob);
    /// Empties the register: everything FFh, to be filled in `form`.
    void begin(data_form form);
    void put_data(std::uint32_t column, const unsigned char* from, std::uint32_t length);
    void put_oob(const unsigned char* from, std::uint32_t length);

    [[nodiscard]] data_form form() const { return m_form; }
    [[nodiscard]] const std::uint64_t* tags() const { return m_tags.data(); }
    [[nodiscard]] const unsigned char* bytes() const { return m_bytes.get(); }
    [[nodiscard]] const unsigned char* oob() const { return m_oob.data(); }

private:
    std::uint32_t m_page_size;
    data_form m_form = data_form::nothing;
    std::vector<std::uint64_t> m_tags;
    std::unique_ptr<unsigned char[]> m_bytes; // from the first page that needs it
    std::vector<unsigned char> m_oob;
};

/// A read request's place in a page.
struct page_slice {
    page_index page;
    std::uint32_t column;
    std::uint32_t length;
};

/// How full the cells of a die are.
struct cells_in_use {
    std::uint64_t blocks = 0;    // that hold pages
    std::uint64_t scattered = 0; // pages whose units were not written in the order of addresses
    bool mixed_runs = false;     // and whose units are smaller than a run of 4 KiB
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
    void prefetch_block(lun_block_index block) const { __builtin_prefetch(&m_blocks[block]); }
    void prefetch_page(lun_block_index block, page_index page) const
    {
        const block_contents& b = m_blocks[block];
        if (b.cells != nullptr) {
            __builtin_prefetch(page_cells(b, page));
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
        return m_blocks[block].programmed;
    }
    /// This page is one of them.
    [[nodiscard]] bool holds(lun_block_index block, page_index page) const
    {
        const block_contents& b = m_blocks[block];
        return m_bitmap_bytes == 0
                   ? page.value() < b.programmed
                   : b.programmed != 0 && (bit_byte(b, page) >> page.value() % 8 & 1) != 0;
    }
    void keep(state_archive& a);
    /// Memory held for cell contents, free buffers included.
    [[nodiscard]] std::uint64_t bytes() const;
    [[nodiscard]] std::uint64_t overflow_runs() const
    {
        return m_overflow.size() - m_free_overflow.size();
    }

private:
    static constexpr std::uint32_t run_sectors_max = 8; // 4 KiB
    using run_tags = std::array<std::uint64_t, run_sectors_max>;
    using buffer = std::unique_ptr<unsigned char[]>;

    struct block_contents {
        /// Out-of-band bytes of all pages, their data, and with any order a bit for each
        /// programmed one.
        unsigned char* cells = nullptr;
        std::uint32_t programmed = 0;
        std::uint32_t overflow = 0; // runs of this block in the overflow pool
        std::uint32_t whole = 0;    // pages of this block in the metadata pool
    };

    [[nodiscard]] std::uint32_t run_length(std::uint32_t run) const;
    [[nodiscard]] static std::uint64_t place(lun_block_index block, page_index page)
    {
        return (std::uint64_t{block.value()} << 32) | page.value();
    }
    [[nodiscard]] unsigned char* page_cells(const block_contents& b, page_index page) const;
    [[nodiscard]] unsigned char& bit_byte(const block_contents& b, page_index page) const
    {
        return page_cells(b, page_index(m_pages))[page.value() / 8];
    }
    void count_page(block_contents& b, page_index page);
    [[nodiscard]] const unsigned char* whole_page(lun_block_index block, page_index page) const;
    void keep_tags(block_contents& b, page_index page, const std::uint64_t* tags);
    void keep_whole(lun_block_index block, page_index page, const unsigned char* bytes);
    [[nodiscard]] std::uint64_t encode(const std::uint64_t* tags, std::uint32_t count,
                                       block_contents& b);
    void decode(std::uint64_t code, run_tags& tags) const;
    void read_tags(const unsigned char* cells, const page_slice& slice, unsigned char* to) const;
    void release(lun_block_index block);

    std::uint32_t m_page_size;
    std::uint32_t m_stored_oob;
    std::uint32_t m_pages;
    std::uint32_t m_run_sectors; // in a full run
    std::uint32_t m_runs;        // per page
    data_mode m_mode;
    std::uint64_t m_page_bytes;   // data bytes kept per page
    std::uint64_t m_bitmap_bytes; // per block; 0 = pages come in order
    spare_cells m_spare;
    indexed<lun_block_index, block_contents> m_blocks;
    buffer_pool m_cells;
    std::deque<run_tags> m_overflow;
    std::vector<std::uint64_t> m_free_overflow;
    boost::unordered_flat_map<std::uint64_t, buffer> m_whole; // metadata pages in reduced modes
};

} // namespace ssdvp::flash
