// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/zipf.h"

#include <algorithm>
#include <cmath>

#include "models/common/real_functions.h"
#include "models/host/workload/pattern.h"

namespace ssdvp::host {

namespace {

/// log(1 + x) / x and (exp(x) - 1) / x, exact near 0: there s is close to 1.
double log_ratio(double x)
{
    return std::fabs(x) > 1e-8 ? portable_log1p(x) / x : 1.0 - x * (0.5 - x / 3.0);
}
/// Nodes of a polynomial on [0, 1], and where between and beside them it is furthest off.
constexpr double chebyshev[] = {0.02447174185242318, 0.20610737385376343, 0.5, 0.7938926261462366,
                                0.9755282581475768};
constexpr double furthest_from_nodes[] = {
    0.0, 0.09549150281252627, 0.34549150281252627, 0.6545084971874737, 0.9045084971874737, 1.0};
constexpr double error_factor = 8.0; // for what lies between
constexpr double rounding = 1e-13;   // of the functions, and of the polynomial

double exp_ratio(double x)
{
    return std::fabs(x) > 1e-8 ? portable_expm1(x) / x : 1.0 + x * 0.5 * (1.0 + x / 3.0);
}

} // namespace

zipf_ranks::zipf_ranks(std::uint64_t n, double s)
    : m_n(static_cast<double>(n)), m_s(s), m_first(integral(1.5) - 1.0),
      m_last(integral(m_n + 0.5)), m_shift(2.0 - inverse_integral(integral(2.5) - density(2.0)))
{
    for (std::size_t i = 0; i < cells; ++i) {
        m_cells.push_back(cell_of(i));
    }
}

double zipf_ranks::density(double x) const
{
    return portable_exp(-m_s * portable_log(x));
}

double zipf_ranks::integral(double x) const
{
    const double log_x = portable_log(x);
    return exp_ratio((1.0 - m_s) * log_x) * log_x;
}

double zipf_ranks::inverse_integral(double y) const
{
    const double t = std::max(y * (1.0 - m_s), -1.0); // rounding may step over the pole
    return portable_exp(log_ratio(t) * y);
}

double zipf_ranks::position(double drawn) const
{
    return inverse_integral(m_last + drawn * (m_first - m_last));
}

std::uint64_t zipf_ranks::rank_of(double drawn) const
{
    const double u = m_last + drawn * (m_first - m_last);
    const double x = inverse_integral(u);
    const double k = std::min(std::max(std::floor(x + 0.5), 1.0), m_n);
    return k - x <= m_shift || u >= integral(k + 0.5) - density(k) ? static_cast<std::uint64_t>(k)
                                                                   : 0;
}

double zipf_ranks::cell::at(double t) const
{
    double y = differences[nodes - 1];
    for (std::size_t i = nodes - 1; i-- != 0;) {
        y = y * (t - chebyshev[i]) + differences[i];
    }
    return y;
}

zipf_ranks::cell zipf_ranks::cell_of(std::size_t i) const
{
    const auto exact = [&](double t) { // t in [0, 1] of the cell
        return position((static_cast<double>(i) + t) / static_cast<double>(cells));
    };
    cell c;
    for (std::size_t n = 0; n < nodes; ++n) {
        c.differences[n] = exact(chebyshev[n]);
    }
    for (std::size_t order = 1; order < nodes; ++order) {
        for (std::size_t n = nodes - 1; n >= order; --n) {
            c.differences[n] =
                (c.differences[n] - c.differences[n - 1]) / (chebyshev[n] - chebyshev[n - order]);
        }
    }
    double furthest = 0.0;
    for (const double t : furthest_from_nodes) {
        furthest = std::max(furthest, std::fabs(c.at(t) - exact(t)));
    }
    const double largest = std::max(exact(0.0), exact(1.0));
    c.error = error_factor * furthest + rounding * largest;
    return c;
}

std::uint64_t zipf_ranks::next(rng& random) const
{
    for (;;) {
        const double drawn = random.real();
        const double place = drawn * static_cast<double>(cells);
        const auto i = static_cast<std::size_t>(place);
        const cell& c = m_cells[i];
        const double x = c.at(place - static_cast<double>(i));
        const double k = std::floor(x + 0.5);
        // As sure as it is of the rank and that it is taken, so would be the functions.
        if (std::fabs(x - k) < 0.5 - c.error && k - x < m_shift - c.error && k >= 1.0 && k <= m_n) {
            return static_cast<std::uint64_t>(k);
        }
        if (const std::uint64_t rank = rank_of(drawn); rank != 0) {
            return rank;
        }
    }
}

scatter::scatter(std::uint64_t n, std::uint64_t key) : m_n(n), m_key(key)
{
    while (m_half_bits < 32 && (1ull << (2 * m_half_bits)) < n) {
        ++m_half_bits;
    }
}

std::uint64_t scatter::shuffle(std::uint64_t i) const
{
    constexpr std::uint64_t keys[] = {0x9E3779B97F4A7C15ull, 0xC2B2AE3D27D4EB4Full,
                                      0x165667B19E3779F9ull, 0xD6E8FEB86659FD93ull};
    const std::uint64_t mask = (1ull << m_half_bits) - 1;
    std::uint64_t left = i >> m_half_bits;
    std::uint64_t right = i & mask;
    for (const std::uint64_t key : keys) {
        std::uint64_t mixed = (right + (key ^ m_key)) * 0xBF58476D1CE4E5B9ull;
        mixed ^= mixed >> 29;
        const std::uint64_t next = left ^ ((mixed >> 7) & mask);
        left = right;
        right = next;
    }
    return left << m_half_bits | right;
}

std::uint64_t scatter::operator()(std::uint64_t i) const
{
    do {
        i = shuffle(i);
    } while (i >= m_n);
    return i;
}

namespace {

class zipf final : public pattern {
public:
    zipf(double theta, std::uint64_t blocks) : m_ranks(blocks, theta), m_scatter(blocks)
    {
        for (std::uint64_t i = 0; i < std::min(blocks, popular); ++i) {
            m_popular.push_back(m_scatter(i));
        }
    }
    std::uint64_t next(rng& random) override
    {
        const std::uint64_t i = m_ranks.next(random) - 1;
        return i < m_popular.size() ? m_popular[i] : m_scatter(i);
    }

private:
    static constexpr std::uint64_t popular = 1 << 15; // most draws, with usual exponents

    zipf_ranks m_ranks;
    scatter m_scatter;
    std::vector<std::uint64_t> m_popular; // where the first ranks lie
};

} // namespace

std::unique_ptr<pattern> make_zipf(const stream_config& config, std::uint64_t blocks)
{
    return std::make_unique<zipf>(config.zipf_theta, blocks);
}

} // namespace ssdvp::host
