// SPDX-License-Identifier: Apache-2.0
//
// A TLP as its header has it (PCI Express base 5.0 section 2.2), for whoever traces a link.
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::pcie {

enum class tlp_kind : std::uint8_t { MWr, MRd, CplD };

struct packet {
    sim_time begin; // on the wire
    sim_time end;
    bool up = false; // to the host
    tlp_kind kind = tlp_kind::MWr;
    std::uint64_t address = 0;      // of its first doubleword; CplD: that the data come from
    std::uint32_t dwords = 0;       // carried, or asked for
    std::uint16_t tag = 0;          // of requests that are answered, and of the answers
    std::uint8_t first_be = 0;      // requests: bytes of the first doubleword ...
    std::uint8_t last_be = 0;       // ... and of the last one; 0: it is the first
    std::uint16_t byte_count = 0;   // CplD: bytes of the request that are left, with these
    std::uint8_t lower_address = 0; // CplD: of its first byte, bits 6..0
    std::uint32_t wire_bytes = 0;   // with framing and CRC
};

class tlp_watch {
public:
    tlp_watch() = default;
    virtual ~tlp_watch() = default;
    tlp_watch(const tlp_watch&) = delete;
    tlp_watch& operator=(const tlp_watch&) = delete;

    /// Told ahead; of one direction and class in order.
    virtual void sent(const packet& t) = 0;
    /// What was told of later times does not happen.
    virtual void power_off(sim_time at) = 0;
};

} // namespace ssdvp::pcie
