// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/descriptor.h"

#include "models/flash/die/registers.h"

namespace ssdvp::flash {

namespace {

const char* data_error(const flash_desc& d, const die_config& die)
{
    const geometry& geo = die.geo;
    if (d.page >= geo.pages_per_block) {
        return "page out of range";
    }
    if (d.length > geo.page_size || d.column > geo.page_size - d.length) {
        return "data beyond the page";
    }
    if (d.length == 0 && d.oob_length == 0) {
        return "no bytes to move";
    }
    if (d.oob_length > die.stored_oob) {
        return "more out-of-band bytes than are stored";
    }
    if (d.oob_length != 0 && d.oob == 0) {
        return "out-of-band bytes without an address";
    }
    const bool whole_sectors = d.column % sector_size == 0 && d.length % sector_size == 0;
    if (!whole_sectors && (d.flags & FLASH_FLAG_METADATA) == 0) {
        return "data that are not whole sectors";
    }
    if ((d.flags & FLASH_FLAG_SG) == 0) {
        return nullptr;
    }
    if (d.buffer % sizeof(std::uint64_t) != 0) {
        return "scatter-gather list not aligned";
    }
    const bool whole_unit =
        d.sg_unit != 0 && (d.sg_unit % sector_size == 0 || (d.flags & FLASH_FLAG_METADATA) != 0);
    return whole_unit ? nullptr : "scatter-gather unit is not whole sectors";
}

bool beyond_slc(const flash_desc& d, std::uint32_t pages)
{
    return d.op == FLASH_OP_COPYBACK ? d.page >= pages || d.to_page >= pages
                                     : moves_data(d) && d.page >= pages;
}

const char* mode_error(const flash_desc& d, const die_config& die)
{
    switch (d.program_mode) {
    case FLASH_MODE_NORMAL:
        return nullptr;
    case FLASH_MODE_SHALLOW:
        return d.op == FLASH_OP_PROGRAM && shallow_program(die.timing, 0) != sim_time()
                   ? nullptr
                   : "program mode that this part or operation does not have";
    case FLASH_MODE_SLC:
        if ((kind_of(d) == op_kind::other && d.op != FLASH_OP_COPYBACK) ||
            die.timing.slc.tPROG == sim_time()) {
            return "program mode that this part or operation does not have";
        }
        return beyond_slc(d, slc_pages(die)) ? "page that a block in SLC mode does not have"
                                             : nullptr;
    default:
        return "unknown program mode";
    }
}

const char* copyback_error(const flash_desc& d, const die_config& die)
{
    const geometry& geo = die.geo;
    if (d.page >= geo.pages_per_block || d.to_page >= geo.pages_per_block ||
        d.to_block >= geo.blocks_per_plane) {
        return "copyback to or from a page out of range";
    }
    return d.length != 0 || d.oob_length != 0 ? data_error(d, die) : nullptr;
}

const char* register_error(const flash_desc& d, const die_config& die)
{
    const std::uint32_t most = d.op == FLASH_OP_PARAMETER_PAGE ? die_registers::parameter_bytes
                               : d.op == FLASH_OP_READ_ID      ? die_registers::id_bytes
                                                               : die_registers::feature_bytes;
    const bool features = d.op == FLASH_OP_GET_FEATURES || d.op == FLASH_OP_SET_FEATURES;
    if (d.length == 0 || d.length > most || d.length > die.geo.page_size ||
        (features && d.length != most)) {
        return "length that the register does not have";
    }
    if (d.column > 0xFF) {
        return "register address out of range";
    }
    return d.flags != 0 || d.oob_length != 0 ? "a register has no list and no spare bytes"
                                             : nullptr;
}

} // namespace

const char* descriptor_error(const flash_desc& d, const channel_config& config)
{
    const geometry& geo = config.die.geo;
    if (d.op < FLASH_OP_READ || d.op > FLASH_OP_COPYBACK) {
        return "unknown operation";
    }
    if (d.lun >= config.luns) {
        return "LUN out of range";
    }
    if (d.purpose >= FLASH_PURPOSES) {
        return "unknown purpose";
    }
    if (const char* error = mode_error(d, config.die)) {
        return error;
    }
    if (d.op == FLASH_OP_RESET) {
        return nullptr;
    }
    if (is_register_op(d)) {
        return register_error(d, config.die);
    }
    if (d.plane_mask == 0 || (std::uint32_t{d.plane_mask} >> geo.planes) != 0) {
        return "plane mask out of range";
    }
    if (d.block >= geo.blocks_per_plane) {
        return "block out of range";
    }
    if (d.retry > config.die.errors.retry_gain.size() || (d.retry != 0 && d.op != FLASH_OP_READ)) {
        return "read retry level that this part does not have";
    }
    if (d.op == FLASH_OP_COPYBACK) {
        return copyback_error(d, config.die);
    }
    return moves_data(d) ? data_error(d, config.die) : nullptr;
}

} // namespace ssdvp::flash
