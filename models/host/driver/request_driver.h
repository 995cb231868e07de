// SPDX-License-Identifier: Apache-2.0
//
// What the drivers of all interfaces do with requests: take them, keep those that wait for room in
// the drive, move their data, tell who submitted them how they ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/block.h"
#include "models/host/config.h"
#include "models/host/driver/drive.h"
#include "models/host/driver/under_way.h"

namespace ssdvp::host {

class request_driver : public block, public drive {
public:
    static constexpr std::uint32_t waiting_capacity = 1024; // requests that wait for the drive

    // drive
    void power_lost() final;
    void abandon() final;
    [[nodiscard]] bool ready() const final { return m_ready; }
    void set_private(bool on) final { m_private = on; }
    [[nodiscard]] bool accepts() const final
    {
        return m_ready && m_waiting_count < waiting_capacity;
    }
    [[nodiscard]] std::uint64_t in_flight() const final { return m_in_flight; }
    [[nodiscard]] std::uint64_t completed() const final { return m_completed; }
    [[nodiscard]] std::uint64_t lost() const final { return m_lost; }
    [[nodiscard]] std::uint64_t commands() const final { return m_commands_sent; }
    [[nodiscard]] std::uint64_t doorbells() const final { return m_doorbells; }

protected:
    using pending_request = driver_request;
    /// What a command moves: sectors of its request from `offset` on, through the slot's buffer.
    struct piece {
        std::uint32_t slot;
        std::uint32_t offset;
        std::uint32_t sectors;
        unsigned char* buffer;
    };

    request_driver(const sc_core::sc_module_name& name, data_mode data, const driver_links& links);

    /// Commands, queues and sequences under way are no more; not ready.
    virtual void forget() = 0;

    void fault(const std::string& what);
    /// Room for the requests that `slots` commands and the ring of those that wait may hold.
    void reserve_requests(std::uint32_t slots);
    [[nodiscard]] pending_request& request_at(std::uint32_t index) { return m_requests[index]; }
    [[nodiscard]] const pending_request& request_at(std::uint32_t index) const
    {
        return m_requests[index];
    }

    /// The number of a new request. Precondition: accepts().
    std::uint32_t open_request(const request& req, unsigned char* data, request_client& client,
                               std::uint64_t cookie);
    /// The client is told when there may be room again.
    void note_client(request_client& client);
    /// `issue` hands as much of a request to the drive as it takes; true when that is all of it.
    template <typename Issue>
    void enter(std::uint32_t index, const Issue& issue)
    {
        if (m_waiting_count != 0 || !issue(index)) {
            m_waiting[(m_waiting_first + m_waiting_count++) % m_waiting.size()] = index;
        }
    }
    template <typename Issue>
    void drain_waiting(const Issue& issue)
    {
        while (m_waiting_count != 0 && issue(m_waiting[m_waiting_first])) {
            m_waiting_first = m_waiting_first + 1 == m_waiting.size() ? 0 : m_waiting_first + 1;
            --m_waiting_count;
        }
    }
    /// A command of the request goes out: it counts from `opened` on.
    void open_command(pending_request& r, std::size_t ledger_index, sim_time opened);
    /// The request is over: `result` lacks its parts of latency.
    request_result& close_request(std::uint32_t index);
    void report(std::uint32_t index);
    /// Enters the parts of the command that ended last. Returns their sum.
    sim_time fill_parts(request_result& result, std::size_t ledger_index, sim_time opened);
    /// Clients of this batch may submit more.
    void tell_clients();

    /// Between the request's data, or the shadow copy, and the buffer.
    void begin_data(const pending_request& r, const piece& p);
    void end_data(const pending_request& r, const piece& p, bool ok);
    /// What the drive has told of its write cache decides what a loss of power may take.
    void heed_write_cache()
    {
        if (m_links.check != nullptr) {
            m_links.check->set_write_through(!info().write_cache);
        }
    }
    /// The shadow copy gives and checks the data of the request.
    [[nodiscard]] bool shadowed(const pending_request& r) const
    {
        return r.data == nullptr && m_links.check != nullptr && m_links.check->active();
    }

    driver_links m_links;
    bool m_ready = false;
    bool m_private = false;
    std::uint64_t m_commands_sent = 0;
    std::uint64_t m_doorbells = 0;

private:
    void lose_all();
    void free_requests();

    data_mode m_data;
    std::vector<pending_request> m_requests;
    std::vector<std::uint32_t> m_free_requests;
    std::vector<std::uint32_t> m_waiting; // ring of requests not yet issued in full
    std::size_t m_waiting_first = 0;
    std::size_t m_waiting_count = 0;
    std::vector<request_client*> m_told;    // to hear on_batch_end of this batch
    std::vector<request_client*> m_telling; // ... that are hearing it

    std::uint64_t m_in_flight = 0;
    std::uint64_t m_completed = 0;
    std::uint64_t m_lost = 0;
};

} // namespace ssdvp::host
