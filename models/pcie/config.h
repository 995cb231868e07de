// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::pcie {

/// Credits that a receiver advertises for its buffers (PCI Express base 5.0 section 2.6.1); 0 =
/// infinite, as in InitFC. A header credit holds one TLP's header, a data credit 16 bytes of
/// payload. Memory reads carry no data, so there are no credits for non-posted data.
struct credit_limits {
    std::uint32_t posted_headers = 0;
    std::uint32_t posted_data = 0;
    std::uint32_t nonposted_headers = 0;
    std::uint32_t completion_headers = 0;
    std::uint32_t completion_data = 0;
};

inline constexpr std::uint32_t credit_unit = 16; // bytes of payload

[[nodiscard]] constexpr bool limited(const credit_limits& c)
{
    return c.posted_headers != 0 || c.posted_data != 0 || c.nonposted_headers != 0 ||
           c.completion_headers != 0 || c.completion_data != 0;
}

struct link_config {
    std::uint32_t generation = 4;         // 1..6
    std::uint32_t lanes = 4;              // 1, 2, 4, 8, 16
    std::uint32_t max_payload_size = 256; // bytes: 128, 256 .. 4096
    std::uint32_t max_read_request_size = 512;
    std::uint32_t read_completion_boundary = 64;
    bool ecrc = false;               // each TLP carries an end-to-end CRC
    std::uint32_t tags = 768;        // memory reads of the drive under way at a time
    std::uint32_t ack_factor = 4;    // TLPs that one ACK acknowledges; 0 = no ACKs
    std::uint32_t update_factor = 4; // TLPs whose credits one UpdateFC returns; 0 = none counted
    std::uint32_t speed = 100;       // percent of what generation and lanes say
    double skip_fraction = 0;        // of the wire's time that goes to SKP ordered sets
    double bit_error_rate = 0;       // each bit arrives wrong with this probability
    std::uint64_t seed = 1;          // of these errors
    credit_limits host_credits;      // of the root complex, for what the drive sends
    credit_limits device_credits;    // of the drive, for what the host sends
    sim_time credit_latency;         // TLP received -> its UpdateFC on the wire
    sim_time propagation;            // last symbol sent -> TLP acted on, each direction
    sim_time host_latency;           // MRd received by the root complex -> first completion starts
};

} // namespace ssdvp::pcie
