// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/page_register.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::flash {

page_register::page_register(std::uint32_t page_size, std::uint32_t stored_oob)
    : m_page_size(page_size), m_stored_oob(stored_oob), m_tags(page_size / sector_size),
      m_oob(1 + stored_oob / sizeof(std::uint64_t))
{}

void page_register::begin(data_form form)
{
    m_form = form;
    std::memset(m_oob.data(), 0xFF, m_stored_oob);
    if (form == data_form::tags) {
        std::fill(m_tags.begin(), m_tags.end(), ~std::uint64_t{0});
    } else if (form == data_form::bytes) {
        if (m_bytes == nullptr) {
            m_bytes = std::make_unique<unsigned char[]>(m_page_size);
        }
        std::memset(m_bytes.get(), 0xFF, m_page_size);
    }
}

void page_register::put_data(std::uint32_t column, const unsigned char* from, std::uint32_t length)
{
    if (m_form == data_form::bytes) {
        std::memcpy(m_bytes.get() + column, from, length);
    } else if (m_form == data_form::tags) {
        const std::uint32_t first = column / sector_size;
        const std::uint32_t sectors = length / sector_size;
        for (std::uint32_t i = 0; i < sectors; ++i) {
            std::memcpy(&m_tags[first + i], from + std::size_t{i} * sector_size, tag_size);
        }
    }
}

std::uint64_t page_register::checksum() const
{
    std::uint64_t sum = static_cast<std::uint64_t>(m_form);
    const auto add = [&sum](std::uint64_t word) {
        sum = (sum ^ word) * 0x9E3779B97F4A7C15; // odd: no word is lost
        sum ^= sum >> 29;
    };
    std::for_each(m_oob.begin(), m_oob.end(), add);
    if (m_form == data_form::tags) {
        std::for_each(m_tags.begin(), m_tags.end(), add);
    }
    for (std::uint32_t at = 0; m_form == data_form::bytes && at < m_page_size; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, m_bytes.get() + at, std::min<std::size_t>(8, m_page_size - at));
        add(word);
    }
    return sum;
}

void page_register::put_oob(const unsigned char* from, std::uint32_t length)
{
    if (length != 0) { // else `from` may be null
        std::memcpy(m_oob.data(), from, length);
    }
}

} // namespace ssdvp::flash
