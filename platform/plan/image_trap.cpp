// SPDX-License-Identifier: Apache-2.0
#include "platform/plan/image_trap.h"

#include <atomic>
#include <fmt/format.h>
#include <unistd.h>

namespace ssdvp::platform {

namespace {

constexpr std::size_t trap_stack = 64u << 10; // bytes; the image's own may be used up
constexpr int bad_input = 2;                  // exit code

std::atomic<const std::string*> to_say{nullptr}; // a signal handler gets no argument

extern "C" void on_image_trap(int)
{
    const std::string* text = to_say;
    [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, text->data(), text->size());
    _exit(bad_input);
}

} // namespace

image_trap::image_trap(const std::string& path, const char* doing)
{
    if (path.empty()) {
        return;
    }
    m_text =
        fmt::format("ssdvp: error: {}: {} crashes, or the file is damaged; build it again with "
                    "scripts/fw-build, and look there for a wild pointer\n",
                    path, doing);
    to_say = &m_text;
    m_stack.resize(trap_stack);
    stack_t stack{};
    stack.ss_sp = m_stack.data();
    stack.ss_size = m_stack.size();
    sigaltstack(&stack, &m_old_stack);
    struct sigaction action {};
    action.sa_handler = on_image_trap;
    action.sa_flags = SA_ONSTACK;
    for (std::size_t i = 0; i < caught.size(); ++i) {
        sigaction(caught[i], &action, &m_old[i]);
    }
}

image_trap::~image_trap()
{
    if (m_text.empty()) {
        return;
    }
    for (std::size_t i = 0; i < caught.size(); ++i) {
        sigaction(caught[i], &m_old[i], nullptr);
    }
    sigaltstack(&m_old_stack, nullptr);
    to_say = nullptr;
}

} // namespace ssdvp::platform
