// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/tlp_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/pcie/tlp_split.h"

namespace ssdvp::pcie {

namespace {

/// `b` is a power of two, as every limit of the link is.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b)
{
    return (a + b - 1) >> __builtin_ctzll(b);
}

/// Number of pieces of at most `limit` bytes when pieces are filled from the start and cut at
/// 4 KiB boundaries.
std::uint64_t pieces(doublewords r, std::uint64_t limit)
{
    const std::uint64_t head = std::min(r.length, request_boundary - r.begin % request_boundary);
    const std::uint64_t rest = r.length - head;
    if (rest == 0 && head <= limit) {
        return 1; // as most are: doorbells, ring entries, messages
    }
    return ceil_div(head, limit) + rest / request_boundary * ceil_div(request_boundary, limit) +
           ceil_div(rest % request_boundary, limit);
}

/// Completions of one read request.
std::uint64_t completions(const link_config& config, doublewords request)
{
    const std::uint64_t mps = config.max_payload_size;
    if (request.length <= mps) {
        return 1;
    }
    const std::uint64_t rcb = config.read_completion_boundary;
    const std::uint64_t first = ((request.begin + mps) & ~(rcb - 1)) - request.begin;
    return 1 + ceil_div(request.length - first, mps);
}

/// Line rate of one lane as an exact fraction: `bytes` in `parts` / 10^9 s.
struct lane_rate {
    std::uint64_t bytes;
    std::uint64_t parts;
};

lane_rate lane(const link_config& config)
{
    constexpr std::uint64_t giga = 1000ull * 1000 * 1000;
    switch (config.generation) {
    case 1:
        return {giga / 4, 1}; // 2.5 GT/s, 8b/10b
    case 2:
        return {giga / 2, 1}; // 5 GT/s, 8b/10b
    case 3:
        return {giga * 128, 130}; // 8 GT/s, 128b/130b
    case 4:
        return {giga * 2 * 128, 130};
    case 5:
        return {giga * 4 * 128, 130};
    default:
        return {giga * 8 * 236, 256}; // 64 GT/s; 236 TLP bytes in each 256-byte flit
    }
}

constexpr std::uint32_t ecrc_bytes(const link_config& config)
{
    return config.ecrc ? 4 : 0;
}

constexpr std::uint64_t million = 1000ull * 1000;

/// Requests of at most `limit` bytes, without what they carry. None crosses from short addresses to
/// long ones, which begin at a request boundary.
tlp_cost headers_of(const link_config& config, doublewords r, std::uint64_t limit)
{
    const std::uint64_t tlps = pieces(r, limit);
    std::uint64_t bytes = tlps * request_overhead(config, r.begin);
    if (r.begin < long_addresses && r.length > long_addresses - r.begin) {
        const std::uint64_t beyond = r.length - (long_addresses - r.begin);
        bytes += pieces({long_addresses, beyond}, limit) * long_address_bytes;
    }
    return {tlps, bytes};
}

std::uint64_t skip_millionths(const link_config& config)
{
    return static_cast<std::uint64_t>(std::llround(config.skip_fraction * 1e6));
}

} // namespace

std::uint32_t completion_overhead(const link_config& config)
{
    return (config.generation >= 6 ? 12 : 20) + ecrc_bytes(config);
}

tlp_cost write_cost(const link_config& config, std::uint64_t address, std::uint64_t length)
{
    if (length == 0) {
        return {};
    }
    const doublewords r(address, length);
    const tlp_cost headers = headers_of(config, r, config.max_payload_size);
    return {headers.tlps, r.length + headers.bytes};
}

tlp_cost read_request_cost(const link_config& config, std::uint64_t address, std::uint64_t length)
{
    if (length == 0) {
        return {};
    }
    return headers_of(config, doublewords(address, length), config.max_read_request_size);
}

tlp_cost completion_cost(const link_config& config, std::uint64_t address, std::uint64_t length)
{
    const doublewords whole(address, length);
    const std::uint64_t limit = config.max_read_request_size;
    std::uint64_t tlps = 0;
    std::uint64_t at = whole.begin;
    std::uint64_t left = length == 0 ? 0 : whole.length;
    while (left != 0 && at % request_boundary != 0) {
        const std::uint64_t request =
            std::min({left, limit, request_boundary - at % request_boundary});
        tlps += completions(config, doublewords(at, request));
        at += request;
        left -= request;
    }
    // From a boundary on each request begins at a multiple of MRRS: all but the last are alike.
    const std::uint64_t rest = left & (limit - 1);
    if (left >= limit) {
        tlps += (left >> __builtin_ctzll(limit)) * completions(config, doublewords(0, limit));
    }
    if (rest != 0) {
        tlps += completions(config, doublewords(at + (left - rest), rest));
    }
    return {tlps, length == 0 ? 0 : whole.length + tlps * completion_overhead(config)};
}

wire_clock::wire_clock(const link_config& config)
{
    constexpr std::uint64_t ps_per_second = 1000ull * 1000 * 1000 * 1000;
    const lane_rate l = lane(config);
    const std::uint64_t ps = l.parts * ps_per_second;
    const std::uint64_t bytes = l.bytes * config.lanes;
    const std::uint64_t common = std::gcd(ps * 100, bytes * config.speed);
    m_ps = ps * 100 / common;
    m_bytes = bytes * config.speed / common;
    if (const std::uint64_t skip = skip_millionths(config); skip != 0) {
        m_ps *= million; // at most 8125 before: 8125/8 ps are a byte of generation 3 x1
        m_bytes *= million - skip;
        const std::uint64_t again = std::gcd(m_ps, m_bytes);
        m_ps /= again;
        m_bytes /= again;
    }
    for (std::uint64_t b = 0; b < small; ++b) {
        m_small[b] = divide(b);
    }
}

rate line_rate(const link_config& config)
{
    const lane_rate l = lane(config);
    const std::uint64_t raw = l.bytes * config.lanes * config.speed / l.parts / 100;
    return rate(raw * (million - skip_millionths(config)) / million);
}

} // namespace ssdvp::pcie
