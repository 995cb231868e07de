// SPDX-License-Identifier: Apache-2.0
//
// Log-linear histogram of times. Each power of two of picoseconds is cut into 512 equal buckets,
// so that a percentile differs from the true value by at most 1/1024 of it (0.098 %); times below
// 1024 ps, the smallest and the largest value, the mean and the standard deviation are exact.
// Every 64-bit time has a bucket: nothing is clipped. record() costs O(1) and allocates nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/log_buckets.h"
#include "models/common/state_archive.h"
#include "models/common/time.h"

namespace ssdvp {

class histogram {
    static constexpr unsigned sub_bucket_bits = 9;
    using cells = log_buckets<sub_bucket_bits>;

public:
    static constexpr double relative_error = 1.0 / 1024; // of a percentile
    static constexpr std::uint32_t parts_per_million = 1000 * 1000;

    histogram();

    void record(sim_time value)
    {
        const std::uint64_t v = value.ps();
        ++m_buckets[cells::index_of(v)];
        ++m_count;
        m_sum += v;
        m_square_sum += static_cast<uint128>(v) * v;
        m_min = v < m_min ? v : m_min;
        m_max = v > m_max ? v : m_max;
    }
    void merge(const histogram& other);
    void reset();
    /// As if each value had come `factor` times: counts are rounded so that no sum of them from
    /// below is off by more than a half. Smallest, largest value, and spread stay.
    void scale(double factor);
    /// For another process of this program.
    void keep(state_archive& a);

    [[nodiscard]] std::uint64_t count() const { return m_count; }
    [[nodiscard]] uint128 sum() const { return m_sum; } // ps
    /// The following are 0 while nothing is recorded.
    [[nodiscard]] sim_time min() const { return sim_time(m_count == 0 ? 0 : m_min); }
    [[nodiscard]] sim_time max() const { return sim_time(m_max); }
    [[nodiscard]] double mean() const;  // ps
    [[nodiscard]] double stdev() const; // ps, of the population

    /// Nearest rank: the ceil(count * ppm / 10^6)-th smallest value, at least the first. p99.99 is
    /// 999900 ppm: whole numbers keep the rank exact for any count.
    [[nodiscard]] sim_time percentile(std::uint32_t ppm) const;
    /// The rank-th smallest value, as exact as a percentile. 1 <= rank <= count().
    [[nodiscard]] sim_time ranked(std::uint64_t rank) const;

    /// How many buckets there are, and the one of a value; ascending.
    static constexpr std::size_t buckets = cells::count;
    static std::size_t bucket_of(sim_time value) { return cells::index_of(value.ps()); }

    /// A bucket that holds something: `count` values in [from, to).
    struct bucket {
        sim_time from;
        sim_time to;
        std::uint64_t count;
    };
    /// The buckets that hold something, ascending.
    [[nodiscard]] std::vector<bucket> occupied() const;

private:
    std::vector<std::uint64_t> m_buckets;
    std::uint64_t m_count = 0;
    uint128 m_sum = 0;
    uint128 m_square_sum = 0; // modulo 2^128, which stdev() undoes
    std::uint64_t m_min = UINT64_MAX;
    std::uint64_t m_max = 0;
};

} // namespace ssdvp
