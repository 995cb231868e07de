// SPDX-License-Identifier: Apache-2.0
//
// How data are programmed: normal, shallow (shallow.cpp) or in SLC mode (modes.cpp).
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

} // namespace

const config_part parts::write = {write_options};

} // namespace ssdvp::platform
