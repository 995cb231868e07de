// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/call_stack.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

namespace ssdvp::platform {

namespace {

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* stack)
{
    int before = 0; // 1: the frame was interrupted, its pc is not behind a call
    const auto pc = _Unwind_GetIPInfo(context, &before);
    const auto frame = _Unwind_GetCFA(context); // of the callee: this frame's stack pointer
    const bool more = static_cast<call_stack*>(stack)->add(
        reinterpret_cast<const void*>(pc),
        reinterpret_cast<const void*>(_Unwind_GetRegionStart(context)),
        reinterpret_cast<const void*>(frame), before != 0);
    return more ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/// What a program prints; empty when it cannot be run.
std::string output_of(std::vector<std::string> words)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return {};
    }
    std::vector<char*> argv;
    for (std::string& w : words) {
        argv.push_back(w.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0); // O_WRONLY
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    pid_t child = 0;
    const bool runs = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string text;
    char buffer[512];
    for (ssize_t n = 0; runs && (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
        text.append(buffer, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    if (runs) {
        waitpid(child, nullptr, 0);
    }
    return text;
}

std::string base_name(const std::string& path)
{
    return path.substr(path.rfind('/') + 1);
}

constexpr const char* own_process = "/proc/self";

struct module {
    std::string path;
    std::uintptr_t offset = 0; // of the place, as the file counts
    std::string symbol;        // exported ones only
};

module module_of(const void* pc)
{
    Dl_info info{};
    link_map* map = nullptr;
    module m;
    if (dladdr1(pc, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
        m.offset = reinterpret_cast<std::uintptr_t>(pc);
        return m;
    }
    const bool main_program = map == nullptr || map->l_name[0] == '\0';
    m.path = main_program ? "/proc/self/exe" : map->l_name;
    if (main_program) { // the child's own would be addr2line
        char real[4096];
        const ssize_t n = readlink("/proc/self/exe", real, sizeof real);
        m.path = n > 0 ? std::string(real, static_cast<std::size_t>(n)) : info.dli_fname;
    } else if (m.path.rfind(own_process, 0) == 0) { // an image that exists in memory alone
        m.path.replace(0, std::strlen(own_process), fmt::format("/proc/{}", getpid()));
    }
    m.offset = reinterpret_cast<std::uintptr_t>(pc) - (map != nullptr ? map->l_addr : 0);
    m.symbol = info.dli_sname != nullptr ? info.dli_sname : "";
    return m;
}

/// addr2line answers in pairs of lines, function and place; of functions that were inlined the
/// innermost first.
void append_names(std::vector<std::string>& names, const void* pc, bool exact)
{
    const char* at = static_cast<const char*>(pc) - (exact ? 0 : 1); // the call, not what follows
    const module m = module_of(at);
    const std::string plain = fmt::format("{}+{:#x}", base_name(m.path), m.offset);
    const std::string text =
        output_of({"addr2line", "-f", "-C", "-i", "-e", m.path, fmt::format("{:#x}", m.offset)});
    std::size_t from = 0;
    bool any = false;
    while (from < text.size()) {
        const std::size_t middle = text.find('\n', from);
        const std::size_t end = text.find('\n', middle + 1);
        if (middle == std::string::npos || end == std::string::npos) {
            break;
        }
        const std::string function = text.substr(from, middle - from);
        std::string place = text.substr(middle + 1, end - middle - 1);
        place = place.substr(0, place.find(" (discriminator"));
        const bool known = place.rfind("??", 0) != 0;
        names.push_back(
            fmt::format("{} at {}", function == "??" ? plain : function, known ? place : plain));
        any = true;
        from = end + 1;
    }
    if (!any) {
        names.push_back(fmt::format("{} at {}", m.symbol.empty() ? "?" : m.symbol, plain));
    }
}

} // namespace

call_stack::call_stack(from where, const void* entry, const std::vector<const void*>& port)
    : m_entry(entry), m_port(port), m_started(where == from::here)
{
    _Unwind_Backtrace(on_frame, this);
}

bool call_stack::add(const void* pc, const void* function, const void* frame, bool interrupted)
{
    if (!m_started) { // frames of the handler, on a stack of their own
        m_started = interrupted;
        if (!m_started) {
            return true;
        }
    }
    if (std::find(m_port.begin(), m_port.end(), function) != m_port.end()) {
        m_count = 0; // what lay above is the platform's
        m_in_port = true;
        return true;
    }
    if (frame > m_entry) {
        m_complete = true;
        return false;
    }
    if (m_count < most) {
        m_frames[m_count++] = {pc, interrupted};
    }
    return true;
}

std::vector<std::string> call_stack::names_of(const void* return_address)
{
    std::vector<std::string> names;
    append_names(names, return_address, false);
    return names;
}

std::vector<std::string> call_stack::names() const
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < m_count; ++i) {
        append_names(names, m_frames[i].pc, m_frames[i].exact);
    }
    if (m_count == most) {
        names.emplace_back("... and more");
    }
    return names;
}

} // namespace ssdvp::platform
