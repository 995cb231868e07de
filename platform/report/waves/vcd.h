// SPDX-License-Identifier: Apache-2.0
//
// Waves as a value change dump (IEEE 1364-2005, 18.2), with texts as GTKWave extends it. A piece of
// text at a time goes to `write`.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "platform/report/waves/waves.h"

namespace ssdvp::platform {

/// What lies in the intervals; between them nothing is known.
void write_vcd(const wave_set& waves, const std::vector<timeline_record::interval>& intervals,
               const std::function<void(std::string_view)>& write);

} // namespace ssdvp::platform
