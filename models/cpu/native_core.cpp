// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/native_core.h"

#include <cstdint>
#include <fmt/format.h>
#include <sys/mman.h>

#include "models/common/calendar.h"
#include "models/cpu/flat_cost.h"

namespace ssdvp::cpu {

namespace {

constexpr const char* dismissed = "dismissed"; // the address is what counts

/// The kernel's stacks have a guard of one page, which one frame may jump over: this one is larger
/// than the program may use, and what is too much is closed. `top`: where the program's part ends.
void close_guard(const void* top)
{
    constexpr std::uintptr_t page = 64u << 10; // any host's
    const std::uintptr_t end =
        reinterpret_cast<std::uintptr_t>(top) / page * page - native_core::stack_size;
    constexpr std::size_t closed =
        native_core::stack_guard - 2 * page; // above `top` some is in use
    mprotect(reinterpret_cast<void*>(end - closed), closed, PROT_NONE);
}

template <std::size_t n>
void fill_cycle_times(std::array<sim_time, n>& times, rate clock)
{
    for (std::uint64_t cycles = 0; cycles < n; ++cycles) {
        times[cycles] = time_for(cycles, clock);
    }
}

} // namespace

native_core::native_core(const sc_core::sc_module_name& name, const core_config& config,
                         fault_log& faults)
    : block(name), bus("bus"), irq("irq"), m_config(config), m_clock(config.clock),
      m_faults(faults), m_cost(std::make_unique<flat_cost>(config)), m_caches(config)
{
    fill_cycle_times(m_cycle_times, config.clock);
    m_payload.set_streaming_width(4);
    m_payload.set_data_length(4);
    SC_HAS_PROCESS(native_core);
    SC_THREAD(run);
    set_stack_size(stack_size + stack_guard);
}

native_core::~native_core() = default;

void native_core::run()
{
    activated();
    if (m_program == nullptr) {
        return;
    }
    close_guard(__builtin_frame_address(0));
    run_program();
    while (!m_panicked) {
        if (!m_reset) {
            calendar::get().sleep(m_restart);
            activated();
            continue;
        }
        m_reset = false;
        run_program();
    }
    calendar::get().give_back();
}

void native_core::run_program()
{
    m_power_lost = false;
    m_running = true;
    caught_up();
    m_cost->restarted();
    forget_mark();
    try {
        m_program->run();
    } catch (const program_panic&) {
        calendar::get().stop(); // the fault is on record
    } catch (const power_lost&) {
        m_asleep = false;
    }
    m_running = false;
    m_busy_until = m_power_lost ? now() : local_time();
    m_local = sim_time();
}

/// Requests that are under way count as if all of their work had been at the new clock.
void native_core::divide_clock(unsigned exponent)
{
    m_clock.divide(exponent, m_stats.busy);
    m_config.clock = m_clock.now();
    fill_cycle_times(m_cycle_times, m_config.clock);
    if (m_ledger != nullptr) {
        m_ledger->count_work(m_config.clock);
    }
}

bool native_core::stopping()
{
    check_halt();
    return m_stopping;
}

void native_core::count_in(latency_ledger& ledger)
{
    m_ledger = &ledger;
    ledger.count_work(m_config.clock);
    forget_mark();
}

void native_core::forget_mark()
{
    if (takes_marks()) {
        m_work = &m_ledger->work_on(latency_ledger::no_slot);
        m_marked_at = position();
    }
}

/// The command marked last waits from m_marked_at on, or was kept out until then; the core may not
/// be charged for that yet.
void native_core::begin_wait(std::uint32_t mark)
{
    m_ledger->begin_wait(*m_work, local_time() + m_ledger->time_of(m_marked_at - charged()),
                         mark == latency_ledger::waits ? latency_part::wait_core
                                                       : latency_part::wait_power);
}

/// The core may not be charged yet for what it did before the mark.
void native_core::tell_mark(std::uint32_t slot)
{
    if (!m_functional) {
        m_timeline.work_until(local_time() + m_ledger->time_of(position() - charged()));
    }
    m_timeline.mark(slot);
}

void native_core::resumed()
{
    activated();
    irq->catch_up();
    m_cost->resumed();
    if (m_power_lost) {
        throw power_lost();
    }
    check_halt();
}

void native_core::check_halt()
{
    if (m_halt.load(std::memory_order_relaxed) != nullptr) {
        const char* why = m_halt.exchange(nullptr);
        if (why == dismissed) {
            give_up(why);
        }
        panic("watchdog", why);
    }
}

void native_core::dismiss()
{
    m_halt = dismissed;
}

void native_core::halt_now(const char* why)
{
    m_halt = why;
    irq->rouse();
}

void native_core::set_cost(std::unique_ptr<instruction_cost> cost)
{
    m_cost = std::move(cost);
    m_open = m_cost->open();
}

void native_core::set_functional(bool functional)
{
    m_cost->functional(functional);
    m_functional = functional;
    forget_mark();
}

sim_time native_core::busy_until() const
{
    return m_running && !m_waits ? local_time() : later(m_busy_until, now());
}

// Since its time was the kernel's, the core has done nothing but compute and stall. Which of it
// came when is not kept: cycles and stalls are told in proportion to the time.
core_stats native_core::stats() const
{
    core_stats s = m_stats;
    const sim_time ahead = busy_until() - now();
    if (ahead > sim_time()) {
        const sim_time even = now() - m_even_since;
        const auto by_now = [&](std::uint64_t before, std::uint64_t all) {
            const uint128 spent = all - before;
            return before + static_cast<std::uint64_t>(spent * even.ps() / (even + ahead).ps());
        };
        s.busy = s.busy - ahead;
        s.cycles = by_now(m_even.cycles, s.cycles);
        s.stalled = sim_time(by_now(m_even.stalled.ps(), s.stalled.ps()));
        s.fetching = sim_time(by_now(m_even.fetching.ps(), s.fetching.ps()));
    }
    s.slowed = m_clock.slowed(s.busy);
    s.uncharged = m_open.left != nullptr ? m_open.left->instructions : 0;
    return s;
}

void native_core::caught_up()
{
    m_even_since = now();
    m_even = m_stats;
}

void native_core::power_off()
{
    const core_stats until_now = stats(); // what it would have computed it does not
    m_stats.busy = until_now.busy;
    m_stats.cycles = until_now.cycles;
    m_stats.stalled = until_now.stalled;
    m_stats.fetching = until_now.fetching;
    m_busy_until = now();
    m_reset = false;
    m_power_lost = m_running;
    m_caches.clear();
    m_asleep = false;
    irq->rouse();
}

void native_core::power_on()
{
    m_timeline.wake(now());
    m_reset = true;
    calendar::get().notify(m_restart, sim_time());
}

void native_core::spend(std::uint64_t cycles)
{
    const sim_time t =
        cycles < m_cycle_times.size() ? m_cycle_times[cycles] : time_for(cycles, m_config.clock);
    m_stats.cycles += cycles;
    m_stats.busy += t;
    m_local += t;
}

void native_core::stall_until(sim_time local)
{
    if (local > m_local && !m_functional) {
        const sim_time waited = local - m_local;
        m_stats.busy += waited;
        constexpr std::uint64_t ps = 1000000000000ull / 256;
        m_stall_units += static_cast<std::int64_t>(static_cast<uint128>(waited.ps()) *
                                                   m_config.clock.per_second() / ps);
        m_local = local;
    }
}

void native_core::spend_on(port_call call, std::uint64_t cycles)
{
    m_cost->also(call, cycles);
    spend(cycles);
}

void native_core::charge(port_call call)
{
    check_halt();
    if (!m_functional) {
        charge_instructions(call);
    }
}

void native_core::charge_instructions(port_call call)
{
    const instruction_charge c = m_cost->charge(call);
    m_stats.instructions += c.instructions;
    spend(c.cycles);
}

void native_core::synchronise()
{
    if (m_local > sim_time()) {
        const sim_time t = m_local;
        m_busy_until = now() + t;
        m_local = sim_time();
        m_waits = true;
        calendar::get().notify(m_timer, t);
        calendar::get().sleep(m_timer);
        m_waits = false;
        caught_up();
        resumed();
    }
}

void native_core::access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& value)
{
    m_payload.set_command(command);
    m_payload.set_address(address);
    m_payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    m_payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = m_functional ? sc_core::SC_ZERO_TIME : m_local.to_sc();
    bus->b_transport(m_payload, delay);
    if (command == tlm::TLM_READ_COMMAND) { // the core waits for what the device takes, too
        stall_until(sim_time::from_sc(delay));
    }
    if (m_payload.is_response_error()) {
        const bool write = command == tlm::TLM_WRITE_COMMAND;
        panic("bus",
              fmt::format("{} register {:#x}: {}",
                          write ? fmt::format("write of {:#x} to", value) : "read of", address,
                          m_names ? m_names(address, write) : m_payload.get_response_string()));
    }
}

