// SPDX-License-Identifier: Apache-2.0
//
// What has to be kept of a block, beside its pages, so that another run finds the same cells.
#pragma once

#include <cstdint>

namespace ssdvp::flash {

enum class torn_state : std::uint8_t;

struct block_image {
    std::uint32_t erases = 0;
    std::uint32_t programmed = 0; // pages
    std::uint32_t shallow_from = ~0u;
    bool failed = false;
    bool slc = false;
    torn_state torn{};
};

/// What happened to a block: pages were added, or nothing of it need be as it was.
struct block_change {
    enum extent : std::uint8_t { none, pages, whole };
    std::uint32_t block = 0; // counted over all planes
    extent what = none;
};

} // namespace ssdvp::flash
