// SPDX-License-Identifier: Apache-2.0
#include "platform/control/lockstep.h"

#include <algorithm>
#include <systemc>
#include <thread>

#include "models/common/calendar.h"
#include "platform/report/signals_blocked.h"

namespace ssdvp::platform {

void lockstep::give(std::size_t to)
{
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        m_turn = to;
    }
    m_changed.notify_all();
}

/// Signals are for the thread whose turn it is: the firmware guard looks at the stack that they
/// come upon.
void lockstep::wait_for(std::unique_lock<std::mutex>& lock, std::size_t self)
{
    const signals_blocked quiet;
    m_changed.wait(lock, [this, self] { return m_turn == self; });
}

void lockstep::note_error()
{
    if (!m_error) {
        m_error = std::current_exception();
    }
}

void lockstep::live(std::size_t self, const std::function<void()>& body)
{
    std::unique_lock<std::mutex> lock(m_mutex);
    wait_for(lock, self);
    lock.unlock();
    try {
        if (!m_error) {
            body();
        }
    } catch (const ended_early&) { // somebody else's error is the one to tell
    } catch (...) {
        note_error();
    }
    m_members[self].done = true;
    give(kernel);
}

bool lockstep::advance(sim_time t)
{
    const std::size_t self = m_turn; // only the one whose turn it is calls
    m_members[self].until = now() + t;
    give(kernel);
    std::unique_lock<std::mutex> lock(m_mutex);
    wait_for(lock, self);
    if (m_error) {
        throw ended_early();
    }
    return m_something_pending;
}

/// Simulated time up to the nearest end. False: all members are done.
bool lockstep::step()
{
    const member* nearest = nullptr;
    for (const member& m : m_members) {
        if (!m.done && (nearest == nullptr || m.until < nearest->until)) {
            nearest = &m;
        }
    }
    if (nearest == nullptr) {
        return false;
    }
    if (m_error || sc_core::sc_get_status() == sc_core::SC_STOPPED) {
        return true;
    }
    const sim_time t = nearest->until > now() ? nearest->until - now() : sim_time();
    if (t == sim_time() && sc_core::sc_get_status() == sc_core::SC_PAUSED &&
        !sc_core::sc_pending_activity_at_current_time()) {
        m_something_pending = true; // somebody wanted the others to have their turn, and goes on
        return true;
    }
    // Asked before the step: whoever has just been woken has said by now what it does next.
    m_something_pending = t == sim_time() || sc_core::sc_pending_activity();
    try {
        const calendar::ahead allowed(now() + t);
        sc_core::sc_start(t.to_sc(), sc_core::SC_RUN_TO_TIME);
    } catch (...) {
        note_error();
    }
    return true;
}

void lockstep::run(const std::vector<std::function<void()>>& bodies)
{
    m_members.assign(bodies.size(), {});
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        threads.emplace_back([this, i, &bodies] { live(i, bodies[i]); });
    }
    do {
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            if (!m_members[i].done) {
                give(i);
                std::unique_lock<std::mutex> lock(m_mutex);
                wait_for(lock, kernel);
            }
        }
    } while (step());
    for (std::thread& t : threads) {
        t.join();
    }
    if (m_error) {
        std::rethrow_exception(m_error);
    }
}

} // namespace ssdvp::platform
