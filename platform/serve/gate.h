// SPDX-License-Identifier: Apache-2.0
//
// The gate between the world and the simulation. Other threads post calls; the simulation's thread
// lets them in, one after the other, between two pieces of simulated time. Models therefore never
// see a second thread, and simulated time stands still while a call is made: a run is a function of
// which calls came in at which simulated times.
//
// Nothing here knows of block devices: a call may as well be an access to a register.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace ssdvp::platform {

using wall_clock = std::chrono::steady_clock;

class gate {
public:
    /// Made by the simulation's thread. The poster keeps it alive until then.
    class call {
    public:
        virtual void enter() = 0;

    protected:
        call() = default;
        ~call() = default;
        call(const call&) = default;
        call& operator=(const call&) = default;

    private:
        friend class gate;
        call* m_next = nullptr;
    };

    // Any thread:
    void post(call& c);
    /// Nobody will post any more: the simulation's thread may leave.
    void end();

    // The simulation's thread:
    /// Makes the calls posted so far, in their order, and returns how many there were.
    std::size_t let_in();
    /// Sleeps until something is posted, the end, or `until`.
    void wait(wall_clock::time_point until);
    [[nodiscard]] bool ended() const { return m_ended.load(std::memory_order_acquire); }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    call* m_first = nullptr; // posted, in order
    call* m_last = nullptr;
    std::atomic<bool> m_posted{false}; // spares the lock where there is nothing
    std::atomic<bool> m_ended{false};
};

} // namespace ssdvp::platform
