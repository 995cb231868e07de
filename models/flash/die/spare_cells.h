// SPDX-License-Identifier: Apache-2.0
//
// Out-of-band words of a block's pages, 64 bits each, in as few bytes as tell them. What they say
// is the firmware's business; that it numbers its units and its programs is what saves memory. Of
// whatever the rule of a block does not foretell, every bit is kept.
#pragma once

#include <cstdint>
#include <cstring>

#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

/// What is kept of each page's first word.
enum class first_form : std::uint8_t {
    checksum, // bits 8 to 23: the others grow from page to page by the same step
    number,   // bits 8 to 55: the others are those of the block's first page
    whole
};

/// What is kept of each page's other words, one per unit.
enum class unit_form : std::uint8_t {
    counted, // nothing: they count up by one, from page to page by the same step
    numbers, // 32 bits: the others are those of the block's first page. Zeros are told too.
    whole
};

struct spare_form {
    first_form first;
    unit_form units;
};

/// What the words of a block's pages have in common.
struct spare_rule {
    std::uint64_t first;      // the first word of page 0, without its checksum
    std::uint64_t first_step; // from page to page
    std::uint64_t unit;       // the first unit's word of page 0
    std::uint64_t unit_step;
};

class spare_cells {
public:
    /// `stored` bytes of each page; a last word that is not whole ends with zeros.
    explicit spare_cells(std::uint32_t stored)
        : m_words((stored + word_size - 1) / word_size), m_units(m_words == 0 ? 0 : m_words - 1)
    {}

    [[nodiscard]] std::uint32_t words() const { return m_words; }
    [[nodiscard]] std::uint32_t units() const { return m_units; }
    /// Per page.
    [[nodiscard]] std::uint32_t bytes(first_form form) const;
    [[nodiscard]] std::uint32_t bytes(unit_form form) const
    {
        return form == unit_form::counted   ? 0
               : form == unit_form::numbers ? m_units * number_size
                                            : m_units * word_size;
    }

    /// The rule as the first page that is programmed tells it; its steps, once page 1 follows on
    /// page 0.
    void begin(spare_rule& rule, const std::uint64_t* words) const;
    void set_steps(spare_rule& rule, const std::uint64_t* words) const;
    /// The least form from `form` on that keeps the page's words.
    [[nodiscard]] spare_form least(spare_form form, const spare_rule& rule, page_index page,
                                   const std::uint64_t* words) const;
    /// Precondition: the form keeps this word, or these.
    static void put_first(unsigned char* to, first_form form, std::uint64_t word);
    void put_units(unsigned char* to, unit_form form, const std::uint64_t* units) const;

    struct rule_of_page {
        const spare_rule& rule;
        page_index page;
    };
    /// The first `length` bytes of the units' words.
    static void read_units(const unsigned char* from, unit_form form, const rule_of_page& r,
                           unsigned char* to, std::uint32_t length);
    [[nodiscard]] static std::uint64_t first(const unsigned char* from, first_form form,
                                             const spare_rule& rule, page_index page);
    [[nodiscard]] static std::uint64_t unit(const unsigned char* from, unit_form form,
                                            const spare_rule& rule, page_index page,
                                            std::uint32_t i)
    {
        if (form == unit_form::counted) {
            return rule.unit + page.value() * rule.unit_step + i;
        }
        if (form == unit_form::numbers) {
            std::uint32_t number = 0;
            std::memcpy(&number, from + i * number_size, number_size);
            return number == zeros ? 0 : (rule.unit & ~number_mask) | number;
        }
        std::uint64_t word = 0;
        std::memcpy(&word, from + i * word_size, word_size);
        return word;
    }

private:
    static constexpr std::uint32_t word_size = 8;
    static constexpr std::uint32_t number_size = 4;
    static constexpr std::uint64_t number_mask = 0xFFFFFFFF;
    static constexpr std::uint32_t zeros = 0xFFFFFFFF; // the number of a word of zeros

    [[nodiscard]] bool counts_up(const spare_rule& rule, page_index page,
                                 const std::uint64_t* units) const;
    [[nodiscard]] bool are_numbers(const spare_rule& rule, const std::uint64_t* units) const;

    std::uint32_t m_words;
    std::uint32_t m_units;
};

} // namespace ssdvp::flash
