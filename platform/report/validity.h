// SPDX-License-Identifier: Apache-2.0
//
// What makes the numbers of a run say less than they seem to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

struct validity_warning {
    const char* code; // docs/results.md lists them
    std::string text;
};

struct validity {
    std::vector<validity_warning> warnings;
    std::uint64_t gc_cycles = 0;               // victims collected to the end
    std::optional<double> superblocks_written; // superblocks' worth of the host's data
    std::optional<double> superblocks_erased;
    std::optional<bool> steady;          // over the measured part; none: too few requests
    std::optional<std::uint64_t> rounds; // complete ones, of a run.until: steady stopped early
};

/// A drive's run ended before its measured part began: figures of it would be zeros.
[[nodiscard]] bool nothing_measured(const measurement& m);

/// What is reported of a run that did not come to its end.
[[nodiscard]] std::string what_is_told(const measurement& m);
/// How many requests in which time, or why none.
[[nodiscard]] std::string what_was_measured(const measurement& m,
                                            const request_statistics& requests);

/// Of the requests, those that failed.
[[nodiscard]] double failed_share(const request_statistics& requests);

/// Precondition: a drive, not an array.
[[nodiscard]] validity validity_of(const measurement& m, const request_statistics& requests);

} // namespace ssdvp::platform
