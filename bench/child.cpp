// SPDX-License-Identifier: Apache-2.0
#include "bench/child.h"

#include <cstdio>
#include <exception>
#include <sys/wait.h>
#include <unistd.h>

namespace ssdvp::bench {

outcome in_child(const std::function<outcome()>& measure)
{
    int ends[2];
    outcome result;
    if (::pipe(ends) != 0) {
        return result;
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        outcome mine;
        try {
            mine = measure();
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
        }
        const bool sent = ::write(ends[1], &mine, sizeof mine) == static_cast<ssize_t>(sizeof mine);
        ::_exit(sent ? 0 : 1);
    }
    ::close(ends[1]);
    const bool received =
        child > 0 && ::read(ends[0], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
    ::close(ends[0]);
    int status = 0;
    if (child > 0) {
        ::waitpid(child, &status, 0);
    }
    result.ok = received && status == 0 && result.ok;
    return result;
}

} // namespace ssdvp::bench
