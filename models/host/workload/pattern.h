// SPDX-License-Identifier: Apache-2.0
//
// Which block of its range a stream touches next: one file per pattern, one line per pattern in
// patterns.h.
#pragma once

#include <cstdint>
#include <memory>

#include "models/common/rng.h"
#include "models/host/config.h"

namespace ssdvp::host {

class pattern {
public:
    virtual ~pattern() = default;
    /// Index of a block, below the number of blocks that the pattern was made for.
    virtual std::uint64_t next(rng& random) = 0;
};

/// Precondition: blocks > 0.
std::unique_ptr<pattern> make_pattern(const stream_config& config, std::uint64_t blocks);

#define SSDVP_PATTERN_OF(id, about)                                                                \
    std::unique_ptr<pattern> make_##id(const stream_config& config, std::uint64_t blocks);
HOST_PATTERNS(SSDVP_PATTERN_OF)
#undef SSDVP_PATTERN_OF

} // namespace ssdvp::host
