// SPDX-License-Identifier: Apache-2.0
//
// The driver of a SATA drive behind an AHCI adapter: command slots and buffers in host memory, NCQ,
// one-at-a-time commands, recovery from errors. The port is number 0.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "models/common/timed_queue.h"
#include "models/host/config.h"
#include "models/host/driver/ahci_state.h"
#include "models/host/driver/registers.h"
#include "models/host/driver/request_driver.h"
#include "models/host/memory/memory.h"
#include "models/protocols/fis.h"
#include "models/regs/ahci_regs.h"

namespace ssdvp::host {

class ahci_driver : public request_driver, private memory_listener, private ahci_driver_state {
public:
    static constexpr std::uint32_t slots = AHCI_SLOTS;
    /// Of a request that the link spoils: Linux sends it once and SD_MAX_RETRIES = 5 times again.
    static constexpr std::uint32_t attempts = 6;
    /// ... of a bring-up, each from a COMRESET on. Linux: ATA_EH_DEV_TRIES = 3, the last one at a
    /// lower rate; here the rate stays.
    static constexpr std::uint32_t bring_ups = 5;
    static constexpr std::uint32_t range_sectors = 65535; // of DATA SET MANAGEMENT, at most

    tlm_utils::simple_initiator_socket<ahci_driver> mmio;

    ahci_driver(const sc_core::sc_module_name& name, const driver_config& config, memory& mem,
                const driver_links& links);
    ~ahci_driver() override;

    // drive
    /// Resets adapter and link, identifies the drive and sets its features.
    void start(callback done) override;
    /// A COMRESET, and all that follows it.
    void restart(callback done) override;
    /// FLUSH CACHE EXT, STANDBY IMMEDIATE; then the port stops.
    void shutdown(callback done) override;
    [[nodiscard]] bool in_sequence() const override { return m_table != nullptr; }
    [[nodiscard]] const drive_info& info() const override { return m_info; }
    bool submit(const request& req, unsigned char* data, request_client& client,
                std::uint64_t cookie) override;
    /// Writes PxSACT and PxCI for the slots that were filled.
    void ring() override;

    /// Errors of the port that were recovered from, and COMRESETs among the recoveries.
    [[nodiscard]] std::uint64_t recoveries() const { return m_recoveries; }
    [[nodiscard]] std::uint64_t link_resets() const { return m_link_resets; }
    /// Commands issued again after an error of another one, or of the link.
    [[nodiscard]] std::uint64_t retries() const { return m_retries; }
    [[nodiscard]] bool queued() const { return m_queued; }

private:
    /// A step of a sequence: a command awaited, or what `until` says polled.
    struct step {
        const char* name;
        void (ahci_driver::*begin)();
        bool (ahci_driver::*until)(); // null: the command of `begin` completes
        void (ahci_driver::*end)();   // may be null
        std::uint32_t limit_ms;
    };
    using table = std::vector<step>;

    // memory_listener
    void on_watched_write(std::uint64_t, std::uint64_t, sim_time) override {}
    void on_msi(std::uint32_t data, sim_time when) override;

    // Requests (ahci_driver.cpp)
    void act();
    void reap();
    void finish_command(std::uint32_t slot, std::uint16_t status);
    void finish_request(std::uint32_t index, std::uint32_t slot);
    void split_latency(request_result& result, std::uint32_t slot);
    void end_batch();
    bool issue(std::uint32_t index);
    [[nodiscard]] bool is_queued(const request& req) const;
    [[nodiscard]] std::uint32_t free_slot(bool queued) const;
    void send(std::uint32_t slot, std::uint32_t index, std::uint32_t sectors);
    /// The adapter knows nothing any more, nor does the drive.
    void forget() override;

    // Commands (ahci_commands.cpp)
    [[nodiscard]] fis::register_h2d data_command(std::uint32_t slot, const request& req) const;
    [[nodiscard]] std::uint32_t fill_ranges(std::uint32_t slot, const request& req);
    void fill_command(std::uint32_t slot);
    void fill_slot(std::uint32_t slot, const fis::register_h2d& c, std::uint32_t bytes, bool out);
    void prepare_memory();

    // Sequences (ahci_sequences.cpp)
    static const table& init_table();
    static const table& shutdown_table();
    static const table& unflushed_table();
    static const table& recovery_table();
    bool shuts_down() const;
    void run(const table& steps, std::size_t first = 0);
    void begin_step();
    void poll();
    void advance();
    void finish(bool ok, const std::string& why);
    void fail_step(const std::string& why);
    void internal(std::uint8_t code, std::uint16_t features, std::uint16_t count,
                  std::uint32_t bytes);
    void internal_done(std::uint32_t errors);
    void internal_failed(std::uint32_t errors);
    void reset_adapter();
    bool adapter_is_reset();
    void hold_link();
    bool held();
    void release_link();
    bool link_is_up();
    void clear_errors();
    bool device_is_ready();
    void start_port();
    bool port_runs();
    void identify();
    void read_identify();
    void set_transfer_mode();
    void set_write_cache();
    void set_look_ahead();
    void set_auto_activate();
    void flush_cache();
    void standby();
    void stop_port();
    bool port_is_stopped();

    // Errors (ahci_recovery.cpp)
    void recover(std::uint32_t causes);
    void read_error_log();
    void reset_link();
    void recovered();
    [[nodiscard]] verdict judge() const;
    void judge_slot(std::uint32_t slot, const verdict& v);

    [[nodiscard]] std::uint32_t get(std::uint32_t offset)
    {
        return static_cast<std::uint32_t>(m_regs.read32(offset).value);
    }
    void put(std::uint32_t offset, std::uint32_t value) { m_regs.write32(offset, value); }
    [[nodiscard]] std::uint64_t buffer(std::uint32_t slot) const
    {
        return m_buffers + std::uint64_t{slot} * m_info.max_transfer;
    }
    [[nodiscard]] piece piece_of(std::uint32_t slot)
    {
        const command& c = m_commands[slot];
        return {slot, c.offset, c.sectors, m_memory.at(buffer(slot))};
    }
    [[nodiscard]] std::uint64_t table_of(std::uint32_t slot) const
    {
        return m_tables + std::uint64_t{slot} * m_table_bytes;
    }

    driver_config m_config;
    memory& m_memory;
    registers m_regs;
    timed_queue<entry> m_agenda;
    const table* m_table = nullptr;
};

} // namespace ssdvp::host
