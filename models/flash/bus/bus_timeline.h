// SPDX-License-Identifier: Apache-2.0
//
// A channel on the timeline and in waves: cycle groups on its bus with their phases, what the
// arrays of its LUNs do, their R/B# and what is suspended. All are known from the cycle groups: a
// group that starts an array says when that will be done, one that suspends it says when it stops.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/timeline.h"
#include "models/flash/bus/group_observer.h"

namespace ssdvp::flash {

class bus_timeline final : public group_observer {
public:
    /// Of the bus, tWB and tWC count.
    bus_timeline(timeline& to, const std::string& channel, std::uint32_t luns,
                 const cycle_times& bus);

    void group(const onfi::extension& g, std::uint64_t bytes, sim_time begin,
               const group_times& times, bool taken) override;
    /// Power goes: arrays stop.
    void power_off(sim_time t);

private:
    struct lun_view {
        timeline_track array;
        timeline_level ready; // R/B#
        timeline_level suspended;
        sim_time rises; // R/B#, as told last
    };
    void tell_phases(const onfi::extension& g, sim_time begin, const group_times& times) const;
    void tell_array(const onfi::extension& g, sim_time end);
    void tell_suspend(const onfi::extension& g, sim_time end);

    sim_time m_tWB;
    sim_time m_tWC;
    timeline_track m_bus;
    timeline_level m_phase;
    indexed<lun_index, lun_view> m_luns;
};

} // namespace ssdvp::flash
