// SPDX-License-Identifier: Apache-2.0
//
// A time limit behind one sc_event. Moving it to a later time leaves the kernel alone: a
// notification that is replaced stays in the kernel's heap until its time, and makes every other
// one dearer.
#pragma once

#include "models/common/time.h"

namespace ssdvp {

class deadline {
public:
    explicit deadline(const char* name) : m_event(name) {}

    /// Make the owning process sensitive to this; it may fire early.
    [[nodiscard]] const sc_core::sc_event& event() const { return m_event; }
    /// Instead of what was set before.
    void set(sim_time when)
    {
        m_when = when;
        if (when < m_armed) {
            arm(now());
        }
    }
    void clear()
    {
        m_when = m_armed = never;
        m_event.cancel();
    }
    /// True, once, when the time has come. The owner asks whenever it runs.
    [[nodiscard]] bool passed()
    {
        if (m_armed > now()) {
            return false;
        }
        m_armed = never;
        if (m_when > now()) { // it was moved
            arm(now());
            return false;
        }
        m_when = never;
        return true;
    }

private:
    static constexpr sim_time never{~std::uint64_t{0}};
    void arm(sim_time t)
    {
        m_armed = m_when;
        if (m_when != never) {
            m_event.notify((m_when - t).to_sc());
        }
    }

    sim_time m_when = never;
    sim_time m_armed = never; // when the event is pending
    sc_core::sc_event m_event;
};

} // namespace ssdvp
