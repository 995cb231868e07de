// SPDX-License-Identifier: Apache-2.0
//
// Which block of its range a stream touches next: one file per pattern, one line per pattern in
// the table of pattern.cpp.
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

std::unique_ptr<pattern> make_uniform(const stream_config& config, std::uint64_t blocks);
std::unique_ptr<pattern> make_sequential(const stream_config& config, std::uint64_t blocks);
std::unique_ptr<pattern> make_hot_cold(const stream_config& config, std::uint64_t blocks);
std::unique_ptr<pattern> make_lru(const stream_config& config, std::uint64_t blocks);
std::unique_ptr<pattern> make_hclru(const stream_config& config, std::uint64_t blocks);
std::unique_ptr<pattern> make_zipf(const stream_config& config, std::uint64_t blocks);

} // namespace ssdvp::host
