// SPDX-License-Identifier: Apache-2.0
//
// NVMe front end: host registers in models/regs/nvme_regs.h, device registers and rings in
// models/regs/nvme_fe_regs.h, page in docs/models/nvme.md.
#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/front_end_base.h"
#include "models/nvme/agenda.h"
#include "models/nvme/arbiter.h"
#include "models/nvme/config.h"
#include "models/nvme/environment.h"
#include "models/nvme/pointer_walker.h"
#include "models/nvme/queues.h"
#include "models/nvme/statistics.h"
#include "models/nvme/windows.h"

namespace ssdvp::nvme {

class front_end final : public front_end_base, private host_reader {
public:
    tlm_utils::simple_target_socket<front_end> bar;  // LT: the host's register accesses
    tlm_utils::simple_target_socket<front_end> regs; // LT: the cores' register accesses
    dma_socket link;                                 // AT: host memory

    front_end(const sc_core::sc_module_name& name, const front_end_config& config,
              const front_end_environment& environment);
    ~front_end() override;

    /// Power goes, now: registers, queues and commands are as at power-up. Counters stay.
    void power_off();

    [[nodiscard]] const front_end_stats& stats() const { return m_stats; }
    /// The commands that firmware has had the longest, as text; none: empty.
    [[nodiscard]] std::string open_commands() const;
    /// Names I/O commands that firmware has had for so long while it completed many others.
    void look_for_forgotten(sim_time age);
    /// When CSTS.RDY last became 1.
    [[nodiscard]] sim_time ready_since() const { return m_ready_since; }
    [[nodiscard]] std::uint32_t free_slots() const
    {
        return static_cast<std::uint32_t>(m_free.size());
    }

private:
    static constexpr std::uint32_t lba_shift_at_reset = FE_LBA_SHIFT_RESET;
    static constexpr std::uint32_t mdts_at_reset = FE_MDTS_RESET;
    static constexpr std::uint32_t staging_size = 4 * host_page;

    // Agenda (front_end.cpp)
    void reserve_maps();
    void run();
    void drain();
    void perform(const job& j);
    void update_irq() { m_stats.device_interrupts += interrupt_firmware(); }
    dma_result host_dma(const host_access& a, sim_time earliest);
    dma_result read_host(std::uint64_t address, void* bytes, std::uint32_t length,
                         sim_time earliest) override
    {
        return host_dma({tlm::TLM_READ_COMMAND, address, bytes, length, tlp::portion::whole,
                         tlp::purpose::list},
                        earliest);
    }

    // Host registers (host_registers.cpp)
    void bar_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    bool early_head(std::uint32_t offset, std::uint32_t value);
    [[nodiscard]] std::uint32_t bar_read(std::uint32_t offset) const;
    void bar_write(std::uint32_t offset, std::uint32_t value);
    void write_cc(std::uint32_t value);
    [[nodiscard]] bool can_enable(std::uint32_t cc) const;
    void fatal();
    void doorbell(std::uint32_t offset, std::uint32_t value);
    bool submission_doorbell(std::uint32_t id, std::uint32_t tail);
    bool completion_doorbell(completion_queue& q, std::uint32_t head);

    // Device registers (device_registers.cpp)
    void regs_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    bool register_read(std::uint32_t offset, std::uint32_t& value);
    void register_write(std::uint32_t offset, std::uint32_t value);
    void write_csts(std::uint32_t value);
    [[nodiscard]] std::uint32_t conditions() const;

    // Windows and parameters of features (windows.cpp)
    bool window_read(std::uint32_t offset, std::uint32_t& value);
    bool feature_read(std::uint32_t offset, std::uint32_t& value);
    void write_window(std::uint32_t offset, std::uint32_t value);
    void write_feature(std::uint32_t offset, std::uint32_t value);
    void reset_features();
    [[nodiscard]] std::uint32_t queue_state() const;

    // Queues (queues.cpp)
    void controller_reset();
    void arm_admin_queues();
    void queue_command(std::uint32_t command);
    bool create_sq(std::uint32_t id, std::uint64_t base, std::uint32_t size, std::uint32_t cq);
    bool create_cq(std::uint32_t id, std::uint64_t base, std::uint32_t size, std::uint32_t vector);
    bool delete_sq(std::uint32_t id);
    bool delete_cq(std::uint32_t id);

