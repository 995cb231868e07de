// SPDX-License-Identifier: Apache-2.0
//
// A core that runs its program natively: one SC_THREAD, a local time that runs ahead of the
// kernel's between waits, register accesses over TLM, interrupts. Page in docs/models/cpu.md.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/common/block.h"
#include "models/common/fault_log.h"
#include "models/common/irq.h"
#include "models/common/latency_ledger.h"
#include "models/common/time.h"
#include "models/cpu/config.h"
#include "models/cpu/core_caches.h"
#include "models/cpu/core_stats.h"
#include "models/cpu/core_timeline.h"
#include "models/cpu/divided_clock.h"
#include "models/cpu/instruction_cost.h"
#include "models/cpu/port.h"
#include "models/cpu/write_log.h"

namespace ssdvp::cpu {

class native_core final : public block, private fetch_listener {
public:
    static constexpr std::size_t stack_size = 1u << 20; // bytes; the program runs on it natively
    /// Below the stack, where nothing can be touched: address space only, larger than any frame.
    static constexpr std::size_t stack_guard = 256u << 20;

    tlm_utils::simple_initiator_socket<native_core> bus;
    sc_core::sc_port<irq_view_if> irq;

    native_core(const sc_core::sc_module_name& name, const core_config& config, fault_log& faults);
    ~native_core() override;

    /// Before the simulation starts. The program must outlive the core.
    void load(program& p) { m_program = &p; }
    void set_cost(std::unique_ptr<instruction_cost> cost);
    /// For an instruction cache: the code of the program lies from `address` on.
    void set_code(const code_map& code, std::uint64_t address);
    /// Where the work on each command is counted. The ledger must outlive the core.
    void count_in(latency_ledger& ledger);
    /// Work can be told apart between calls of the port.
    [[nodiscard]] bool takes_marks() const { return m_ledger != nullptr && m_open.left != nullptr; }

    // The port of the program.
    std::uint32_t read32(std::uint64_t address);
    /// `from`: where the program goes on.
    void write32(std::uint64_t address, std::uint32_t value, const void* from = nullptr);
    std::uint64_t wait_irq();
    [[nodiscard]] std::uint64_t time_ns();
    void log() { charge(port_call::log); }
    void panic(const std::string& where, const std::string& message);
    [[nodiscard]] bool stopping();
    /// `bytes` of a table in DRAM are read or written there. Only if hears_touches().
    void touch(std::uint64_t address, std::uint32_t bytes, bool write);
    /// Work on the command in `slot` begins, or on none (no_slot, in_vain, waits, kept_out: see the
    /// ledger).
    void mark(std::uint32_t slot)
    {
        if (m_timeline) {
            tell_mark(slot);
        }
        const std::int64_t at = position();
        *m_work += slot != latency_ledger::in_vain ? at - m_marked_at : 0;
        m_marked_at = at;
        if (slot - latency_ledger::kept_out <= latency_ledger::waits - latency_ledger::kept_out) {
            begin_wait(slot);
        }
        m_work = &m_ledger->work_on(slot);
        m_ledger->marked();
    }
    /// What the core works on is told to `to`, by the marks of the program.
    void follow(timeline& to) { m_timeline = core_timeline(to, basename()); }
    /// What the program has written to shared memory is there at this time, not before.
    void fence();

    /// The program leaves its next wait_irq() and is told to return.
    void stop();
    /// Power goes, now: the program leaves through its frames from wherever it waits.
    void power_off();
    /// The program starts again from reset, as soon as it has left.
    void power_on();
    /// While true, calls cost nothing and waits return at once.
    void set_functional(bool functional);
    [[nodiscard]] bool panicked() const { return m_panicked; }
    // At the program's next call of the port. Signal handlers may call the first two.
    /// It panics, and says `why`, which must stay.
    void halt(const char* why) { m_halt = why; }
    /// It is left as it is, which is no fault.
    void dismiss();
    /// Like halt(); a program that waits is woken up for it.
    void halt_now(const char* why);
    /// A fault ends the run: the program is left, as by a panic that is on record already.
    [[noreturn]] void give_up(const std::string& why);
    /// Time catches up before each register write: what is wrong with it shows on the stack.
    void stop_at_writes() { m_stops_at_writes = true; }
    /// Names a register access that nobody takes.
    using access_names = std::function<std::string(std::uint64_t address, bool write)>;
    void name_accesses(access_names names) { m_names = std::move(names); }
    [[nodiscard]] const write_log& writes() const { return m_writes; }
    [[nodiscard]] bool running() const { return m_running; } // the program has not returned
    /// The core's own, which may be ahead of the kernel's.
    [[nodiscard]] sim_time local_time() const { return now() + m_local; }
    /// The program sleeps, and whoever is due acts on its stack (calendar::sleep).
    [[nodiscard]] bool waits() const { return m_waits; }
    /// Asleep in wait_irq() with nothing pending.
    [[nodiscard]] bool asleep() const { return m_asleep && irq->pending() == 0; }

