// SPDX-License-Identifier: Apache-2.0
//
// Pages that are kept whole whatever the data mode. Most are of maps, whose 32-bit entries count up
// where units were written in order: of a line of such entries the first one is kept.
#pragma once

#include <array>
#include <cstdint>

#include "models/flash/die/buffer_pool.h"
#include "models/flash/die/page_register.h"

namespace ssdvp::flash {

class metadata_cells {
public:
    explicit metadata_cells(std::uint32_t page_size);

    /// Keeps a page; its number from now on.
    [[nodiscard]] std::uint32_t keep(const unsigned char* bytes);
    void release(std::uint32_t page);
    /// The slice's bytes or, of each sector, those of its tag.
    void read(std::uint32_t page, const page_slice& slice, data_form form, unsigned char* to) const;

    /// What so many pages take of the host's address space when none of their lines counts up.
    [[nodiscard]] std::uint64_t address_space(std::uint64_t pages) const
    {
        return buffer_pool::address_space(m_page_size, pages);
    }
    [[nodiscard]] std::uint64_t bytes() const;
    void keep(state_archive& archive);

private:
    static constexpr std::uint32_t line = 64;     // bytes
    static constexpr std::uint32_t size_bits = 2; // of a page's number: in which pool it is
    enum line_kind : std::uint8_t { whole, counts, repeats }; // what its entries do: 2 bits
    enum page_pool : std::uint8_t { least, quarter, full, pools };

    [[nodiscard]] static line_kind kind_of(const unsigned char* bytes);
    [[nodiscard]] static constexpr std::uint32_t kept_of(line_kind kind)
    {
        return kind == whole ? line : sizeof(std::uint32_t);
    }
    [[nodiscard]] std::uint32_t kinds_bytes() const { return (m_lines + 3) / 4; }
    void pack(unsigned char* to, const unsigned char* bytes) const;
    template <typename Fn>
    void for_each_line(const unsigned char* from, std::uint32_t first, std::uint32_t end,
                       Fn fn) const;

    std::uint32_t m_page_size;
    std::uint32_t m_lines;
    std::array<buffer_pool, pools> m_pools;
};

} // namespace ssdvp::flash
