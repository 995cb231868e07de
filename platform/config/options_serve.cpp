// SPDX-License-Identifier: Apache-2.0
//
// Options of a drive that serves clients outside of the simulation.
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

std::vector<option> serve_options()
{
    return {make_option<ssd_config>(
        {"serve.pacing", "0",
         "`ssdvp serve`: simulated time goes at most so many times as fast as real time; 0: as "
         "fast as it can"},
        real_of(value_kind::number, 0.0, 1000.0), FIELD(serve_pacing), leaves_state)};
}

} // namespace ssdvp::platform
