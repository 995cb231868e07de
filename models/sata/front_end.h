// SPDX-License-Identifier: Apache-2.0
//
// SATA front end: the device's transport layer and shadow registers, rings to firmware. Device
// registers in models/regs/sata_fe_regs.h, page in docs/models/sata_front_end.md.
#pragma once

#include <array>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/front_end_base.h"
#include "models/common/lazy_array.h"
#include "models/common/timed_queue.h"
#include "models/protocols/sata.h"
#include "models/regs/sata_fe_regs.h"
#include "models/sata/environment.h"
#include "models/sata/front_end_config.h"
#include "models/sata/slots.h"

namespace ssdvp::sata {

class front_end final : public front_end_base, public transport_if {
public:
    tlm_utils::simple_target_socket<front_end> regs; // LT: the cores' register accesses
    sc_core::sc_port<link_if> link;

    front_end(const sc_core::sc_module_name& name, const front_end_config& config,
              const front_end_environment& environment);
    ~front_end() override;

    /// What it does is told to `to`.
    void follow(timeline& to)
    {
        follow_moves(to);
        m_commands = timeline_level(to, "front end", "commands", level_form::number);
        m_commands.set(sim_time(), 0);
        m_up = timeline_level(to, "link", "up", level_form::bit);
        m_up.set(sim_time(), 0);
    }
    /// Power goes, now: registers and commands are as at power-up. Counters stay.
    void power_off();

    [[nodiscard]] const front_end_stats& stats() const { return m_stats; }
    /// The commands that firmware has had the longest, as text; none: empty.
    [[nodiscard]] std::string open_commands() const;
    /// Names queued commands that firmware has had for so long while it completed many others.
    void look_for_forgotten(sim_time age);
    [[nodiscard]] sim_time ready_since() const { return m_ready_since; } // the last signature
    [[nodiscard]] bool idle() const { return m_queued == 0 && !m_slots[single].busy && !m_held; }
    bool on_frame(const frame& f, sim_time arrival) override;
    void on_sent(const frame& f, const sent& s) override;
    void on_phy(bool up) override;

private:
    enum class job_kind : std::uint8_t { register_write, command, completion, failure, done, pump };
    struct job {
        job_kind kind;
        std::uint8_t flags = 0;  // FE_MOVE_*
        std::uint8_t status = 0; // enum fe_done_status
        std::uint16_t slot = 0;
        std::uint32_t key = 0;   // register offset, or generation of the slot
        std::uint32_t value = 0; // register value, tag, or stops()
    };
    // Agenda, memory, link (front_end.cpp)
    void run();
    void drain();
    void perform(const job& j);
    void update_irq() { m_stats.device_interrupts += interrupt_firmware(); }
    dma_result memory_dma(tlm::tlm_command command, const fe_move& m, sim_time earliest);
    template <typename Fis>
    sent send(const Fis& header, bool metadata, sim_time earliest)
    {
        frame f;
        f.header = &header;
        f.header_length = sizeof header;
        f.metadata = metadata;
        m_sent = {earliest, earliest, earliest, false}; // the link is down
        link->send(side::device, f, earliest);
        return m_sent;
    }
    sent send_data(std::uint16_t slot, std::uint32_t offset, std::uint32_t length,
                   sim_time earliest);
    unsigned char* ram(std::uint16_t slot) { return m_ram.data() + std::size_t{slot} * m_mdts; }
    void resize(std::uint32_t mdts);

    // Resets (reset.cpp)
    [[nodiscard]] bool enabled() const { return m_phy && !m_srst && !m_resetting; }
    void drop_all();
    void begin_reset(bool hard);
    void send_signature();
    void control_frame(const fis::register_h2d& f, sim_time arrival);

    // From the host (receive.cpp)
    bool register_frame(const frame& f, sim_time arrival);
    bool data_frame(const frame& f, sim_time arrival);
    void command(const fis::register_h2d& f, std::uint8_t host_slot, sim_time arrival);
    void breach(std::uint32_t note, const fis::register_h2d& f);
    void pass_single(const fis::register_h2d& f, std::uint8_t host_slot, std::uint32_t notes,
                     sim_time arrival);
    void admit();
    void accept(std::uint16_t slot, const fis::register_h2d& f, std::uint32_t notes);
    void release_bsy(std::uint16_t slot, sim_time arrival);
    void hand_over(std::uint16_t slot);

