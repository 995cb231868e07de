// SPDX-License-Identifier: Apache-2.0
//
// Which part of a run waves show.
#pragma once

#include <string>
#include <vector>

#include "platform/report/timeline/window.h"

namespace ssdvp::platform {

struct wave_options {
    /// Shorter than a timeline's: a request has many more edges than slices.
    timeline_window window{window_kind::requests, 0, 1000, {}, {}, 0};
    std::vector<std::string> scopes; // patterns; none: everything
};

} // namespace ssdvp::platform
