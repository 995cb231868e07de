// SPDX-License-Identifier: Apache-2.0
//
// What each operation does to pages and blocks.
#include "tests/support/ram_cells.h"
#include "models/regs/choices/shallow_policy.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::test {

namespace {

/// Bytes that nobody wrote, the same in every run: a finaliser in the manner of splitmix64.
std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

void fill_random(std::uint8_t* to, std::size_t size, std::uint64_t seed)
{
    for (std::size_t at = 0; at < size; at += 8) {
        const std::uint64_t word = mixed(seed + at);
        std::memcpy(to + at, &word, std::min<std::size_t>(8, size - at));
    }
}

} // namespace

ram_cells::ram_cells(const ram_config& c) : ram_board(c)
{
    const boot_params& p = config.params;
    m_blocks.resize(std::size_t{p.geometry.channels} * p.geometry.luns_per_channel *
                    p.geometry.planes * p.geometry.blocks_per_plane);
}

flash_completion ram_cells::perform(std::uint32_t channel, const flash_desc& d)
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
    for (std::uint32_t plane = 0; plane < config.params.geometry.planes; ++plane) {
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

flash_status ram_cells::perform_plane(const nand_place& p, const flash_desc& d, std::uint32_t index)
{
    const boot_params& g = config.params;
    const std::uint32_t pages =
        g.geometry.pages_per_block + (d.op == FLASH_OP_ERASE ? 1 : 0); // of a count
    if (d.block >= g.geometry.blocks_per_plane || d.page >= pages ||
        d.column + d.length > g.geometry.page_size || d.oob_length > g.geometry.oob_size ||
        d.purpose >= FLASH_PURPOSES) {
        violate("descriptor out of range");
        return FLASH_STATUS_BAD_DESCRIPTOR;
    }
    if (!mode_is_right(p, d)) {
        if (d.op == FLASH_OP_READ &&
            (block_at(p).failed || config.params.geometry.word_line != 0)) {
            return garbage(p, d, index); // of a block that is out of service nobody knows the mode
        }
        violate("mode " + std::to_string(d.program_mode) + " in block " + std::to_string(p.block) +
                " page " + std::to_string(d.page) + ", operation " + std::to_string(d.op) +
                " of purpose " + std::to_string(d.purpose));
    }
    switch (d.op) {
    case FLASH_OP_READ:
        return read_plane(p, d, index);
    case FLASH_OP_PROGRAM:
        m_count[d.purpose].programs += is_coarse(block_at(p), d) ? 0 : 1; // once for both passes
        if (program_fails(p, d, d.page)) {
            return FLASH_STATUS_PROGRAM_FAIL;
        }
        if (takes_passes(d) && take_pass(block_at(p), d, index)) {
            return FLASH_STATUS_OK;
        }
        if (!take_page(p, d.page)) {
            return FLASH_STATUS_PHYSICS;
        }
        transfer(block_at(p), d, index);
        return FLASH_STATUS_OK;
    case FLASH_OP_COPYBACK:
        return copy_plane(p, d, index);
    case FLASH_OP_ERASE:
        return erase_plane(p, d);
    default:
        violate("unknown operation");
        return FLASH_STATUS_BAD_DESCRIPTOR;
    }
}

/// SLC mode or not is a block's, from its first program to its erase.
bool ram_cells::suits(const ram_block& b, const flash_desc& d)
{
    const bool slc = d.program_mode == FLASH_MODE_SLC;
    return ((b.programmed | b.coarse) == 0 || b.slc == slc) &&
           (!slc || d.op == FLASH_OP_ERASE || d.page < slc_pages());
}

std::uint32_t ram_cells::slc_pages() const
{
    const boot_params& g = config.params;
    return g.geometry.word_line != 0 ? g.geometry.pages_per_block / g.geometry.word_line
                                     : g.slc.pages;
}

/// Preconditioning is spared the passes.
bool ram_cells::takes_passes(const flash_desc& d) const
{
    return config.params.geometry.word_line != 0 && d.op == FLASH_OP_PROGRAM &&
           d.program_mode == FLASH_MODE_NORMAL && d.purpose != FLASH_PURPOSE_PRECONDITION;
}

bool ram_cells::is_coarse(const ram_block& b, const flash_desc& d) const
{
    return takes_passes(d) && d.page >= std::max(b.coarse, b.programmed);
}

/// The order of word lines: 0 coarse, 1 coarse, 0 fine, 2 coarse, 1 fine, ...
bool ram_cells::pass_is_due(const ram_block& b, const flash_desc& d) const
{
    const boot_params& g = config.params;
    const std::uint32_t line = d.page / g.geometry.word_line;
    const std::uint32_t coarse = std::max(b.coarse, b.programmed);
    if (is_coarse(b, d)) {
        return d.page == coarse && (line < 2 || b.programmed >= (line - 1) * g.geometry.word_line);
    }
    return d.page == b.programmed &&
           coarse >= std::min((line + 2) * g.geometry.word_line, g.geometry.pages_per_block);
}

/// A pass of a page: true = the first one, which leaves nothing that could be read.
bool ram_cells::take_pass(ram_block& b, const flash_desc& d, std::uint32_t index)
{
    const auto where = [&d] {
        return "block " + std::to_string(d.block) + " page " + std::to_string(d.page);
    };
    if (!pass_is_due(b, d)) {
        violate("pass out of order: " + where());
    }
    std::uint64_t& sum = b.sums.at(d.page % (2 * config.params.geometry.word_line));
    if (is_coarse(b, d)) {
        sum = sum_of(d, index);
        b.coarse = d.page + 1;
        return true;
    }
    if (d.page < b.coarse && sum != sum_of(d, index)) {
        violate("fine pass with other data than the coarse pass: " + where());
    }
    return false;
}

/// Of what a program of a plane brings: spare words, and what is kept of each sector.
std::uint64_t ram_cells::sum_of(const flash_desc& d, std::uint32_t index)
{
    std::uint64_t sum = d.oob_length;
    const auto add = [this, &sum](std::uint64_t address, std::uint32_t bytes) {
        for (std::uint32_t at = 0; at < bytes; at += sizeof sum) {
            std::uint64_t word = 0;
            std::memcpy(&word, memory(address) + at, sizeof word);
            sum = mixed(sum ^ word);
        }
    };
    add(d.oob + index * d.oob_length, d.oob_length);
    for (std::uint32_t at = 0; at < d.length && config.params.host.data_mode != 0; at += sector) {
        add(address_of(d, std::uint64_t{index} * d.length + at), kept());
    }
    return sum;
}

bool ram_cells::mode_is_right(const nand_place& p, const flash_desc& d)
{
    const boot_params& g = config.params;
    if (slc_pages() != 0) {
        ram_block& b = block_at(p);
        const bool right = suits(b, d);
        b.slc = d.op == FLASH_OP_PROGRAM && right ? d.program_mode == FLASH_MODE_SLC : b.slc;
        return right && d.program_mode != FLASH_MODE_SHALLOW;
    }
    const std::uint32_t mode = d.op == FLASH_OP_PROGRAM && d.purpose == FLASH_PURPOSE_HOST
                                   ? g.flash.host_program_mode
                                   : g.flash.array_mode;
    const bool chosen = mode == FLASH_MODE_SHALLOW && g.retention.policy != SHALLOW_ALL;
    return d.program_mode == mode || (chosen && d.program_mode == g.flash.array_mode);
}

/// A copy is in the mode of its source, unless it is a fold; the cells of its block in one mode.
bool ram_cells::copy_suits(const nand_place& from, const flash_desc& d)
{
    ram_block& to = block_at({from.channel, from.lun, from.plane, d.to_block});
    const bool folds = (d.flags & FLASH_FLAG_FOLD) != 0;
    const bool slc = d.program_mode == FLASH_MODE_SLC && !folds;
    const bool right = (to.programmed == 0 || to.slc == slc) &&
                       (!folds || config.params.slc.copyback != 0) &&
                       (!folds || d.program_mode == FLASH_MODE_SLC);
    to.slc = right && config.params.slc.pages != 0 ? slc : to.slc;
    return right;
}

flash_status ram_cells::read_plane(const nand_place& p, const flash_desc& d, std::uint32_t index)
{
    ram_block& b = block_at(p);
    const bool looks = d.purpose == FLASH_PURPOSE_SCAN || d.purpose == FLASH_PURPOSE_RECOVERY;
    ++m_count[d.purpose].reads;
    if (!looks && !b.holds(d.page)) {
        if (config.planted) {
            return FLASH_STATUS_UNCORRECTABLE;
        }
        violate("read of a page that is not programmed");
    }
    if (d.retry > config.params.flash.retry_levels) {
        violate("read retry level that the part does not have");
    }
    if (config.unreadable && config.unreadable(p, d.page)) {
        return FLASH_STATUS_UNCORRECTABLE;
    }
    if (b.torn || (b.holds(d.page) && b.pages->torn[d.page] != 0) ||
        (d.page >= b.programmed && d.page < b.coarse)) {
        return garbage(p, d, index);
    }
    if (b.holds(d.page)) {
        transfer(b, d, index);
    } else {
        read_erased(d, index);
        if (d.oob_length != 0) {
            std::memset(memory(d.oob) + index * d.oob_length, 0xFF, d.oob_length);
            wrote(d.oob + index * d.oob_length, d.oob_length);
        }
    }
    if (config.factory_bad.count(p) != 0 && d.page == 0 && d.oob_length != 0) {
        memory(d.oob)[index * d.oob_length] = 0;
        wrote(d.oob + index * d.oob_length, 1);
    }
    if (config.on_read && (d.length != 0 || d.purpose == FLASH_PURPOSE_RECOVERY)) {
        return spoil(config.on_read(p, d), d, index);
    }
    return FLASH_STATUS_OK;
}

flash_status ram_cells::erase_plane(const nand_place& p, const flash_desc& d)
{
    ram_block& b = block_at(p);
    ++m_count[d.purpose].erases;
    m_count[d.purpose].programs += d.page; // preconditioning by counts: pages that never came
    if (config.factory_bad.count(p) != 0 || b.failed || config.erase_weak.count(p) != 0 ||
        (config.on_erase && config.on_erase(p, d)) ||
        (config.endurance != 0 && b.erases >= config.endurance)) {
        if (!b.failed && mixed(config.seed + p.block * 64 + b.erases) % 2 != 0) {
            b.torn = true;
        }
        fail(b);
        return FLASH_STATUS_ERASE_FAIL;
    }
    ++b.erases;
    b.programmed = 0;
    b.coarse = 0;
    b.torn = false;
    b.pages.reset();
    return FLASH_STATUS_OK;
}

void ram_cells::fail(ram_block& b)
{
    m_failed += b.failed ? 0 : 1;
    b.failed = true;
}

bool ram_cells::program_fails(const nand_place& p, const flash_desc& d, std::uint32_t page)
{
    ram_block& b = block_at(p);
    if (config.factory_bad.count(p) != 0 || b.failed ||
        (config.on_program && config.on_program(p, d)) ||
        (config.weak.count(p) != 0 && page >= config.weak_page)) {
        if (is_coarse(b, d)) {
            b.coarse = page + 1;
        } else if (is_next(b, page)) {
            tear_page(b, page);
        }
        fail(b);
        return true;
    }
    return false;
}

/// May this page of a block be programmed?
bool ram_cells::is_next(const ram_block& b, std::uint32_t page) const
{
    return config.any_order ? !b.holds(page) : page == b.programmed;
}

void ram_cells::count_page(ram_block& b, std::uint32_t page) const
{
    pages_of(b).held[page] = 1;
    b.programmed = std::max(b.programmed, page + 1);
}

/// A page of a block is being programmed: false = it may not be.
bool ram_cells::take_page(const nand_place& p, std::uint32_t page)
{
    ram_block& b = block_at(p);
    if (!is_next(b, page) || b.torn) {
        violate("program out of order or without erase: block " + std::to_string(p.block) +
                " page " + std::to_string(page) + " next " + std::to_string(b.programmed) +
                (b.torn ? ", its erase never ended" : ""));
        return false;
    }
    count_page(b, page);
    return true;
}

void ram_cells::tear_page(ram_block& b, std::uint32_t page) const
{
    pages_of(b).torn[page] = 1;
    count_page(b, page);
}

void ram_cells::tear(ram_image& image, std::uint32_t channel, const flash_desc& d) const
{
    const bool copy = d.op == FLASH_OP_COPYBACK;
    const std::uint32_t block = copy ? d.to_block : d.block;
    const std::uint32_t page = copy ? d.to_page : d.page;
    for (std::uint32_t plane = 0; plane < config.params.geometry.planes; ++plane) {
        ram_block& b = block_of(image, {channel, d.lun, plane, block});
        if (((d.plane_mask >> plane) & 1u) == 0 || b.failed) {
            continue;
        }
        if (d.op == FLASH_OP_ERASE) {
            b.torn = true;
            ++b.erases;
        } else if (is_coarse(b, d)) {
            b.slc = false;
            b.coarse = page + 1;
        } else if ((copy || d.op == FLASH_OP_PROGRAM) && is_next(b, page) && !b.torn) {
            b.slc = d.program_mode == FLASH_MODE_SLC && (d.flags & FLASH_FLAG_FOLD) == 0;
            tear_page(b, page);
        }
    }
}

/// A page to another one of its plane, with out-of-band bytes of its own: without data out, which
/// firmware does not ask for.
flash_status ram_cells::copy_plane(const nand_place& from, const flash_desc& d, std::uint32_t index)
{
    const boot_params& g = config.params;
    const nand_place to{from.channel, from.lun, from.plane, d.to_block};
    operation_count& n = m_count[d.purpose];
    const ram_block& source = block_at(from);
    if (d.length != 0 || d.oob_length == 0 || d.to_block >= g.geometry.blocks_per_plane ||
        d.to_page >= g.geometry.pages_per_block || !source.holds(d.page) || !copy_suits(from, d)) {
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
    ram_pages& out = pages_of(block_at(to));
    const ram_pages& in = *source.pages;
    const auto copy = [&d](const auto& a, auto& b, std::size_t size) {
        std::copy_n(a.begin() + static_cast<std::ptrdiff_t>(d.page * size), size,
                    b.begin() + static_cast<std::ptrdiff_t>(d.to_page * size));
    };
    copy(in.data, out.data, std::size_t{g.geometry.page_size} / sector * kept());
    copy(in.oob, out.oob, g.geometry.oob_size);
    std::memcpy(&out.oob[std::size_t{d.to_page} * g.geometry.oob_size],
                memory(d.oob) + index * d.oob_length, d.oob_length);
    out.torn[d.to_page] = source.torn ? 1 : in.torn[d.page];
    const auto whole = in.whole.find(d.page);
    if (whole != in.whole.end()) {
        out.whole[d.to_page] = whole->second;
    }
    return FLASH_STATUS_OK;
}

flash_status ram_cells::garbage(const nand_place& p, const flash_desc& d, std::uint32_t index)
{
    const std::uint64_t seed = config.seed * 1000003 +
                               ((p.block * 64 + p.plane) * 4096ull + d.page) * 65536 + p.lun * 64 +
                               p.channel;
    const bool full = kept() == sector || (d.flags & FLASH_FLAG_METADATA) != 0;
    for (std::uint32_t at = 0; at < d.length && config.params.host.data_mode != 0; at += sector) {
        const std::uint32_t size = full ? std::min(sector, d.length - at) : 8;
        const std::uint64_t address = address_of(d, std::uint64_t{index} * d.length + at);
        fill_random(memory(address), size, seed + at);
        wrote(address, size);
    }
    if (d.oob_length != 0) {
        fill_random(memory(d.oob) + index * d.oob_length, d.oob_length, seed ^ 0x55AA);
        wrote(d.oob + index * d.oob_length, d.oob_length);
    }
    return FLASH_STATUS_UNCORRECTABLE;
}

/// What the code could not correct reaches memory as other bytes.
flash_status ram_cells::spoil(const ram_config::read_result& r, const flash_desc& d,
                              std::uint32_t index)
{
    m_corrected_bits += r.corrected_bits;
    if (!r.uncorrectable) {
        return FLASH_STATUS_OK;
    }
    for (std::uint32_t at = 0; at < d.length && config.params.host.data_mode != 0; at += sector) {
        const std::uint64_t address = address_of(d, std::uint64_t{index} * d.length + at);
        *memory(address) ^= 0x5A;
        wrote(address, 1);
    }
    if (r.oob_lost && d.oob_length != 0) {
        std::memset(memory(d.oob) + index * d.oob_length, 0x01, d.oob_length);
        wrote(d.oob + index * d.oob_length, d.oob_length);
    }
    return FLASH_STATUS_UNCORRECTABLE;
}

/// Where byte `linear` of a descriptor's data lies.
std::uint64_t ram_cells::address_of(const flash_desc& d, std::uint64_t linear)
{
    if ((d.flags & FLASH_FLAG_SG) == 0) {
        return d.buffer + linear;
    }
    std::uint64_t base;
    std::memcpy(&base, memory(d.buffer) + linear / d.sg_unit * 8, 8);
    return base + linear % d.sg_unit;
}

std::uint32_t ram_cells::kept() const
{
    return config.params.host.data_mode == 2 ? sector : 8;
}

ram_pages& ram_cells::pages_of(ram_block& b) const
{
    const boot_params& g = config.params;
    if (b.pages == nullptr) {
        b.pages = std::make_shared<ram_pages>();
        b.pages->oob.assign(std::size_t{g.geometry.pages_per_block} * g.geometry.oob_size, 0xFF);
        b.pages->data.resize(std::size_t{g.geometry.pages_per_block} *
                             (g.geometry.page_size / sector) * kept());
        b.pages->torn.resize(g.geometry.pages_per_block);
        b.pages->held.resize(g.geometry.pages_per_block);
    } else if (b.pages.use_count() > 1) {
        b.pages = std::make_shared<ram_pages>(*b.pages);
    }
    return *b.pages;
}

/// One plane's bytes between memory and the page.
void ram_cells::transfer(ram_block& b, const flash_desc& d, std::uint32_t index)
{
    const boot_params& g = config.params;
    const bool read = d.op == FLASH_OP_READ;
    ram_pages& cells = read ? *b.pages : pages_of(b);
    transfer_data(cells, d, index);
    if (d.oob_length != 0) {
        std::uint8_t* m = memory(d.oob) + index * d.oob_length;
        std::uint8_t* o = &cells.oob[std::size_t{d.page} * g.geometry.oob_size];
        std::memcpy(read ? m : o, read ? o : m, d.oob_length);
        wrote(d.oob + index * d.oob_length, read ? d.oob_length : 0);
    }
}

/// In tag mode 8 bytes of each sector, or every byte of a page of metadata.
void ram_cells::transfer_data(ram_pages& cells, const flash_desc& d, std::uint32_t index)
{
    const boot_params& g = config.params;
    const bool read = d.op == FLASH_OP_READ;
    const bool whole = (d.flags & FLASH_FLAG_METADATA) != 0 && g.host.data_mode != 2;
    const std::uint32_t stride = whole ? sector : kept();
    if (g.host.data_mode == 0 && !whole) {
        return;
    }
    std::uint8_t* page =
        &cells.data[std::size_t{d.page} * (g.geometry.page_size / sector) * kept()];
    if (whole && read && cells.whole.count(d.page) == 0) {
        if (d.purpose != FLASH_PURPOSE_RECOVERY && !config.planted) {
            violate("a page read as metadata that was not written so");
        }
        read_erased(d, index); // bytes that nobody keeps
        return;
    }
    if (whole) {
        std::vector<std::uint8_t>& all = cells.whole[d.page];
        all.resize(g.geometry.page_size);
        page = all.data();
    }
    for (std::uint32_t at = 0; at < d.length;) {
        const std::uint64_t address = address_of(d, std::uint64_t{index} * d.length + at);
        const std::uint32_t column = d.column + at;
        const std::uint32_t piece = std::min(d.length - at, sector - column % sector);
        const std::uint32_t bytes = stride == sector ? piece : 8;
        std::uint8_t* cell =
            page + (stride == sector ? column : std::size_t{column} / sector * stride);
        std::memcpy(read ? memory(address) : cell, read ? cell : memory(address), bytes);
        wrote(address, read ? bytes : 0);
        at += piece;
    }
}

void ram_cells::read_erased(const flash_desc& d, std::uint32_t index)
{
    const bool full = kept() == sector || (d.flags & FLASH_FLAG_METADATA) != 0;
    for (std::uint32_t at = 0; at < d.length && config.params.host.data_mode != 0; at += sector) {
        const std::uint32_t size = full ? std::min(sector, d.length - at) : 8;
        const std::uint64_t address = address_of(d, std::uint64_t{index} * d.length + at);
        std::memset(memory(address), 0xFF, size);
        wrote(address, size);
    }
}

ram_block& ram_cells::block_of(ram_image& image, const nand_place& p) const
{
    const boot_params& g = config.params;
    return image.at(
        ((std::size_t{p.channel} * g.geometry.luns_per_channel + p.lun) * g.geometry.planes +
         p.plane) *
            g.geometry.blocks_per_plane +
        p.block);
}

void ram_cells::set_blocks(const ram_image& image)
{
    m_blocks = image;
    m_failed = 0;
    for (const ram_block& b : m_blocks) {
        m_failed += b.failed ? 1 : 0;
    }
}

std::uint32_t ram_cells::erases(const nand_place& p) const
{
    return const_cast<ram_cells*>(this)->block_at(p).erases;
}

std::vector<nand_page> ram_cells::pages() const
{
    const boot_params& g = config.params;
    const std::size_t sectors = g.geometry.page_size / sector;
    std::vector<nand_page> all;
    for (const ram_block& b : m_blocks) {
        for (std::uint32_t page = 0; page < b.programmed; ++page) {
            nand_page image;
            if (b.torn || !b.holds(page) || b.pages->torn[page] != 0) {
                continue;
            }
            image.words.resize(1 + g.geometry.page_size / g.ftl.map_unit);
            std::memcpy(image.words.data(), &b.pages->oob[std::size_t{page} * g.geometry.oob_size],
                        image.words.size() * 8);
            if (kept() == sizeof(std::uint64_t)) {
                image.tags.resize(sectors);
                std::memcpy(image.tags.data(), &b.pages->data[page * sectors * kept()],
                            sectors * kept());
            }
            all.push_back(std::move(image));
        }
    }
    return all;
}

} // namespace ssdvp::test
