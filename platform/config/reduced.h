// SPDX-License-Identifier: Apache-2.0
//
// A reduced drive (run.reduced): a part of the blocks of each plane, so that it fills and settles
// in a part of the time. All else is that of the whole drive, above all its superblocks, which are
// fewer and not smaller. What the firmware keeps for itself are as many superblocks in a small
// drive as in a large one; so those stay, and the others are divided (docs/DESIGN.md).
#pragma once

#include <cstdint>
#include <optional>

#include "platform/config/config.h"
#include "platform/config/raw.h"

namespace ssdvp::platform {

/// Largest difference between a reduced drive and the whole one that was measured, as a share
/// (scripts/doc-tables reduced). With `zipf` it is larger: the hottest blocks are as hot in a small
/// drive as in a large one, and the buffer has more of them.
struct reduced_error {
    std::uint32_t most = 0; // reduced to 1/most and more
    bool zipf = false;      // a stream has that pattern
    double iops = 0.0;
    double write_amplification = 0.0;
};
/// Of a drive with run.reduced above 1.
[[nodiscard]] reduced_error error_of_reduced(const ssd_config& c);

/// The tree of the drive that the run takes in place of `whole`, which `raw` is the tree of. Throws
/// config_error if there is none.
[[nodiscard]] raw_tree reduced(const raw_tree& raw, const ssd_config& whole);

} // namespace ssdvp::platform