    /// Until now: what the core computes ahead of it has not been yet.
    [[nodiscard]] core_stats stats() const;
    /// The core computes until then; what it waits for after that, only the program knows.
    [[nodiscard]] sim_time busy_until() const;
    [[nodiscard]] const core_caches& caches() const { return m_caches; }
    /// The program need not tell of its tables otherwise.
    [[nodiscard]] bool hears_touches() const { return m_caches.has_dcache || m_caches.has_tlb; }
    [[nodiscard]] rate clock() const { return m_clock.full(); }
    /// What is computed from now on runs at clock() / 2^exponent.
    void divide_clock(unsigned exponent);
    [[nodiscard]] const char* timing_level() const { return m_cost->level(); }

private:
    void run();
    void forget_mark();
    void begin_wait(std::uint32_t mark);
    void tell_mark(std::uint32_t slot);
    /// Cycles spent so far, charged or not, in 1/256.
    [[nodiscard]] std::int64_t position() const
    {
        std::int64_t sum = charged();
        sum += m_open.left->cycles;
        for (const spent_account& one : m_open.accounts->each) {
            sum += one.cycles;
        }
        return sum;
    }
    [[nodiscard]] std::int64_t charged() const
    {
        return static_cast<std::int64_t>(m_stats.cycles << 8) + m_stall_units;
    }
    void check_halt();
    void charge(port_call call);
    void charge_instructions(port_call call);
    void spend(std::uint64_t cycles);
    void stall_until(sim_time local);
    /// Spends what the call itself takes, beside instructions.
    void spend_on(port_call call, std::uint64_t cycles);
    void run_program();
    /// After every wait of the program.
    void resumed();
    /// Lets the kernel's time catch up with the local time.
    void synchronise();
    /// Local and kernel's time are the same, from here on the core computes ahead again.
    void caught_up();
    void access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& value);
    void translate(std::uint64_t address, std::uint32_t bytes);
    void touch_lines(std::uint64_t address, std::uint32_t bytes, bool write);
    /// When it is done, in local time.
    sim_time move(tlm::tlm_generic_payload& line, const char* cache);
    void read_line(std::uint64_t address);
    void write_line(std::uint64_t address);
    void fetch(std::uint64_t number) override;
    void fill(std::uint64_t line);

    core_config m_config; // with the clock as it is now
    divided_clock m_clock;
    fault_log& m_faults;
    std::unique_ptr<instruction_cost> m_cost;
    uncharged m_open; // of m_cost
    latency_ledger* m_ledger = nullptr;
    std::int64_t* m_work = nullptr; // on what is marked
    std::int64_t m_marked_at = 0;   // position()
    std::int64_t m_stall_units = 0; // waits of the core, in 1/256 cycle
    program* m_program = nullptr;
    tlm::tlm_generic_payload m_payload;
    core_caches m_caches;
    std::array<sim_time, 1024> m_cycle_times; // of so many cycles: each call spends some
    sim_time m_local;                         // ahead of the kernel's time
    sim_time m_busy_until;                    // of the wait under way: the local time
    sim_time m_even_since;                    // the last time that it was the kernel's ...
    core_stats m_even;                        // ... and what had been spent by then
    bool m_waits = false;
    bool m_functional = false;
    bool m_stopping = false;
    bool m_panicked = false;
    bool m_asleep = false;
    bool m_running = false;    // the program has not returned
    bool m_power_lost = false; // the program that runs has to go
    bool m_reset = false;      // it may start
    std::atomic<const char*> m_halt{nullptr};
    bool m_stops_at_writes = false;
    write_log m_writes;
    access_names m_names;
    core_stats m_stats;
    alarm m_timer; // of waits until the core's own time
    alarm m_restart;
    core_timeline m_timeline;
};

} // namespace ssdvp::cpu
