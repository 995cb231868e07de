// SPDX-License-Identifier: Apache-2.0
#include "models/common/calendar.h"

#include <algorithm>
#include <utility>

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <sysc/kernel/sc_spawn.h>

namespace ssdvp {

calendar::number calendar::enrol(act what, void* whom)
{
    if (!m_events) {
        m_events.emplace();
        sc_core::sc_spawn_options options;
        options.spawn_method();
        options.dont_initialize();
        options.set_sensitivity(&(*m_events)[0]);
        options.set_sensitivity(&(*m_events)[1]);
        sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("calendar"), &options);
    }
    if (m_enrolled == m_members.size()) {
        grow();
    }
    m_members[m_enrolled].what = what;
    m_members[m_enrolled].whom = whom;
    return m_enrolled++;
}

/// A leaf of the tree for each number there may be: a power of two of them, and two at least.
void calendar::grow()
{
    const std::size_t leaves = std::max<std::size_t>(2, 2 * m_members.size());
    m_members.resize(leaves);
    m_tree.resize(2 * leaves);
    for (std::size_t i = 0; i < leaves; ++i) {
        m_tree[leaves + i] = static_cast<number>(i);
    }
    for (std::size_t k = leaves - 1; k != 0; --k) {
        m_tree[k] = earlier_of(m_tree[2 * k], m_tree[2 * k + 1]);
    }
}

void calendar::leave(number n)
{
    set(n, never);
    m_members[n].what = nullptr;
}

void calendar::set(number n, sim_time when)
{
    m_members[n].when = when;
    m_members[n].order = ++m_order;
    // It was set last: all others of that instant act before it.
    std::size_t node = m_tree.size() / 2 + n;
    for (; node != 1 && m_members[m_tree[node ^ 1]].when > when; node /= 2) {
        m_tree[node / 2] = n;
    }
    for (number best = n; node != 1; node /= 2) {
        best = earlier_of(best, m_tree[node ^ 1]);
        if (m_tree[node / 2] == best) {
            break; // nothing changes from here on
        }
        m_tree[node / 2] = best;
    }
    if (!m_running && when < earlier(m_armed[0], m_armed[1])) {
        arm(when);
    }
}

void calendar::notify(alarm& a, sim_time delay)
{
    const sim_time when = now() + delay;
    const bool rung = a.m_when < now(); // for nobody
    a.m_when = rung ? when : earlier(a.m_when, when);
    if (a.m_kernel) {
        a.m_event.notify((delay + kernel_lag).to_sc());
        m_limit = earlier(m_limit, when);
    }
}

void calendar::sleep(alarm& a)
{
    a.m_when = a.m_when < now() ? never : a.m_when;
    if (!run_until(a)) {
        give_back();
        if (a.m_when != never) {
            a.m_event.notify((a.m_when - now()).to_sc());
        }
        a.m_kernel = true;
        sc_core::wait(a.m_event);
        a.m_kernel = false;
        ++m_activations;
    }
    a.m_when = never;
}

/// On the stack of the thread that sleeps. False: the kernel is to go on.
bool calendar::run_until(const alarm& a)
{
    if (!m_events) {
        return false; // there is nobody
    }
    if (!m_running) {
        m_limit = limit();
        m_running = m_limit > now();
    }
    try {
        return m_running && go_ahead(a);
    } catch (...) {
        give_back();
        throw;
    }
}

/// As far as the limit allows: true = the alarm rings.
bool calendar::go_ahead(const alarm& a)
{
    const sim_time kernel = now() - kernel_lag;
    for (;;) {
        serve(now());
        if (m_asked != nullptr) {
            return false;
        }
        if (a.m_when <= now()) {
            return true;
        }
        const sim_time next = earlier(first().when, a.m_when);
        if (next >= m_limit) {
            return false;
        }
        kernel_lag = next - kernel;
    }
}

void calendar::give_back()
{
    const sim_time next = m_asked != nullptr ? now() : m_events ? first().when : never;
    m_running = false;
    kernel_lag = sim_time();
    if (next < earlier(m_armed[0], m_armed[1])) {
        arm(next);
    }
}

sim_time calendar::quiet() const
{
    const sim_time pending =
        sim_time::from_sc(sc_core::sc_time_to_pending_activity()) + sim_time::from_sc(kernel_clock);
    return (m_events ? earlier(pending, first().when) : pending) - now();
}

void calendar::stop_kernel()
{
    sc_core::sc_stop();
}

void calendar::ask(void (*what)())
{
    if (kernel_lag == sim_time()) {
        what();
    } else {
        m_asked = what;
    }
    m_limit = m_last = now();
}

/// How far blocks may act ahead: of nothing in the kernel, nor of who waits for its time.
sim_time calendar::limit()
{
    const sim_time t = now();
    if (m_until <= t || m_last == t) {
        return t;
    }
    for (std::size_t i = 0; i < m_armed.size(); ++i) {
        if (m_armed[i] != never) {
            (*m_events)[i].cancel(); // else it would be a limit of its own
        }
        m_armed[i] = never;
    }
    return earlier(m_until, t + sim_time::from_sc(sc_core::sc_time_to_pending_activity()));
}

void calendar::run()
{
    struct scope {
        calendar& c;
        ~scope()
        {
            c.m_running = false;
            kernel_lag = sim_time();
        }
    };
    for (sim_time& when : m_armed) {
        when = when <= now() ? never : when;
    }
    const sim_time kernel = now();
    if (m_asked != nullptr) {
        (*std::exchange(m_asked, nullptr))();
    }
    m_running = true;
    ++m_activations;
    sim_time next = kernel;
    {
        const scope leave{*this};
        m_limit = limit();
        for (;;) {
            serve(now());
            if (m_asked != nullptr) {
                next = now();
                break;
            }
            next = first().when;
            if (next >= m_limit) {
                break;
            }
            kernel_lag = next - kernel;
        }
    }
    if (next < earlier(m_armed[0], m_armed[1])) {
        arm(next);
    }
}

/// Runs whoever's time has come. One who sets no other time is not due any more.
void calendar::serve(sim_time t)
{
    while (first().when <= t) {
        const number n = m_tree[1];
        const member m = m_members[n];
        (*m.what)(m.whom);
        if (m_members[n].order == m.order) {
            set(n, never);
        }
    }
}

/// By an event that is idle, else by the one that waits for the later time.
void calendar::arm(sim_time when)
{
    const std::size_t i = m_armed[1] > m_armed[0] ? 1 : 0;
    m_armed[i] = when;
    (*m_events)[i].notify((when - now()).to_sc());
}

} // namespace ssdvp
