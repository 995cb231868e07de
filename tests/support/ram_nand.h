// SPDX-License-Identifier: Apache-2.0
//
// A controller without SystemC for firmware tests: RAM NAND behind channel rings, a front end
// without a link, interrupt lines. The firmware runs on a stack of its own and gives the
// processor back when it sleeps; then the device lets its earliest operation end.
//
// The NAND enforces physics (ram_cells.h) and the rules that firmware promises: see `broken`. Power
// can be cut at any operation of the array (ram_config.on_point) or between two steps.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <tuple>
#include <ucontext.h>
#include <vector>

#include "firmware/lib/telemetry.h"
#include "tests/support/ram_cells.h"
#include "tests/support/ram_front_end.h"
#include "tests/support/superblocks.h"

namespace ssdvp::test {

class ram_nand final : public ram_cells {
public:
    explicit ram_nand(const ram_config& config);
    ~ram_nand();

    // ---- the host ----
    /// Runs firmware and device until both have nothing to do.
    void settle();
    /// Lets one operation of the device end and firmware react. False: nothing was left to do.
    bool step();
    /// Then lets the time come that firmware's timer is armed for, or is false: nothing else does.
    bool elapse();
    [[nodiscard]] std::uint64_t time_ns() const { return m_now; }
    /// When the timer fires, if it is armed.
    [[nodiscard]] std::uint64_t timer() const { return m_timer; }
    /// Lets time pass until then, with all that firmware's timer asks for.
    void wait_until(std::uint64_t ns);
    void write_cc(std::uint32_t value);
    bool enable(); // CC.EN = 1 until CSTS.RDY; false = the power went
    /// Posts a command. Data bytes are read or written until its completion. -1: no slot free.
    std::int64_t submit(std::uint16_t sq, const nvme_sqe& sqe, std::vector<std::uint8_t>* data);
    /// The same of a SATA device: the slot is the tag, or the one for what is not queued.
    std::int64_t submit_ata(const sata_fe_request& request, std::vector<std::uint8_t>* data);
    /// Registers of the front end that firmware reads about the queue.
    void set_fe_register(std::uint32_t offset, std::uint32_t value) { fe_register(offset) = value; }
    [[nodiscard]] std::uint32_t get_fe_register(std::uint32_t at) { return fe_register(at); }
    bool completion(host_completion& out);
    host_completion execute(std::uint16_t sq, const nvme_sqe& sqe,
                            std::vector<std::uint8_t>* data = nullptr);
    [[nodiscard]] std::uint32_t csts() const { return m_fe.csts; }
    [[nodiscard]] const telemetry& counters() const;
    [[nodiscard]] bool sq_exists(std::uint32_t id) const { return m_fe.sqs.count(id) != 0; }
    [[nodiscard]] std::uint32_t free_slots() const;

    // ---- power ----
    /// What the cells would hold if the power went now.
    [[nodiscard]] ram_image image() const;
    /// Takes the power away: memory, rings, queues and the firmware's stack are gone.
    void power_cut();
    void power_on();                   // ... and lets firmware boot
    void insert(const ram_image& now); // other cells, while the power is off
    [[nodiscard]] bool powered() const { return m_powered; }
    /// Counters as firmware had published them when the power went.
    [[nodiscard]] const telemetry& last_counters() const { return m_last; }
    /// Flash reads since power-on, and of them those before the controller was ready.
    [[nodiscard]] std::uint64_t reads_since_power() const { return m_reads; }
    [[nodiscard]] std::uint64_t boot_reads() const { return m_boot_reads; }

    // ---- preconditioning: channels execute at the doorbell ----
    int precondition(const std::vector<std::uint64_t>& units,
                     const std::vector<std::uint64_t>& tags);
    int precondition_end();
    /// By counts: `tags` has those of the sectors of all units. False: the firmware refuses.
    bool precondition_by_counts(std::uint64_t units, std::uint64_t overwrites, std::uint64_t seed,
                                const std::vector<std::uint64_t>& tags);
    /// The same of units that are given, in this order. each: they come one at a time, it is called
    /// after each of them, and collection is paced as under load.
    bool precondition_by_counts(const std::vector<std::uint64_t>& units,
                                const std::vector<std::uint64_t>& tags,
                                const std::function<void()>& each = nullptr);
    [[nodiscard]] std::vector<superblock_figures> superblocks();
    /// Units per call of precondition(), whose buffer lies at the end of DRAM.
    static constexpr std::uint32_t batch = 256;

    // ---- memory that the host lends ----
    std::vector<std::uint8_t> host_memory; // from ram_host_base on

