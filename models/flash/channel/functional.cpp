// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/functional.h"

namespace ssdvp::flash {

namespace {

program_way functional_way(const flash_desc& d)
{
    return {cell_access::functional, static_cast<flash_program_mode>(d.program_mode)};
}

} // namespace

functional_executor::functional_executor(const channel_config& config, dma& memory)
    : m_config(config), m_memory(memory), m_page(config.die.geo.page_size, config.die.stored_oob)
{}

bool functional_executor::address_list(const flash_desc& d, const std::uint64_t*& list)
{
    list = nullptr;
    if ((d.flags & FLASH_FLAG_SG) == 0 || d.length == 0) {
        return true;
    }
    const std::uint64_t bytes = std::uint64_t{planes_of(d).size()} * d.length;
    const std::uint64_t entries = (bytes + d.sg_unit - 1) / d.sg_unit;
    list = reinterpret_cast<const std::uint64_t*>(
        m_memory.direct(d.buffer, entries * sizeof(std::uint64_t), "buffer (a list)"));
    return list != nullptr;
}

/// Fills the page register from memory.
bool functional_executor::fill(const flash_desc& d, const std::uint64_t* list, std::uint32_t index)
{
    m_page.begin(form_of(mode_of(d, m_config.die.data)));
    const auto piece = [&](std::uint64_t address, std::uint32_t offset, std::uint32_t length) {
        const unsigned char* from = m_memory.direct(address, length, "buffer");
        if (from == nullptr) {
            return false;
        }
        m_page.put_data(d.column + offset, from, length);
        return true;
    };
    const std::uint64_t begin = std::uint64_t{index} * d.length;
    if (m_page.form() != data_form::nothing && d.length != 0 &&
        !for_each_piece(d, list, begin, d.length, piece)) {
        return false;
    }
    if (d.oob_length != 0) {
        const unsigned char* from =
            m_memory.direct(d.oob + std::uint64_t{index} * d.oob_length, d.oob_length, "oob");
        if (from == nullptr) {
            return false;
        }
        m_page.put_oob(from, d.oob_length);
    }
    return true;
}

bool functional_executor::read_out(const flash_desc& d, const cell_address& from,
                                   const std::uint64_t* list, std::uint32_t index)
{
    const cell_array& cells = *m_luns[lun_of(d)];
    const data_form form = form_of(mode_of(d, m_config.die.data));
    const auto piece = [&](std::uint64_t address, std::uint32_t offset, std::uint32_t length) {
        unsigned char* to = m_memory.direct(address, length, "buffer");
        if (to == nullptr) {
            return false;
        }
        cells.read_data(from, {from.page, d.column + offset, length}, form, to);
        return true;
    };
    const std::uint64_t begin = std::uint64_t{index} * d.length;
    if (form != data_form::nothing && d.length != 0 &&
        !for_each_piece(d, list, begin, d.length, piece)) {
        return false;
    }
    if (d.oob_length != 0) {
        unsigned char* to =
            m_memory.direct(d.oob + std::uint64_t{index} * d.oob_length, d.oob_length, "oob");
        if (to == nullptr) {
            return false;
        }
        cells.read_oob(from, to, d.oob_length);
    }
    return true;
}

/// Copyback: data out when they are asked for, then the page with its new out-of-band bytes.
flash_status functional_executor::copy(const flash_desc& d, const cell_address& from,
                                       const std::uint64_t* list, std::uint32_t index)
{
    const program_way way = functional_way(d);
    const flash_status readable = m_luns[lun_of(d)]->functional_read(from, way.mode);
    if (readable != FLASH_STATUS_OK) {
        return readable;
    }
    flash_desc out = d;
    out.oob_length = 0;
    if (!read_out(out, from, list, index)) {
        return FLASH_STATUS_BAD_DESCRIPTOR;
    }
    m_luns[lun_of(d)]->copy_to(m_page, from, m_copy);
    if (d.oob_length != 0) {
        const unsigned char* oob =
            m_memory.direct(d.oob + std::uint64_t{index} * d.oob_length, d.oob_length, "oob");
        if (oob == nullptr) {
            return FLASH_STATUS_BAD_DESCRIPTOR;
        }
        m_page.put_oob(oob, d.oob_length);
    }
    const bool folds = (d.flags & FLASH_FLAG_FOLD) != 0;
    const program_way to = {way.access, folds ? FLASH_MODE_NORMAL : way.mode};
    return m_luns[lun_of(d)]->program({from.plane, block_index(d.to_block), page_index(d.to_page)},
                                      m_page, to);
}

flash_status functional_executor::one_plane(const flash_desc& d, plane_index plane,
                                            std::uint32_t index)
{
    const cell_address address{plane, block_index(d.block), page_index(d.page)};
    const std::uint64_t* list = nullptr;
    if (!address_list(d, list)) {
        return FLASH_STATUS_BAD_DESCRIPTOR;
    }
    switch (d.op) {
    case FLASH_OP_COPYBACK:
        return copy(d, address, list, index);
    case FLASH_OP_PROGRAM:
        return fill(d, list, index) ? m_luns[lun_of(d)]->program(address, m_page, functional_way(d))
                                    : FLASH_STATUS_BAD_DESCRIPTOR;
    case FLASH_OP_READ: {
        const flash_status readable =
            m_luns[lun_of(d)]->functional_read(address, functional_way(d).mode);
        if (readable == FLASH_STATUS_PHYSICS) {
            return readable;
        }
        if (!read_out(d, address, list, index)) {
            return FLASH_STATUS_BAD_DESCRIPTOR;
        }
        // Collection goes through its victim page by page, with all other LUNs in between.
        m_luns[lun_of(d)]->prefetch_page({plane, address.block, page_index(d.page + 1)});
        return readable;
    }
    default:
        return m_luns[lun_of(d)]->erase(address, cell_access::functional);
    }
}

functional_executor::outcome functional_executor::execute(const flash_desc& d)
{
    outcome result;
    if (d.op == FLASH_OP_RESET) {
        return result;
    }
    if (is_register_op(d)) {
        result.status = FLASH_STATUS_BAD_DESCRIPTOR; // the registers are behind the bus
        return result;
    }
    std::uint32_t index = 0;
    for (const plane_index plane : planes_of(d)) {
        const flash_status status = one_plane(d, plane, index++);
        if (status == FLASH_STATUS_OK) {
            continue;
        }
        if (status != FLASH_STATUS_BAD_DESCRIPTOR) {
            result.plane_fail.insert(plane);
        }
        result.status = result.status == FLASH_STATUS_PHYSICS ? result.status : status;
    }
    return result;
}

} // namespace ssdvp::flash
