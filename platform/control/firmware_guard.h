// SPDX-License-Identifier: Apache-2.0
//
// Firmware runs natively, so its errors are errors of this process: a wild pointer, a division by
// zero, a stack that runs over, a loop without end. While a guard lives, signals turn them into a
// panic of the firmware that says what happened, when and where.
//
// A run that is asked to end does so by itself, unless firmware keeps it from it. The guard counts
// the processor time from then on, and ends it within a second whatever firmware does.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

/// How a run ends that somebody asks to.
struct run_end {
    std::function<bool()> asked;    // by a signal? Looks at atomics only; empty: by nobody
    bool in_order = false;          // it may take its time as long as the drive gets on
    void (*at_once)(int) = nullptr; // when firmware cannot be left: ends the process
};

/// How soon it has to.
enum class haste : std::uint8_t {
    none,
    tell, // it takes a while: a user wants to know of what
    now   // with what is under way left as it is
};

/// One at a time: signals belong to the process.
class firmware_guard {
public:
    /// `hang_limit`: processor time that firmware may run without simulated time going on; 0 = any.
    firmware_guard(std::vector<ssd*> drives, sim_time hang_limit, run_end end = {});
    ~firmware_guard();
    firmware_guard(const firmware_guard&) = delete;
    firmware_guard& operator=(const firmware_guard&) = delete;

    /// This process is a copy of the one that the guard was made in, and has none of its timers.
    static void goes_on_in_copy();

    /// For the run that is guarded; none without one.
    [[nodiscard]] static haste to_end();

    // For the signal handlers.
    /// Returns when it was not firmware that trapped.
    void trapped(int signal, const siginfo_t& info, void* context);
    /// Every now and then of processor time.
    void sample(const void* stack_pointer);

private:
    /// Whose stack that is; program null: no firmware's.
    struct runner {
        ssd* drive = nullptr;
        firmware_program* program = nullptr;
    };
    [[nodiscard]] runner running_on(const void* stack_pointer) const;
    [[nodiscard]] std::string describe(const runner& r, int signal, const void* address) const;
    void blame(const runner& r, int signal, const siginfo_t& info, void* context);
    void install();
    [[nodiscard]] bool moved();
    void end_hang(firmware_program& p);
    [[nodiscard]] bool still_in_order();
    void hurry(const runner& r, bool goes_on);

    std::vector<ssd*> m_drives;
    unsigned m_hang_samples; // 0 = never
    run_end m_end;
    unsigned m_same = 0;  // samples in a row that found firmware in the same instant
    unsigned m_asked = 0; // samples since the run was asked to end
    std::uint64_t m_instant = 0;
    std::uint64_t m_lasting = 0; // progress of all drives
    std::atomic<haste> m_haste{haste::none};
    std::string m_naming; // what firmware did, while its stack is looked at: that may trap again
    firmware_program* m_blamed = nullptr;
    std::vector<unsigned char> m_stack; // of the handlers: firmware's own may be used up
    stack_t m_old_stack{};
    static constexpr std::size_t signals = 6;
    std::array<struct sigaction, signals> m_old{};
};

} // namespace ssdvp::platform
