// SPDX-License-Identifier: Apache-2.0
//
// Zipf's law over any range in constant time and memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/rng.h"

namespace ssdvp::host {

/// Draws rank k in 1..n with probability proportional to k^-s, s >= 0, by rejection-inversion:
/// W. Hoermann, G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
/// distributions", ACM TOMACS 6(3), 1996. Most of the draws go by polynomials whose error is known:
/// where it might change the rank, the functions themselves decide, so the ranks are theirs.
class zipf_ranks {
public:
    zipf_ranks(std::uint64_t n, double s);
    std::uint64_t next(rng& random) const;

private:
    /// H(x), the integral of the density x^-s with H(1) = 0, and its inverse.
    [[nodiscard]] double integral(double x) const;
    [[nodiscard]] double inverse_integral(double y) const;
    [[nodiscard]] double density(double x) const;
    /// H^-1 of a number in [0, 1), which stands for one from m_last down to m_first.
    [[nodiscard]] double position(double drawn) const;
    /// The rank of a number in [0, 1); 0: it is refused.
    [[nodiscard]] std::uint64_t rank_of(double drawn) const;

    static constexpr std::size_t cells = 512;
    static constexpr std::size_t nodes = 5;
    /// position() in one of equal parts of [0, 1), by Newton's form of the polynomial through
    /// nodes.
    struct cell {
        std::array<double, nodes> differences{};
        double error = 1.0; // at most; so large: not to be used
        [[nodiscard]] double at(double t) const;
    };
    [[nodiscard]] cell cell_of(std::size_t i) const;

    double m_n;
    double m_s;
    double m_first; // H(3/2) - 1
    double m_last;  // H(n + 1/2)
    double m_shift; // 2 - H^-1(H(5/2) - h(2)): so near above a rank acceptance is certain
    std::vector<cell> m_cells;
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
