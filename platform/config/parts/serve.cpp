// SPDX-License-Identifier: Apache-2.0
//
// The drive as a block device.
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

std::vector<option> serve_options()
{
    return {make_option<ssd_config>(
        {"serve.pacing", "0",
         "`ssdvp serve`: simulated time goes at most so many times as fast as real time; 0: as "
         "fast as it can"},
        real_of(value_kind::number, 0.0, 1000.0), FIELD(serve_pacing), leaves_state)};
}

} // namespace

const config_part parts::serve = {serve_options};

} // namespace ssdvp::platform
