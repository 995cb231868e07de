// SPDX-License-Identifier: Apache-2.0
//
// Out-of-band words (spare_cells.h) and tags (tag_cells.h) of the pages of blocks. All pages of a
// block are kept in the same form, the least that holds them; a page that needs more moves its
// block to a larger one. Blocks know their memory by number.
#pragma once

#include <vector>

#include "models/flash/config.h"
#include "models/flash/die/buffer_pool.h"
#include "models/flash/die/page_register.h"
#include "models/flash/die/spare_cells.h"
#include "models/flash/die/tag_cells.h"

namespace ssdvp::flash {

struct packed_form {
    spare_form spare;
    tag_form tags;

    friend bool operator==(const packed_form& a, const packed_form& b)
    {
        return a.spare.first == b.spare.first && a.spare.units == b.spare.units && a.tags == b.tags;
    }
};

/// Zeros: an erased block.
struct packed_block {
    spare_rule rule;
    std::uint64_t distance;   // of the tags from the words
    std::uint32_t programmed; // pages
    std::uint32_t buffer;     // in the pool of its form
    std::uint32_t pooled;     // pieces of tags
    packed_form form;
};

class packed_pages {
public:
    explicit packed_pages(const die_config& config);

    /// What is kept of a page: its words and, in data mode tag, the tags of its sectors.
    struct content {
        const std::uint64_t* words;
        const std::uint64_t* tags;
    };
    /// Precondition: the page was not programmed since the erase.
    void program(packed_block& b, page_index page, const content& c);
    void erase(packed_block& b);

    [[nodiscard]] bool holds(const packed_block& b, page_index page) const
    {
        return m_bitmap_bytes == 0
                   ? page.value() < b.programmed
                   : b.programmed != 0 && (*mark_of(b, page) >> page.value() % 8 & 1) != 0;
    }
    // Precondition of these: the block holds the page.
    void read_oob(const packed_block& b, page_index page, unsigned char* to,
                  std::uint32_t length) const;
    /// Those of the slice, each to the begin of its sector.
    void read_tags(const packed_block& b, const page_slice& slice, unsigned char* to) const;
    void prefetch(const packed_block& b, page_index page) const
    {
        const form_cells& f = cells(b);
        if (f.page_bytes != 0) {
            __builtin_prefetch(f.buffers.at(b.buffer) + f.page_at(page));
        }
    }

    /// What so many blocks of one form take of the host's address space.
    [[nodiscard]] std::uint64_t address_space(const packed_form& form, std::uint64_t blocks) const
    {
        return buffer_pool::address_space(m_forms[place_of(form)].buffers.size(), blocks);
    }
    [[nodiscard]] const tag_cells& tags() const { return m_tags; }
    /// Memory of all blocks and pieces ever held at once.
    [[nodiscard]] std::uint64_t bytes() const;
    void keep(state_archive& archive);

private:
    struct sector_range {
        std::uint32_t first;
        std::uint32_t last; // the one behind it
    };
    template <typename Fn>
    void for_each_run(const packed_block& b, page_index page, sector_range range, Fn fn) const;
    void learn(packed_block& b, page_index page, const content& c) const;
    [[nodiscard]] packed_form least(const packed_block& b, page_index page, const content& c) const;
    void take(packed_block& b);
    void move(const packed_block& from, packed_block& to);
    void put(packed_block& b, page_index page, const content& c);
    void mark(packed_block& b, page_index page);
    void release(const packed_block& b);
    content load(const packed_block& b, page_index page);

    /// Blocks of one form. A buffer has the units' words and tags page by page, then all first
    /// words, then, where pages come in any order, a bit for each one that was programmed.
    struct form_cells {
        buffer_pool buffers;
        std::uint32_t page_bytes;
        std::uint32_t tags_at; // in a page
        std::uint32_t first_bytes;
        std::uint64_t firsts_at; // in a buffer
        std::uint64_t marks_at;

        [[nodiscard]] std::uint64_t page_at(page_index page) const
        {
            return std::uint64_t{page.value()} * page_bytes;
        }
        [[nodiscard]] std::uint64_t first_at(page_index page) const
        {
            return firsts_at + std::uint64_t{page.value()} * first_bytes;
        }
    };
    static constexpr std::uint32_t forms_of_each = 3;

    [[nodiscard]] form_cells cells_of(const packed_form& f) const;
    [[nodiscard]] static std::uint32_t place_of(const packed_form& f)
    {
        const auto spare = static_cast<std::uint32_t>(f.spare.first) * forms_of_each +
                           static_cast<std::uint32_t>(f.spare.units);
        return spare * forms_of_each + static_cast<std::uint32_t>(f.tags);
    }
    [[nodiscard]] form_cells& cells(const packed_block& b) { return m_forms[place_of(b.form)]; }
    [[nodiscard]] const form_cells& cells(const packed_block& b) const
    {
        return m_forms[place_of(b.form)];
    }
    [[nodiscard]] unsigned char* mark_of(const packed_block& b, page_index page)
    {
        return cells(b).buffers.at(b.buffer) + cells(b).marks_at + page.value() / 8;
    }
    [[nodiscard]] const unsigned char* mark_of(const packed_block& b, page_index page) const
    {
        return cells(b).buffers.at(b.buffer) + cells(b).marks_at + page.value() / 8;
    }

    std::uint32_t m_pages;
    bool m_tagged;
    std::uint32_t m_bitmap_bytes; // per block; 0 = pages come in order
    spare_cells m_spare;
    tag_cells m_tags;
    std::vector<form_cells> m_forms;
    // Of a page on its way from one form to another.
    std::vector<std::uint64_t> m_words;
    std::vector<std::uint64_t> m_sector_tags;
};

} // namespace ssdvp::flash
