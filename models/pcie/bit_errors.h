// SPDX-License-Identifier: Apache-2.0
//
// Bits that arrive wrong, each with the same probability and independent of all others: the
// distance to the next one is exponential. A link without errors never draws.
#pragma once

#include <cstdint>
#include <memory>

namespace ssdvp {
class rng;
}

namespace ssdvp::pcie {

class bit_errors {
public:
    /// `stream`: of the random numbers that belong to the seed.
    bit_errors(double rate, std::uint64_t seed, std::uint64_t stream);
    ~bit_errors();
    bit_errors(const bit_errors&) = delete;
    bit_errors& operator=(const bit_errors&) = delete;

    [[nodiscard]] bool possible() const { return m_random != nullptr; }

    /// How often a TLP is sent again until all of `bytes`, TLPs of about `tlp` bytes each, have
    /// arrived. What is sent again may arrive wrong, too.
    std::uint64_t replays(std::uint64_t bytes, std::uint64_t tlp);

private:
    double distance(); // bits
    std::uint64_t pass(std::uint64_t bytes);

    double m_rate;
    std::unique_ptr<rng> m_random; // none: no errors
    double m_left = 0;             // bits to the next wrong one
};

} // namespace ssdvp::pcie
