// SPDX-License-Identifier: Apache-2.0
//
// The measured part in equal pieces: what a run was like from its beginning to its end, from which
// drift and confidence are judged. A sample says what has been since the beginning; the pieces
// between two of them hold the same number of requests. When there are too many samples, every
// other one goes, and the pieces are twice as long: memory and time stay small however long the
// run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/common/time.h"
#include "models/host/request.h"
#include "platform/report/latency_pieces.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

/// Without preconditioning.
struct flash_totals {
    std::uint64_t bytes_programmed = 0;
    std::uint64_t programs = 0; // pages, counted per plane
    std::uint64_t erases = 0;   // blocks, likewise
    std::uint64_t victims = 0;  // superblocks that firmware collected to the end
    std::uint64_t moved = 0;    // units, by that
};

struct run_sample {
    struct kind {
        std::uint64_t requests = 0;
        std::uint64_t bytes = 0;
        double latency = 0.0; // sum, ps
    };
    sim_time when;
    std::array<kind, host::request_kinds> kinds;
    flash_totals flash; // since power-on

    [[nodiscard]] std::uint64_t requests() const;
    [[nodiscard]] const kind& of(host::request_kind k) const
    {
        return kinds[static_cast<std::size_t>(k)];
    }
};

/// What happened between two samples.
[[nodiscard]] run_sample difference(const run_sample& end, const run_sample& begin);
/// As `requests` and `flash` are now.
[[nodiscard]] run_sample sample_of(sim_time when, const request_statistics& requests,
                                   const flash_totals& flash);

/// And requests that went before, which `s` knows nothing of.
[[nodiscard]] run_sample with_requests_of(run_sample s, const request_statistics& before);

/// What has been until `when`, which is now.
using sample_reading = std::function<run_sample(sim_time when)>;
/// Of what `requests` heard, and of the flash.
[[nodiscard]] sample_reading sampling(const request_statistics& requests,
                                      std::function<flash_totals()> flash);

class run_sampler final : public host::request_observer {
public:
    static constexpr std::size_t most = 64;       // pieces
    static constexpr std::uint64_t shortest = 16; // requests of a piece, at first

    /// What it reads has heard of each request before this one does.
    explicit run_sampler(sample_reading read);

    /// The measured part begins, with pieces of so many requests.
    void begin(sim_time when, std::uint64_t piece = shortest);
    void on_complete(const host::request_result& result) override
    {
        m_latencies.record(result.req.kind, result.latency());
        if (++m_seen == m_next) {
            take(result.completed);
        }
    }
    /// The first one is that of the beginning; empty before it.
    [[nodiscard]] const std::vector<run_sample>& samples() const { return m_samples; }
    /// Between each sample and the next.
    [[nodiscard]] const std::vector<latency_piece>& pieces() const { return m_pieces; }
    /// Requests that each of them has now.
    [[nodiscard]] std::uint64_t piece() const { return m_piece; }

private:
    void take(sim_time when);

    sample_reading m_read;
    std::vector<run_sample> m_samples; // of fixed capacity
    std::vector<latency_piece> m_pieces;
    latency_counter m_latencies;
    std::uint64_t m_seen = 0;
    std::uint64_t m_piece = shortest;
    std::uint64_t m_next = shortest;
};

} // namespace ssdvp::platform
