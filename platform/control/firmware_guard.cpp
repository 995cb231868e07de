// SPDX-License-Identifier: Apache-2.0
#include "platform/control/firmware_guard.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <utility>

#include "models/regs/boot_params.h"
#include "models/regs/memory_map.h"
#include "platform/config/boot_block.h"
#include "platform/control/exit_code.h"

namespace ssdvp::platform {

namespace {

constexpr std::array<int, 6> caught = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGPROF};
constexpr std::size_t handler_stack = 256u << 10; // bytes: unwinding and asking for names
constexpr std::uint64_t sample_ms = 250;          // of processor time
constexpr unsigned patience = 8; // samples from asking firmware to stop to making it

// Of a run that was asked to end.
constexpr std::uint64_t hurry_ms = 50; // of processor time, between samples
constexpr unsigned tell_after = 2;     // of these
constexpr unsigned end_after = 8;
constexpr unsigned kill_after = 12;

std::atomic<firmware_guard*> guarding{nullptr}; // a signal handler gets no argument

const void* stack_pointer_of(const void* context)
{
    const auto* c = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(c->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(c->uc_mcontext.sp);
#else
    (void)c;
    return nullptr; // nothing is known to be firmware's
#endif
}

/// The host could not fetch an instruction: firmware called, or returned to, what is no code.
bool jumped_astray(const void* context, const void* address)
{
    const auto* c = static_cast<const ucontext_t*>(context);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(c->uc_mcontext.gregs[REG_RIP]) == at;
#elif defined(__aarch64__)
    return c->uc_mcontext.pc == at;
#else
    (void)c;
    (void)at;
    return false;
#endif
}

/// Has the interrupted place be the call that led astray, as if that had trapped: there is no way
/// to the caller's frame from an address without code. Where no caller can be told, no place is.
void back_to_call(void* context)
{
    auto* c = static_cast<ucontext_t*>(context);
    Dl_info info{};
#if defined(__x86_64__)
    auto& sp = c->uc_mcontext.gregs[REG_RSP];
    const auto back = *reinterpret_cast<const greg_t*>(sp);
    const bool known = dladdr(reinterpret_cast<const void*>(back), &info) != 0;
    c->uc_mcontext.gregs[REG_RIP] = known ? back - 1 : 0; // within the call
    sp += known ? static_cast<greg_t>(sizeof back) : 0;
#elif defined(__aarch64__)
    const auto back = c->uc_mcontext.regs[30];
    const bool known = dladdr(reinterpret_cast<const void*>(back), &info) != 0;
    c->uc_mcontext.pc = known ? back - 4 : 0;
#else
    (void)c;
    (void)info;
#endif
}

extern "C" void on_trap(int signal, siginfo_t* info, void* context)
{
    firmware_guard* guard = guarding;
    if (guard != nullptr) {
        guard->trapped(signal, *info, context);
    }
    // Not firmware's: when this returns the same instruction traps again, and ends the process.
    constexpr char text[] = "ssdvp: error: the platform itself trapped: a defect of ssdvp\n";
    [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    std::signal(signal, SIG_DFL);
}

extern "C" void on_sample(int, siginfo_t*, void* context)
{
    firmware_guard* guard = guarding;
    if (guard != nullptr) {
        guard->sample(stack_pointer_of(context));
    }
}

void set_timer(std::uint64_t ms)
{
    itimerval t{};
    t.it_interval.tv_usec = static_cast<suseconds_t>(ms * 1000);
    t.it_value = t.it_interval;
    setitimer(ITIMER_PROF, &t, nullptr);
}

/// Firmware's stack is looked at no more.
class named {
public:
    explicit named(std::string& naming) : m_naming(naming) {}
    ~named() { m_naming.clear(); }
    named(const named&) = delete;
    named& operator=(const named&) = delete;

private:
    std::string& m_naming;
};

/// Names a place beside a memory that firmware has pointers into; `usable` bytes of it.
std::string beside(const char* name, memory_target& memory, std::uint64_t base,
                   std::uint64_t usable, const void* address)
{
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    if (at >= begin + usable && at < begin + memory.size() + memory_target::guard) {
        return fmt::format(", {} bytes beyond the end of {}, whose {} bytes end at {:#x}",
                           at - begin - usable, name, usable, base + usable);
    }
    if (at < begin && at >= begin - memory_target::guard) {
        return fmt::format(", {} bytes below the start of {} at {:#x}", begin - at, name, base);
    }
    return {};
}

} // namespace

firmware_guard::firmware_guard(std::vector<ssd*> drives, sim_time hang_limit, run_end end)
    : m_drives(std::move(drives)), m_end(std::move(end)), m_stack(handler_stack)
{
    const std::uint64_t samples = hang_limit.ps() / 1000000000 / sample_ms;
    m_hang_samples =
        hang_limit == sim_time() ? 0 : static_cast<unsigned>(std::max<std::uint64_t>(samples, 1));
    install();
}

void firmware_guard::install()
{
    stack_t stack{};
    stack.ss_sp = m_stack.data();
    stack.ss_size = m_stack.size();
    sigaltstack(&stack, &m_old_stack);
    guarding = this;
    for (std::size_t i = 0; i < caught.size(); ++i) {
        struct sigaction action {};
        action.sa_sigaction = caught[i] == SIGPROF ? on_sample : on_trap;
        // Firmware is left from within the handler, by an exception: the signal stays open.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
        sigaction(caught[i], &action, &m_old[i]);
    }
    set_timer(sample_ms);
}

void firmware_guard::goes_on_in_copy()
{
    if (guarding != nullptr) {
        set_timer(sample_ms);
    }
}

haste firmware_guard::to_end()
{
    const firmware_guard* guard = guarding;
    return guard == nullptr ? haste::none : guard->m_haste.load();
}

firmware_guard::~firmware_guard()
{
    set_timer(0);
    std::signal(SIGPROF, SIG_IGN); // drops one under way, which would end the process by default
    for (std::size_t i = 0; i < caught.size(); ++i) {
        sigaction(caught[i], &m_old[i], nullptr);
    }
    guarding = nullptr;
    sigaltstack(&m_old_stack, nullptr);
}

firmware_guard::runner firmware_guard::running_on(const void* stack_pointer) const
{
    for (ssd* drive : m_drives) {
        for (std::size_t i = 0; i < drive->cores(); ++i) {
            if (drive->program(i).on_stack(stack_pointer)) {
                return {drive, &drive->program(i)};
            }
        }
    }
    return {};
}

std::string firmware_guard::describe(const runner& r, int signal, const void* address) const
{
    switch (signal) {
    case SIGFPE:
        return "a division by zero, or one whose result does not fit";
    case SIGILL:
    case SIGTRAP:
        return "an illegal instruction: a sanitizer's or a compiler's trap";
    default:
        break;
    }
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (r.program->beyond_stack_end(address)) {
        return fmt::format("the stack has run over its {} bytes", cpu::native_core::stack_size);
    }
    std::string where =
        beside("SRAM", r.drive->sram(), MAP_SRAM_BASE, r.drive->sram().size(), address);
    if (where.empty()) {
        where = beside("DRAM", r.drive->dram(), MAP_DRAM_BASE, service_buffer(r.drive->config()),
                       address);
    }
    return fmt::format("an access to host address {:#x}{}", at,
                       at < 4096 ? ", a null pointer" : where);
}

/// Names the trap, and returns only by the exception that leaves firmware.
void firmware_guard::blame(const runner& r, int signal, const siginfo_t& info, void* context)
{
    const void* address = info.si_addr;
    if (signal == SIGSEGV && info.si_code == SI_KERNEL) { // the processor tells no address
        m_naming = "an access to, or a jump to, an address that no host has: a wild pointer";
    } else if (signal == SIGSEGV && jumped_astray(context, address)) {
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        m_naming = fmt::format("a call of host address {:#x}, where no code is{}", at,
                               at < 4096 ? ", a null pointer" : "");
        back_to_call(context);
    } else {
        m_naming = describe(r, signal, address);
    }
    const named done(m_naming);
    r.program->interrupted(m_naming);
}

void firmware_guard::trapped(int signal, const siginfo_t& info, void* context)
{
    const void* address = info.si_addr;
    const runner r = running_on(stack_pointer_of(context));
    if (r.program != nullptr) {
        m_blamed = r.program;
        blame(r, signal, info, context);
    }
    if (!m_naming.empty()) {
        m_blamed->unreadable(std::exchange(m_naming, {}));
    }
    // A device follows an address that firmware gave it. Where it goes on is unknown: no way back.
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    for (ssd* drive : m_drives) {
        const std::uint64_t end = service_buffer(drive->config());
        const auto begin = reinterpret_cast<std::uintptr_t>(drive->dram().data()) + end;
        if (signal != SIGSEGV || at < begin || at >= begin + service_buffer_size) {
            continue;
        }
        const std::string text =
            fmt::format("ssdvp: error: at {} ns of simulated time: firmware gave a device a buffer "
                        "in DRAM that "
                        "is not its own: it ends at boot_params.dram_size, {:#x}\n",
                        now().ns(), MAP_DRAM_BASE + end);
        [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
        _exit(EXIT_RUN_FAILED);
    }
}

/// Since the last sample: simulated time went on, or a call outside of it came.
bool firmware_guard::moved()
{
    std::uint64_t calls = 0;
    for (ssd* drive : m_drives) {
        for (std::size_t i = 0; i < drive->cores(); ++i) {
            calls += drive->program(i).calls();
        }
    }
    const std::uint64_t instant =
        now().ps() + sc_core::sc_delta_count() + (calls << 32); // changes with any of them
    return instant != std::exchange(m_instant, instant);
}

void firmware_guard::end_hang(firmware_program& p)
{
    constexpr const char* why = "it runs and runs, and simulated time does not go on (a limit that "
                                "is too short: raise cpu.hang_limit)";
    if (m_same == m_hang_samples) {
        p.core().halt(why); // where it calls the port
    } else if (m_same >= m_hang_samples + patience) {
        m_same = 0;
        p.interrupted(why);
    }
}

/// A drive that writes what was promised gets on; firmware that only reads does not.
bool firmware_guard::still_in_order()
{
    std::uint64_t lasting = 0;
    for (const ssd* drive : m_drives) {
        lasting += drive->progress().lasting;
    }
    return m_end.in_order && lasting != std::exchange(m_lasting, lasting);
}

/// First what waits for simulated time is told to end, then firmware is left where it calls the
/// port or, if it does not, where it is. What is left then are the platform's own frames.
void firmware_guard::hurry(const runner& r, bool goes_on)
{
    if (m_asked == 0 || still_in_order()) {
        set_timer(hurry_ms);
        m_asked = 1;
        return;
    }
    if (m_end.in_order && !goes_on && r.program == nullptr) {
        return; // an image or a result is written
    }
    ++m_asked;
    const bool hangs = m_same >= tell_after && (!m_end.in_order || m_asked >= end_after);
    if (m_asked >= end_after || hangs) {
        m_haste = haste::now;
        for (ssd* drive : m_drives) {
            for (std::size_t i = 0; i < drive->cores(); ++i) {
                drive->core(i).dismiss();
            }
        }
    } else if (m_asked >= tell_after) {
        m_haste = haste::tell;
    }
    if (hangs) {
        r.program->leave();
    }
    if (hangs && m_asked >= kill_after && m_end.at_once != nullptr) {
        constexpr char text[] = "ssdvp: error: firmware keeps the run from its end: no summary\n";
        [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
        m_end.at_once(SIGTERM);
    }
}

void firmware_guard::sample(const void* stack_pointer)
{
    const runner r = running_on(stack_pointer);
    const bool goes_on = moved();
    m_same = goes_on || r.program == nullptr ? 0 : m_same + 1;
    if (m_end.asked && m_end.asked()) {
        hurry(r, goes_on);
    } else if (m_hang_samples != 0 && m_same >= m_hang_samples) {
        end_hang(*r.program);
    }
}

} // namespace ssdvp::platform
