// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/store.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::flash {

namespace {

// Codes of a run. A tag with version 0 and an address cannot exist (data_mode.h), so a code with
// version 0 is free for the two special cases.
constexpr std::uint64_t zero_run = 0;
constexpr std::uint64_t erased_run = ~std::uint64_t{0};
constexpr std::uint32_t run_bytes = 4096;
constexpr std::uint64_t tag_step = std::uint64_t{1} << tag_version_bits;

constexpr bool in_overflow(std::uint64_t code)
{
    return code != zero_run && (code & tag_version_mask) == 0;
}

std::uint64_t load_tag(const unsigned char* from)
{
    std::uint64_t tag;
    std::memcpy(&tag, from, sizeof tag);
    return tag;
}

/// Of 4 KiB, in a page.
std::uint32_t runs_of(const die_config& config)
{
    return (config.geo.page_size + run_bytes - 1) / run_bytes;
}

/// Data bytes kept per page.
std::uint64_t page_bytes_of(const die_config& config)
{
    return config.data == data_mode::full  ? config.geo.page_size
           : config.data == data_mode::tag ? runs_of(config) * sizeof(std::uint64_t)
                                           : 0;
}

/// Per block.
std::uint64_t bitmap_bytes_of(const die_config& config)
{
    return config.order == page_order::any ? (config.geo.pages_per_block + 7) / 8 : 0;
}

} // namespace

page_register::page_register(std::uint32_t page_size, std::uint32_t stored_oob)
    : m_page_size(page_size), m_tags(page_size / sector_size), m_oob(stored_oob)
{}

void page_register::begin(data_form form)
{
    m_form = form;
    std::fill(m_oob.begin(), m_oob.end(), static_cast<unsigned char>(0xFF));
    if (form == data_form::tags) {
        std::fill(m_tags.begin(), m_tags.end(), erased_run);
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
            m_tags[first + i] = load_tag(from + std::size_t{i} * sector_size);
        }
    }
}

void page_register::put_oob(const unsigned char* from, std::uint32_t length)
{
    std::memcpy(m_oob.data(), from, length);
}

store::store(const die_config& config)
    : m_page_size(config.geo.page_size), m_stored_oob(config.stored_oob),
      m_pages(config.geo.pages_per_block),
      m_run_sectors(std::min(run_sectors_max, m_page_size / sector_size)), m_runs(runs_of(config)),
      m_mode(config.data), m_page_bytes(page_bytes_of(config)),
      m_bitmap_bytes(bitmap_bytes_of(config)), m_spare(m_pages, m_stored_oob),
      m_blocks(std::size_t{config.geo.planes} * config.geo.blocks_per_plane),
      m_cells(m_spare.block_bytes() + m_pages * m_page_bytes + m_bitmap_bytes)
{}

std::uint64_t store::address_space(const die_config& config, const cells_in_use& used)
{
    const geometry& geo = config.geo;
    const spare_cells spare(geo.pages_per_block, config.stored_oob);
    const std::uint64_t block =
        spare.block_bytes() + geo.pages_per_block * page_bytes_of(config) + bitmap_bytes_of(config);
    const std::uint64_t overflow =
        config.data == data_mode::tag && used.mixed_runs
            ? runs_of(config) * (sizeof(run_tags) + sizeof(std::uint64_t))
            : 0;
    constexpr std::uint64_t of_map = 64; // an entry of m_whole, and what the allocator adds
    const std::uint64_t whole = config.data == data_mode::full ? 0 : geo.page_size + of_map;
    return std::uint64_t{geo.planes} * geo.blocks_per_plane * sizeof(block_contents) +
           buffer_pool::address_space(block, used.blocks) + used.metadata * whole +
           used.scattered * (spare.pooled_bytes() + overflow);
}

std::uint32_t store::run_length(std::uint32_t run) const
{
    return std::min(m_run_sectors, m_page_size / sector_size - run * m_run_sectors);
}

unsigned char* store::page_cells(const block_contents& b, page_index page) const
{
    return b.cells + m_spare.block_bytes() + page.value() * m_page_bytes;
}

const unsigned char* store::whole_page(lun_block_index block, page_index page) const
{
    if (m_blocks[block].whole == 0) {
        return nullptr;
    }
    const auto found = m_whole.find(place(block, page));
    return found == m_whole.end() ? nullptr : found->second.get();
}

std::uint64_t store::encode(const std::uint64_t* tags, std::uint32_t count, block_contents& b)
{
    const std::uint64_t first = tags[0];
    if ((first == zero_run || first == erased_run) &&
        std::all_of(tags, tags + count, [&](std::uint64_t t) { return t == first; })) {
        return first;
    }
    bool counts_up = (first & tag_version_mask) != 0 && first != erased_run;
    for (std::uint32_t i = 1; i < count && counts_up; ++i) {
        counts_up = tags[i] == first + i * tag_step;
    }
    if (counts_up) {
        return first;
    }
    std::uint64_t index = m_overflow.size();
    if (m_free_overflow.empty()) {
        m_overflow.emplace_back();
    } else {
        index = m_free_overflow.back();
        m_free_overflow.pop_back();
    }
    std::copy(tags, tags + count, m_overflow[index].begin());
    ++b.overflow;
    return (index + 1) << tag_version_bits;
}

void store::decode(std::uint64_t code, run_tags& tags) const
{
    if (code == zero_run || code == erased_run) {
        tags.fill(code);
    } else if (in_overflow(code)) {
        tags = m_overflow[(code >> tag_version_bits) - 1];
    } else {
        for (std::uint32_t i = 0; i < tags.size(); ++i) {
            tags[i] = code + i * tag_step;
        }
    }
}

