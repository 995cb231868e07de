// SPDX-License-Identifier: Apache-2.0
//
// When firmware counts as stuck.
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

std::vector<option> watchdog_options()
{
    return {
        make_option<ssd_config>(
            {"cpu.watchdog", "5s",
             "simulated time without progress (a command, a page, a byte), while the host waits, "
             "after which firmware counts as stuck; 0s = never"},
            time_of(0, 1000000 * s), FIELD(watchdog.progress), leaves_state),
        make_option<ssd_config>(
            {"cpu.hang_limit", "60s",
             "processor time of the host that firmware may run without simulated time going on; "
             "0s = any"},
            time_of(0, 1000000 * s), FIELD(watchdog.hang), leaves_state),
    };
}

} // namespace

const config_part parts::watchdog = {watchdog_options};

} // namespace ssdvp::platform
