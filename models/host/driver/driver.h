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

#include "models/common/block.h"
#include "models/common/deadline.h"
#include "models/common/fault_log.h"
#include "models/common/latency_ledger.h"
#include "models/common/lazy_array.h"
#include "models/common/timed_queue.h"
#include "models/host/config.h"
#include "models/host/driver/bring_up.h"
#include "models/host/driver/drive.h"
#include "models/host/driver/metadata.h"
#include "models/host/driver/queue_groups.h"
#include "models/host/driver/queue_pair.h"
#include "models/host/driver/registers.h"
#include "models/host/driver/under_way.h"
#include "models/host/memory/memory.h"
#include "models/host/request.h"
#include "models/host/shadow/shadow.h"

namespace ssdvp::host {

class driver : public block, public drive, private memory_listener, private bring_up_owner {
public:
    static constexpr std::uint32_t zone_block = 8;          // sectors of a block of a zone
    static constexpr std::uint32_t waiting_capacity = 1024; // requests that wait for a queue entry

    tlm_utils::simple_initiator_socket<driver> mmio;

    driver(const sc_core::sc_module_name& name, const driver_config& config, memory& mem,
           const driver_links& links);

    SC_HAS_PROCESS(driver);

    /// Commands the ledger must hold: index = queue id * queue_entries + command id.
    static std::size_t ledger_commands(const driver_config& config);

    // drive
    /// Resets and enables the controller and creates the queues.
    void start(callback done) override;
    /// The same with a controller that serves: a reset (CC.EN 1, 0, 1).
    void restart(callback done) override;
    /// Deletes the queues and shuts the controller down.
    void shutdown(callback done) override;
    void power_lost() override;
    void abandon() override;
    [[nodiscard]] bool ready() const override { return m_ready; }
    [[nodiscard]] bool in_sequence() const override { return m_in_sequence; }
    [[nodiscard]] const drive_info& info() const override { return m_bring_up.info(); }

    bool submit(const request& req, unsigned char* data, request_client& client,
                std::uint64_t cookie) override;
    void set_private(bool on) override { m_private = on; }
    /// Writes one tail doorbell for each queue with new entries.
    void ring() override;

    [[nodiscard]] bool accepts() const override
    {
        return m_ready && m_waiting_count < waiting_capacity;
    }
    [[nodiscard]] std::uint64_t in_flight() const override { return m_in_flight; }
    [[nodiscard]] std::uint64_t completed() const override { return m_completed; }
    [[nodiscard]] std::uint64_t lost() const override { return m_lost; }
    [[nodiscard]] std::uint64_t commands() const override { return m_commands_sent; }
    [[nodiscard]] std::uint64_t doorbells() const override { return m_doorbells; }

private:
    enum class task : std::uint8_t { interrupt, poll };
    struct entry {
        task kind = task::interrupt;
        std::uint32_t value = 0; // vector
    };
    using pending_request = driver_request;
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
    void prepare_buffers();
    void free_requests();
    void forget_queues();
    void lose_all();
    void lose(std::uint32_t index);
    void reap(queue_pair& q);
    void finish_command(queue_pair& q, const nvme_cqe& cqe);
    void finish_request(std::uint32_t index, const command& c, std::size_t ledger_index);
    void split_latency(request_result& result, const command& c, std::size_t ledger_index);
    void note_client(request_client& client);
    void end_batch();
    void drain_waiting();
    bool issue(std::uint32_t index);
    queue_pair* pick_queue(pending_request& r);
    void send(queue_pair& q, std::uint32_t index, std::uint32_t sectors);
    // zones.cpp
    [[nodiscard]] bool zoned() const { return m_config.zone_size != 0; }
    [[nodiscard]] std::uint64_t block_of(std::uint64_t sector) const;
    /// Sectors from where the request goes on to the end of what its zone holds.
    [[nodiscard]] std::uint32_t zone_left(const pending_request& r) const;
    bool zone_ready(queue_pair& q, std::uint32_t index);
    void send_reset(queue_pair& q, std::uint32_t index);
    void end_reset(std::uint32_t slot, const pending_request& r, const command& c, bool ok);
    void push(queue_pair& q, const nvme_sqe& sqe);
    void point_to(nvme_sqe& sqe, std::uint64_t address, std::uint32_t length) const;
    void name_stream(nvme_sqe& sqe, const request& req) const;
    void fill_data_command(nvme_sqe& sqe, std::uint32_t slot, const pending_request& r);
    void begin_data(std::uint32_t slot, const pending_request& r, const command& c);
    void take_data(std::uint32_t slot, const pending_request& r, const command& c);
    void end_data(std::uint32_t slot, const pending_request& r, const command& c, bool ok);
    void check_metadata(std::uint32_t slot, const request& req, const command& c);
    void fault(const std::string& what);

    [[nodiscard]] std::uint32_t slot_of(const queue_pair& q, std::uint16_t cid) const
    {
        return (q.id() - 1u) * m_config.queue_entries + cid;
    }
    [[nodiscard]] std::uint64_t buffer(std::uint32_t slot) const
    {
        return m_buffers + std::uint64_t{slot} * m_max_transfer;
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
    driver_links m_links;
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
    bool m_ready = false;
    bool m_private = false;

    std::uint32_t m_max_transfer = 0;
    std::uint32_t m_most_sectors = 0; // of a command
    std::uint64_t m_metadata = 0;     // per slot: those of its sectors
    std::uint64_t m_buffers = 0;      // per slot: m_max_transfer bytes
    std::uint64_t m_prp_lists = 0;    // per slot: one page
    std::vector<command> m_commands;  // per slot
    std::vector<pending_request> m_requests;
    std::vector<std::uint32_t> m_free_requests;
    std::vector<std::uint32_t> m_waiting; // ring of requests not yet issued in full
    std::size_t m_waiting_first = 0;
    std::size_t m_waiting_count = 0;
    std::vector<request_client*> m_told;    // to hear on_batch_end of this batch
    std::vector<request_client*> m_telling; // ... that are hearing it

    std::uint32_t m_resets = 0; // of zones, under way
    std::uint64_t m_in_flight = 0;
    std::uint64_t m_completed = 0;
    std::uint64_t m_lost = 0;
    std::uint64_t m_commands_sent = 0;
    std::uint64_t m_doorbells = 0;
};

} // namespace ssdvp::host
