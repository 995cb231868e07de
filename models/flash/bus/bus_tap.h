// SPDX-License-Identifier: Apache-2.0
//
// All that happens on the bus of a channel, for whoever traces the drive: cycle groups, edges of
// R/B#, planes that have read.
#pragma once

#include "models/flash/bus/group_observer.h"

namespace ssdvp::flash {

/// What group_observer::group() is told.
struct seen_group {
    const onfi::extension& what;
    std::uint64_t bytes;
    sim_time begin;
    const group_times& times;
    bool taken;
};

/// Of all channels. Groups are told ahead, each LUN's in order; the others as they happen.
class bus_watch {
public:
    bus_watch() = default;
    virtual ~bus_watch() = default;
    bus_watch(const bus_watch&) = delete;
    bus_watch& operator=(const bus_watch&) = delete;

    virtual void group(channel_index channel, const seen_group& g) = 0;
    virtual void ready_edge(channel_index channel, lun_index lun, bool rises, sim_time at) = 0;
    virtual void plane_ready(channel_index channel, lun_index lun, plane_index plane,
                             sim_time at) = 0;
    /// What was told of later times does not happen.
    virtual void power_off(channel_index channel, sim_time at) = 0;
};

/// Says which channel it is.
class bus_tap final : public group_observer, public onfi::ready_observer {
public:
    bus_tap(bus_watch& to, channel_index channel) : m_to(to), m_channel(channel) {}

    void group(const onfi::extension& g, std::uint64_t bytes, sim_time begin,
               const group_times& times, bool taken) override
    {
        m_to.group(m_channel, {g, bytes, begin, times, taken});
    }
    void ready_edge(lun_index lun, bool rises, sim_time at) override
    {
        m_to.ready_edge(m_channel, lun, rises, at);
    }
    void plane_ready(lun_index lun, plane_index plane, sim_time at) override
    {
        m_to.plane_ready(m_channel, lun, plane, at);
    }
    void power_off(sim_time at) { m_to.power_off(m_channel, at); }

private:
    bus_watch& m_to;
    channel_index m_channel;
};

} // namespace ssdvp::flash