void store::keep_tags(block_contents& b, page_index page, const std::uint64_t* tags)
{
    unsigned char* cells = page_cells(b, page);
    for (std::uint32_t run = 0; run < m_runs; ++run) {
        const std::uint64_t code = encode(tags + run * m_run_sectors, run_length(run), b);
        std::memcpy(cells + run * sizeof code, &code, sizeof code);
    }
}

void store::keep_whole(lun_block_index block, page_index page, const unsigned char* bytes)
{
    // new[] without a value: every byte is copied below.
    buffer copy(new unsigned char[m_page_size]);
    std::memcpy(copy.get(), bytes, m_page_size);
    m_whole[place(block, page)] = std::move(copy);
    ++m_blocks[block].whole;
}

void store::count_page(block_contents& b, page_index page)
{
    if (m_bitmap_bytes == 0) {
        b.programmed = page.value() + 1;
        return;
    }
    if (b.programmed == 0) {
        std::memset(&bit_byte(b, page_index(0)), 0, m_bitmap_bytes);
    }
    unsigned char& byte = bit_byte(b, page);
    byte = static_cast<unsigned char>(byte | 1u << page.value() % 8);
    ++b.programmed;
}

void store::program(lun_block_index block, page_index page, const page_register& from)
{
    block_contents& b = m_blocks[block];
    if (b.cells == nullptr && m_stored_oob + m_page_bytes + m_bitmap_bytes != 0) {
        b.cells = m_cells.take();
        m_spare.reset(b.cells);
    }
    count_page(b, page);
    if (m_stored_oob != 0 && b.cells != nullptr) {
        m_spare.keep(b.cells, page, from.oob());
    }
    if (m_mode == data_mode::full) {
        std::memcpy(page_cells(b, page), from.bytes(), m_page_size);
    } else if (from.form() == data_form::bytes) {
        keep_whole(block, page, from.bytes());
    }
    if (m_mode == data_mode::tag && from.form() == data_form::tags) {
        keep_tags(b, page, from.tags());
    } else if (m_mode == data_mode::tag) {
        std::memset(page_cells(b, page), 0, m_page_bytes); // no overflow codes to free
    }
}

void store::read_tags(const unsigned char* cells, const page_slice& slice, unsigned char* to) const
{
    std::uint32_t sector = slice.column / sector_size;
    const std::uint32_t last = sector + slice.length / sector_size;
    run_tags tags;
    while (sector < last) {
        const std::uint32_t run = sector / m_run_sectors;
        decode(load_tag(cells + run * sizeof(std::uint64_t)), tags);
        const std::uint32_t run_end = std::min(last, (run + 1) * m_run_sectors);
        for (; sector < run_end; ++sector) {
            std::memcpy(to, &tags[sector % m_run_sectors], tag_size);
            to += sector_size;
        }
    }
}

void store::read_data(lun_block_index block, const page_slice& slice, data_form form,
                      unsigned char* to) const
{
    const block_contents& b = m_blocks[block];
    if (form == data_form::nothing) {
        return;
    }
    const data_mode out = form == data_form::bytes ? data_mode::full : data_mode::tag;
    if (!holds(block, slice.page)) {
        if (out == data_mode::full) {
            std::memset(to, 0xFF, slice.length);
        } else {
            for (std::uint32_t i = 0; i < slice.length; i += sector_size) {
                std::memset(to + i, 0xFF, tag_size);
            }
        }
        return;
    }
    if (m_mode == data_mode::full) {
        copy_payload(out, to, page_cells(b, slice.page) + slice.column, slice.length);
        return;
    }
    const unsigned char* whole = whole_page(block, slice.page);
    if (whole != nullptr) {
        copy_payload(out, to, whole + slice.column, slice.length);
        return;
    }
    if (out == data_mode::full) {
        std::memset(to, 0, slice.length); // bytes that this mode did not keep
    }
    if (m_mode == data_mode::tag) {
        read_tags(page_cells(b, slice.page), slice, to);
    }
}

void store::read_oob(lun_block_index block, page_index page, unsigned char* to,
                     std::uint32_t length) const
{
    if (!holds(block, page)) {
        std::memset(to, 0xFF, length);
    } else {
        m_spare.read(m_blocks[block].cells, page, to, length);
    }
}

void store::release(lun_block_index block)
{
    block_contents& b = m_blocks[block];
    const page_index end(m_bitmap_bytes == 0 ? b.programmed : m_pages);
    for (page_index page; page < end && b.overflow != 0; ++page) {
        if (!holds(block, page)) {
            continue;
        }
        const unsigned char* cells = page_cells(b, page);
        for (std::uint32_t run = 0; run < m_runs; ++run) {
            const std::uint64_t code = load_tag(cells + run * sizeof(std::uint64_t));
            if (in_overflow(code)) {
                m_free_overflow.push_back((code >> tag_version_bits) - 1);
                --b.overflow;
            }
        }
    }
    for (page_index page; page < end && b.whole != 0; ++page) {
        b.whole -= static_cast<std::uint32_t>(m_whole.erase(place(block, page)));
    }
}

void store::erase(lun_block_index block)
{
    release(block);
    block_contents& b = m_blocks[block];
    if (b.cells != nullptr) {
        m_spare.release(b.cells);
        m_cells.give_back(b.cells);
        b.cells = nullptr;
    }
    b.programmed = 0;
}

std::uint64_t store::bytes() const
{
    return m_cells.bytes() + m_spare.pool_bytes() + m_blocks.size() * sizeof(block_contents) +
           m_overflow.size() * sizeof(run_tags) + m_whole.size() * std::uint64_t{m_page_size};
}

} // namespace ssdvp::flash
