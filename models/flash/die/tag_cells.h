// SPDX-License-Identifier: Apache-2.0
//
// Tags of a block's pages (data_mode.h), in as few bytes as tell them. Most follow from the words
// that the firmware keeps beside the data: it numbers its units by the host's addresses. Tags come
// in pieces, of a unit or of 4 KiB, whichever is less; those of a piece that was written as a whole
// count up sector by sector.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/common/data_mode.h"
#include "models/flash/die/buffer_pool.h"

namespace ssdvp::flash {

/// What is kept of each page's tags.
enum class tag_form : std::uint8_t {
    followed, // nothing: one version, and a distance from the units' words that is the block's
    versions, // 32 bits per piece: only the distance is the block's
    runs      // 64 bits per 4 KiB
};

/// Tags of neighbouring sectors: they count up, or they are a list.
struct tag_run {
    std::uint64_t first = 0;
    std::uint64_t step = 0;
    const std::uint64_t* list = nullptr;

    [[nodiscard]] std::uint64_t operator[](std::uint32_t sector) const
    {
        return list != nullptr ? list[sector] : first + sector * step;
    }
};

class tag_cells {
public:
    /// `units` words beside the tags of `sectors`.
    tag_cells(std::uint32_t sectors, std::uint32_t units);

    /// The form that every block begins with.
    [[nodiscard]] tag_form least() const
    {
        return m_unit_sectors != 0 ? tag_form::followed : tag_form::runs;
    }
    /// Per page.
    [[nodiscard]] std::uint32_t bytes(tag_form form) const
    {
        return form == tag_form::followed ? 0 : pieces(form) * size_of(form);
    }
    /// What tells the tags of a block from its words: 0 = not known yet.
    void learn(std::uint64_t& distance, const std::uint64_t* units,
               const std::uint64_t* tags) const;
    /// The least form from `form` on that keeps the page's tags.
    [[nodiscard]] tag_form least(tag_form form, std::uint64_t distance, const std::uint64_t* units,
                                 const std::uint64_t* tags) const;
    /// Precondition: the form keeps them. Returns how many pieces went to the pool.
    std::uint32_t put(unsigned char* to, tag_form form, const std::uint64_t* tags);
    /// Frees what the page has there; returns how many pieces.
    std::uint32_t release(const unsigned char* from, tag_form form);

    [[nodiscard]] std::uint32_t piece_sectors(tag_form form) const
    {
        return form == tag_form::runs ? m_run_sectors : m_piece_sectors;
    }
    /// Whose word get() is to be given.
    [[nodiscard]] std::uint32_t unit_of(std::uint32_t piece) const { return piece / m_unit_pieces; }
    [[nodiscard]] tag_run get(const unsigned char* from, tag_form form, std::uint64_t distance,
                              std::uint32_t piece, std::uint64_t word) const;

    [[nodiscard]] std::uint64_t pooled_pieces() const { return m_pool.in_use(); }
    [[nodiscard]] std::uint64_t pool_bytes() const { return m_pool.bytes(); }
    /// What so many pieces in the pool take of the host's address space.
    [[nodiscard]] static std::uint64_t pool_address_space(std::uint64_t pieces)
    {
        return buffer_pool::address_space(sizeof(list), pieces);
    }
    void keep(state_archive& archive) { m_pool.keep(archive); }

private:
    static constexpr std::uint32_t run_sectors_max = 8; // 4 KiB
    using list = std::array<std::uint64_t, run_sectors_max>;

    [[nodiscard]] static constexpr std::uint32_t size_of(tag_form form)
    {
        return form == tag_form::runs ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
    }
    [[nodiscard]] std::uint32_t pieces(tag_form form) const
    {
        return form == tag_form::runs ? m_runs : m_pieces;
    }
    [[nodiscard]] std::uint32_t length(tag_form form, std::uint32_t piece) const;
    /// The piece's first tag.
    [[nodiscard]] std::uint64_t foretold(std::uint64_t distance, std::uint32_t piece,
                                         std::uint64_t word) const
    {
        const std::uint32_t in_unit = piece % m_unit_pieces * m_piece_sectors;
        return (word * m_unit_sectors + in_unit) * tag_step + distance;
    }
    [[nodiscard]] bool follow(std::uint64_t distance, const std::uint64_t* units,
                              const std::uint64_t* tags) const;
    [[nodiscard]] bool differ_in_version(std::uint64_t distance, const std::uint64_t* units,
                                         const std::uint64_t* tags) const;
    [[nodiscard]] std::uint64_t code_of(tag_form form, const std::uint64_t* tags,
                                        std::uint32_t count, std::uint32_t& pooled);
    [[nodiscard]] const std::uint64_t* pooled(std::uint64_t number) const
    {
        return reinterpret_cast<const std::uint64_t*>(
            m_pool.at(static_cast<std::uint32_t>(number)));
    }

    // Codes of a piece. As a tag that is not 0 has a version that is not 0, a code without one is
    // free for sectors that were never written and for the pool: a number above the version's bits.
    static constexpr std::uint64_t zeros = 0;
    static constexpr std::uint64_t erased = ~std::uint64_t{0};
    static constexpr std::uint32_t erased_version = ~0u;
    static constexpr std::uint32_t in_pool = 1u << 31; // beside a version: the rest is a number

    template <typename Code>
    [[nodiscard]] static Code load(const unsigned char* from)
    {
        Code code;
        std::memcpy(&code, from, sizeof code);
        return code;
    }
    /// In a block whose tags are kept as runs.
    [[nodiscard]] static constexpr bool run_in_pool(std::uint64_t code)
    {
        return code != zeros && (code & tag_version_mask) == 0;
    }
    [[nodiscard]] static constexpr bool version_in_pool(std::uint32_t code)
    {
        return (code & in_pool) != 0 && code != erased_version;
    }
    [[nodiscard]] static bool count_up(const std::uint64_t* tags, std::uint32_t count);

    std::uint32_t m_sectors;
    std::uint32_t m_run_sectors;
    std::uint32_t m_unit_sectors = 0; // 0: the tags cannot follow the words
    std::uint32_t m_piece_sectors;
    std::uint32_t m_unit_pieces = 1;
    std::uint32_t m_runs = 0; // of a page
    std::uint32_t m_pieces = 0;
    buffer_pool m_pool; // pieces whose tags do not count up
};

inline tag_run tag_cells::get(const unsigned char* from, tag_form form, std::uint64_t distance,
                              std::uint32_t piece, std::uint64_t word) const
{
    if (form == tag_form::followed) {
        const bool known = word != 0 && distance != 0;
        return known ? tag_run{foretold(distance, piece, word), tag_step} : tag_run();
    }
    if (form == tag_form::versions) {
        const auto code = load<std::uint32_t>(from + piece * sizeof(std::uint32_t));
        if (code != zeros && (code & in_pool) == 0) {
            return {(foretold(distance, piece, word) & ~tag_version_mask) | code, tag_step};
        }
        return version_in_pool(code) ? tag_run{0, 0, pooled(code & ~in_pool)}
                                     : tag_run{code == zeros ? zeros : erased, 0};
    }
    const auto code = load<std::uint64_t>(from + piece * sizeof(std::uint64_t));
    if (run_in_pool(code)) {
        return {0, 0, pooled((code >> tag_version_bits) - 1)};
    }
    return {code, code == zeros || code == erased ? 0 : tag_step};
}

} // namespace ssdvp::flash
