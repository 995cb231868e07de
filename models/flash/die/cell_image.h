// SPDX-License-Identifier: Apache-2.0
//
// What has to be kept of a block, beside its pages, so that another run finds the same cells.
#pragma once

#include <cstdint>

#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

enum class torn_state : std::uint8_t;

struct block_image {
    std::uint32_t erases = 0;
    std::uint32_t programmed = 0; // pages
    page_index shallow_from{~0u};
    bool failed = false;
    bool slc = false;
    torn_state torn{};
};

/// What happened to a block: pages were added, or nothing of it need be as it was.
struct block_change {
    enum extent : std::uint8_t { none, pages, whole };
    lun_block_index block;
    extent what = none;
};

} // namespace ssdvp::flash
