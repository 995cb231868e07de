// SPDX-License-Identifier: Apache-2.0
//
// Fills and overwrites the drive through its own firmware, in no simulated time.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

class precondition_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct precondition_result {
    std::uint64_t units_written = 0; // by the host; collection comes on top
    std::uint64_t units_filled = 0;  // logical units [0, units_filled) hold data
    std::uint64_t pages = 0;         // programmed, collection included
    double seconds = 0.0;            // wall
    bool by_counts = false;          // the method
    std::uint64_t units_settled = 0; // of those written: the last ones, as the load writes
    bool settled = false;            // and now the state is steady
    bool never_steady = false;       // though precondition.until wanted it
    std::vector<double> levels;      // of the state that settled (settling.h) ...
    std::uint64_t level_units = 0;   // ... one for so many units
    bool interrupted = false;
};

/// Logical units that preconditioning fills, from the first on.
[[nodiscard]] std::uint64_t units_to_fill(const ssd_config& config);
/// Units that it writes again then, some of them several times.
[[nodiscard]] std::uint64_t units_to_overwrite(const ssd_config& config);

/// What the host calls a sector of the drive: the tag that it is filled with says so. Empty: as the
/// drive does.
using address_function = std::function<std::uint64_t(std::uint64_t lba)>;

/// Precondition: the drive is idle. Throws precondition_error when the firmware refuses or fails.
precondition_result precondition(ssd& drive, const std::function<void(double share)>& progress,
                                 const std::function<bool()>& interrupted,
                                 const address_function& address);

} // namespace ssdvp::platform
