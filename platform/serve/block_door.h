// SPDX-License-Identifier: Apache-2.0
//
// Block requests of other threads: in through the gate, to the host's driver as any workload's, and
// back with their data. Several doors may share a gate, one for each drive.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "models/host/driver/drive.h"
#include "platform/serve/content_check.h"
#include "platform/serve/gate.h"
#include "platform/serve/session.h"

namespace ssdvp::platform {

class block_door;

/// A request under way. Its poster owns it, and leaves it alone until it is in `returned`.
struct block_request final : gate::call {
    host::request_kind kind = host::request_kind::read;
    bool fua = false;
    std::uint64_t lba = 0;
    std::uint32_t sectors = 0;
    unsigned char* data = nullptr; // sectors * 512 bytes; null for trim and flush
    void* poster = nullptr;        // the poster's own, as the next
    void* owner = nullptr;
    block_door* door = nullptr;
    std::uint16_t status = 0;  // of the interface; 0 = success
    bool lost = false;         // the drive will never answer, or does not take it
    bool image_failed = false; // done by the drive, and not kept by the image
    std::size_t place = 0;     // the door's own, as the next: among those in the driver
    bool contested = false;    // overlaps another that was in the driver with it

    void enter() override;
};

class block_door final : private host::request_client {
public:
    /// `wake` is called by the simulation's thread when the first of some requests has returned.
    block_door(gate& way, std::function<void()> wake) : m_gate(way), m_wake(std::move(wake)) {}

    // Any thread:
    void post(block_request& r)
    {
        r.door = this;
        m_gate.post(r);
    }
    /// Takes what has returned since the last call.
    void take(std::vector<block_request*>& returned);

    // The simulation's thread:
    /// `capacity` in sectors; what reads wrong is recorded in `faults`, by `who`.
    void open(host::drive& drive, std::uint64_t capacity, fault_log& faults, std::string who);
    /// What is to be durable when it is answered waits until answer(), if `hold`.
    void hold_durable(bool hold) { m_hold = hold; }
    [[nodiscard]] std::vector<block_request*> take_durable()
    {
        return std::exchange(m_durable, {});
    }
    [[nodiscard]] bool has_durable() const { return !m_durable.empty(); }
    /// Also from the thread that writes the image.
    void answer(const std::vector<block_request*>& requests);
    /// Tells the drive of what came in.
    void ring();
    [[nodiscard]] session_counts counts() const;
    /// Requests in the door or in the drive.
    [[nodiscard]] std::uint64_t under_way() const { return m_under_way; }
    /// The drive is dead: what is under way and what comes is answered as lost.
    void close();

private:
    friend struct block_request;

    void enter(block_request& r);
    void on_done(std::uint64_t cookie, const host::request_result& result) override;
    void on_lost(std::uint64_t cookie, const host::request& req) override;
    void on_batch_end() override;
    bool submit(block_request& r);
    void leave(block_request& r);
    void finish(block_request& r);
    void give_back();

    gate& m_gate;
    std::function<void()> m_wake;
    host::drive* m_drive = nullptr;
    std::deque<block_request*> m_waiting; // that the driver had no room for, in order
    std::vector<block_request*> m_inside; // in the driver
    std::vector<block_request*> m_ended;  // of this batch
    std::vector<block_request*> m_durable;
    session_counts m_counts; // without what m_check counts
    content_check m_check;
    std::uint64_t m_under_way = 0;
    bool m_submitted = false; // since ring()
    bool m_hold = false;
    unsigned char m_nothing = 0; // data that requests without data point to

    std::mutex m_mutex; // of what follows
    std::vector<block_request*> m_returned;
};

} // namespace ssdvp::platform
