// SPDX-License-Identifier: Apache-2.0
//
// A channel on the timeline: cycle groups on its bus, and what the arrays of its LUNs do. Both are
// known from the cycle groups: a group that starts an array says when that will be done, one that
// suspends it says when it stops.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/timeline.h"
#include "models/flash/bus/group_observer.h"

namespace ssdvp::flash {

class bus_timeline final : public group_observer {
public:
    bus_timeline(timeline& to, const std::string& channel, std::uint32_t luns, sim_time tWB);

    void group(const onfi::extension& g, std::uint64_t bytes, sim_time begin,
               const group_times& times, bool taken) override;
    /// Power goes: arrays stop.
    void power_off(sim_time t) const;

private:
    sim_time m_tWB;
    timeline_track m_bus;
    indexed<lun_index, timeline_track> m_arrays;
};

} // namespace ssdvp::flash
