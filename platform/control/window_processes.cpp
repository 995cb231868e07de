// SPDX-License-Identifier: Apache-2.0
#include "platform/control/window_processes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/control/firmware_guard.h"

namespace ssdvp::platform {

namespace {

constexpr int look_every_ms = 50; // for Ctrl-C
enum said : unsigned char { failed, done };

void write_all(int to, const unsigned char* from, std::size_t count)
{
    while (count != 0) {
        const ssize_t n = ::write(to, from, count);
        if (n < 0 && errno != EINTR) {
            ::_exit(1); // nobody hears it
        }
        from += n > 0 ? n : 0;
        count -= n > 0 ? static_cast<std::size_t>(n) : 0;
    }
}

/// Never returns: what the first process opened, made or holds is that process's.
[[noreturn]] void be_copy(int to, int first, const std::function<window_processes::bytes()>& work)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != first) {
        ::_exit(1);
    }
    std::signal(SIGINT, SIG_IGN); // the first process hears it, and ends this one
    std::signal(SIGTERM, SIG_DFL);
    firmware_guard::goes_on_in_copy();
    unsigned char end = said::done;
    window_processes::bytes result;
    try {
        result = work();
    } catch (const std::exception& e) {
        const std::string text = e.what();
        result.assign(text.begin(), text.end());
        end = said::failed;
    }
    write_all(to, &end, 1);
    write_all(to, result.data(), result.size());
    ::_exit(0);
}

std::string how_it_ended(int status)
{
    return WIFSIGNALED(status) ? fmt::format("its process was ended by signal {} ({})",
                                             WTERMSIG(status), strsignal(WTERMSIG(status)))
                               : fmt::format("its process ended with code {}", WEXITSTATUS(status));
}

} // namespace

window_processes::~window_processes()
{
    end();
}

void window_processes::end()
{
    for (process& p : m_processes) {
        if (p.pid > 0) {
            ::kill(p.pid, SIGKILL);
            ::waitpid(p.pid, &p.status, 0);
            ::close(p.from);
            p.pid = -1;
        }
    }
    m_taken = m_processes.size();
}

std::size_t window_processes::running() const
{
    return static_cast<std::size_t>(std::count_if(m_processes.begin(), m_processes.end(),
                                                  [](const process& p) { return p.pid > 0; }));
}

void window_processes::begin(const std::string& name, const std::function<bytes()>& work)
{
    std::array<int, 2> pipe{};
    const int first = ::getpid();
    if (::pipe(pipe.data()) != 0) {
        throw process_error(fmt::format("no pipe for {}: {}", name, std::strerror(errno)));
    }
    const pid_t pid = ::fork();
    if (pid < 0) {
        const int error = errno;
        ::close(pipe[0]);
        ::close(pipe[1]);
        throw process_error(fmt::format("no process for {}: {}; free memory, or use fewer --jobs",
                                        name, std::strerror(error)));
    }
    if (pid == 0) {
        ::close(pipe[0]);
        be_copy(pipe[1], first, work);
    }
    ::close(pipe[1]);
    m_processes.push_back({name, pid, pipe[0], {}, 0});
    listen(0);
}

void window_processes::hear(process& p)
{
    std::array<unsigned char, 65536> buffer{};
    const ssize_t n = ::read(p.from, buffer.data(), buffer.size());
    if (n > 0) {
        p.said.insert(p.said.end(), buffer.data(), buffer.data() + n);
    } else if (n == 0 || errno != EINTR) {
        ::close(p.from);
        ::waitpid(p.pid, &p.status, 0);
        p.pid = -1;
    }
}

void window_processes::listen(int milliseconds)
{
    std::vector<pollfd> wanted;
    std::vector<process*> whose;
    for (process& p : m_processes) {
        if (p.pid > 0) {
            wanted.push_back({p.from, POLLIN, 0});
            whose.push_back(&p);
        }
    }
    if (wanted.empty() || ::poll(wanted.data(), wanted.size(), milliseconds) <= 0) {
        return;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].revents != 0) {
            hear(*whose[i]);
        }
    }
}

void window_processes::wait_for_room(const std::function<bool()>& interrupted)
{
    const std::size_t others = m_most > 1 ? m_most - 1 : 0;
    while (running() > others && !interrupted()) {
        listen(look_every_ms);
    }
}

void window_processes::wait_for_next(const std::function<bool()>& interrupted)
{
    while (m_taken != m_processes.size() && m_processes[m_taken].pid > 0 && !interrupted()) {
        listen(look_every_ms);
    }
}

std::optional<window_processes::bytes> window_processes::take()
{
    if (m_taken == m_processes.size() || m_processes[m_taken].pid > 0) {
        return std::nullopt;
    }
    process& p = m_processes[m_taken++];
    bytes result = std::move(p.said);
    if (result.empty() || p.status != 0) {
        throw process_error(fmt::format("{}: {}", p.name, how_it_ended(p.status)));
    }
    const unsigned char how = result.front();
    result.erase(result.begin());
    if (how == said::failed) {
        throw process_error(
            fmt::format("{}: {}", p.name, std::string(result.begin(), result.end())));
    }
    return result;
}

} // namespace ssdvp::platform
