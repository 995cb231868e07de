// SPDX-License-Identifier: Apache-2.0
//
// Options of resets by the host, which leave the drive its power.
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

using namespace units;

std::vector<option> reset_options()
{
    value_spec times = time_of(1, 1000000 * s);
    times.kind = value_kind::time_list;
    option o = make_option<ssd_config>(
        {"host.nvme.reset_at", "",
         "the host resets the controller (CC.EN 1, 0, 1) at these times from the start of the "
         "measured part, when what is in flight has completed",
         "never"},
        times, FIELD(reset_at), leaves_state);
    o.relevant = [](const ssd_config& c) { return !c.reset_at.empty(); };
    o.relevant_when = "it has a value";
    return {o};
}

} // namespace ssdvp::platform
