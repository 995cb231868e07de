// SPDX-License-Identifier: Apache-2.0
//
// NVMe front end: host registers in models/regs/nvme_regs.h, device registers and rings in
// models/regs/nvme_fe_regs.h, page in docs/models/nvme.md. It decodes accesses to registers and
// keeps the agenda; the parts do the work, from the queues over the mover to the completions.
#pragma once

#include <string>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/state_archive.h"
#include "models/nvme/lookup.h"

namespace ssdvp::nvme {

class front_end final : public front_end_base, public late_device {
public:
    tlm_utils::simple_target_socket<front_end> bar;  // LT: the host's register accesses
    tlm_utils::simple_target_socket<front_end> regs; // LT: the cores' register accesses
    dma_socket link;                                 // AT: host memory

    front_end(const sc_core::sc_module_name& name, const front_end_config& config,
              const front_end_environment& environment);
    ~front_end() override;

    /// What it does is told to `to`.
    void follow(timeline& to)
    {
        follow_moves(to);
        m_shared.levels.follow(to, m_shared.config.queue_pairs + 1, m_shared.config.vectors);
    }
    /// The channel with the next number: with all of them there is a look-up engine.
    void attach(page_read_port& channel)
    {
        m_lookup.attach(channel);
        m_fetch.offer_to(m_lookup);
    }
    [[nodiscard]] page_read_client& reader() { return m_lookup; }
    /// Hands over commands, and ends of moves that raise no interrupt.
    void catch_up() override;
    /// Before a host has set up anything: formats of namespaces are all that firmware has set by
    /// what the flash holds.
    void keep(state_archive& a) { a.value(m_shared.window.formats); }
    /// Power goes, now: registers, queues and commands are as at power-up. Counters stay.
    void power_off();

    [[nodiscard]] const front_end_stats& stats() const { return m_shared.stats; }
    /// See command_fetch::waited().
    [[nodiscard]] sim_time waited_for_slots() const { return m_fetch.waited(); }
    /// The commands that firmware has had the longest, as text; none: empty.
    [[nodiscard]] std::string open_commands() const;
    /// Names I/O commands that firmware has had for so long while it completed many others.
    void look_for_forgotten(sim_time age);
    /// When CSTS.RDY last became 1.
    [[nodiscard]] sim_time ready_since() const { return m_controller.ready_since(); }
    [[nodiscard]] std::uint32_t free_slots() const { return m_shared.slots.free(); }

private:
    // Agenda
    void start_of_simulation() override;
    void reserve_maps();
    void run();
    void drain();
    void perform(const job& j, sim_time when);
    /// Conditions that interrupt firmware from now on.
    void enable_interrupts(std::uint32_t wanted);
    void update_irq() { m_shared.stats.device_interrupts += interrupt_firmware(); }
    void controller_reset();

    // Host registers (host_registers.cpp)
    void bar_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    bool early_head(std::uint32_t offset, std::uint32_t value, sim_time arrives);
    bool set_head(std::uint32_t id, std::uint32_t value, sim_time arrives);
    [[nodiscard]] std::uint32_t bar_read(std::uint32_t offset) const;
    void bar_write(std::uint32_t offset, std::uint32_t value);
    void write_cc(std::uint32_t value);
    void doorbell(std::uint32_t offset, std::uint32_t value);

    // Device registers (device_registers.cpp)
    void regs_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    bool register_read(std::uint32_t offset, std::uint32_t& value);
    void register_write(std::uint32_t offset, std::uint32_t value);
    void write_window(std::uint32_t offset, std::uint32_t value);
    void write_csts(std::uint32_t value);
    void queue_command(std::uint32_t command);
    void wrong_queue_command(std::uint32_t command);
    void wrong_window(std::uint32_t offset, std::uint32_t value);
    [[nodiscard]] std::uint32_t conditions() const
    {
        return ring_conditions() | m_controller.conditions();
    }

    front_end_shared m_shared;
    controller_registers m_controller;
    host_queues m_queues;
    interrupts m_interrupts;
    command_fetch m_fetch;
    completions m_completions;
    data_mover m_mover;
    lookup_engine m_lookup;
    sim_time m_performed;      // when what was done last was due
    bool m_attended = false;   // somebody calls catch_up()
    bool m_has_queues = false; // since ready, until a controller reset
};

} // namespace ssdvp::nvme
