// SPDX-License-Identifier: Apache-2.0
//
// Which reads the array can do by sensing a part of the page (docs/models/channel.md, Snap reads).
#include "models/flash/channel/descriptor.h"

namespace ssdvp::flash {

bool fits_snap_read(const flash_desc& d, const die_config& die)
{
    const bool plain = d.op == FLASH_OP_READ && d.retry == 0 && d.program_mode == FLASH_MODE_NORMAL;
    if (!has_snap_read(die) || !plain || d.length == 0 || d.oob_length != 0 ||
        planes_of(d).several()) {
        return false;
    }
    return d.column / die.snap_bytes == (d.column + d.length - 1) / die.snap_bytes;
}

} // namespace ssdvp::flash
