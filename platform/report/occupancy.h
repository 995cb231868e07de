// SPDX-License-Identifier: Apache-2.0
//
// How much of the measured time each resource of a drive was in use. Three kinds: what serves
// (busy with one thing at a time), what holds (a place that is taken until something else has
// served: a LUN with a page in its register, a slot, a tag), and what restrains (heat, power).
#pragma once

#include <string>
#include <vector>

#include "platform/report/measurement.h"

namespace ssdvp::platform {

enum class resource_kind { serves, holds, restrains };

struct occupancy {
    std::string resource; // its name in summary.json: luns, lun 0/3, channels, core 1, dram, tags
    double share = 0.0;   // of the time
    std::string text;     // who it is, in a sentence
    resource_kind kind = resource_kind::serves;
};

/// Of a kind that a drive has several of they count as one by their mean, and one that stands out
/// by itself. A core's time that a divided clock cost it is heat's.
[[nodiscard]] std::vector<occupancy> occupancies_of(const measurement& m);

/// Energy that was drawn, of what the power states of the time would have allowed; 0 without a cap.
/// At the cap from at_the_cap on: work waited for it.
[[nodiscard]] double power_used(const measurement& m);
constexpr double at_the_cap = 0.95;

/// In use from here on, a resource has no time left for more.
constexpr double resource_limit = 0.95;

/// Parts of the time of the LUNs' arrays by enum flash_purpose; their sum is 1, or 0. Reads,
/// programs and erases count with their mean times.
[[nodiscard]] std::array<double, FLASH_PURPOSES> array_shares(const counters& c);

} // namespace ssdvp::platform
