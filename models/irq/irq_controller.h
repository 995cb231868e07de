// SPDX-License-Identifier: Apache-2.0
//
// Interrupt controller: registers in models/regs/irq_regs.h, page in docs/models/irq.md.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/block.h"
#include "models/common/calendar.h"
#include "models/common/fault_log.h"
#include "models/common/irq.h"
#include "models/common/time.h"
#include "models/common/timeline.h"
#include "models/regs/memory_map.h"

namespace ssdvp::irq {

/// Lines that waves show. How often each was raised: a core that sleeps takes and acknowledges an
/// interrupt at the instant at which its line is raised.
struct shown_lines {
    std::array<timeline_level, IRQ_LINES> level;
    std::array<std::uint64_t, IRQ_LINES> count{};

    void raised(unsigned line, sim_time t)
    {
        if (level[line]) {
            level[line].set(t, ++count[line]);
        }
    }
};

/// One core's part: its enables, its sleep, its doorbell. A doorbell that is on its way costs the
/// kernel nothing but the receiver's waking.
class core_view final : public irq_view_if {
public:
    using device_list = std::vector<late_device*>;
    core_view(std::uint64_t& lines, const device_list& devices, shown_lines& shown,
              unsigned mailbox)
        : m_lines(lines), m_devices(devices), m_shown(shown), m_mailbox(mailbox)
    {}

    void catch_up() override
    {
        m_armed = false; // it is awake
        const sim_time t = now();
        for (late_device* d : m_devices) {
            if (d->late_from() <= t) {
                d->catch_up();
            }
        }
    }
    [[nodiscard]] std::uint64_t pending() const override { return latched() & m_enable; }
    void acknowledge(std::uint64_t lines) override { m_lines &= ~lines; }
    void arm(sim_time earliest) override;
    [[nodiscard]] alarm& wake() override { return m_wake; }
    void rouse() override { calendar::get().notify(m_wake, sim_time()); }

    [[nodiscard]] std::uint64_t enabled() const { return m_enable; }
    /// All lines that are raised, of this core's doorbell too.
    [[nodiscard]] std::uint64_t latched() const;
    void set_enable(std::uint64_t enable);
    /// Wakes the core if it sleeps and wants one of `lines`.
    void raised(std::uint64_t lines);
    /// Likewise, for a line that will be raised then.
    void foresee(std::uint64_t lines, sim_time when);
    /// Raises the mailbox line `delay` from now.
    void ring(sim_time delay);
    [[nodiscard]] bool rings() const { return m_rings && now() < m_due; }
    void power_off();

private:
    [[nodiscard]] sim_time first_raise() const;
    void wake_at(sim_time when);

    std::uint64_t& m_lines; // latched, common to all cores
    const device_list& m_devices;
    shown_lines& m_shown;
    unsigned m_mailbox; // the doorbell's line
    std::uint64_t m_enable = 0;
    bool m_armed = false;
    mutable bool m_rings = false; // a doorbell is on its way, until m_due
    sim_time m_due;
    sim_time m_earliest; // of the core's waking
    alarm m_wake;
};

class irq_controller final : public block, public irq_line_if {
public:
    tlm_utils::simple_target_socket<irq_controller> regs; // offsets of irq_regs.h
    sc_core::sc_export<irq_line_if> in;                   // devices raise lines here
    sc_core::sc_export<irq_view_if> core;                 // core 0, which takes the interrupts

    /// `cores`: that there are, of MAP_CORES_MAX.
    explicit irq_controller(const sc_core::sc_module_name& name,
                            std::uint32_t cores = MAP_CORES_MAX, fault_log* faults = nullptr);
    ~irq_controller() override;

    /// A line with this name is told to `to`.
    void follow(timeline& to, unsigned line, const std::string& name);
    /// What core `i` sees of it, i < MAP_CORES_MAX.
    core_view& view(std::size_t i) { return *m_views[i]; }
    /// No doorbell is on its way.
    [[nodiscard]] bool idle() const;
    /// Power goes: nothing pending, nothing enabled.
    void power_off();
    void raise(unsigned line) override;
    bool attend(late_device& device) override
    {
        m_devices.push_back(&device);
        return true;
    }
    void foresee(unsigned line, sim_time when) override;

private:
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    void access_core(tlm::tlm_generic_payload& gp, core_view& view, sim_time delay);
    void nobody_rung(std::uint64_t number);

    std::uint32_t m_cores;
    fault_log* m_faults;
    std::uint64_t m_pending = 0;
    core_view::device_list m_devices; // that have to catch up before a core looks
    shown_lines m_shown;
    // All there: registers are, of cores or not. Optional, for they cannot be moved.
    std::array<std::optional<core_view>, MAP_CORES_MAX> m_views;
};

} // namespace ssdvp::irq