std::uint32_t native_core::read32(std::uint64_t address)
{
    charge(port_call::read32);
    std::uint32_t value = 0;
    if (!m_functional) {
        synchronise();
    }
    access(tlm::TLM_READ_COMMAND, address, value);
    if (!m_functional) {
        spend_on(port_call::read32, m_config.mmio_read_cycles);
    }
    return value;
}

void native_core::write32(std::uint64_t address, std::uint32_t value, const void* from)
{
    charge(port_call::write32);
    m_writes.add({address, from, local_time()});
    if (m_stops_at_writes && !m_functional) {
        synchronise();
    }
    access(tlm::TLM_WRITE_COMMAND, address, value);
    if (!m_functional) {
        spend_on(port_call::write32, m_config.mmio_write_cycles);
    }
}

// Work already waiting: catch up and return, one activation. Nothing waiting: sleep first, and
// spend what is left of the local time only if the interrupt came before it had passed.
std::uint64_t native_core::wait_irq()
{
    if (m_functional) {
        const std::uint64_t lines = irq->pending();
        irq->acknowledge(lines);
        return lines;
    }
    charge(port_call::wait_irq);
    const sim_time awake_until = now() + m_local;
    m_busy_until = awake_until;
    if (m_timeline) {
        m_timeline.work_until(awake_until);
    }
    while (irq->pending() == 0 && !m_stopping) {
        m_asleep = true;
        m_waits = true;
        irq->arm(awake_until);
        calendar::get().sleep(irq->wake());
        m_local = awake_until - now();
        m_waits = false;
        m_asleep = false;
        resumed();
    }
    m_local = awake_until - now();
    synchronise();
    caught_up();
    m_timeline.wake(now());
    const std::uint64_t lines = m_stopping ? 0 : irq->pending();
    irq->acknowledge(lines);
    if (lines != 0) {
        m_timeline.interrupt(now(), ++m_stats.interrupts);
        spend_on(port_call::wait_irq, m_config.interrupt_cycles);
    }
    return lines;
}

