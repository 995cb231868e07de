// SPDX-License-Identifier: Apache-2.0
//
// Zipf's law over any range in constant time and memory.
#pragma once

#include <cstdint>

#include "models/common/rng.h"

namespace ssdvp::host {

/// Draws rank k in 1..n with probability proportional to k^-s, s >= 0, by rejection-inversion:
/// W. Hoermann, G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
/// distributions", ACM TOMACS 6(3), 1996.
class zipf_ranks {
public:
    zipf_ranks(std::uint64_t n, double s);
    std::uint64_t next(rng& random) const;

private:
    /// H(x), the integral of the density x^-s with H(1) = 0, and its inverse.
    [[nodiscard]] double integral(double x) const;
    [[nodiscard]] double inverse_integral(double y) const;
    [[nodiscard]] double density(double x) const;

    double m_n;
    double m_s;
    double m_first; // H(3/2) - 1
    double m_last;  // H(n + 1/2)
    double m_shift; // 2 - H^-1(H(5/2) - h(2)): so near above a rank acceptance is certain
};

/// A fixed one-to-one map of [0, n) onto itself without visible order: popular ranks must not be
/// neighbours. A Feistel network over the next power of four, walked until it falls below n. Each
/// key gives another map.
class scatter {
public:
    explicit scatter(std::uint64_t n, std::uint64_t key = 0);
    [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const;

private:
    [[nodiscard]] std::uint64_t shuffle(std::uint64_t i) const;

    std::uint64_t m_n;
    std::uint64_t m_key;
    unsigned m_half_bits = 1;
};

} // namespace ssdvp::host
