// SPDX-License-Identifier: Apache-2.0
//
// What a descriptor asks for, checked against the part it is for.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/dma_memory.h"
#include "models/flash/channel/scheduler.h"
#include "models/flash/config.h"
#include "models/regs/channel_regs.h"

namespace ssdvp::flash {

/// Why the descriptor cannot be carried out; nullptr when it can.
[[nodiscard]] const char* descriptor_error(const flash_desc& d, const channel_config& config,
                                           const dma_memory& memory);
/// What it is, by the field that `error`, of descriptor_error(), is about, with the field's value.
[[nodiscard]] std::string describe_error(const flash_desc& d, const char* error);
/// The descriptor by what tells it from others: operation, place, tag.
[[nodiscard]] std::string describe(const flash_desc& d);

// Its numbers, as what they are numbers of.
[[nodiscard]] inline lun_index lun_of(const flash_desc& d)
{
    return lun_index(d.lun);
}
[[nodiscard]] inline plane_set planes_of(const flash_desc& d)
{
    return plane_set(d.plane_mask);
}
[[nodiscard]] inline bool moves_data(const flash_desc& d)
{
    return d.op == FLASH_OP_READ || d.op == FLASH_OP_PROGRAM;
}
/// Works on registers of the LUN, not on its array.
[[nodiscard]] inline bool is_register_op(const flash_desc& d)
{
    return d.op >= FLASH_OP_PARAMETER_PAGE && d.op <= FLASH_OP_READ_ID;
}
[[nodiscard]] inline op_kind kind_of(const flash_desc& d)
{
    switch (d.op) {
    case FLASH_OP_READ:
        return op_kind::read;
    case FLASH_OP_PROGRAM:
    case FLASH_OP_COPYBACK:
        return op_kind::program;
    case FLASH_OP_ERASE:
        return op_kind::erase;
    default:
        return op_kind::other;
    }
}
/// May its array time be that of a snap read, alone in its command sequence? The data lie in one of
/// the parts that the array can sense; spare bytes may lie anywhere in the page.
[[nodiscard]] bool fits_snap_read(const flash_desc& d, const die_config& die);
/// The block whose contents it changes or reads.
[[nodiscard]] inline block_index block_of(const flash_desc& d)
{
    return block_index(d.op == FLASH_OP_COPYBACK ? d.to_block : d.block);
}
/// How much of the data moves.
[[nodiscard]] inline data_mode mode_of(const flash_desc& d, data_mode configured)
{
    return (d.flags & FLASH_FLAG_METADATA) != 0 || is_register_op(d) ? data_mode::full : configured;
}

} // namespace ssdvp::flash
