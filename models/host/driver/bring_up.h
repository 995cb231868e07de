// SPDX-License-Identifier: Apache-2.0
//
// Starting and stopping the controller: tables of named steps, each either a change of CC awaited
// in CSTS or one admin command. NVM Express base 1.4 section 7.6.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/host/config.h"
#include "models/host/driver/memory_loan.h"
#include "models/host/driver/poll_interval.h"
#include "models/host/driver/queue_pair.h"
#include "models/host/driver/registers.h"

namespace ssdvp::host {

/// What Identify and Set Features told.
struct drive_info {
    std::uint64_t capacity = 0;     // sectors of 512 bytes
    std::uint32_t max_transfer = 0; // bytes per command, a multiple of 4096
    std::uint32_t queue_pairs = 0;  // granted
    bool deallocate = false;        // Dataset Management supported
    bool write_cache = false;       // what is acknowledged may be lost with power until a Flush
    bool read_across = false;       // a read may cross the end of a zone
    std::string model;
};

/// What bring_up needs of the driver: time, and the queues it announces.
class bring_up_owner {
public:
    virtual ~bring_up_owner() = default;
    virtual void poll_after(sim_time delay) = 0;
    virtual void watch_after(sim_time delay, std::uint32_t generation) = 0;
    virtual const queue_pair& io_queue(std::uint32_t index) = 0;
    /// CSTS.RDY is 0: nobody writes to the queues any more.
    virtual void controller_disabled() = 0;
    virtual void sequence_ended(bool ok, const std::string& why) = 0;
};

class bring_up {
public:
    static constexpr std::uint32_t admin_entries = 32;
    static constexpr std::uint64_t memory_size = 3 * memory::page_size; // of its queues and data
    static constexpr std::uint32_t largest_transfer = 1u << 20; // PRPs of one list page suffice

    bring_up(const driver_config& config, registers& regs, memory& mem, bring_up_owner& owner);

    void initialise();
    void shut_down();
    /// Beside requests: the drive gets memory of the host's, or has to give it back.
    void lend_memory(bool lend);
    [[nodiscard]] memory_loan& loan() { return m_loan; }
    /// The controller is gone: what was under way ends without a word.
    void abandon();
    /// Times asked for by poll_after and watch_after.
    void on_poll();
    void on_watchdog(std::uint32_t generation);
    /// A message of vector 0: reap the admin queue.
    void on_interrupt();

    [[nodiscard]] queue_pair& admin() { return m_admin; }
    [[nodiscard]] const drive_info& info() const { return m_info; }
    [[nodiscard]] bool running() const { return m_table != nullptr; }

private:
    struct step {
        const char* name;
        void (bring_up::*begin)(nvme_sqe& sqe);     // fills the command, or writes registers
        void (bring_up::*end)(const nvme_cqe& cqe); // may be null
        std::uint32_t csts_mask;                    // not 0: wait for csts_value instead of a
        std::uint32_t csts_value;                   // completion
        bool per_queue;                             // once for each I/O queue pair
        bool (bring_up::*wanted)() const = nullptr; // false: the step is left out
    };
    static const std::vector<step>& init_table();
    static const std::vector<step>& shutdown_table();
    static const std::vector<step>& lend_table();
    static const std::vector<step>& take_back_table();

    void run(const std::vector<step>& table);
    void begin_step();
    void advance();
    void finish(bool ok, const std::string& why);
    void fail(const std::string& why);
    void issue(nvme_sqe sqe);
    void complete(const nvme_cqe& cqe);
    void write_vectors();
    [[nodiscard]] std::uint32_t queue_id() const { return m_repeat + 1; }
    [[nodiscard]] std::uint64_t timeout_ms() const;

    void disable(nvme_sqe& sqe);
    void enable(nvme_sqe& sqe);
    void identify_controller(nvme_sqe& sqe);
    void read_controller(const nvme_cqe& cqe);
    void identify_namespace(nvme_sqe& sqe);
    void read_namespace(const nvme_cqe& cqe);
    void choose_format(const unsigned char* data);
    void format(nvme_sqe& sqe);
    [[nodiscard]] bool wants_format() const;
    [[nodiscard]] bool wants_zones() const { return m_config.zone_size != 0; }
    void identify_zones(nvme_sqe& sqe);
    void read_zones(const nvme_cqe& cqe);
    void set_queue_count(nvme_sqe& sqe);
    void read_queue_count(const nvme_cqe& cqe);
    [[nodiscard]] bool weighted() const;
    [[nodiscard]] bool wants_arbitration() const;
    void set_arbitration(nvme_sqe& sqe);
    [[nodiscard]] bool wants_coalescing() const;
    void set_coalescing(nvme_sqe& sqe);
    [[nodiscard]] bool wants_power_state() const { return m_config.power_state != 0; }
    void set_power_state(nvme_sqe& sqe);
    [[nodiscard]] bool wants_apst() const { return !m_config.apst.empty(); }
    void set_apst(nvme_sqe& sqe);
    [[nodiscard]] bool wants_streams() const;
    void enable_streams(nvme_sqe& sqe);
    [[nodiscard]] bool wants_lending() const { return m_loan.any(); }
    void lend(nvme_sqe& sqe) { m_loan.lend(sqe); }
    void take_back(nvme_sqe& sqe) { memory_loan::take_back(sqe); }
    void create_cq(nvme_sqe& sqe);
    void create_sq(nvme_sqe& sqe);
    void delete_sq(nvme_sqe& sqe);
    void delete_cq(nvme_sqe& sqe);
    void notify_shutdown(nvme_sqe& sqe);

    const driver_config& m_config;
    registers& m_regs;
    memory& m_memory;
    bring_up_owner& m_owner;
    queue_pair m_admin;
    std::uint64_t m_data; // one page for Identify
    drive_info m_info;
    memory_loan m_loan;

    const std::vector<step>* m_table = nullptr;
    std::size_t m_step = 0;
    std::uint32_t m_repeat = 0;
    std::uint32_t m_generation = 0; // of the watchdog
    bool m_advance_pending = false; // the next poll is the start of the next step
    bool m_failed = false;
    std::uint16_t m_cid = 0; // of the command that is waited for
    bool m_formats = false;  // namespace 1 is not as it is to be
    unsigned m_format = 0;   // of its LBAs then
    sim_time m_skew; // time that register reads of this step took: later writes start after it
    poll_interval m_poll_interval;
    std::uint64_t m_cap = 0;
    std::uint32_t m_cc = 0;
};

} // namespace ssdvp::host
