// SPDX-License-Identifier: Apache-2.0
//
// A run that is measured in windows (run.sampling). This process only warms: the load's requests
// change the state of its drive at memory speed. At each window it is copied, and the copy takes
// the drive from there on through simulated time: a warm-up refills queues and buffer, then a
// window of the load is measured. What it counts comes back through a pipe.
#pragma once

#include <functional>
#include <optional>

#include "platform/control/load_walk.h"
#include "platform/control/precondition.h"
#include "platform/control/sample_plan.h"
#include "platform/control/window_result.h"

namespace ssdvp::platform {

/// Write amplification of the warming is that of exact runs, within so much (measured,
/// docs/DESIGN.md); it is what windows are weighted by.
constexpr double warming_agrees = 0.01;

/// What the run does for it.
struct sampling_steps {
    std::function<bool()> interrupted;
    std::function<void(double share)> tell; // how far it is
    /// Of the copy: warm-up and window of a load. Throws what is wrong.
    std::function<window_result(load_walk::sources load, std::uint64_t warmup,
                                std::uint64_t measured)>
        window;
    address_function address; // as of precondition()
    std::size_t processes = 1;
};

struct sampled_result {
    explicit sampled_result(window_sum sum) : windows(std::move(sum)) {}
    window_sum windows;
    bool complete = false;                // else interrupted
    std::uint64_t simulated = 0;          // requests, with those of warm-ups
    std::uint64_t stands_for = 0;         // requests that the windows lie in
    std::vector<std::size_t> by_phase;    // of the windows
    std::vector<window_control> controls; // of them, by which they were added; empty: all the same
    bool exact_enough = false;            // run.sampling.within is reached
    std::optional<telemetry> whole; // of the part that the windows lie in; empty: no firmware tells
    double seconds = 0.0;           // wall
};

/// Precondition: the drive is idle, and the rules of run.sampling hold. Throws process_error when a
/// window failed.
sampled_result run_sampled(ssd& drive, const sampling_steps& steps);

} // namespace ssdvp::platform
