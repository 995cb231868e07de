// SPDX-License-Identifier: Apache-2.0
//
// The NVMe driver: queue pairs and buffers in host memory, doorbells and MSI-X through the link.
// Requests come in by submit(); ring() writes the doorbells of what was submitted since.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "models/common/deadline.h"
#include "models/common/timed_queue.h"
#include "models/host/config.h"
#include "models/host/driver/bring_up.h"
#include "models/host/driver/metadata.h"
#include "models/host/driver/queue_groups.h"
#include "models/host/driver/queue_pair.h"
#include "models/host/driver/registers.h"
#include "models/host/driver/request_driver.h"
#include "models/host/memory/memory.h"

namespace ssdvp::host {

class driver : public request_driver, private memory_listener, private bring_up_owner {
public:
    static constexpr std::uint32_t zone_block = 8; // sectors of a block of a zone

    tlm_utils::simple_initiator_socket<driver> mmio;

    driver(const sc_core::sc_module_name& name, const driver_config& config, memory& mem,
           const driver_links& links);
    ~driver() override;

    /// Commands the ledger must hold: index = queue id * queue_entries + command id.
    static std::size_t ledger_commands(const driver_config& config);

    /// Bytes of host memory that it takes before the drive has told of itself.
    static std::uint64_t queue_memory(const driver_config& config);

    // drive
    /// Resets and enables the controller and creates the queues.
    void start(callback done) override;
    /// The same with a controller that serves: a reset (CC.EN 1, 0, 1).
    void restart(callback done) override;
    /// Deletes the queues and shuts the controller down.
    void shutdown(callback done) override;
    [[nodiscard]] bool in_sequence() const override { return m_in_sequence; }
    [[nodiscard]] const drive_info& info() const override { return m_bring_up.info(); }

    bool submit(const request& req, unsigned char* data, request_client& client,
                std::uint64_t cookie) override;
    /// Writes one tail doorbell for each queue with new entries.
    void ring() override;

private:
    enum class task : std::uint8_t { interrupt, poll, memory };
    struct entry {
        task kind = task::interrupt;
        std::uint32_t value = 0; // vector, or enum memory_change
    };
    enum memory_change : std::uint32_t { memory_away, memory_back, memory_overwritten };
    using command = driver_command;

    // memory_listener
    void on_watched_write(std::uint64_t address, std::uint64_t length, sim_time when) override;
    void on_msi(std::uint32_t data, sim_time when) override;
    // bring_up_owner
    void poll_after(sim_time delay) override;
    void watch_after(sim_time delay, std::uint32_t generation) override;
    const queue_pair& io_queue(std::uint32_t index) override { return m_queues[index]; }
    void controller_disabled() override;
    void sequence_ended(bool ok, const std::string& why) override;

    void act();
    void plan_memory();
    void change_memory(std::uint32_t change);
    void memory_changed(bool ok, const std::string& why);
    void prepare_buffers();
    void forget() override;
    void reap(queue_pair& q);
    void finish_command(queue_pair& q, const nvme_cqe& cqe);
    void finish_request(std::uint32_t index, const command& c, std::size_t ledger_index);
    void split_latency(request_result& result, const command& c, std::size_t ledger_index);
    void end_batch();
    bool issue(std::uint32_t index);
    queue_pair* pick_queue(pending_request& r);
    void send(queue_pair& q, std::uint32_t index, std::uint32_t sectors);
    // zones.cpp
    [[nodiscard]] bool zoned() const { return m_config.zone_size != 0; }
    [[nodiscard]] std::uint64_t block_of(std::uint64_t sector) const;
    /// Sectors from where the request goes on to the end of what its zone holds.
    [[nodiscard]] std::uint32_t zone_left(const pending_request& r) const;
    [[nodiscard]] queue_pair* zone_queue(const pending_request& r);
    bool zone_ready(queue_pair& q, std::uint32_t index);
    void send_reset(queue_pair& q, std::uint32_t index);
    void end_reset(std::uint32_t slot, const pending_request& r, const command& c, bool ok);
    void push(queue_pair& q, const nvme_sqe& sqe);
    void point_to(nvme_sqe& sqe, std::uint64_t address, std::uint32_t length) const;
    void name_stream(nvme_sqe& sqe, const request& req) const;
    void fill_data_command(nvme_sqe& sqe, std::uint32_t slot, const pending_request& r);
    void take_data(std::uint32_t slot, const pending_request& r, const command& c);
    void give_data(std::uint32_t slot, const pending_request& r, const command& c, bool ok);
    void check_metadata(std::uint32_t slot, const request& req, const command& c);

    [[nodiscard]] std::uint32_t slot_of(const queue_pair& q, std::uint16_t cid) const
    {
        return (q.id() - 1u) * m_config.queue_entries + cid;
    }
    [[nodiscard]] std::size_t ledger_index(const queue_pair& q, std::uint16_t cid) const
    {
        return std::size_t{q.id()} * m_config.queue_entries + cid;
    }
    [[nodiscard]] std::uint64_t buffer(std::uint32_t slot) const
    {
        return m_buffers + std::uint64_t{slot} * m_max_transfer;
    }

    [[nodiscard]] piece piece_of(std::uint32_t slot, const command& c)
    {
        return {slot, c.offset, c.sectors, m_memory.at(buffer(slot))};
    }
    [[nodiscard]] unsigned char* metadata_at(std::uint32_t slot)
    {
        return m_block_metadata.any() ? m_memory.at(metadata_buffer(slot)) : nullptr;
    }
    [[nodiscard]] std::uint64_t metadata_buffer(std::uint32_t slot) const
    {
        return m_metadata + std::uint64_t{slot} * m_most_sectors * m_block_metadata.bytes();
    }

    driver_config m_config;
    block_metadata m_block_metadata;
    memory& m_memory;
    registers m_regs;
    timed_queue<entry> m_agenda;
    deadline m_limit;            // of the step of m_bring_up that is under way
    std::uint32_t m_limited = 0; // its generation
    std::uint64_t m_cq_area;     // all I/O completion queues, one after the other
    std::uint64_t m_cq_stride;
    bring_up m_bring_up;
    std::vector<queue_pair> m_queues;
    queue_groups m_groups;
    std::vector<std::uint32_t> m_to_ring; // queues with entries that no doorbell told of
    callback m_sequence_done;
    bool m_starting = false;
    bool m_in_sequence = false;
    std::uint32_t m_change = 0; // what is done to memory that is lent
    bool m_changing = false;    // ... beside requests

    std::uint32_t m_max_transfer = 0;
    std::uint32_t m_most_sectors = 0; // of a command
    std::uint64_t m_metadata = 0;     // per slot: those of its sectors
    std::uint64_t m_buffers = 0;      // per slot: m_max_transfer bytes
    std::uint64_t m_prp_lists = 0;    // per slot: one page
    std::vector<command> m_commands;  // per slot
    std::uint32_t m_resets = 0;       // of zones, under way
};

} // namespace ssdvp::host
