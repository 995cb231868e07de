// SPDX-License-Identifier: Apache-2.0
//
// What the shadow copy knows of a sector that may hold one of several versions.
#pragma once

#include <cstdint>

namespace ssdvp::host {

/// A sector with writes or trims in flight, or whose content is one of several versions.
struct open_sector {
    std::uint32_t floor;     // lowest version it may hold
    std::uint32_t newest;    // highest version given out
    std::uint32_t group_low; // lowest version of the writes in flight together; 0 = none
    std::uint16_t in_flight; // writes and trims
    std::uint16_t trims;     // of them
    bool trim_in_group;
    bool trimmed;        // zero is acceptable too
    bool trimmed_since;  // a trim has begun since the cut or the reset
    bool uncertain;      // since a power cut or a reset: the next read settles it
    bool reset;          // since a reset: what it settles may still be volatile
    bool one;            // `floor` alone of what was written up to `ghost` is right
    std::uint32_t ghost; // newest version of those that are settled
    std::uint32_t begun; // newest version at the last cut or reset
};

} // namespace ssdvp::host
