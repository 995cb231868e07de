// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/spare_cells.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::flash {

namespace {

std::uint64_t load(const unsigned char* from)
{
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
}

bool pooled(const unsigned char* block, page_index page)
{
    return (block[page.value() / 8] >> (page.value() % 8) & 1) != 0;
}

} // namespace

spare_cells::spare_cells(std::uint32_t pages, std::uint32_t stored)
    : m_pages(pages), m_stored(stored), m_compact(stored >= 3 * word && stored % word == 0),
      m_map_bytes(m_compact ? (pages + 63) / 64 * word : 0),
      m_page_bytes(m_compact ? 2 * word : stored), m_entry_bytes(m_compact ? stored - word : 0),
      m_block_bytes(m_map_bytes + std::uint64_t{pages} * m_page_bytes)
{}

void spare_cells::reset(unsigned char* block) const
{
    std::memset(block, 0, m_map_bytes);
}

bool spare_cells::counts_up(const unsigned char* from) const
{
    for (std::uint32_t at = 2 * word; at < m_stored; at += word) {
        if (load(from + at) != load(from + at - word) + 1) {
            return false;
        }
    }
    return true;
}

std::uint64_t spare_cells::take_entry()
{
    if (m_free.empty()) {
        const std::uint64_t first = m_chunks.size() * chunk;
        m_chunks.emplace_back(new unsigned char[std::size_t{chunk} * m_entry_bytes]);
        for (std::uint64_t i = chunk; i > 0; --i) {
            m_free.push_back(first + i - 1);
        }
    }
    const std::uint64_t i = m_free.back();
    m_free.pop_back();
    return i;
}

void spare_cells::keep(unsigned char* block, page_index page, const unsigned char* from)
{
    unsigned char* at = block + m_map_bytes + std::uint64_t{page.value()} * m_page_bytes;
    std::memcpy(at, from, m_page_bytes);
    if (!m_compact || counts_up(from)) {
        return;
    }
    const std::uint64_t i = take_entry();
    std::memcpy(entry(i), from + word, m_entry_bytes);
    std::memcpy(at + word, &i, word);
    block[page.value() / 8] =
        static_cast<unsigned char>(block[page.value() / 8] | 1u << (page.value() % 8));
}

void spare_cells::read(const unsigned char* block, page_index page, unsigned char* to,
                       std::uint32_t length) const
{
    const unsigned char* at = cells(block, page);
    std::memcpy(to, at, std::min(length, m_page_bytes));
    if (!m_compact || length <= word) {
        return;
    }
    if (pooled(block, page)) {
        std::memcpy(to + word, entry(load(at + word)), length - word);
        return;
    }
    std::uint64_t value = load(at + word);
    for (std::uint32_t done = 2 * word; done < length; done += word) {
        ++value;
        std::memcpy(to + done, &value, std::min(word, length - done));
    }
}

void spare_cells::release(unsigned char* block)
{
    for (page_index page; page.value() < m_pages && m_compact; ++page) {
        if (pooled(block, page)) {
            m_free.push_back(load(cells(block, page) + word));
        }
    }
    reset(block);
}

} // namespace ssdvp::flash
