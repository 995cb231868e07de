// SPDX-License-Identifier: Apache-2.0
//
// Flash channel controller: takes descriptors from the submission ring, holds them in a FIFO per
// LUN, gives their phases the bus by the arbiter's rules, moves their data and posts completions.
// Registers: models/regs/channel_regs.h. Page in docs/models/channel.md.
#pragma once

#include <array>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/block.h"
#include "models/common/fault_log.h"
#include "models/common/latency_ledger.h"
#include "models/common/timed_queue.h"
#include "models/flash/channel/direct_reads.h"
#include "models/flash/channel/functional.h"
#include "models/flash/channel/lun_work.h"
#include "models/flash/channel/operation.h"
#include "models/flash/channel/rings.h"
#include "models/flash/channel/scheduler.h"
#include "models/flash/channel/sequencer.h"
#include "models/flash/channel/statistics.h"
#include "models/flash/environment.h"

namespace ssdvp::flash {

class controller final : public block,
                         public onfi::edge_clock,
                         public late_device,
                         public page_read_port {
public:
    tlm_utils::simple_target_socket<controller> regs;      // MMIO, LT
    tlm_utils::simple_initiator_socket<controller> memory; // AT data, DMI for rings and lists
    tlm_utils::simple_initiator_socket<controller> onfi;   // to the bus
    sc_core::sc_port<irq_line_if> irq;

    controller(const sc_core::sc_module_name& name, const channel_config& config,
               const cycle_timing& timing, const flash_environment& environment);
    ~controller() override;

    /// A die: the cells that functional mode works on, and its R/B#. Once per LUN, in order.
    void attach(cell_array& cells, onfi::ready_line& line)
    {
        m_functional_executor.attach(cells);
        m_lines.push_back(&line);
    }
    void edge_at(lun_index lun, sim_time when) override
    {
        m_agenda.push(when, {todo::edge, lun.value(), 0});
    }
    /// Posts what has ended until now, for whoever is going to look.
    void catch_up() override;
    void read_page(const flash_desc& read) override;
    /// Functional mode: a doorbell carries everything out at once. Throws std::logic_error unless
    /// idle.
    void set_functional(bool on);
    /// Power goes, now: operations, rings and registers are as at power-up. Counters stay.
    void power_off();
    /// Precondition: idle. Counters are not kept: a report says what one process did.
    void keep(state_archive& a) { m_rings.keep(a); }
    [[nodiscard]] bool idle() const; // nothing queued, running or on its way
    [[nodiscard]] sim_time polling() const;
    /// Its `busy` has only polls, which the bus does not see.
    [[nodiscard]] const channel_stats& stats() const { return m_stats; }
    /// See scheduler::held(); until now.
    [[nodiscard]] sim_time held(lun_index lun) const { return m_scheduler.held(lun, now()); }

private:
    using op_id = scheduler::op_id;
    using operation = channel_operation;
    struct poll_plan {
        sim_time first;
        sim_time seen; // the poll that finds the LUN ready, if nothing intervenes
    };
    enum class todo : std::uint8_t { write_register, wake, complete, edge };
    struct agenda_entry {
        todo what = todo::wake;
        std::uint32_t a = 0; // register offset, operation, LUN
        std::uint32_t b = 0; // register value
    };

    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void invalidate_direct_mem_ptr(sc_dt::uint64 begin, sc_dt::uint64 end);

    [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) const;
    void ask_for(std::uint32_t what);
    [[nodiscard]] std::uint32_t asked_at_reset() const;
    void write_register(std::uint32_t offset, std::uint32_t value);
    void start_of_simulation() override;
    void process();
    void drain();
    void note_late();
    void end_at(op_id op, sim_time when);
    void see_edge(lun_index lun);
    void see_ready(lun_index lun);
    void see_plane(lun_index lun, plane_index plane);
    void see_polls();
    sim_time poll_until(lun_index lun, sim_time end, sim_time expected);
    sim_time poll_until(lun_index lun, plane_index plane, sim_time end, sim_time expected);
    sim_time plan_polls(poll_plan& p, sim_time end, sim_time expected);
    [[nodiscard]] std::uint64_t polls_of(const poll_plan& plan, sim_time t) const;
    [[nodiscard]] sim_time lun_poll() const;
    [[nodiscard]] sim_time polled(const poll_plan& plan, sim_time poll) const;
    void charge_polls(lun_index lun, sim_time t, op_id op);
    void arbitrate();

    void fetch();
    void admit_direct();
    void end_direct(op_id op);
    std::uint64_t& endings_like(const operation& o);
    void end(op_id op);
    [[nodiscard]] bool is_asked_for() const
    {
        return m_rings.has_descriptor() || !m_direct.empty();
    }
    void admit(op_id op);
    [[nodiscard]] scheduler::request request_of(const flash_desc& d) const;
    sim_time expect(op_id op, const sequencer::started& s);
    void start(const scheduler::grant& g);
    void complete(const scheduler::grant& g);
    void data_out(const scheduler::grant& g);
    void copy_back(op_id op);
    void end_bus_phase(op_id op, const sequencer::finished& f);
    void end_cache(const scheduler::grant& g);
    op_group gather(const scheduler::grant& g);
    [[nodiscard]] op_group group_of(op_id op) const;
    void begin(op_id op, sim_time t);
    void charge_waits(op_id op, sim_time t);
    void note_work(lun_index lun, sim_time t);
    void left(const flash_desc& d, sim_time end);
    [[nodiscard]] bool is_charged(const operation& o) const;
    void refuse(op_id op);
    void suspend(const scheduler::grant& g);
    void resume(const scheduler::grant& g);
    void finish(op_id op, sim_time when);
    void post(sim_time when);
    [[nodiscard]] std::uint64_t bytes_programmed(const operation& o) const;
    void count(const operation& o, flash_purpose purpose);
    void count_passed(const flash_desc& d);
    void blocked_until(op_id holder, sim_time end);
    void run_functional();
    void stamp(const operation& o, latency_part part, sim_time t);
    void hand_on(const operation& o);
    // What waves show of it (levels.cpp)
    void follow(timeline* to);
    void tell_held(sim_time t) const { m_held.set(t, m_ops.size() - m_free.size()); }
    void tell_queue() const
    {
        tell_held(now());
        if (m_doorbell) {
            m_doorbell.set(now(), m_rings.read(CHANNEL_REG_SQ_TAIL));
        }
    }
    [[nodiscard]] static sim_time array_end(const operation& o, sim_time t);
    /// Of the host command that it works for; null: of none.
    [[nodiscard]] latency_place* place_of(const operation& o);
    void fault(const std::string& what);
    // What firmware does wrongly (misuse.cpp)
    [[nodiscard]] std::uint64_t address_of(std::uint32_t offset) const;
    void refuse_write(std::uint32_t offset, std::uint32_t value);
    void head_beyond(std::uint32_t head);
    bool bad_descriptor(const flash_desc& d);

    channel_config m_config;
    flash_environment m_environment;
    const dma_memory m_everywhere; // preconditioning has a buffer of its own
    dma m_dma;
    rings m_rings;
    scheduler m_scheduler;
    sequencer m_sequencer;
    sequencer::results m_results{};
    functional_executor m_functional_executor;
    timed_queue<agenda_entry> m_agenda;

    std::vector<operation> m_ops;
    indexed<lun_index, onfi::ready_line*> m_lines;
    std::vector<op_id> m_free;
    std::vector<op_id> m_unposted; // finished, oldest first, waiting for room in the ring
    lun_work m_work;
    indexed<lun_index, poll_plan> m_polls;                               // with poll_period
    indexed<lun_index, std::array<poll_plan, max_planes>> m_plane_polls; // likewise
    std::uint32_t m_suspend = 0;                                         // CHANNEL_REG_SUSPEND
    std::uint32_t m_int_enable = 0, m_writes_pending = 0;
    direct_reads m_direct;   // ordered on the wire, not admitted
    sim_time m_wake;         // a wake-up is on the agenda for this time, if it lies ahead
    bool m_attended = false; // somebody calls catch_up()
    timeline_level m_held;   // operations that it has
    timeline_level m_doorbell;
    bool m_functional = false;
    bool m_fetching = false; // fetch() is at work: it sees itself what a post frees
    channel_stats m_stats;
};

} // namespace ssdvp::flash
