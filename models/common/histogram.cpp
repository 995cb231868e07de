// SPDX-License-Identifier: Apache-2.0
#include "models/common/histogram.h"

#include <algorithm>
#include <cmath>

namespace ssdvp {

histogram::histogram() : m_buckets(cells::count, 0) {}

void histogram::merge(const histogram& other)
{
    if (other.m_count == 0) {
        return;
    }
    const std::size_t last = cells::index_of(other.m_max);
    for (std::size_t i = cells::index_of(other.m_min); i <= last; ++i) {
        m_buckets[i] += other.m_buckets[i];
    }
    m_count += other.m_count;
    m_sum += other.m_sum;
    m_square_sum += other.m_square_sum;
    m_min = std::min(m_min, other.m_min);
    m_max = std::max(m_max, other.m_max);
}

void histogram::reset()
{
    if (m_count != 0) {
        std::fill(m_buckets.begin() + static_cast<std::ptrdiff_t>(cells::index_of(m_min)),
                  m_buckets.begin() + static_cast<std::ptrdiff_t>(cells::index_of(m_max) + 1), 0);
    }
    m_count = 0;
    m_sum = 0;
    m_square_sum = 0;
    m_min = UINT64_MAX;
    m_max = 0;
}

void histogram::scale(double factor)
{
    const double variance = stdev() * stdev();
    std::uint64_t seen = 0;
    std::uint64_t kept = 0;
    for (std::size_t i = cells::index_of(m_min); m_count != 0 && i <= cells::index_of(m_max); ++i) {
        seen += m_buckets[i];
        const auto upto =
            static_cast<std::uint64_t>(std::round(factor * static_cast<double>(seen)));
        m_buckets[i] = upto - kept;
        kept = upto;
    }
    if (kept == 0) {
        reset();
        return;
    }
    m_count = kept;
    m_sum = static_cast<uint128>(static_cast<long double>(m_sum) * factor + 0.5L);
    const uint128 whole = m_sum / m_count;
    const uint128 rest = m_sum % m_count;
    const auto n = static_cast<double>(m_count);
    const double offset = static_cast<double>(rest) / n;
    const double centred = n * (variance + offset * offset); // as stdev() takes it
    m_square_sum = static_cast<uint128>(centred + 0.5) + whole * (m_sum + rest);
}

void histogram::keep(state_archive& a)
{
    if (a.loading()) {
        reset();
    }
    a.value(m_count);
    a.value(m_sum);
    a.value(m_square_sum);
    a.value(m_min);
    a.value(m_max);
    for (std::size_t i = cells::index_of(m_min); m_count != 0 && i <= cells::index_of(m_max); ++i) {
        a.value(m_buckets[i]);
    }
}

double histogram::mean() const
{
    if (m_count == 0) {
        return 0.0;
    }
    const auto whole = static_cast<std::uint64_t>(m_sum / m_count);
    const auto rest = static_cast<std::uint64_t>(m_sum % m_count);
    return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(m_count);
}

/// With m the mean rounded down and r the remainder, sum (x - m)^2 = sum x^2 - m * (sum x + r).
/// In integers this loses nothing to cancellation, and modulo 2^128 it is right even where the
/// sum of squares has wrapped.
double histogram::stdev() const
{
    if (m_count == 0) {
        return 0.0;
    }
    const uint128 whole = m_sum / m_count;
    const uint128 rest = m_sum % m_count;
    const uint128 centred = m_square_sum - whole * (m_sum + rest);
    const auto n = static_cast<double>(m_count);
    const double offset = static_cast<double>(rest) / n;
    const double variance = static_cast<double>(centred) / n - offset * offset;
    return std::sqrt(std::max(variance, 0.0));
}

sim_time histogram::percentile(std::uint32_t ppm) const
{
    if (m_count == 0) {
        return sim_time();
    }
    const uint128 scaled = static_cast<uint128>(m_count) * ppm + (parts_per_million - 1);
    const auto rank = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(scaled / parts_per_million), 1, m_count);
    return ranked(rank);
}

sim_time histogram::ranked(std::uint64_t rank) const
{
    if (rank == m_count) {
        return max();
    }
    std::uint64_t seen = 0;
    std::size_t index = cells::index_of(m_min);
    while (seen + m_buckets[index] < rank) {
        seen += m_buckets[index];
        ++index;
    }
    return sim_time(std::clamp(cells::lowest(index) + cells::width(index) / 2, m_min, m_max));
}

std::vector<histogram::bucket> histogram::occupied() const
{
    std::vector<bucket> found;
    for (std::size_t i = 0; i < m_buckets.size(); ++i) {
        if (m_buckets[i] != 0) {
            const std::uint64_t from = cells::lowest(i);
            found.push_back({sim_time(from), sim_time(from + cells::width(i)), m_buckets[i]});
        }
    }
    return found;
}

} // namespace ssdvp
