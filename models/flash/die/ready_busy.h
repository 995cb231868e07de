// SPDX-License-Identifier: Apache-2.0
//
// The R/B# line of a LUN: when it falls and rises, and who hears of it. A fall that nobody looks at
// is not on the agenda, and is made up for when the line rises.
#pragma once

#include <systemc>
#include <vector>

#include "models/common/time.h"
#include "models/protocols/onfi.h"

namespace ssdvp::flash {

class ready_busy {
public:
    /// `pin`: true = ready; with trace().
    explicit ready_busy(sc_core::sc_out<bool>& pin) : m_pin(pin) {}

    void keep_time(onfi::edge_clock& clock, lun_index number)
    {
        m_clock = &clock;
        m_number = number;
    }
    void attach(onfi::ready_observer& observer) { m_observers.push_back(&observer); }
    void trace() { m_traced = true; }

    /// The line will be low from `low` until `high`; `watched`: somebody else has to be told of its
    /// fall.
    void plan(sim_time low, sim_time high, bool watched)
    {
        m_low = low;
        m_fallen = false;
        if (watched || m_traced || !m_observers.empty()) {
            m_clock->edge_at(m_number, low);
        }
        rise_at(high);
    }
    /// It stays low until `high` at least, and something happens then.
    void stay_low(sim_time high)
    {
        m_high = later(m_high, high);
        m_clock->edge_at(m_number, high);
    }
    /// It rises at another time; what was planned before comes to nothing.
    void rise_at(sim_time high)
    {
        m_high = high;
        m_clock->edge_at(m_number, high);
    }
    /// Of what was planned last.
    [[nodiscard]] sim_time low() const { return m_low; }
    [[nodiscard]] sim_time high() const { return m_high; }
    /// True once, when the fall is due.
    [[nodiscard]] bool takes_fall(sim_time t)
    {
        const bool falls = t >= m_low && !m_fallen;
        m_fallen = m_fallen || falls;
        return falls;
    }
    /// Who looks at the line sees it.
    void show(bool high)
    {
        if (m_traced) {
            m_pin.write(high);
        }
        for (onfi::ready_observer* observer : m_observers) {
            observer->ready_edge(m_number, high, now());
        }
    }
    /// Who looks at the planes sees that this one has read.
    void show(plane_index plane)
    {
        for (onfi::ready_observer* observer : m_observers) {
            observer->plane_ready(m_number, plane, now());
        }
    }
    /// Power goes: the line is high.
    void reset()
    {
        m_fallen = false;
        if (m_traced) {
            m_pin.write(true);
        }
    }

private:
    sc_core::sc_out<bool>& m_pin;
    onfi::edge_clock* m_clock = nullptr;
    std::vector<onfi::ready_observer*> m_observers;
    lun_index m_number;
    bool m_traced = false;
    bool m_fallen = false; // its fall was on the agenda, and has come
    sim_time m_low;
    sim_time m_high;
};

} // namespace ssdvp::flash
