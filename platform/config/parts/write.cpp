// SPDX-License-Identifier: Apache-2.0
//
// How data are programmed: normal, shallow (shallow.cpp) or in SLC mode (modes.cpp).
#include "models/regs/boot_params.h"
#include "models/regs/channel_regs.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

std::vector<option> write_options()
{
    return {make_option<ssd_config>(
        {"write.mode", "normal",
         "how data is programmed; shallow: the host's in nand.shallow.tPROG, with more bit errors; "
         "slc: the whole drive in SLC mode, one page per word line"},
        words({{"normal", number(write_mode::normal)},
               {"shallow", number(write_mode::shallow)},
               {"slc", number(write_mode::slc)}}),
        FIELD(write))};
}

void fill_write(boot_params& p, const ssd_config& c)
{
    p.flash.array_mode = c.write == write_mode::slc ? FLASH_MODE_SLC : FLASH_MODE_NORMAL;
    p.flash.host_program_mode =
        c.write == write_mode::shallow ? std::uint32_t{FLASH_MODE_SHALLOW} : p.flash.array_mode;
}

} // namespace

const config_part parts::write = {write_options, nullptr, nullptr, fill_write};

} // namespace ssdvp::platform
