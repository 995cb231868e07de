// SPDX-License-Identifier: Apache-2.0
//
// A time limit that its owner is woken for.
#pragma once

#include "models/common/calendar.h"

namespace ssdvp {

class deadline {
public:
    static constexpr sim_time never = calendar::never;

    deadline() = default;
    ~deadline()
    {
        if (m_calendar != nullptr) {
            m_calendar->leave(m_number);
        }
    }
    deadline(const deadline&) = delete;
    deadline& operator=(const deadline&) = delete;

    /// `owner.Act()` runs when the time has come.
    template <auto Act, typename Owner>
    void wakes(Owner& owner)
    {
        m_calendar = &calendar::get();
        m_number = m_calendar->enrol([](void* o) { (static_cast<Owner*>(o)->*Act)(); }, &owner);
    }
    /// Instead of what was set before.
    void set(sim_time when)
    {
        m_when = when;
        m_calendar->set(m_number, when);
    }
    void clear() { set(never); }
    /// What is set; nothing: never.
    [[nodiscard]] sim_time when() const { return m_when; }
    /// True, once, when the time has come. The owner asks whenever it runs.
    [[nodiscard]] bool passed()
    {
        if (m_when > now()) {
            return false;
        }
        clear();
        return true;
    }

private:
    calendar* m_calendar = nullptr;
    calendar::number m_number = 0;
    sim_time m_when = never;
};

} // namespace ssdvp
