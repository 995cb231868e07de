// SPDX-License-Identifier: Apache-2.0
//
// What the same load brings when the part that limits the drive is better, from the same state:
// the verdict, tried. Known after a second run (ssdvp run --what-if).
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/report/ideal_run.h"

namespace ssdvp::platform {

/// The key that makes it better, and its value.
struct better_part {
    std::string key; // empty: nothing of the drive would help
    std::string value;
    double by = 0.0;      // a share: faster, or more of them
    bool counted = false; // there are more of them

    /// "host.pcie.tags=2, 100 % more of them".
    [[nodiscard]] std::string text() const;
};

struct what_if_run {
    better_part tried;
    ideal_run then; // what the second run took
};

struct measurement;

/// What second runs told, --beside-ideal too: "run" of summary.json, where there were any.
void put_second_runs(boost::json::object& o, const measurement& m,
                     const request_statistics& requests);
/// Sentences for people, by their row.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
second_runs_told(const measurement& m, const request_statistics& requests);

} // namespace ssdvp::platform
