// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace ssdvp::platform {

/// Threads that begin while it lives take no signals. They go to the thread that simulates: it
/// samples firmware by them, and ends as it should.
class signals_blocked {
public:
    signals_blocked()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &m_before);
    }
    ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;

private:
    sigset_t m_before{};
};

} // namespace ssdvp::platform
