// SPDX-License-Identifier: Apache-2.0
//
// The cells of the RAM NAND: what each operation does to pages and blocks.
#include <algorithm>
#include <cstring>

#include "tests/support/ram_nand.h"

namespace ssdvp::test {

namespace {

constexpr std::uint32_t sector = 512;

} // namespace

flash_completion ram_nand::perform(std::uint32_t channel, const flash_desc& d)
{
    flash_completion c{};
    c.tag = d.tag;
    c.lun = d.lun;
    m_corrected_bits = 0;
    std::uint32_t index = 0;
    if (d.op == FLASH_OP_SET_FEATURES) {
        set_feature(channel, d);
        return c;
    }
    m_count[d.purpose].read_operations += d.op == FLASH_OP_READ ? 1 : 0;
    for (std::uint32_t plane = 0; plane < config.params.planes; ++plane) {
        if (((d.plane_mask >> plane) & 1u) == 0) {
            continue;
        }
        const nand_place p{channel, d.lun, plane, d.block};
        const flash_status s = perform_plane(p, d, index++);
        if (s != FLASH_STATUS_OK) {
            c.plane_fail = static_cast<std::uint8_t>(c.plane_fail | (1u << plane));
            c.status = static_cast<std::uint8_t>(s);
        }
    }
    if (index == 0) {
        violate("operation without planes");
    }
    c.corrected_bits = m_corrected_bits;
    return c;
}

flash_status ram_nand::perform_plane(const nand_place& p, const flash_desc& d, std::uint32_t index)
{
    const boot_params& g = config.params;
    block_state& b = block_at(p);
    operation_count& n = m_count[d.purpose];
    if (d.block >= g.blocks_per_plane || d.page >= g.pages_per_block ||
        d.column + d.length > g.page_size || d.purpose >= FLASH_PURPOSES) {
        violate("descriptor out of range");
        return FLASH_STATUS_BAD_DESCRIPTOR;
    }
    const std::uint32_t mode = d.op == FLASH_OP_PROGRAM && d.purpose == FLASH_PURPOSE_HOST
                                   ? g.host_program_mode
                                   : g.array_mode;
    if (d.program_mode != mode) {
        violate("program mode " + std::to_string(d.program_mode));
    }
    switch (d.op) {
    case FLASH_OP_READ:
        ++n.reads;
        if (d.purpose != FLASH_PURPOSE_SCAN && d.page >= b.programmed) {
            violate("read of a page that is not programmed");
        }
        if (d.retry > g.retry_levels) {
            violate("read retry level that the part does not have");
        }
        if (config.unreadable && config.unreadable(p, d.page)) {
            return FLASH_STATUS_UNCORRECTABLE;
        }
        transfer(b, d, index);
        if (config.on_read && d.length != 0) {
            return spoil(config.on_read(p, d), d, index);
        }
        if (config.factory_bad.count(p) != 0 && d.page == 0 && d.oob_length != 0) {
            memory(d.oob)[index * d.oob_length] = 0;
        }
        return FLASH_STATUS_OK;
    case FLASH_OP_PROGRAM:
        ++n.programs;
        if (program_fails(p, d, d.page)) {
            return FLASH_STATUS_PROGRAM_FAIL;
        }
        if (!take_page(p, d.page)) {
            return FLASH_STATUS_PHYSICS;
        }
        transfer(b, d, index);
        return FLASH_STATUS_OK;
    case FLASH_OP_COPYBACK:
        return copy_plane(p, d, index);
    case FLASH_OP_ERASE:
        ++n.erases;
        if (config.factory_bad.count(p) != 0 || b.failed || config.erase_weak.count(p) != 0 ||
            (config.on_erase && config.on_erase(p, d)) ||
            (config.endurance != 0 && b.erases >= config.endurance)) {
            b.failed = true;
            return FLASH_STATUS_ERASE_FAIL;
        }
        ++b.erases;
        b.programmed = 0;
        return FLASH_STATUS_OK;
    default:
        violate("unknown operation");
        return FLASH_STATUS_BAD_DESCRIPTOR;
    }
}

bool ram_nand::program_fails(const nand_place& p, const flash_desc& d, std::uint32_t page)
{
    block_state& b = block_at(p);
    if (config.factory_bad.count(p) != 0 || b.failed ||
        (config.on_program && config.on_program(p, d)) ||
        (config.weak.count(p) != 0 && page >= config.weak_page)) {
        b.failed = true;
        return true;
    }
    return false;
}

/// The next page of a block is being programmed: false = it is not this one.
bool ram_nand::take_page(const nand_place& p, std::uint32_t page)
{
    block_state& b = block_at(p);
    if (page != b.programmed) {
        violate("program out of order or without erase: block " + std::to_string(p.block) +
                " page " + std::to_string(page) + " next " + std::to_string(b.programmed));
        return false;
    }
    ++b.programmed;
    return true;
}

/// A page to another one of its plane, with out-of-band bytes of its own: without data out, which
/// firmware does not ask for.
flash_status ram_nand::copy_plane(const nand_place& from, const flash_desc& d, std::uint32_t index)
{
    const boot_params& g = config.params;
    const nand_place to{from.channel, from.lun, from.plane, d.to_block};
    operation_count& n = m_count[d.purpose];
    block_state& source = block_at(from);
    if (d.length != 0 || d.oob_length == 0 || d.to_block >= g.blocks_per_plane ||
        d.to_page >= g.pages_per_block || d.page >= source.programmed) {
        violate("copyback that this NAND does not do");
        return FLASH_STATUS_BAD_DESCRIPTOR;
    }
    ++n.reads;
    ++n.programs;
    ++n.copybacks;
    if (program_fails(to, d, d.to_page)) {
        return FLASH_STATUS_PROGRAM_FAIL;
    }
    if (!take_page(to, d.to_page)) {
        return FLASH_STATUS_PHYSICS;
    }
    block_state& b = block_at(to);
    fill_in(b);
    const auto copy = [&d](const auto& in, auto& out, std::size_t size) {
        std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(d.page * size), out.empty() ? 0 : size,
                    out.begin() + static_cast<std::ptrdiff_t>(d.to_page * size));
    };
    copy(source.bytes, b.bytes, g.page_size);
    copy(source.tags, b.tags, g.page_size / sector);
    copy(source.oob, b.oob, g.oob_size);
    std::memcpy(&b.oob[std::size_t{d.to_page} * g.oob_size], memory(d.oob) + index * d.oob_length,
                d.oob_length);
    return FLASH_STATUS_OK;
}

