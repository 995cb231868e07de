// SPDX-License-Identifier: Apache-2.0
//
// What is said of an array of drives: summary.json of schema ssdvp-array-1, and the text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/host/raid/array.h"
#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

struct array_report {
    host::array_config config;
    measurement run; // of what a drive's holds: what the host sees, faults, integrity
    host::array_counts measured;
    struct member {
        std::string name;
        host::array_member_counts measured;
    };
    std::vector<member> members;
    bool degraded = false;
    std::vector<std::string> violations;
};

[[nodiscard]] host::array_counts difference(const host::array_counts& end,
                                            const host::array_counts& begin);
[[nodiscard]] host::array_member_counts difference(const host::array_member_counts& end,
                                                   const host::array_member_counts& begin);

[[nodiscard]] std::string array_summary(const array_report& r, const request_statistics& requests);

/// "level 0 over a, b; chunk 64 KiB"
[[nodiscard]] std::string array_line(const array_report& r);
/// What became of the requests.
[[nodiscard]] std::string array_pieces(const array_report& r);
[[nodiscard]] std::string array_mirrors(const array_report& r); // level 1, else empty

} // namespace ssdvp::platform
