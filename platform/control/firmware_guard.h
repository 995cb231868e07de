// SPDX-License-Identifier: Apache-2.0
//
// Firmware runs natively, so its errors are errors of this process: a wild pointer, a division by
// zero, a stack that runs over, a loop without end. While a guard lives, signals turn them into a
// panic of the firmware that says what happened, when and where.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

/// One at a time: signals belong to the process.
class firmware_guard {
public:
    /// `hang_limit`: processor time that firmware may run without simulated time going on; 0 = any.
    firmware_guard(std::vector<ssd*> drives, sim_time hang_limit);
    ~firmware_guard();
    firmware_guard(const firmware_guard&) = delete;
    firmware_guard& operator=(const firmware_guard&) = delete;

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

    std::vector<ssd*> m_drives;
    unsigned m_hang_samples; // 0 = never
    unsigned m_same = 0;     // samples in a row that found firmware in the same instant
    std::uint64_t m_instant = 0;
    std::string m_naming; // what firmware did, while its stack is looked at: that may trap again
    firmware_program* m_blamed = nullptr;
    std::vector<unsigned char> m_stack; // of the handlers: firmware's own may be used up
    stack_t m_old_stack{};
    static constexpr std::size_t signals = 6;
    std::array<struct sigaction, signals> m_old{};
};

} // namespace ssdvp::platform
