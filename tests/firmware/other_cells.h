// SPDX-License-Identifier: Apache-2.0
//
// A drive that is switched off and finds other cells when power is back.
#pragma once

#include "tests/firmware/flash_reader.h"

namespace ssdvp::test {

/// A small drive that stores all bytes.
inline ram_config every_byte()
{
    ram_config c = tiny_drive();
    c.params.host.data_mode = 2;
    return c;
}

inline void cut_and_insert(drive& d, const ram_image& cells)
{
    d.nand.power_cut();
    d.forget();
    d.nand.insert(cells);
    d.nand.power_on();
}

} // namespace ssdvp::test
