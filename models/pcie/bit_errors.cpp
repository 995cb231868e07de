// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/bit_errors.h"

#include "models/common/real_functions.h"
#include "models/common/rng.h"

namespace ssdvp::pcie {

bit_errors::bit_errors(double rate, std::uint64_t seed, std::uint64_t stream) : m_rate(rate)
{
    if (rate > 0) {
        m_random = std::make_unique<rng>(seed, stream);
        m_left = distance();
    }
}

bit_errors::~bit_errors() = default;

std::uint64_t bit_errors::replays(std::uint64_t bytes, std::uint64_t tlp)
{
    std::uint64_t sum = 0;
    while (bytes != 0) {
        const std::uint64_t wrong = pass(bytes);
        sum += wrong;
        bytes = wrong * tlp;
    }
    return sum;
}

double bit_errors::distance()
{
    return -portable_log1p(-m_random->real()) / m_rate;
}

/// Wrong bits among so many bytes, sent once.
std::uint64_t bit_errors::pass(std::uint64_t bytes)
{
    double bits = 8.0 * static_cast<double>(bytes);
    std::uint64_t wrong = 0;
    for (; m_left < bits; ++wrong) {
        bits -= m_left;
        m_left = distance();
    }
    m_left -= bits;
    return wrong;
}

} // namespace ssdvp::pcie
