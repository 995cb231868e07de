// SPDX-License-Identifier: Apache-2.0
//
// Which planes of a LUN independent reads hold, from their start until their data are out.
#pragma once

#include <array>

#include "models/common/time.h"
#include "models/flash/channel/waiting.h"

namespace ssdvp::flash {

struct plane_slot {
    waiting_ops::op_id op = waiting_ops::none; // the latest read
    sim_time ready; // sensing: when the array is expected to be done; loaded: since when it is
    sim_time free;  // when the plane became free for its next read
};

struct plane_slots {
    plane_set sensing;
    plane_set loaded; // the array is done, the data are to go out

    [[nodiscard]] plane_set taken() const { return sensing | loaded; }
    [[nodiscard]] const plane_slot& operator[](plane_index plane) const
    {
        return m_slots[plane.value()];
    }
    /// Of the one plane that is in `planes`.
    [[nodiscard]] const plane_slot& of(plane_set planes) const { return (*this)[planes.first()]; }

    void begin(plane_set plane, waiting_ops::op_id op, sim_time expected)
    {
        sensing = sensing | plane;
        plane_slot& slot = m_slots[plane.first().value()];
        slot.op = op;
        slot.ready = expected;
    }
    waiting_ops::op_id load(plane_index plane, sim_time t)
    {
        sensing.erase(plane);
        loaded.insert(plane);
        m_slots[plane.value()].ready = t;
        return m_slots[plane.value()].op;
    }
    void end(plane_set plane, sim_time t)
    {
        loaded = loaded - plane;
        m_slots[plane.first().value()].free = t;
    }

private:
    std::array<plane_slot, max_planes> m_slots{};
};

} // namespace ssdvp::flash
