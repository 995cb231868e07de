// SPDX-License-Identifier: Apache-2.0
//
// A firmware image on a core: adapts the firmware's port (firmware/hal/hal.h) to the core's
// functions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/hal/hal.h"
#include "models/cpu/native_core.h"
#include "platform/plan/firmware_planner.h"
#include "platform/ssd/access_tap.h"
#include "platform/ssd/call_stack.h"
#include "platform/ssd/firmware_error.h"
#include "platform/ssd/firmware_timing.h"

namespace ssdvp::platform {

enum class image_use {
    shared,  // with all others of the process that name the same image
    own,     // a copy with tables of its own, for a core that takes other cycles
    watched, // shared; the built-in one is the one that tells what it does
};

/// For a core that listens to what the program does, or that does not.
[[nodiscard]] image_use image_use_for(const cpu::core_config& core, bool profiled);

/// A firmware image, the built-in one or one from a shared object that stays loaded with it.
class loaded_firmware {
public:
    /// Empty path: the firmware that is built in. Throws firmware_error.
    explicit loaded_firmware(const std::string& path, image_use use = image_use::shared);
    /// A package as it was downloaded (firmware/hal/package.h); `name` is for messages.
    loaded_firmware(const std::vector<unsigned char>& package, const std::string& name);
    ~loaded_firmware();
    loaded_firmware(const loaded_firmware&) = delete;
    loaded_firmware& operator=(const loaded_firmware&) = delete;

    [[nodiscard]] const firmware_image& image() const { return *m_image; }
    /// What its instructions cost on a core. Throws firmware_error.
    [[nodiscard]] std::unique_ptr<cpu::instruction_cost>
    cost(const cpu::core_config& config, cpu::call_profile* profile = nullptr) const;
    /// Where its code lies, for a core with an instruction cache. Throws firmware_error.
    [[nodiscard]] cpu::code_map code(const cpu::core_config& config) const;
    /// Asks it what it needs; lives no longer than this.
    [[nodiscard]] firmware_planner planner() const;
    /// Throws firmware_error when the image lacks the entries that preconditioning calls.
    void need_precondition() const;

private:
    void load(const std::string& path);
    void load_bytes(std::string_view image);
    void load_builtin_copy();
    void load_timing();

    struct library;
    std::unique_ptr<library> m_library;
    const firmware_image* m_image = nullptr;
    std::string m_path;                        // as messages name it; empty: built in
    std::unique_ptr<firmware_timing> m_timing; // null: the image does not count what it costs
};

/// Where a program runs: the core's number, the memories as it sees them, where in SRAM its boot
/// parameters lie, and who hears of its accesses to registers (null: nobody).
struct firmware_place {
    std::uint32_t core;
    unsigned char* sram;
    unsigned char* dram;
    std::uint64_t part;
    access_tap* accesses = nullptr;
};

class firmware_program final : public cpu::program {
public:
    firmware_program(const firmware_image& image, cpu::native_core& core,
                     const firmware_place& place);

    void run() override;
    /// Runs from the next reset on. Only while it does not run.
    void set_image(const firmware_image& image) { m_image = &image; }

    [[nodiscard]] bool can_precondition() const { return m_image->precondition != nullptr; }
    /// Functional, outside of simulated time. Returns an enum flash_status.
    int precondition(const std::uint64_t* units, std::uint32_t count, std::uint64_t buffer);
    int precondition_end();
    // Preconditioning by counts (struct firmware_counts).
    [[nodiscard]] bool can_count() const { return m_image->counts != nullptr; }
    bool begin_counts(const firmware_counted& what);
    std::uint64_t write_counted(std::uint64_t count);
    std::uint32_t deal_counted(std::uint64_t* units, std::uint64_t buffer);
    std::uint64_t counted_places();
    /// False: there is no space left.
    bool give_counted(const std::uint64_t* units, std::uint32_t count);
    std::uint32_t counted_valid(std::uint32_t* units, std::uint32_t most);

    [[nodiscard]] std::uint32_t number() const { return m_number; } // of the core

    // For those who watch over the firmware (platform/control/firmware_guard.h).
    /// Tells where the firmware stands, on stderr.
    void panicking(const std::string& why) override;
    /// Who called whom, when the program has called the port, innermost first.
    [[nodiscard]] std::vector<std::string> stack() const
    {
        return call_stack(call_stack::from::here, entry(), m_port).names();
    }
    /// From the handler of a signal that came while on_stack(): the firmware ends by a panic, or,
    /// where it cannot be left, the process does.
    void interrupted(const std::string& why);
    /// From the handler, when it runs and runs and was asked to end: it is left, which is no fault.
    /// Returns when it cannot be left here; it is at its next call of the port.
    void leave();
    /// From the handler: interrupted() trapped itself, for what firmware left of its stack.
    [[noreturn]] void unreadable(const std::string& why);
    /// The firmware runs, and its native stack is the one in use.
    [[nodiscard]] bool on_stack(const void* stack_pointer) const;
    /// An address that the native stack would reach if it were larger.
    [[nodiscard]] bool beyond_stack_end(const void* address) const;
    /// Functional calls begun so far.
    [[nodiscard]] std::uint64_t calls() const { return m_calls; }
    [[nodiscard]] cpu::native_core& core() { return m_core; }
    /// The port was called, and returns to there.
    void called(const void* from) { m_called_from = from; }
    /// What the program does, and where: as far as its last call of the port tells.
    [[nodiscard]] std::string doing() const;
    /// An access to a register has taken place. Preconditioning's are none: it has no time.
    void accessed(bool write, std::uint64_t address, std::uint32_t value, const void* from) const;

private:
    [[nodiscard]] const void* entry() const
    {
        return m_call_entry != nullptr ? m_call_entry : m_run_entry;
    }
    enum class report_of { fault, place };
    void report(const std::string& what, const std::vector<std::string>& names,
                report_of kind = report_of::fault) const;
    template <typename Fn>
    auto call(Fn entry);

    const firmware_image* m_image;
    cpu::native_core& m_core;
    std::uint32_t m_number;          // of the core
    access_tap* m_accesses;          // null: nobody hears of them
    std::vector<const void*> m_port; // functions that the firmware calls
    hal m_hal;
    const void* m_run_entry = nullptr;  // end of the stack that main got; null: it does not run
    const void* m_call_entry = nullptr; // ... that called a functional entry
    std::uint64_t m_calls = 0;
    const void* m_called_from = nullptr; // the port, last by a call that waits; null: not yet
    std::vector<std::string> m_names;    // of an interrupted stack
};

} // namespace ssdvp::platform
