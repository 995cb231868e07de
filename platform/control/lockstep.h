// SPDX-License-Identifier: Apache-2.0
//
// Several drives on one SystemC kernel. Each drive's run is written as if the kernel were its own;
// here each has a thread, of which one works at a time, in a fixed order. When all of them wait for
// simulated time the kernel runs, on the thread that called run(), up to the nearest of their ends.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include "models/common/time.h"

namespace ssdvp::platform {

class lockstep {
public:
    /// Runs all of them to their ends, and throws the first exception that one of them or the
    /// kernel throws.
    void run(const std::vector<std::function<void()>>& bodies);

    /// For the bodies: simulated time goes on, by `t` or less (somebody paused the kernel: look at
    /// what you wait for, and call again). False: nothing is left to happen in any drive.
    bool advance(sim_time t);

private:
    struct ended_early {}; // unwinds the bodies after an error elsewhere

    struct member {
        sim_time until;
        bool done = false;
    };

    static constexpr std::size_t kernel = SIZE_MAX; // whose turn it is: a member's, or this
    void live(std::size_t self, const std::function<void()>& body);
    void give(std::size_t to);
    void wait_for(std::unique_lock<std::mutex>& lock, std::size_t self);
    bool step();
    void note_error();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::size_t m_turn = kernel;
    std::vector<member> m_members;
    std::exception_ptr m_error;
    bool m_something_pending = true;
};

} // namespace ssdvp::platform
