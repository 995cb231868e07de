// SPDX-License-Identifier: Apache-2.0
//
// What runs on a core. The platform adapts the firmware's own port to the core's functions, so that
// a core knows nothing of firmware.
#pragma once

#include <stdexcept>
#include <string>

namespace ssdvp::cpu {

/// run() goes from reset until the core says stopping().
class program {
public:
    virtual ~program() = default;
    virtual void run() = 0;
    /// The program cannot go on, and is about to be left through its frames: the moment to tell
    /// where it stands.
    virtual void panicking(const std::string& /*why*/) {}
};

/// Thrown out of a program that panics.
class program_panic : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Thrown out of a program whose core loses power.
struct power_lost {};

} // namespace ssdvp::cpu
