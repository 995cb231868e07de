// SPDX-License-Identifier: Apache-2.0
//
// Processes that begin as copies of this one, each to do one thing and to tell what came of it: as
// many at a time as allowed, and the answers in the order in which they were begun.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ssdvp::platform {

/// One of them did not end well.
class process_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class window_processes {
public:
    using bytes = std::vector<unsigned char>;

    /// So many at a time, this one among them; one: it waits for each.
    explicit window_processes(std::size_t most) : m_most(most) {}
    /// Ends those that are left.
    ~window_processes();
    window_processes(const window_processes&) = delete;
    window_processes& operator=(const window_processes&) = delete;

    /// In a copy of this process `work` is done, whose result is told; what it throws is an error
    /// of that process. `name` of it is for messages.
    void begin(const std::string& name, const std::function<bytes()>& work);
    /// Waits until there are few enough for this one to work beside them: none, if only one process
    /// may work at a time. `interrupted` is asked meanwhile, and ends it.
    void wait_for_room(const std::function<bool()>& interrupted);
    /// Waits for the next one to be taken, likewise.
    void wait_for_next(const std::function<bool()>& interrupted);
    /// Of the next process, in order, when it is there. Throws process_error.
    std::optional<bytes> take();
    /// Ends those that run; what they would have told is not wanted.
    void end();

private:
    struct process {
        std::string name;
        int pid = -1; // -1: it has ended
        int from = -1;
        bytes said;
        int status = 0;
    };
    [[nodiscard]] std::size_t running() const;
    /// Reads what they say, for so long at most.
    void listen(int milliseconds);
    static void hear(process& p);

    std::size_t m_most;
    std::vector<process> m_processes;
    std::size_t m_taken = 0;
};

} // namespace ssdvp::platform