std::uint64_t native_core::time_ns()
{
    charge(port_call::time);
    return (now() + m_local).ns();
}

// The memory is free for others while this core computes, so a line is asked for at the local time,
// and its end is annotated: no kernel switch.
sim_time native_core::move(tlm::tlm_generic_payload& line, const char* cache)
{
    sc_core::sc_time delay = m_local.to_sc();
    bus->b_transport(line, delay);
    if (line.is_response_error()) {
        panic("bus", fmt::format("{} cache line at {:#x}: {}", cache, line.get_address(),
                                 line.get_response_string()));
    }
    return sim_time::from_sc(delay);
}

void native_core::read_line(std::uint64_t address)
{
    const sim_time end = move(m_caches.of_table.at(address, tlm::TLM_READ_COMMAND), "data");
    m_stats.stalled += end - m_local;
    stall_until(end);
}

/// Who writes does not wait for it.
void native_core::write_line(std::uint64_t address)
{
    (void)move(m_caches.of_table.at(address, tlm::TLM_WRITE_COMMAND), "data");
}

void native_core::touch(std::uint64_t address, std::uint32_t bytes, bool write)
{
    if (m_functional || address - m_config.on_chip_base < m_config.on_chip_size) {
        return;
    }
    charge(port_call::touch);
    if (m_caches.has_tlb) {
        translate(address, bytes);
    }
    if (m_caches.has_dcache) {
        touch_lines(address, bytes, write);
    }
}

void native_core::translate(std::uint64_t address, std::uint32_t bytes)
{
    const unsigned shift = m_caches.tlb.line_shift();
    const std::uint64_t last = (address + bytes - 1) >> shift;
    for (std::uint64_t page = address >> shift; page <= last; ++page) {
        std::optional<std::uint64_t> leaving; // nothing that was written
        if (!m_caches.tlb.touch(page, false, leaving)) {
            spend_on(port_call::touch, m_config.tlb.walk_cycles);
        }
    }
}

void native_core::touch_lines(std::uint64_t address, std::uint32_t bytes, bool write)
{
    const unsigned shift = m_caches.dcache.line_shift();
    const std::uint64_t last = (address + bytes - 1) >> shift;
    for (std::uint64_t line = address >> shift; line <= last; ++line) {
        std::optional<std::uint64_t> leaving;
        const bool hit = m_caches.dcache.touch(line, write, leaving);
        spend_on(port_call::touch, m_config.dcache_hit_cycles);
        if (!hit) {
            read_line(line << shift);
        }
        if (leaving) {
            write_line(*leaving << shift);
        }
    }
}

void native_core::set_code(const code_map& code, std::uint64_t address)
{
    m_caches.icache.load(code);
    m_caches.code_address = address;
    m_cost->tell_fetches(*this);
}

void native_core::fetch(std::uint64_t number)
{
    check_halt();
    if (!m_functional) {
        m_caches.icache.fetch(number, [this](std::uint64_t line) { fill(line); });
    }
}

/// A miss: what came before has its time first, then the pipeline waits for the line.
void native_core::fill(std::uint64_t line)
{
    charge_instructions(port_call::fetch);
    const sim_time begin = m_local;
    const std::uint64_t address = m_caches.code_address + (line << m_caches.icache.line_shift());
    stall_until(move(m_caches.of_code.at(address, tlm::TLM_READ_COMMAND), "instruction"));
    spend_on(port_call::fetch, m_config.icache.miss_cycles);
    m_stats.fetching += m_local - begin;
}

// What is written behind it must not be seen before this core's time has come. If nothing runs in
// the kernel until then, nobody can see it earlier, and no switch is needed.
void native_core::fence()
{
    if (m_functional) {
        return;
    }
    charge(port_call::fence);
    if (calendar::get().quiet() <= m_local) {
        synchronise();
    }
}

/// Leaves the firmware through its frames, so that what they hold is given back.
void native_core::panic(const std::string& where, const std::string& message)
{
    const std::string text = fmt::format("firmware panic at {}: {}", where, message);
    m_panicked = true;
    m_faults.record_at(local_time(), name(), text);
    m_program->panicking(text);
    throw program_panic(text);
}

void native_core::give_up(const std::string& why)
{
    m_panicked = true;
    throw program_panic(why);
}

void native_core::stop()
{
    m_stopping = true;
    irq->rouse();
}

} // namespace ssdvp::cpu
