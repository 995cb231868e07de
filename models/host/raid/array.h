// SPDX-License-Identifier: Apache-2.0
//
// An array of drives that workloads use like one: RAID-0 (stripe) or RAID-1 (mirror). It hands its
// own buffers to the members and checks them with its own shadow copy, so that data that went to a
// wrong place are found. It has no process: it acts within those of the members' drivers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/fault_log.h"
#include "models/common/lazy_array.h"
#include "models/host/driver/request_target.h"
#include "models/host/raid/config.h"
#include "models/host/raid/stripe.h"
#include "models/host/shadow/shadow.h"

namespace ssdvp::host {

struct array_counts {
    std::uint64_t in = 0;  // requests taken
    std::uint64_t out = 0; // and answered
    std::uint64_t pieces = 0;
    std::uint64_t reads_recovered = 0; // that failed on a member and succeeded on another
    std::uint64_t waited = 0;          // writes and trims, for one that they overlap
};

struct array_member_counts {
    std::uint64_t in = 0; // pieces
    std::uint64_t out = 0;
    std::uint64_t errors = 0;
    bool good = true; // false: a write, trim or flush failed, and it left the array
};

class array final : public request_target {
public:
    struct member {
        request_target* drive = nullptr;
        std::uint64_t capacity = 0; // sectors
    };

    /// `faults` and `observer` may be null.
    array(const array_config& config, fault_log* faults, request_observer* observer);

    /// The members are up. `slots`: requests under way at most; `most`: sectors of one.
    void open(const std::vector<member>& members, std::uint32_t slots, std::uint32_t most);
    /// Sectors, after open().
    [[nodiscard]] std::uint64_t capacity() const { return m_capacity; }

    // request_target. A request lies within the capacity.
    bool submit(const request& req, unsigned char* data, request_client& client,
                std::uint64_t cookie) override;
    void ring() override { ring_all(nullptr); }

    [[nodiscard]] shadow& check() { return m_check; }
    [[nodiscard]] const shadow& check() const { return m_check; }
    [[nodiscard]] const array_counts& counts() const { return m_counts; }
    [[nodiscard]] const array_member_counts& member_counts(std::size_t i) const
    {
        return m_ports[i]->counts;
    }
    [[nodiscard]] bool degraded() const { return m_good != m_ports.size(); }

private:
    struct slot {
        request_result result;
        request_client* client = nullptr;
        std::uint64_t cookie = 0;
        unsigned char* data = nullptr; // of the client; null: the shadow copy's
        std::uint32_t outstanding = 0; // pieces
        std::uint32_t tried = 0;       // mirror: bits of members where the read failed
        bool started = false;          // a member has begun with it
        bool gathered = false;         // members' parts lie in m_gather, each in one piece
    };
    /// What of a slot's request is a member's.
    struct piece {
        stripe_map::extent where;
        unsigned char* data = nullptr;
        sim_time offered;
    };
    /// The array as the client of one member.
    struct port final : request_client {
        array* owner = nullptr;
        std::uint32_t index = 0;
        request_target* drive = nullptr;
        array_member_counts counts;
        std::uint32_t load = 0;             // pieces given to it, those that wait among them
        bool to_ring = false;               // it got something since it was rung
        std::vector<std::uint32_t> waiting; // ring of slots whose piece it has no room for yet
        std::size_t first = 0;
        std::size_t count = 0;
        void on_done(std::uint64_t cookie, const request_result& result) override
        {
            owner->piece_done(*this, static_cast<std::uint32_t>(cookie), result);
        }
        void on_lost(std::uint64_t cookie, const request& req) override;
        void on_batch_end() override { owner->batch_end(*this); }
    };

    [[nodiscard]] bool mirrored() const { return m_config.level == raid_level::mirror; }
    [[nodiscard]] piece& piece_of(std::uint32_t index, std::uint32_t who)
    {
        return m_pieces[std::size_t{index} * m_ports.size() + who];
    }
    [[nodiscard]] unsigned char* buffer(std::uint32_t index);
    [[nodiscard]] bool must_wait(const request& req, std::size_t blocked) const;
    void start(std::uint32_t index);
    void start_striped(std::uint32_t index);
    void start_mirrored(std::uint32_t index);
    void gather(std::uint32_t index);
    void scatter(std::uint32_t index);
    [[nodiscard]] std::uint32_t choose_reader(std::uint32_t tried);
    void offer(port& to, std::uint32_t index);
    void queue(port& to, std::uint32_t index);
    bool give(port& to, std::uint32_t index);
    void drain(port& to);
    void piece_done(port& from, std::uint32_t index, const request_result& result);
    void failed(port& from, std::uint32_t index, std::uint16_t status);
    void finish(std::uint32_t index, const request_result& last, sim_time offered);
    void begin_data(std::uint32_t index);
    void end_data(std::uint32_t index);
    void forget_write(std::uint32_t index);
    void release_blocked();
    void batch_end(const port& from);
    void ring_all(const port* but);
    void note_client(request_client& client);

    array_config m_config;
    fault_log* m_faults;
    request_observer* m_observer;
    shadow m_check;
    stripe_map m_map{1, 1};
    std::uint64_t m_capacity = 0;
    std::uint32_t m_most = 0; // sectors of a request
    std::vector<std::unique_ptr<port>> m_ports;
    std::size_t m_good = 0;
    std::uint32_t m_turn = 0; // mirror: the member after the one that read last
    std::vector<slot> m_slots;
    std::vector<piece> m_pieces; // of each slot, one for each member
    std::vector<std::uint32_t> m_free;
    lazy_array<unsigned char> m_buffers;  // of each slot, by the array's addresses
    lazy_array<unsigned char> m_gather;   // of each slot, by member
    std::vector<std::uint32_t> m_writes;  // mirror: slots with a write or trim under way
    std::vector<std::uint32_t> m_blocked; // mirror: those that wait for one of them, in order
    bool m_unblock = false;
    std::vector<request_client*> m_told; // to hear on_batch_end
    std::vector<request_client*> m_telling;
    array_counts m_counts;
};

} // namespace ssdvp::host
