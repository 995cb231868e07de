// SPDX-License-Identifier: Apache-2.0
//
// Threads that write reports take no signals: those sample the firmware that is simulated.
#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

#include "platform/report/signals_blocked.h"

namespace report_signals_test {

TEST_CASE("signals blocked: by threads that begin meanwhile, and by none behind it", "[report]")
{
    sigset_t of_thread{};
    {
        const ssdvp::platform::signals_blocked quiet;
        std::thread([&of_thread] { pthread_sigmask(SIG_SETMASK, nullptr, &of_thread); }).join();
    }
    sigset_t afterwards{};
    pthread_sigmask(SIG_SETMASK, nullptr, &afterwards);
    CHECK(sigismember(&of_thread, SIGPROF) == 1);
    CHECK(sigismember(&of_thread, SIGINT) == 1);
    CHECK(sigismember(&afterwards, SIGPROF) == 0);
}

} // namespace report_signals_test
