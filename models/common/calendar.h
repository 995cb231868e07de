// SPDX-License-Identifier: Apache-2.0
//
// The simulation's calendar: when each block has something to do. The blocks share one process of
// the kernel. It runs what is due, and where nothing else is pending in the kernel it goes on with
// what is due next (TLM-2.0's temporal decoupling, IEEE 1666 clause 12, with an exact limit): the
// kernel sees an instant only when a process of its own has to see it.
//
// A thread that sleeps, a core, does that work itself while it waits: where it is the only one, the
// kernel has neither to switch to the calendar's process nor back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "models/common/time.h"

namespace ssdvp {

/// What a thread sleeps until (calendar::sleep).
class alarm {
    friend class calendar;

    static constexpr sim_time never{~std::uint64_t{0}};

    sim_time m_when = never; // rings
    bool m_kernel = false;   // a thread waits for it in the kernel, which has to be told
    sc_core::sc_event m_event;
};

class calendar {
public:
    using number = std::uint32_t; // of who is enrolled
    using act = void (*)(void* whom);
    static constexpr sim_time never{~std::uint64_t{0}};

    /// The simulation's: there is one in a process.
    static calendar& get();

    calendar() = default;

    calendar(const calendar&) = delete;
    calendar& operator=(const calendar&) = delete;

    /// From now on `what(whom)` runs when the time set for the number has come.
    number enrol(act what, void* whom);
    void leave(number n);
    /// The time of `n`, instead of the one set before. One that has passed counts as now; of those
    /// set for one instant the first that was set acts first.
    void set(number n, sim_time when);

    /// The alarm rings `delay` from now(), if it would not earlier: once, for who sleeps then.
    void notify(alarm& a, sim_time delay);
    /// The thread that calls goes on when the alarm rings, with now() ahead of the kernel's time
    /// where nobody else is to see that.
    void sleep(alarm& a);
    /// A thread that sleeps no more leaves the calendar to the kernel, before it returns.
    void give_back();
    /// From now() on nobody acts for so long, but for the thread that asks.
    [[nodiscard]] sim_time quiet() const;

    /// sc_pause() and sc_stop(), when the kernel's time is now() too.
    void pause() { ask(&sc_core::sc_pause); }
    void stop() { ask(&stop_kernel); }

    /// How often the kernel has activated it, or a thread that slept.
    [[nodiscard]] std::uint64_t activations() const { return m_activations; }

    /// While it lives, blocks may act ahead of the kernel's time, but before `until`: for whoever
    /// lets the kernel run until then and looks at nothing before.
    class ahead {
    public:
        explicit ahead(sim_time until) { get().m_until = until; }
        ~ahead() { get().m_until = sim_time(); }
        ahead(const ahead&) = delete;
        ahead& operator=(const ahead&) = delete;
    };

private:
    struct member {
        act what = nullptr;
        void* whom = nullptr;
        sim_time when = never;
        std::uint64_t order = 0; // of being set

        [[nodiscard]] bool before(const member& b) const
        {
            return when < b.when || (when == b.when && order < b.order);
        }
    };

    static void stop_kernel();
    void ask(void (*what)());
    void run();
    void serve(sim_time t);
    [[nodiscard]] sim_time limit();
    bool run_until(const alarm& a);
    bool go_ahead(const alarm& a);
    void arm(sim_time when);
    void grow();
    [[nodiscard]] number earlier_of(number a, number b) const
    {
        return m_members[b].before(m_members[a]) ? b : a;
    }
    /// Who is next: the root of the tree.
    [[nodiscard]] const member& first() const { return m_members[m_tree[1]]; }

    std::vector<member> m_members; // those enrolled, and room for more
    number m_enrolled = 0;
    /// Of node k the earlier one of those of its children, 2k and 2k + 1. Leaves are the numbers.
    std::vector<number> m_tree;
    std::uint64_t m_order = 0;
    std::uint64_t m_activations = 0;
    bool m_running = false;      // or a thread that sleeps here is awake
    sim_time m_until;            // for which `ahead` was asked
    sim_time m_limit;            // of the run under way
    sim_time m_last = never;     // instant that the kernel ends with
    void (*m_asked)() = nullptr; // for when the kernel's time has come
    /// When each event is pending. While one waits for a later time, the other is given an earlier
    /// one: a notification that is replaced stays in the kernel's heap until its time.
    std::array<sim_time, 2> m_armed{never, never};
    std::optional<std::array<sc_core::sc_event, 2>> m_events; // from the first enrol() on
};

/// One simulation context lives as long as the process, and this with it.
inline calendar& simulation_calendar = *std::make_unique<calendar>().release();

inline calendar& calendar::get()
{
    return simulation_calendar;
}

} // namespace ssdvp
