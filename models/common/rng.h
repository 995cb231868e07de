// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every machine: Boost.Random engines and distributions only.
#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cstdint>

namespace ssdvp {

class rng {
public:
    /// `stream` separates users of one run seed: two streams never share a sequence.
    explicit rng(std::uint64_t seed, std::uint64_t stream = 0)
        : m_engine(seed * 0x9E3779B97F4A7C15ull + stream * 0xBF58476D1CE4E5B9ull + 1)
    {}
    /// Uniform in [0, n). Precondition: n > 0.
    std::uint64_t below(std::uint64_t n)
    {
        return boost::random::uniform_int_distribution<std::uint64_t>(0, n - 1)(m_engine);
    }
    /// Uniform in [0, 1).
    double real() { return boost::random::uniform_01<double>()(m_engine); }
    bool chance(double p) { return real() < p; }
    boost::random::mt19937_64& engine() { return m_engine; }

private:
    boost::random::mt19937_64 m_engine;
};

} // namespace ssdvp