    // Device registers (device_registers.cpp)
    void regs_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    bool register_read(std::uint32_t offset, std::uint32_t& value) const;
    bool write_early(std::uint32_t offset, std::uint32_t value);
    void register_write(std::uint32_t offset, std::uint32_t value);
    void write_ready(std::uint32_t value);
    [[nodiscard]] std::uint32_t conditions() const;

    // Mover and data sequences (mover.cpp)
    void move(const fe_move& m);
    void refused_move(const fe_move& m);
    void clean_queue();
    bool fill(const fe_move& m, sim_time start);
    void want(const fe_move& m, sim_time start);
    void land(std::uint16_t slot);
    void drop_pending(std::uint16_t slot);
    void queue_sequence(std::uint16_t slot);
    void pump();
    void send_sequence(std::uint16_t slot, sim_time earliest);
    sim_time send_pio(std::uint16_t slot, sim_time earliest);
    void ask_for_data(std::uint16_t slot, sim_time earliest);
    void end_sequence(sim_time end);
    void transfer_failed(std::uint16_t slot);

    // What firmware does wrongly (misuse.cpp)
    void take_back(std::uint16_t slot);
    void wrong_data(const fe_move& m, bool right_direction);
    void not_filled(std::uint16_t slot);
    void wrong_mdts(std::uint32_t value);

    // How commands end (completion.cpp)
    static std::uint32_t status_of(const command_slot& s);
    void end_command(std::uint16_t slot);
    void complete(std::uint16_t slot, sim_time earliest);
    void complete_queued(std::uint16_t slot, std::uint32_t status, sim_time earliest);
    void post_failure(const job& j);
    void fail_queued(std::uint16_t slot, std::uint32_t status);
    [[nodiscard]] std::uint32_t stops() const
    {
        return static_cast<std::uint32_t>(m_stats.queue_stops);
    }
    sim_time send_register(std::uint16_t slot, std::uint32_t status, sim_time earliest);
    void send_bits(std::uint32_t tags, std::uint32_t status, bool interrupt, sim_time earliest);
    void flush_bits();
    void arrive(std::uint16_t slot, sim_time arrival);
    void tell_watch(std::uint16_t slot);
    void post_completion(const job& j);
    void stop_queue(const queue_error& error);
    void release(std::uint16_t slot);
    void tell_commands() const { m_commands.set(now(), m_queued + (m_slots[single].busy ? 1 : 0)); }

    front_end_config m_config;
    front_end_environment m_environment;
    timed_queue<job> m_agenda;
    front_end_stats m_stats;
    command_order m_order;

    std::uint32_t m_options = 0;
    std::uint32_t m_ready = 0;
    std::uint32_t m_mdts = 0;
    bool m_link_changed = false;
    bool m_shown = false; // firmware has seen ENABLE, and not yet written READY 0

    bool m_phy = false;
    bool m_srst = false;          // the host holds SRST
    bool m_resetting = false;     // until firmware has let go of what was under way
    bool m_hard = false;          // the last reset was a COMRESET
    bool m_signature_due = false; // BSY until it is sent
    sim_time m_ready_since;
    std::uint32_t m_generation = 0; // counts resets

    std::vector<command_slot> m_slots;      // by tag; `single`
    lazy_array<unsigned char> m_ram;        // the data of each
    std::uint32_t m_queued = 0;             // tags in use
    timeline_level m_commands;              // in the drive
    timeline_level m_up;                    // m_phy
    bool m_held = false;                    // log page 10h waits until the stopped queue is empty
    command_slot m_waiting;                 // it
    std::array<sim_time, tags> m_issued{};  // by the HBA's slot: frame::issued
    sim_time m_clear;                       // the host sees BSY clear from then on
    std::vector<std::uint16_t> m_sequences; // sequences that wait for the link, in order
    std::uint16_t m_receiving = no_slot;    // whose data the host is to send
    bool m_dropped = false;                 // data may still come that nobody wants any more
    sim_time m_link_free;                   // the last sequence of data ends
    bool m_pump_due = false;
    sent m_sent;

    bool m_stopped = false;
    queue_error m_error;
    std::uint32_t m_bits = 0; // tags that ended, for the next Set Device Bits
    sim_time m_bits_at;       // when they did
    sim_time m_bits_end;      // of the last one

    tlm::tlm_generic_payload m_memory_gp;
};

} // namespace ssdvp::sata
