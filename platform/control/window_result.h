// SPDX-License-Identifier: Apache-2.0
//
// What a window of a sampled run counted, as it comes from the process that ran it; and several of
// them as one measured part.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/state_archive.h"
#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

struct window_result {
    window_result(counters shape, std::size_t streams)
        : counted(std::move(shape)), requests(streams)
    {}
    /// Two processes of one program, and drives of one configuration: `counted` has its shape.
    void keep(state_archive& a);

    counters counted; // from its beginning to its end
    request_statistics requests;
    run_sample sample;     // likewise
    latency_piece latency; // of all its requests
    std::uint64_t buffer_growth = 0;
    std::uint64_t peak_rss_bytes = 0;
    sim_time simulated; // with what went before
};

/// Windows one behind the other.
class window_sum {
public:
    explicit window_sum(std::size_t streams) : m_requests(streams), m_samples(1) {}

    /// As if it had come `weight` times; the pieces stay what they are.
    void add(const window_result& w, double weight = 1.0);
    /// Precondition: there was a window.
    void put(measurement& m) const;
    [[nodiscard]] const request_statistics& requests() const { return m_requests; }
    [[nodiscard]] std::size_t windows() const { return m_latencies.size(); }
    [[nodiscard]] std::size_t windows_erasing() const { return m_erasing; }

private:
    counters m_counted;
    request_statistics m_requests;
    std::vector<run_sample> m_samples; // since the first began
    std::vector<latency_piece> m_latencies;
    std::size_t m_erasing = 0; // windows
    std::uint64_t m_buffer_growth = 0;
    std::uint64_t m_peak_rss_bytes = 0;
    sim_time m_simulated;
};

} // namespace ssdvp::platform
