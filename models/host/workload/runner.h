// SPDX-License-Identifier: Apache-2.0
//
// Moves requests from the sources to the driver: as many as queue depth, arrival times and limits
// allow. It acts within the driver's activations; its own process only waits for arrivals.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/common/block.h"
#include "models/common/fault_log.h"
#include "models/common/timed_queue.h"
#include "models/host/driver/request_target.h"
#include "models/host/workload/source.h"

namespace ssdvp::host {

struct run_limits {
    std::uint64_t requests = 0; // of all streams together, flushes included; 0 = no limit
    sim_time duration;          // no request arrives later than this after the start; 0 = no limit
};

/// How often a stream had so many requests in flight, the new one among them.
constexpr std::size_t depth_levels = 7; // 1, 2.., 4.., 8.., 16.., 32.., 64 and more
using depth_counts = std::array<std::uint64_t, depth_levels>;

struct depth_statistics {
    depth_counts in_flight{};
    depth_counts submitted{}; // at once: 1..4, 5..8, 9..16, 17..32, 33..64 and more from entry 1 on
    depth_counts completed{}; // the same
};

class runner : public block, private request_client {
public:
    runner(const sc_core::sc_module_name& name, request_target& target, fault_log* faults);

    /// Before start(), once for each stream.
    void add(std::unique_ptr<source> stream);
    /// `done` is called when every source has ended and every request has completed.
    void start(const run_limits& limits, std::function<void()> done);
    /// No further request; `done` follows when those in flight have completed.
    void stop();
    /// Nothing is issued and the workload's clock stands still until resume(): the drive loses
    /// power, or is about to be shut down.
    void pause();
    void resume();

    [[nodiscard]] std::uint64_t issued() const { return m_issued; }
    [[nodiscard]] std::uint64_t completed() const { return m_completed; }
    [[nodiscard]] std::uint64_t lost() const { return m_lost; }            // to power cuts
    [[nodiscard]] std::size_t streams() const { return m_streams.size(); } // 0 before the start
    [[nodiscard]] const depth_statistics& depths(std::size_t index) const
    {
        return m_streams[index].depths;
    }
    [[nodiscard]] bool running() const { return m_running; }

private:
    struct stream {
        std::unique_ptr<source> from;
        request next; // taken from the source, not yet submitted
        bool has_next = false;
        bool ended = false;
        bool waking = false; // the agenda has an entry for its next arrival
        bool timed = false;
        std::uint32_t depth = 0;
        std::uint32_t in_flight = 0;
        bool started = false;
        bool finished = false; // ended, and nothing in flight
        bool held = false;     // the depth was full, refill_at() not yet reached
        std::uint32_t refill_at = UINT32_MAX;
        start_after after;
        sim_time origin; // when it started
        depth_statistics depths;
        std::uint32_t completing = 0; // since the last pass
    };

    void on_done(std::uint64_t cookie, const request_result& result) override;
    void on_lost(std::uint64_t cookie, const request& req) override;
    void on_batch_end() override { pump(); }
    void act();
    void pump();
    bool issue_one(std::size_t index);
    bool take(stream& s);
    bool ready_to_start(const stream& s) const;
    bool may_start(stream& s);
    bool pass();
    static bool waits(stream& s);
    void finish(stream& s);
    void end(stream& s);

    request_target& m_driver;
    fault_log* m_faults;
    timed_queue<std::uint32_t> m_agenda; // streams with an arrival
    std::vector<stream> m_streams;
    std::size_t m_first = 0; // stream whose turn it is when the driver is full
    run_limits m_limits;
    std::function<void()> m_done;
    sim_time m_start;
    bool m_running = false;
    bool m_paused = false;
    sim_time m_paused_at;
    std::uint32_t m_phase = 0; // the lowest of a source that has not finished
    bool m_changed = false;    // a source finished: others may start
    bool m_full = false;       // the driver refused a request in this pump
    std::uint64_t m_issued = 0;
    std::uint64_t m_completed = 0;
    std::uint64_t m_lost = 0;
};

} // namespace ssdvp::host
