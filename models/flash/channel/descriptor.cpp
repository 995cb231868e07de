// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/descriptor.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

#include "models/flash/die/registers.h"

namespace ssdvp::flash {

namespace {

/// Of addresses alone: `data` and `oob` bytes lie there.
const char* address_error(const flash_desc& d, std::uint64_t data, std::uint64_t oob,
                          const dma_memory& memory)
{
    if (data != 0 && d.buffer % dma_alignment != 0) {
        return "address that is not a multiple of 8";
    }
    if (data != 0 && !memory.holds(d.buffer, data)) {
        return "bytes from there on that are not all SRAM or DRAM of firmware's";
    }
    return oob != 0 && !memory.holds(d.oob, oob)
               ? "out-of-band bytes that are not all SRAM or DRAM of firmware's"
               : nullptr;
}

const char* data_error(const flash_desc& d, const die_config& die, const dma_memory& memory)
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
    if ((d.column | d.length) % sector_size != 0 && (d.flags & FLASH_FLAG_METADATA) == 0) {
        return d.length % sector_size != 0 ? "data that are not whole sectors"
                                           : "column that is not at a sector";
    }
    std::uint64_t bytes = std::uint64_t{planes_of(d).size()} * d.length;
    if ((d.flags & FLASH_FLAG_SG) != 0) {
        if (d.sg_unit == 0 ||
            (d.sg_unit % sector_size != 0 && (d.flags & FLASH_FLAG_METADATA) == 0)) {
            return "scatter-gather unit is not whole sectors";
        }
        bytes = (bytes + d.sg_unit - 1) / d.sg_unit * sizeof(std::uint64_t); // of the list
    }
    return address_error(d, bytes, std::uint64_t{planes_of(d).size()} * d.oob_length, memory);
}

bool beyond_slc(const flash_desc& d, std::uint32_t pages)
{
    const bool to = d.op == FLASH_OP_COPYBACK && (d.flags & FLASH_FLAG_FOLD) == 0;
    return ((moves_data(d) || d.op == FLASH_OP_COPYBACK) && d.page >= pages) ||
           (to && d.to_page >= pages);
}

const char* mode_error(const flash_desc& d, const die_config& die)
{
    if ((d.flags & FLASH_FLAG_FOLD) != 0 &&
        (d.op != FLASH_OP_COPYBACK || d.program_mode != FLASH_MODE_SLC || !die.slc_copyback)) {
        return "copyback out of SLC mode that this part or operation does not have";
    }
    switch (d.program_mode) {
    case FLASH_MODE_NORMAL:
        return nullptr;
    case FLASH_MODE_SHALLOW:
        return d.op == FLASH_OP_PROGRAM && shallow_program(die.timing, page_index(0)) != sim_time()
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

const char* copyback_error(const flash_desc& d, const die_config& die, const dma_memory& memory)
{
    const geometry& geo = die.geo;
    if (d.to_page >= geo.pages_per_block) {
        return "destination page out of range";
    }
    if (d.to_block >= geo.blocks_per_plane) {
        return "destination block out of range";
    }
    if (d.length != 0 || d.oob_length != 0) {
        return data_error(d, die, memory);
    }
    return d.page < geo.pages_per_block ? nullptr : "page out of range";
}

const char* register_error(const flash_desc& d, const die_config& die, const dma_memory& memory)
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
                                             : address_error(d, d.length, 0, memory);
}

/// The field of which an error tells, and what it holds.
struct blame {
    std::string_view error;
    const char* field;
    std::uint64_t (*value)(const flash_desc& d);
};

#define FIELD(name) #name, [](const flash_desc& d) -> std::uint64_t { return d.name; }
constexpr std::array blames = {
    blame{"unknown operation", FIELD(op)},
    blame{"LUN out of range", FIELD(lun)},
    blame{"unknown flags", FIELD(flags)},
    blame{"unknown purpose", FIELD(purpose)},
    blame{"unknown reason to wait", FIELD(wait)},
    blame{"program mode that this part or operation does not have", FIELD(program_mode)},
    blame{"copyback out of SLC mode that this part or operation does not have", FIELD(flags)},
    blame{"page that a block in SLC mode does not have", FIELD(page)},
    blame{"unknown program mode", FIELD(program_mode)},
    blame{"plane mask out of range", FIELD(plane_mask)},
    blame{"block out of range", FIELD(block)},
    blame{"read retry level that this part does not have", FIELD(retry)},
    blame{"page out of range", FIELD(page)},
    blame{"destination page out of range", FIELD(to_page)},
    blame{"destination block out of range", FIELD(to_block)},
    blame{"no bytes to move", FIELD(length)},
    blame{"data beyond the page", "column + length",
          [](const flash_desc& d) { return std::uint64_t{d.column} + d.length; }},
    blame{"data that are not whole sectors", FIELD(length)},
    blame{"column that is not at a sector", FIELD(column)},
    blame{"more out-of-band bytes than are stored", FIELD(oob_length)},
    blame{"out-of-band bytes without an address", FIELD(oob)},
    blame{"out-of-band bytes that are not all SRAM or DRAM of firmware's", FIELD(oob)},
    blame{"scatter-gather unit is not whole sectors", FIELD(sg_unit)},
    blame{"address that is not a multiple of 8", FIELD(buffer)},
    blame{"bytes from there on that are not all SRAM or DRAM of firmware's", FIELD(buffer)},
    blame{"length that the register does not have", FIELD(length)},
    blame{"register address out of range", FIELD(column)},
    blame{"a register has no list and no spare bytes", FIELD(flags)},
};
#undef FIELD

} // namespace

std::string describe(const flash_desc& d)
{
    constexpr std::array names = {"?",       "READ",           "PROGRAM",      "ERASE",
                                  "RESET",   "PARAMETER_PAGE", "GET_FEATURES", "SET_FEATURES",
                                  "READ_ID", "COPYBACK"};
    return fmt::format("op {} ({}), LUN {}, planes {:#x}, block {}, page {}, tag {}", d.op,
                       names[d.op < names.size() ? d.op : 0], d.lun, d.plane_mask, d.block, d.page,
                       d.tag);
}

std::string describe_error(const flash_desc& d, const char* error)
{
    for (const blame& b : blames) {
        if (b.error == error) {
            const std::uint64_t value = b.value(d);
            return fmt::format(value > 0xFFFF ? "{} is {:#x}: {}" : "{} is {}: {}", b.field, value,
                               error);
        }
    }
    return error;
}

const char* descriptor_error(const flash_desc& d, const channel_config& config,
                             const dma_memory& memory)
{
    const geometry& geo = config.die.geo;
    if (d.op < FLASH_OP_READ || d.op > FLASH_OP_COPYBACK) {
        return "unknown operation";
    }
    if (d.lun >= config.luns) {
        return "LUN out of range";
    }
    if ((d.flags & ~(FLASH_FLAG_SG | FLASH_FLAG_METADATA | FLASH_FLAG_FOLD)) != 0) {
        return "unknown flags";
    }
    if (d.purpose >= FLASH_PURPOSES) {
        return "unknown purpose";
    }
    if (d.wait >= FE_WAITS) {
        return "unknown reason to wait";
    }
    if (const char* error = mode_error(d, config.die)) {
        return error;
    }
    if (d.op == FLASH_OP_RESET) {
        return nullptr;
    }
    if (is_register_op(d)) {
        return register_error(d, config.die, memory);
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
        return copyback_error(d, config.die, memory);
    }
    return moves_data(d) ? data_error(d, config.die, memory) : nullptr;
}

} // namespace ssdvp::flash
