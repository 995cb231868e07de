// SPDX-License-Identifier: Apache-2.0
//
// What a viewer shows when it opens waves: the path of requests from the link to the dies, of the
// first channels. The user adds what else there is.
#pragma once

#include <string>

#include "platform/report/waves/waves.h"

namespace ssdvp::platform {

/// A save file of GTKWave (.gtkw), which names the waves as `file`; `shown`: what is looked at
/// first.
[[nodiscard]] std::string gtkwave_layout(const wave_set& waves, const std::string& file,
                                         timeline_record::interval shown);
/// Commands of Surfer (.sucl).
[[nodiscard]] std::string surfer_layout(const wave_set& waves);

} // namespace ssdvp::platform