    // ---- heat ----
    /// Sensors, in hundredths of a kelvin, and what firmware has made of them.
    struct thermal_unit {
        std::uint32_t composite = 30000, controller = 30000, nand = 30000;
        std::uint32_t low = 0, high = 0, level = 0, divider = 0;
        std::uint64_t looks = 0;
        std::uint32_t power = 0, microjoules = 0; // the state, and what has been drawn
    } heat;
    /// The comparator has seen something.
    void raise_heat() { m_pending |= 1ull << IRQ_LINE_THERMAL; }

    // ---- what happened ----
    [[nodiscard]] bool panicked() const { return m_panicked; }
    [[nodiscard]] const std::string& panic_text() const { return m_panic_text; }
    /// The last error that firmware logged since power-on.
    [[nodiscard]] const std::string& error_text() const { return m_error_text; }
    [[nodiscard]] std::uint64_t interrupts() const { return m_wakes; }
    std::uint64_t host_reads_behind_max = 0; // operations that were ahead of a host read on its LUN
    std::map<std::uint32_t, std::uint32_t> suspend_asked; // CHANNEL_REG_SUSPEND by channel
    /// What Set Features left, by channel, LUN and address; P1 in the low byte.
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> features;

private:
    void deal_counted(const std::vector<std::uint64_t>& tags);
    std::uint32_t thermal_read(std::uint32_t at);
    void thermal_write(std::uint32_t at, std::uint32_t value);
    struct event {
        std::uint64_t time;
        std::uint64_t order;
        std::uint32_t kind; // 0 channel, 1 slot
        std::uint32_t index, lun;
        bool operator>(const event& o) const
        {
            return std::tie(time, order) > std::tie(o.time, o.order);
        }
    };

    static void entry(unsigned high, unsigned low);
    void fill_ops();
    std::uint64_t wait_irq();
    [[noreturn]] void panic(const std::string& text);
    void leave_when_dying();
    void start_core();
    void reset_hardware();
    void power_off();
    void begin_operation(std::uint32_t channel, std::uint32_t lun);
    bool cut_at(const flash_desc& d, bool ended);
    void run_firmware();
    int begin_round();
    void fire_timer();
    std::uint32_t read32(std::uint64_t address);
    void write32(std::uint64_t address, std::uint32_t value);
    std::uint32_t& fe_register(std::uint32_t offset) { return m_fe.registers[offset / 4]; }
    std::uint32_t fe_read(std::uint32_t offset);
    std::uint32_t sata_read(std::uint32_t offset);
    std::int64_t occupy(std::uint16_t slot, std::uint16_t sq, const nvme_sqe& sqe,
                        std::vector<std::uint8_t>* data);
    void fe_write(std::uint32_t offset, std::uint32_t value);
    void channel_write(std::uint32_t channel, std::uint32_t offset, std::uint32_t value);
    void take_descriptors(std::uint32_t channel, std::uint32_t tail);
    void schedule(std::uint32_t kind, std::uint32_t index, std::uint32_t lun);
    void end_operation(std::uint32_t channel, std::uint32_t lun);
    void set_feature(std::uint32_t channel, const flash_desc& d) override;
    void post(std::uint32_t channel, const flash_completion& c);
    void take_moves(std::uint32_t tail);
    void end_move(std::uint32_t slot);
    void end_memory_move();
    void append_done(const fe_move& m, std::uint16_t slot, bool ok);
    void copy_host(const fe_move& m, std::vector<std::uint8_t>& data);
    void append_command(const nvme_sqe& sqe, std::uint16_t sq, std::uint16_t slot);
    void controller_reset();
    void queue_command(std::uint32_t command);
    void raise_fe(std::uint32_t conditions);
    std::uint32_t fe_conditions() const;

    std::vector<ram_channel> m_channels;
    ram_front_end m_fe;
    std::uint64_t m_memory_reads = 0; // of the host's memory
    std::uint32_t m_next_id = 1;
    std::uint64_t m_pending = 0, m_enabled = 0;
    std::priority_queue<event, std::vector<event>, std::greater<>> m_events;
    static constexpr std::uint64_t never = ~0ull;
    std::uint64_t m_now = 0, m_order = 0, m_timer = never;
    std::uint32_t m_nor_command = 0;
    std::mt19937_64 m_random;
    bool m_functional = false, m_stopping = false;
    bool m_asleep = false, m_ended = false, m_panicked = false;
    bool m_powered = false, m_dying = false; // dying: cut, but firmware's stack is still in use
    std::uint32_t m_erases_in_flight = 0;
    std::uint64_t m_reads = 0, m_boot_reads = 0;
    telemetry m_last{};
    std::string m_panic_text, m_error_text;
    std::uint64_t m_wakes = 0;
    ucontext_t m_test{}, m_core{};
    std::vector<std::uint8_t> m_stack;
};

extern "C" const firmware_image ssdvp_firmware;

} // namespace ssdvp::test
