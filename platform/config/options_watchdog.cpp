// SPDX-License-Identifier: Apache-2.0
//
// Options of those who watch whether firmware gets anywhere.
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

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

} // namespace ssdvp::platform