/// What the code could not correct reaches memory as other bytes.
flash_status ram_nand::spoil(const ram_config::read_result& r, const flash_desc& d,
                             std::uint32_t index)
{
    m_corrected_bits += r.corrected_bits;
    if (!r.uncorrectable) {
        return FLASH_STATUS_OK;
    }
    for (std::uint32_t at = 0; at < d.length && config.params.data_mode != 0; at += sector) {
        *memory(address_of(d, std::uint64_t{index} * d.length + at)) ^= 0x5A;
    }
    if (r.oob_lost && d.oob_length != 0) {
        std::memset(memory(d.oob) + index * d.oob_length, 0x01, d.oob_length);
    }
    return FLASH_STATUS_UNCORRECTABLE;
}

/// Where byte `linear` of a descriptor's data lies.
std::uint64_t ram_nand::address_of(const flash_desc& d, std::uint64_t linear)
{
    if ((d.flags & FLASH_FLAG_SG) == 0) {
        return d.buffer + linear;
    }
    std::uint64_t base;
    std::memcpy(&base, memory(d.buffer) + linear / d.sg_unit * 8, 8);
    return base + linear % d.sg_unit;
}

/// Gives a block its cells.
void ram_nand::fill_in(block_state& b) const
{
    const boot_params& g = config.params;
    const bool full = g.data_mode == 2;
    if (b.oob.empty()) {
        b.oob.assign(std::size_t{g.pages_per_block} * g.oob_size, 0xFF);
        b.bytes.resize(full ? std::size_t{g.pages_per_block} * g.page_size : 0);
        b.tags.resize(full ? 0 : std::size_t{g.pages_per_block} * (g.page_size / sector));
    }
}

/// One plane's bytes between memory and the page; in tag mode 8 bytes of each sector.
void ram_nand::transfer(block_state& b, const flash_desc& d, std::uint32_t index)
{
    const boot_params& g = config.params;
    const bool read = d.op == FLASH_OP_READ;
    const bool full = g.data_mode == 2;
    const std::uint32_t sectors = g.page_size / sector;
    fill_in(b);
    const std::uint32_t piece = full ? sector : 8;
    for (std::uint32_t at = 0; at < d.length && g.data_mode != 0; at += sector) {
        const std::uint64_t address = address_of(d, std::uint64_t{index} * d.length + at);
        const std::uint32_t s = (d.column + at) / sector;
        std::uint8_t* cell =
            full ? &b.bytes[std::size_t{d.page} * g.page_size + std::size_t{s} * sector]
                 : reinterpret_cast<std::uint8_t*>(&b.tags[std::size_t{d.page} * sectors + s]);
        std::memcpy(read ? memory(address) : cell, read ? cell : memory(address), piece);
    }
    if (d.oob_length != 0) {
        std::uint8_t* m = memory(d.oob) + index * d.oob_length;
        std::uint8_t* o = &b.oob[std::size_t{d.page} * g.oob_size];
        if (read && d.page >= b.programmed) {
            std::memset(m, 0xFF, d.oob_length);
        } else {
            std::memcpy(read ? m : o, read ? o : m, d.oob_length);
        }
    }
}

} // namespace ssdvp::test
