// SPDX-License-Identifier: Apache-2.0
//
// What waves show of the controller.
#include <string>

#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

/// Null: nobody looks.
void controller::follow(timeline* to)
{
    if (to == nullptr) {
        return;
    }
    const std::string channel = "channel " + std::to_string(m_environment.channel.value());
    m_held = timeline_level(*to, channel, "operations", level_form::number);
    m_doorbell = timeline_level(*to, channel, "SQ_tail", level_form::number);
    m_held.set(sim_time(), 0);
    m_doorbell.set(sim_time(), 0);
}

} // namespace ssdvp::flash
