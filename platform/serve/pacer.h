// SPDX-License-Identifier: Apache-2.0
//
// How far simulated time may go at a moment of the wall clock. The two are different clocks: a
// drive that is simulated faster than real time waits here, one that is slower falls behind and
// does not hurry afterwards to catch up.
#pragma once

#include <algorithm>

#include "models/common/time.h"
#include "platform/serve/gate.h"

namespace ssdvp::platform {

class pacer {
public:
    /// `pace`: simulated seconds per second of the wall clock; 0 = as fast as it goes.
    pacer(double pace, sim_time t, wall_clock::time_point wall)
        : m_pace(pace), m_origin(t), m_wall(wall)
    {}

    [[nodiscard]] bool paced() const { return m_pace > 0.0; }
    /// When simulated time may reach `t`. Only when paced().
    [[nodiscard]] wall_clock::time_point due(sim_time t) const
    {
        const double seconds = static_cast<double>((t - m_origin).ps()) * 1e-12 / m_pace;
        return m_wall + std::chrono::duration_cast<wall_clock::duration>(
                            std::chrono::duration<double>(seconds));
    }
    /// Simulated time that should be reached by now, `t` at least.
    [[nodiscard]] sim_time target(sim_time t, wall_clock::time_point wall) const
    {
        const double seconds = std::chrono::duration<double>(wall - m_wall).count() * m_pace;
        const sim_time goal = m_origin + sim_time(static_cast<std::uint64_t>(seconds * 1e12));
        return later(t, goal);
    }
    /// Forgets what the simulation at `t` is behind by more than `longest`.
    void forgive(sim_time t, wall_clock::time_point wall, wall_clock::duration longest)
    {
        if (paced() && wall - due(t) > longest) {
            m_origin = t;
            m_wall = wall;
        }
    }

private:
    double m_pace;
    sim_time m_origin;
    wall_clock::time_point m_wall;
};

} // namespace ssdvp::platform
