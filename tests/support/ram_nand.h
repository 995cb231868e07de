// SPDX-License-Identifier: Apache-2.0
//
// A controller without SystemC for firmware tests: RAM NAND behind channel rings, a front end
// without a link, interrupt lines. The firmware runs on a stack of its own and gives the
// processor back when it sleeps; then the device lets its earliest operation end.
//
// The NAND enforces physics (erase before program, page order, bad and worn blocks) and the rules
// that firmware promises: see `broken`.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <ucontext.h>
#include <vector>

#include "firmware/hal/hal.h"
#include "models/regs/channel_regs.h"
#include "models/regs/nvme_fe_regs.h"
#include "models/regs/telemetry.h"
#include "tests/support/ram_config.h"

namespace ssdvp::test {

class ram_nand {
public:
    explicit ram_nand(const ram_config& config);
    ~ram_nand();
    ram_nand(const ram_nand&) = delete;
    ram_nand& operator=(const ram_nand&) = delete;

    // ---- the host ----
    /// Runs firmware and device until both have nothing to do.
    void settle();
    /// Lets one operation of the device end and firmware react. False: nothing was left to do.
    bool step();
    /// Then lets the time come that firmware's timer is armed for, or is false: nothing else does.
    bool elapse();
    [[nodiscard]] std::uint64_t time_ns() const { return m_now; }
    void write_cc(std::uint32_t value);
    void enable(); // CC.EN = 1 until CSTS.RDY
    /// Posts a command. Data bytes are read or written until its completion. -1: no slot free.
    std::int64_t submit(std::uint16_t sq, const nvme_sqe& sqe, std::vector<std::uint8_t>* data);
    bool completion(host_completion& out);
    host_completion execute(std::uint16_t sq, const nvme_sqe& sqe,
                            std::vector<std::uint8_t>* data = nullptr);
    [[nodiscard]] std::uint32_t csts() const { return m_csts; }
    [[nodiscard]] const telemetry& counters() const;
    [[nodiscard]] bool sq_exists(std::uint32_t id) const { return m_sqs.count(id) != 0; }
    [[nodiscard]] std::uint32_t free_slots() const;

    // ---- preconditioning: channels execute at the doorbell ----
    int precondition(const std::vector<std::uint64_t>& units,
                     const std::vector<std::uint64_t>& tags);
    int precondition_end();
    /// Units per call of precondition(), whose buffer lies at the end of DRAM.
    static constexpr std::uint32_t batch = 256;

