// SPDX-License-Identifier: Apache-2.0
//
// Latencies of each piece of the measured part (run_samples.h): how many requests of a piece were
// as fast as a percentile of the whole run. What a percentile is worth follows from how much that
// differs between pieces.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/histogram.h"
#include "models/host/request.h"

namespace ssdvp::platform {

/// Buckets of a histogram that hold something, ascending, and how many.
using latency_counts = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// By kind of request.
using latency_piece = std::array<latency_counts, host::request_kinds>;

/// Of all requests of a piece, and of those in buckets up to `bucket`.
[[nodiscard]] std::uint64_t count_of(const latency_counts& piece);
[[nodiscard]] std::uint64_t count_up_to(const latency_counts& piece, std::uint32_t bucket);

/// The same of one piece, asked again and again.
class latency_sums {
public:
    explicit latency_sums(const latency_counts& piece);
    [[nodiscard]] std::uint64_t all() const { return m_up_to.empty() ? 0 : m_up_to.back().second; }
    [[nodiscard]] std::uint64_t up_to(std::uint32_t bucket) const;

private:
    std::vector<std::pair<std::uint32_t, std::uint64_t>> m_up_to; // buckets, ascending
};

/// Two pieces that follow each other as one.
[[nodiscard]] latency_piece joined(const latency_piece& a, const latency_piece& b);

/// Counts one piece after the other. A request costs one counter and allocates nothing.
class latency_counter {
public:
    latency_counter();

    void record(host::request_kind kind, sim_time latency)
    {
        one& k = m_kinds[static_cast<std::size_t>(kind)];
        const auto bucket = static_cast<std::uint32_t>(histogram::bucket_of(latency));
        ++k.counts[bucket];
        const std::uint32_t word = bucket / word_bits;
        k.used[word] |= std::uint64_t{1} << (bucket % word_bits);
        k.first = word < k.first ? word : k.first;
        k.last = word > k.last ? word : k.last;
    }
    /// What was recorded since the last time.
    [[nodiscard]] latency_piece take();

private:
    static constexpr std::uint32_t word_bits = 64;
    struct one {
        std::vector<std::uint32_t> counts;
        std::vector<std::uint64_t> used;  // a bit each: few are, and take() finds them by it
        std::uint32_t first = UINT32_MAX; // word of `used`
        std::uint32_t last = 0;
    };
    std::array<one, host::request_kinds> m_kinds;
    latency_counts m_taken; // as large as a piece may be
};

} // namespace ssdvp::platform
