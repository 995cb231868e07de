// SPDX-License-Identifier: Apache-2.0
//
// What a transfer costs on a PCIe link: pure functions of its address, its length and the link.
// PCI Express base 5.0 sections 2.2.7 (requests), 2.3.1.1 (completion splitting).
#pragma once

#include <array>
#include <cstdint>

#include "models/pcie/config.h"

namespace ssdvp::pcie {

struct tlp_cost {
    std::uint64_t tlps = 0;
    std::uint64_t bytes = 0; // on the wire: payload, header, framing, ECRC, LCRC

    friend constexpr bool operator==(tlp_cost a, tlp_cost b)
    {
        return a.tlps == b.tlps && a.bytes == b.bytes;
    }
};

/// Reads that a device of the generation may have under way: 5-bit tags are what every completer
/// takes, 8-bit ones are usual from 3.0 on; 10-bit tags (4.0) start at 256, so 768 are left.
[[nodiscard]] constexpr std::uint32_t usual_tags(std::uint32_t generation)
{
    return generation <= 2 ? 32 : generation == 3 ? 256 : 768;
}

/// Millions per second of a lane: 2.5 GT/s, 5 GT/s, and from 8 GT/s on twice as many each time.
[[nodiscard]] constexpr std::uint32_t lane_transfers(std::uint32_t generation)
{
    return generation <= 2 ? 2500 * generation : 1000u << generation;
}

/// One ACK or UpdateFC: SDP, 4 bytes, CRC, END. Flits have room of their own for them.
[[nodiscard]] constexpr std::uint32_t dllp_bytes(const link_config& config)
{
    return config.generation >= 6 ? 0 : 8;
}

/// Addresses below it have 32 bits, and a requester must send them so (section 2.2.4.1).
inline constexpr std::uint64_t long_addresses = 1ull << 32;

/// Bytes around the payload of a TLP with a 3-doubleword header: completions, MWr and MRd of short
/// addresses. With a long one the header has 4 more.
[[nodiscard]] std::uint32_t completion_overhead(const link_config& config);
inline constexpr std::uint32_t long_address_bytes = 4;
/// Of MWr and MRd.
[[nodiscard]] inline std::uint32_t request_overhead(const link_config& config,
                                                    std::uint64_t address)
{
    return completion_overhead(config) + (address < long_addresses ? 0 : long_address_bytes);
}

/// MWr TLPs of a write: each at most MPS long, none across a 4 KiB boundary.
[[nodiscard]] tlp_cost write_cost(const link_config& config, std::uint64_t address,
                                  std::uint64_t length);
/// MRd TLPs of a read: each asks for at most MRRS bytes, none across a 4 KiB boundary.
[[nodiscard]] tlp_cost read_request_cost(const link_config& config, std::uint64_t address,
                                         std::uint64_t length);
/// CplD TLPs that answer such a read: each at most MPS long; where a request needs several, all
/// but its last end on a read completion boundary.
[[nodiscard]] tlp_cost completion_cost(const link_config& config, std::uint64_t address,
                                       std::uint64_t length);

/// Times on the wire of one link, exact up to rounding up to a whole picosecond once. The time of a
/// byte is kept as a fraction in lowest terms: each transfer asks, and 64-bit division is cheap.
class wire_clock {
public:
    explicit wire_clock(const link_config& config);
    /// Precondition: less than 2^30 bytes.
    [[nodiscard]] sim_time time(std::uint64_t bytes) const
    {
        return bytes < small ? m_small[bytes] : divide(bytes);
    }

private:
    static constexpr std::size_t small = 1024; // all but data: no division
    [[nodiscard]] sim_time divide(std::uint64_t bytes) const
    {
        return sim_time((bytes * m_ps + (m_bytes - 1)) / m_bytes);
    }

    std::array<sim_time, small> m_small; // the time of so many bytes
    std::uint64_t m_ps;                  // that m_bytes take
    std::uint64_t m_bytes;
};

[[nodiscard]] inline sim_time wire_time(const link_config& config, std::uint64_t bytes)
{
    return wire_clock(config).time(bytes);
}
/// Bytes per second of one direction, rounded down: for reports; wire_time is exact.
[[nodiscard]] rate line_rate(const link_config& config);

} // namespace ssdvp::pcie
