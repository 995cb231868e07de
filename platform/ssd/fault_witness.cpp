// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/fault_witness.h"

#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <spdlog/spdlog.h>
#include <string>
#include <utility>

#include "models/common/calendar.h"

namespace {

/// proc(5): TracerPid of /proc/self/status.
bool is_debugged()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("TracerPid:", 0) == 0) {
            return std::stol(line.substr(10)) != 0;
        }
    }
    return false;
}

} // namespace

extern "C" [[gnu::noinline]] void ssdvp_fault(const char* text)
{
    asm volatile("" : : "r"(text) : "memory"); // the argument is for the debugger
    if (is_debugged()) {
        std::raise(SIGTRAP);
        asm volatile("" : : : "memory"); // not a tail call: the stack names this function
    }
}

namespace ssdvp::platform {

/// The program whose stack this is.
firmware_program* fault_witness::running() const
{
    for (const auto& p : m_programs) {
        if (p->on_stack(__builtin_frame_address(0))) {
            return p.get();
        }
    }
    return nullptr;
}

void fault_witness::tell(const fault_log::fault& f, const std::string& where)
{
    spdlog::error("{}: {}", f.who, f.what);
    spdlog::error("  at {} ns of simulated time{}", f.when.ns(), where);
    for (std::size_t i = 0; i < f.stack.size(); ++i) {
        spdlog::error("  #{} {}", i, f.stack[i]);
    }
    m_told = true;
}

/// On the core's own stack that says all. Later only the place is known that wrote the register.
void fault_witness::on_misuse(fault_log::fault& f, std::uint64_t order)
{
    if (firmware_program* p = running(); p != nullptr) {
        f.stack = p->stack();
        f.when = later(f.when, p->core().local_time());
        tell(f, fmt::format(", by {}:", p->core().name()));
        return;
    }
    const cpu::write_log::entry* last = nullptr;
    const char* core = "";
    for (const auto& p : m_programs) {
        const cpu::write_log::entry* e = p->core().writes().find(order, f.when);
        if (e != nullptr && (last == nullptr || last->when < e->when)) {
            last = e;
            core = p->core().name();
        }
    }
    if (last == nullptr || last->from == nullptr) {
        tell(f, ", when no core was at it; what had ordered it lies further back");
        return;
    }
    f.stack = call_stack::names_of(last->from);
    tell(f, fmt::format(", ordered by {} at {} ns (--stop-on-fault shows who called):", core,
                        last->when.ns()));
}

void fault_witness::recorded(const fault_log::fault& f)
{
    const bool told = std::exchange(m_told, false);
    if (++m_recorded == fault_log::kept && !m_stop) {
        spdlog::error("{} faults: further ones are counted, and not told", m_recorded);
    }
    if (!m_stop || m_stopped) {
        return;
    }
    for (const auto& p : m_programs) {
        if (p->core().panicked()) { // it stops the run, and says why
            ssdvp_fault(f.what.c_str());
            return;
        }
    }
    if (!told) {
        tell(f, "");
        m_told = false;
    }
    ssdvp_fault(f.what.c_str());
    if (is_debugged()) {
        return; // it goes on as the debugger says
    }
    m_stopped = true;
    calendar::get().stop();
    if (firmware_program* p = running(); p != nullptr) {
        p->core().give_up(f.what);
    }
}

} // namespace ssdvp::platform
