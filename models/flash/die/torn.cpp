// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/torn.h"

#include <algorithm>
#include <cstring>

#include "models/flash/die/errors/bit_errors.h"

namespace ssdvp::flash {

namespace {

constexpr std::uint64_t spare_words = 1ull << 32; // words of the spare area, apart from the data's

} // namespace

void torn_cells::heal(lun_block_index block, std::uint32_t pages)
{
    for (page_index p; p.value() < pages && !m_pages.empty(); ++p) {
        m_pages.erase(place(block, p));
    }
}

std::uint64_t torn_cells::garbage(lun_block_index block, page_index page, std::uint64_t word) const
{
    return random_at(random_at(m_key, place(block, page)), word);
}

void torn_cells::read_data(lun_block_index block, const page_slice& slice, data_form form,
                           unsigned char* to) const
{
    if (form == data_form::nothing) {
        return;
    }
    const std::uint32_t step = form == data_form::tags ? sector_size : 1;
    for (std::uint32_t i = 0; i < slice.length; i += step) {
        const std::uint32_t at = slice.column + i;
        const std::uint64_t word = garbage(block, slice.page, at / sizeof word);
        if (form == data_form::tags) {
            std::memcpy(to + i, &word, tag_size);
        } else {
            to[i] = static_cast<unsigned char>(word >> (8 * (at % sizeof word)));
        }
    }
}

void torn_cells::read_oob(lun_block_index block, page_index page, unsigned char* to,
                          std::uint32_t length) const
{
    for (std::uint32_t i = 0; i < length; i += sizeof(std::uint64_t)) {
        const std::uint64_t word = garbage(block, page, spare_words + i);
        std::memcpy(to + i, &word, std::min<std::size_t>(sizeof word, length - i));
    }
}

} // namespace ssdvp::flash