    // ---- what happened ----
    [[nodiscard]] const std::vector<std::string>& broken() const { return m_broken; }
    [[nodiscard]] bool panicked() const { return m_panicked; }
    [[nodiscard]] const std::string& panic_text() const { return m_panic_text; }
    struct operation_count {
        std::uint64_t reads = 0, programs = 0, erases = 0; // pages, pages, blocks
        std::uint64_t read_operations = 0, copybacks = 0;  // copied pages count as both too
    };
    [[nodiscard]] const operation_count& count(flash_purpose purpose) const
    {
        return m_count[purpose];
    }
    [[nodiscard]] std::uint32_t erases(const nand_place& p) const;
    /// Every page that is programmed: its spare words (spare.h) and, in tag mode, its tags.
    [[nodiscard]] std::vector<nand_page> pages() const;
    [[nodiscard]] std::uint64_t interrupts() const { return m_wakes; }
    std::uint64_t host_reads_behind_max = 0; // operations that were ahead of a host read on its LUN
    std::map<std::uint32_t, std::uint32_t> suspend_asked; // CHANNEL_REG_SUSPEND by channel
    /// What Set Features left, by channel, LUN and address; P1 in the low byte.
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> features;
    ram_config config;

private:
    struct block_state {
        std::uint32_t programmed = 0;
        std::uint32_t erases = 0;
        bool failed = false;
        std::vector<std::uint64_t> tags; // or all bytes in full mode
        std::vector<std::uint8_t> bytes;
        std::vector<std::uint8_t> oob;
    };
    struct lun_state {
        std::deque<flash_desc> waiting; // the first one is executing
        std::uint32_t background = 0;   // operations that are no host reads
    };
    struct channel_state {
        std::uint64_t sq = 0, cq = 0;
        std::uint32_t sq_size = 0, cq_size = 0, tail = 0, cq_tail = 0, cq_head = 0, phase = 1;
        std::uint32_t rung = 0; // doorbells since firmware woke
        bool enabled = false;
        std::vector<lun_state> luns;
    };
    struct slot_state {
        bool busy = false;
        std::uint32_t id = 0;
        std::uint16_t sq = 0;
        std::vector<std::uint8_t>* data = nullptr;
        std::deque<fe_move> moves;
        bool completing = false;
    };
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
    void run_firmware();
    int begin_round();
    void fire_timer();
    std::uint32_t read32(std::uint64_t address);
    void write32(std::uint64_t address, std::uint32_t value);
    std::uint32_t fe_read(std::uint32_t offset);
    void fe_write(std::uint32_t offset, std::uint32_t value);
    void channel_write(std::uint32_t channel, std::uint32_t offset, std::uint32_t value);
    void take_descriptors(std::uint32_t channel, std::uint32_t tail);
    void schedule(std::uint32_t kind, std::uint32_t index, std::uint32_t lun);
    void end_operation(std::uint32_t channel, std::uint32_t lun);
    flash_completion perform(std::uint32_t channel, const flash_desc& d);
    void set_feature(std::uint32_t channel, const flash_desc& d);
    flash_status perform_plane(const nand_place& p, const flash_desc& d, std::uint32_t index);
    flash_status copy_plane(const nand_place& from, const flash_desc& d, std::uint32_t index);
    bool program_fails(const nand_place& p, const flash_desc& d, std::uint32_t page);
    bool take_page(const nand_place& p, std::uint32_t page);
    void fill_in(block_state& b) const;
    flash_status spoil(const ram_config::read_result& r, const flash_desc& d, std::uint32_t index);
    std::uint64_t address_of(const flash_desc& d, std::uint64_t linear);
    void transfer(block_state& b, const flash_desc& d, std::uint32_t index);
    void post(std::uint32_t channel, const flash_completion& c);
    void take_moves(std::uint32_t tail);
    void end_move(std::uint32_t slot);
    void append_done(const fe_move& m, std::uint16_t slot, bool ok);
    void copy_host(const fe_move& m, std::vector<std::uint8_t>& data);
    void append_command(const nvme_sqe& sqe, std::uint16_t sq, std::uint16_t slot);
    void controller_reset();
    void queue_command(std::uint32_t command);
    void raise_fe(std::uint32_t conditions);
    std::uint32_t fe_conditions() const;
    void violate(const std::string& what);
    block_state& block_at(const nand_place& p);
    std::uint8_t* memory(std::uint64_t address);

    hal m_hal{};
    hal_ops m_ops{};
    std::vector<std::uint8_t> m_sram;
    std::uint8_t* m_dram = nullptr;
    std::vector<channel_state> m_channels;
    std::vector<block_state> m_blocks;
    std::vector<slot_state> m_slots;
    std::map<std::uint32_t, std::uint32_t> m_sqs; // id -> cq
    std::set<std::uint32_t> m_cqs;
    std::map<std::uint32_t, std::uint32_t> m_fe; // plain registers
    std::uint32_t m_cmd_tail = 0, m_cmd_head = 0, m_cmd_phase = 1;
    std::uint32_t m_move_head = 0, m_next_id = 1;
    std::uint32_t m_done_tail = 0, m_done_head = 0, m_done_phase = 1;
    std::deque<std::pair<fe_move_done, bool>> m_done_backlog;
    std::uint32_t m_loud_unread = 0, m_move_rung = 0;
    std::uint32_t m_cc = 0, m_csts = 0;
    bool m_cc_written = false;
    std::uint64_t m_pending = 0, m_enabled = 0;
    std::priority_queue<event, std::vector<event>, std::greater<>> m_events;
    static constexpr std::uint64_t never = ~0ull;
    std::uint64_t m_now = 0, m_order = 0, m_timer = never;
    std::deque<host_completion> m_completions;
    std::mt19937_64 m_random;
    bool m_functional = false, m_stopping = false;
    bool m_asleep = false, m_ended = false, m_panicked = false;
    std::uint32_t m_erases_in_flight = 0;
    std::uint32_t m_corrected_bits = 0; // of the operation being carried out
    std::string m_panic_text;
    std::vector<std::string> m_broken;
    operation_count m_count[FLASH_PURPOSES];
    std::uint64_t m_wakes = 0;
    ucontext_t m_test{}, m_core{};
    std::vector<std::uint8_t> m_stack;
};

extern "C" const firmware_image ssdvp_firmware;

} // namespace ssdvp::test
