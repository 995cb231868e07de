// SPDX-License-Identifier: Apache-2.0
//
// The crossbar.
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

std::vector<option> interconnect_options()
{
    return {
        make_option<ssd_config>(
            {"interconnect.width", "0",
             "bits that a port of the crossbar, to SRAM, DRAM or registers, moves in a cycle; 0: "
             "transfers take no time there and do not wait for each other"},
            count_out_of({0, 32, 64, 128, 256, 512, 1024}), FIELD(port.width), leaves_state),
        acts_when<ssd_config>(
            make_option<ssd_config>({"interconnect.clock", "1GHz", "clock of the crossbar"},
                                    rate_of(value_kind::frequency, mega, 10000 * mega),
                                    FIELD(port.clock), leaves_state),
            [](const ssd_config& c) { return c.port.width != 0; },
            "interconnect.width is not 0: transfers take time", "give interconnect.width"),
    };
}

} // namespace

const config_part parts::interconnect = {interconnect_options};

} // namespace ssdvp::platform
