// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/store.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::flash {

store::store(const die_config& config)
    : m_page_size(config.geo.page_size), m_stored_oob(config.stored_oob),
      m_pages(config.geo.pages_per_block), m_mode(config.data), m_packed(config),
      m_blocks(std::size_t{config.geo.planes} * config.geo.blocks_per_plane),
      m_data(std::uint64_t{m_pages} * m_page_size), m_zeros(m_page_size / sector_size),
      m_metadata(m_page_size)
{}

std::uint64_t store::address_space(const die_config& config, const cells_in_use& used)
{
    const packed_pages packed(config);
    const std::uint64_t pages = config.geo.pages_per_block;
    const auto blocks_of = [&](std::uint64_t n) {
        return std::min(used.blocks, (n + pages - 1) / pages);
    };
    const std::uint64_t scattered = blocks_of(used.scattered + used.versions);
    const std::uint64_t versions = blocks_of(used.versions);
    const tag_form tags = packed.tags().least();
    const spare_form numbers = {first_form::number, unit_form::numbers};
    const bool tagged = config.data == data_mode::tag;
    const bool full = config.data == data_mode::full;
    // One more of each: a block is in two forms while it moves from one to the other.
    return std::uint64_t{config.geo.planes} * config.geo.blocks_per_plane * sizeof(block_cells) +
           packed.address_space({{first_form::checksum, unit_form::counted}, tags},
                                used.blocks - scattered + 1) +
           packed.address_space({numbers, tags}, scattered - versions + 1) +
           packed.address_space({numbers, tagged ? tag_form::runs : tags}, versions + 1) +
           (tagged ? tag_cells::pool_address_space(used.mixed) : 0) +
           buffer_pool::address_space(pages * config.geo.page_size, full ? used.blocks : 0) +
           metadata_cells(config.geo.page_size).address_space(full ? 0 : used.metadata);
}

const std::uint32_t* store::whole_page(lun_block_index block, page_index page) const
{
    if (cells(block).whole == 0) {
        return nullptr;
    }
    const auto found = m_whole.find(place(block, page));
    return found == m_whole.end() ? nullptr : &found->second;
}

void store::program(lun_block_index block, page_index page, const page_register& from)
{
    block_cells& b = m_blocks[block.value()];
    if (m_mode == data_mode::full) {
        if (b.packed.programmed == 0) {
            b.data = m_data.take();
        }
        std::memcpy(m_data.at(b.data) + std::uint64_t{page.value()} * m_page_size, from.bytes(),
                    m_page_size);
    } else if (from.form() == data_form::bytes) {
        m_whole[place(block, page)] = m_metadata.keep(from.bytes());
        ++b.whole;
    }
    const bool tagged = from.form() == data_form::tags;
    m_packed.program(b.packed, page, {from.oob(), tagged ? from.tags() : m_zeros.data()});
}

void store::read_data(lun_block_index block, const page_slice& slice, data_form form,
                      unsigned char* to) const
{
    const block_cells& b = cells(block);
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
        copy_payload(out, to, page_bytes(b, slice.page) + slice.column, slice.length);
        return;
    }
    if (const std::uint32_t* whole = whole_page(block, slice.page)) {
        m_metadata.read(*whole, slice, form, to);
        return;
    }
    if (out == data_mode::full) {
        std::memset(to, 0, slice.length); // bytes that this mode did not keep
    }
    if (m_mode == data_mode::tag) {
        m_packed.read_tags(b.packed, slice, to);
    }
}

void store::read_oob(lun_block_index block, page_index page, unsigned char* to,
                     std::uint32_t length) const
{
    if (holds(block, page)) {
        m_packed.read_oob(cells(block).packed, page, to, length);
    } else {
        std::memset(to, 0xFF, length);
    }
}

void store::release_whole(lun_block_index block)
{
    std::uint32_t& left = m_blocks[block.value()].whole;
    for (page_index page; page.value() < m_pages && left != 0; ++page) {
        if (const auto found = m_whole.find(place(block, page)); found != m_whole.end()) {
            m_metadata.release(found->second);
            m_whole.erase(found);
            --left;
        }
    }
}

void store::erase(lun_block_index block)
{
    block_cells& b = m_blocks[block.value()];
    if (b.packed.programmed == 0) {
        return;
    }
    release_whole(block);
    if (m_mode == data_mode::full) {
        m_data.give_back(b.data);
    }
    m_packed.erase(b.packed);
}

std::uint64_t store::bytes() const
{
    return m_packed.bytes() + m_data.bytes() + m_metadata.bytes() +
           m_blocks.size() * sizeof(block_cells);
}

void store::keep(state_archive& archive)
{
    m_packed.keep(archive);
    archive.pages(m_blocks, m_blocks.size());
    m_data.keep(archive);
    archive.map(m_whole);
    m_metadata.keep(archive);
}

} // namespace ssdvp::flash
