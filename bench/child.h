// SPDX-License-Identifier: Apache-2.0
//
// SystemC elaborates once per process, so each measurement runs in a child of its own.
#pragma once

#include <functional>

namespace ssdvp::bench {

/// What one measurement yields; plain numbers, because they travel through a pipe.
struct outcome {
    double seconds = 0.0;  // wall time of the measured part
    double requests = 0.0; // or repetitions
    double activations = 0.0;
    double peak_rss_bytes = 0.0;
    double preconditioned_pages = 0.0;
    double precondition_seconds = 0.0;
    bool ok = false;
};

/// Runs `measure` in a forked child. ok is false when the child failed.
outcome in_child(const std::function<outcome()>& measure);

} // namespace ssdvp::bench
