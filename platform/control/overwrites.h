// SPDX-License-Identifier: Apache-2.0
//
// Which units preconditioning overwrites: uniformly at random, as a stream of its own writes, or as
// the streams of the run do. What is not filled stays as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/rng.h"
#include "models/host/workload/stream_source.h"
#include "platform/config/config.h"

namespace ssdvp::platform {

/// Of the random numbers: keeps them apart from those of the workload.
constexpr std::uint64_t overwrite_numbers = 0x70726563;
constexpr std::uint64_t mixing_numbers = 0x6d697865;

class overwrites {
public:
    /// Logical units [0, filled) hold data. Precondition: the rules of the configuration hold.
    overwrites(const ssd_config& config, overwrite_source source, std::uint64_t filled);
    /// The next unit to be written, below `filled`.
    std::uint64_t next();

private:
    struct writer {
        std::unique_ptr<host::stream_source> from;
        double share = 0.0; // of the writes
        double due = 0.0;   // of them, not yet taken
    };
    void add(const host::stream_config& stream, double share);
    writer& whose_turn();
    void draw();

    std::uint64_t m_filled;
    std::uint32_t m_unit_sectors;
    std::uint64_t m_capacity; // sectors
    std::uint64_t m_seed;
    rng m_random;                  // uniform overwrites
    std::vector<writer> m_writers; // none: uniform
    std::uint64_t m_next = 0;      // units of the last request that are still to be written
    std::uint64_t m_end = 0;
};

} // namespace ssdvp::platform
