// SPDX-License-Identifier: Apache-2.0
//
// Reads sectors through the normal path so that the shadow copy checks them, before the workload
// goes on after a power cycle. A read that fails is a mismatch; one that the link spoiled says
// nothing about the data, and is done again.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/host/driver/drive.h"
#include "models/host/shadow/shadow.h"

namespace ssdvp::host {

class verifier final : private request_client {
public:
    verifier(drive& target, shadow& check) : m_driver(target), m_shadow(check) {}

    /// Precondition: the driver is ready and idle. `done` is called when all has been read; it may
    /// come within start(). A power cut ends it without a word.
    void start(const std::vector<shadow::extent>& what, std::function<void()> done);
    /// Of all calls together.
    [[nodiscard]] std::uint64_t sectors() const { return m_sectors; }
    /// Of the last start(): when its first read completed; 0 = none did.
    [[nodiscard]] sim_time first_done() const { return m_first_done; }

    /// Of a piece that the link spoils each time; the driver has tried each of them several times.
    static constexpr std::uint32_t attempts = 8;

private:
    struct piece {
        shadow::extent what;
        std::uint32_t spoiled; // times, by the link
    };

    static constexpr std::uint32_t depth = 32;        // reads in flight
    static constexpr std::uint32_t piece_sectors = 8; // of a read that failed, to find what is lost

    void on_done(std::uint64_t cookie, const request_result& result) override;
    void on_lost(std::uint64_t cookie, const request& req) override;
    void on_batch_end() override { pump(); }
    void pump();

    drive& m_driver;
    shadow& m_shadow;
    std::vector<piece> m_pieces;
    std::size_t m_next = 0;
    std::uint32_t m_in_flight = 0;
    std::uint64_t m_sectors = 0;
    sim_time m_first_done;
    std::function<void()> m_done;
};

} // namespace ssdvp::host
