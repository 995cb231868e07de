// SPDX-License-Identifier: Apache-2.0
//
// Code of a firmware image runs before there is a simulation whose guard could say what went wrong:
// its constructors and destructors, and its plan. The dynamic linker, too, believes what a damaged
// file says. What traps then cannot be left in order, so the process ends, but it says of which
// file.
#pragma once

#include <array>
#include <csignal>
#include <string>
#include <vector>

namespace ssdvp::platform {

class image_trap {
public:
    /// While it lives, a trap ends the process as bad input does. One at a time. `path`: of the
    /// image; empty: the built-in one, which is trusted. `doing`: "its plan", say.
    image_trap(const std::string& path, const char* doing);
    ~image_trap();
    image_trap(const image_trap&) = delete;
    image_trap& operator=(const image_trap&) = delete;

private:
    static constexpr std::array<int, 6> caught = {SIGSEGV, SIGBUS,  SIGFPE,
                                                  SIGILL,  SIGTRAP, SIGABRT};
    std::string m_text; // empty: nothing is caught
    std::vector<unsigned char> m_stack;
    stack_t m_old_stack{};
    std::array<struct sigaction, caught.size()> m_old{};
};

} // namespace ssdvp::platform
