// SPDX-License-Identifier: Apache-2.0
//
// What became of the host's requests: counts, latency and its parts, by kind and, where asked for,
// by workload stream.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/histogram.h"
#include "models/host/request.h"

namespace ssdvp::platform {

/// Names of host::request_kind as in summary.json and the request log.
constexpr std::array<const char*, host::request_kinds> request_kind_names = {"read", "write",
                                                                             "trim", "flush"};

struct kind_statistics {
    std::uint64_t requests = 0; // completed, failed ones included
    std::uint64_t bytes = 0;    // of those that succeeded
    std::uint64_t errors = 0;
    histogram latency;                          // of all
    std::array<uint128, latency_parts> parts{}; // sums, ps
    uint128 in_driver = 0; // sum, ps: until the drive was told; a part of `queue`

    void record(const host::request_result& result);
    void merge(const kind_statistics& other);
    void scale(double factor); // as if each request had come so often
    void reset();
    void keep(state_archive& a);
};

class request_statistics : public host::request_observer {
public:
    using by_kind = std::array<kind_statistics, host::request_kinds>;

    /// `streams` > 0 keeps a breakdown for streams 0..streams-1 as well (0.9 MB each).
    explicit request_statistics(std::size_t streams = 0) : m_streams(streams) {}

    /// Allocates nothing.
    void on_complete(const host::request_result& result) override;

    /// Forgets the requests so far, which were warm-up. The life-long counts below stay.
    void begin_measurement();
    /// The requests of `part` too, which has the same streams. The life-long counts stay.
    void add(const request_statistics& part);
    /// As if each request had come so often. The life-long counts stay.
    void scale(double factor);
    /// The requests, for another process of this program. The life-long counts stay.
    void keep(state_archive& a);
    /// The requests of `part`, which this one heard of as well, instead of those so far.
    void report(const request_statistics& part);

    [[nodiscard]] const kind_statistics& kind(host::request_kind k) const
    {
        return m_kinds[static_cast<std::size_t>(k)];
    }
    [[nodiscard]] const by_kind& kinds() const { return m_kinds; }
    [[nodiscard]] const std::vector<by_kind>& streams() const { return m_streams; }
    /// Sums over the kinds.
    [[nodiscard]] kind_statistics overall() const;
    [[nodiscard]] std::uint64_t requests() const;

    [[nodiscard]] std::uint64_t lifetime_requests() const { return m_lifetime_requests; }
    [[nodiscard]] std::uint64_t lifetime_read_bytes() const { return m_lifetime_read_bytes; }
    /// Requests whose parts did not sum to their latency, and the first of them by sequence.
    [[nodiscard]] std::uint64_t bad_splits() const { return m_bad_splits; }
    [[nodiscard]] std::uint64_t first_bad_split() const { return m_first_bad_split; }

private:
    by_kind m_kinds;
    std::vector<by_kind> m_streams;
    std::uint64_t m_lifetime_requests = 0;
    std::uint64_t m_lifetime_read_bytes = 0;
    std::uint64_t m_bad_splits = 0;
    std::uint64_t m_first_bad_split = 0;
};

} // namespace ssdvp::platform
