// SPDX-License-Identifier: Apache-2.0
//
// Power of the RAM drive: what a cut takes away, what it leaves, and the core's start.
#include <cstdio>
#include <stdexcept>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include "tests/support/ram_nand.h"

namespace ssdvp::test {

namespace {

constexpr std::size_t stack_size = 1u << 20;

} // namespace

std::uint64_t ram_nand::wait_irq()
{
    while ((m_pending & m_enabled) == 0 && !m_stopping) {
        m_asleep = true;
        swapcontext(&m_core, &m_test);
    }
    m_asleep = false;
    ++m_wakes;
    begin_round();
    const std::uint64_t lines = m_stopping ? 0 : m_pending & m_enabled;
    m_pending &= ~lines;
    return lines;
}

void ram_nand::panic(const std::string& text)
{
    m_panicked = true;
    m_panic_text = text;
    if (!config.quiet) {
        std::fprintf(stderr, "firmware panic: %s\n", m_panic_text.c_str());
    }
    if (m_functional) {
        throw std::runtime_error(m_panic_text);
    }
    for (;;) {
        swapcontext(&m_core, &m_test);
    }
}

/// A cut in the middle of a register access: the core never gets its answer.
void ram_nand::leave_when_dying()
{
    while (m_dying) {
        swapcontext(&m_core, &m_test);
    }
}

void ram_nand::fill_ops()
{
    m_ops.read32 = [](void* self, std::uint64_t a) {
        return static_cast<ram_nand*>(self)->read32(a);
    };
    m_ops.write32 = [](void* s, std::uint64_t a, std::uint32_t v) {
        auto* self = static_cast<ram_nand*>(s);
        self->write32(a, v);
        self->leave_when_dying();
    };
    m_ops.wait_irq = [](void* self) { return static_cast<ram_nand*>(self)->wait_irq(); };
    m_ops.time_ns = [](void* self) { return static_cast<ram_nand*>(self)->m_now; };
    m_ops.log = [](void* self, int level, const char* message, std::uint64_t a, std::uint64_t b) {
        if (level == HAL_LOG_ERROR) {
            static_cast<ram_nand*>(self)->m_error_text =
                std::string(message) + " " + std::to_string(a) + " " + std::to_string(b);
        }
    };
    m_ops.panic = [](void* self, const char* file, int line, const char* message) {
        auto* const nand = static_cast<ram_nand*>(self);
        const std::string said = nand->m_error_text.empty() ? "" : " (" + nand->m_error_text + ")";
        nand->panic(std::string(file) + ":" + std::to_string(line) + ": " + message + said);
    };
    m_ops.stopping = [](void* self) { return static_cast<ram_nand*>(self)->begin_round(); };
    m_hal.ops = &m_ops;
    m_hal.ctx = this;
    m_stack.resize(stack_size);
}

/// The core at its reset vector. Whatever was on its stack is gone: firmware is C, and keeps
/// nothing outside SRAM and DRAM.
void ram_nand::start_core()
{
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(m_stack.data(), m_stack.size());
#endif
    getcontext(&m_core);
    m_core.uc_stack.ss_sp = m_stack.data();
    m_core.uc_stack.ss_size = m_stack.size();
    m_core.uc_link = &m_test;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&m_core, reinterpret_cast<void (*)()>(&ram_nand::entry), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    m_asleep = m_ended = m_panicked = false;
    m_panic_text.clear();
    m_error_text.clear();
    m_reads = m_boot_reads = 0;
    m_powered = true;
    while ((!config.impatient || counters().ready == 0) && step()) {
    }
}

void ram_nand::reset_hardware()
{
    m_channels.assign(config.params.geometry.channels, ram_channel());
    for (ram_channel& ch : m_channels) {
        ch.luns.resize(config.params.geometry.luns_per_channel);
    }
    m_fe = ram_front_end();
    m_fe.slots.resize(config.slots);
    m_pending = m_enabled = 0;
    m_events = {};
    m_now = config.clock ? m_now : 0;
    m_order = 0;
    m_timer = never;
    m_erases_in_flight = 0;
    features.clear();
    suspend_asked.clear();
}

ram_image ram_nand::image() const
{
    ram_image now = m_blocks;
    for (std::uint32_t c = 0; c < m_channels.size(); ++c) {
        for (const ram_lun& lun : m_channels[c].luns) {
            if (!lun.waiting.empty()) { // the rest waits in the ring: it has not happened
                tear(now, c, lun.waiting.front());
            }
        }
    }
    return now;
}

void ram_nand::power_off()
{
    m_last = counters();
    set_blocks(image());
    reset_hardware();
    wipe_memory();
    m_powered = m_dying = false;
}

void ram_nand::power_cut()
{
    if (m_powered) {
        power_off();
    }
}

void ram_nand::power_on()
{
    if (!m_powered) {
        // The same cells and seed behave the same, whatever this drive did before.
        m_random.seed(config.seed);
        start_core();
    }
}

void ram_nand::insert(const ram_image& now)
{
    if (m_powered || now.size() != m_blocks.size()) {
        throw std::runtime_error("cells of another drive, or the power is on");
    }
    set_blocks(now);
}

/// True: the power goes here.
bool ram_nand::cut_at(const flash_desc& d, bool ended)
{
    if (!m_functional && config.on_point &&
        config.on_point(
            {static_cast<flash_op>(d.op), static_cast<flash_purpose>(d.purpose), ended})) {
        m_dying = true;
    }
    return m_dying;
}

} // namespace ssdvp::test
