// SPDX-License-Identifier: Apache-2.0
//
// What the guard of native firmware leaves behind.
#include <catch2/catch.hpp>
#include <csignal>

#include "platform/control/firmware_guard.h"

namespace guard_test {

using namespace ssdvp;
using namespace ssdvp::platform;

// As valgrind does it, which hands out signals later than the timer sends them: by default such a
// one ends the process.
TEST_CASE("a sample that is under way when the guard goes is dropped", "[guard]")
{
    sigset_t samples;
    sigset_t before;
    sigemptyset(&samples);
    sigaddset(&samples, SIGPROF);
    sigprocmask(SIG_BLOCK, &samples, &before);
    {
        const firmware_guard guard({}, sim_time());
        std::raise(SIGPROF);
    }
    sigset_t pending;
    sigpending(&pending);
    CHECK(sigismember(&pending, SIGPROF) == 0);
    sigprocmask(SIG_SETMASK, &before, nullptr);
}

} // namespace guard_test
