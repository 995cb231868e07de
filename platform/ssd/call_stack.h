// SPDX-License-Identifier: Apache-2.0
//
// Call stacks of firmware on the native stack: who called whom from the image's entry down, without
// the platform's own frames on either side, by function, file and line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ssdvp::platform {

class call_stack {
public:
    static constexpr std::size_t most = 48; // innermost frames; a runaway recursion has more

    /// Where a capture starts.
    enum class from {
        here,       // the caller, which the firmware called through its port
        interrupted // what the signal interrupted whose handler calls
    };

    /// Allocates nothing. `entry`: where the stack begins that the firmware was given. `port`: the
    /// functions of the port.
    call_stack(from where, const void* entry, const std::vector<const void*>& port);

    /// The frames lead to the entry: an exception will leave the firmware there.
    [[nodiscard]] bool complete() const { return m_complete; }
    /// The firmware had called the port: platform code lies on top.
    [[nodiscard]] bool in_port() const { return m_in_port; }
    [[nodiscard]] bool empty() const { return m_count == 0; }
    /// "function at file:line" for each frame, innermost first. Asks addr2line of binutils; where
    /// that is missing, or the code has no debug information, less is said.
    [[nodiscard]] std::vector<std::string> names() const;

    /// The same of one place alone, which a call returns to: the function, and those it is inlined
    /// into.
    [[nodiscard]] static std::vector<std::string> names_of(const void* return_address);

    /// For the unwinder: takes a frame in. False: that is all.
    bool add(const void* pc, const void* function, const void* frame, bool interrupted);

private:
    struct place {
        const void* pc = nullptr;
        bool exact = false; // not a return address
    };

    const void* m_entry;
    const std::vector<const void*>& m_port;
    std::array<place, most> m_frames{};
    std::size_t m_count = 0;
    bool m_started;
    bool m_complete = false;
    bool m_in_port = false;
};

} // namespace ssdvp::platform