    // Fetch (fetch.cpp)
    void fetch();
    void fetch_burst(std::uint32_t id, std::uint32_t count);
    void accept(std::uint32_t sq, const nvme_sqe& sqe, sim_time rung, sim_time arrival);
    void open_slot(std::uint16_t slot, std::uint32_t sq, const nvme_sqe& sqe, sim_time rung);
    void bind_record(std::uint16_t slot);
    sim_time walk_pointers(command_slot& c, sim_time from);
    void hand_over(std::uint16_t slot);

    // Mover (mover.cpp)
    void move(const fe_move& m);
    [[nodiscard]] bool may_ask() const;
    void hold(const fe_move& m);
    void ask_later();
    void ask();
    void give_held_back();
    void begin(const fe_move& m);
    void stale_move(const fe_move& m);
    bool move_data(const fe_move& m, sim_time start);
    dma_result move_run(const fe_move& m, host_run run, std::uint32_t at, sim_time start);
    void set_enables(tlm::tlm_generic_payload& gp, const fe_move& m, std::uint32_t offset) const;

    // What firmware does wrongly (misuse.cpp)
    void take_back(command_slot& c);
    void beyond_data(const fe_move& m, std::uint32_t length);
    void no_memory(const fe_move& m, std::uint64_t address);
    void wrong_queue_command(std::uint32_t command);
    void wrong_window(std::uint32_t offset, std::uint32_t value);

    // Completion (completion.cpp)
    void order_completion(const fe_move& m, std::uint8_t done_status);
    void commit_completion(std::uint16_t slot, job notice, sim_time start);
    void post_completion(const job& j);
    void send_cqe(const command_slot& c, completion_queue& q);
    void tell_watch(std::uint16_t slot);
    sim_time occupy_link(std::uint64_t address, std::uint32_t length, sim_time earliest);
    void release(std::uint16_t slot);

    // MSI-X (interrupts.cpp)
    void write_msix(std::uint32_t offset, std::uint32_t value);
    void unmask_vectors(std::uint32_t mask);
    [[nodiscard]] std::uint32_t pending_vectors(std::uint32_t word) const;
    [[nodiscard]] bool masked(std::uint32_t vector) const;
    [[nodiscard]] bool coalesces(const completion_queue& q) const;
    void notify_host(const completion_queue& q, bool on_wire);
    void end_coalescing(const job& j);
    void interrupt_host(std::uint16_t vector, bool on_wire);

    front_end_config m_config;
    move_limits m_move_limits;
    front_end_environment m_environment;
    timed_queue<job> m_agenda;
    front_end_stats m_stats;

    std::uint32_t m_cc = 0, m_csts = 0, m_aqa = 0, m_intm = 0;
    std::uint64_t m_asq = 0, m_acq = 0;
    std::vector<msix_vector> m_msix;

    bool m_cc_written = false;
    bool m_told_ready = false;          // by firmware
    bool m_reset_unseen = false;        // CC.EN went 1 -> 0, and firmware still says ready
    bool m_fatal = false;               // CSTS.CFS is the hardware's
    bool m_has_queues = false;          // since ready, until a controller reset
    std::uint32_t m_doorbell_error = 0; // FE_DOORBELL_ERROR_*
    std::uint32_t m_lba_shift = lba_shift_at_reset, m_mdts = mdts_at_reset;
    window_registers m_window;

    std::vector<submission_queue> m_sqs; // 0 = admin
    std::vector<completion_queue> m_cqs;
    std::vector<command_slot> m_slots;
    std::vector<std::uint16_t> m_free;
    std::vector<nvme_sqe> m_fetched; // one burst
    arbiter m_arbiter;
    pointer_walker m_walker{*this};
    std::array<unsigned char, staging_size> m_staging{};
    boost::circular_buffer<fe_move> m_held{64}; // moves that wait for the link
    sim_time m_asked_until;    // the end, on the link, of all data asked for so far
    bool m_asks_later = false; // a job ask is in the agenda
    sim_time m_ready_since;
    std::uint32_t m_generation = 0; // counts controller resets
    std::uint32_t m_unfetched = 0;  // entries in all submission queues
    std::uint32_t m_coming = 0;     // fetched, not yet in the command ring

    tlm::tlm_generic_payload m_link_gp;
    tlp::extension m_tlp; // attached to m_link_gp for life
    tlm::tlm_generic_payload m_memory_gp;
};

} // namespace ssdvp::nvme
