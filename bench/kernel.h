// SPDX-License-Identifier: Apache-2.0
//
// What the kernel itself costs: the yardstick beside every platform case.
#pragma once

namespace ssdvp::bench {

/// Wall seconds per activation of a bare SC_METHOD that re-arms one timed event, over `activations`
/// of them. Elaborates a SystemC design: once per process.
double bare_method_seconds(unsigned long activations);

/// The same for an SC_THREAD that waits for a time.
double bare_thread_seconds(unsigned long activations);

} // namespace ssdvp::bench
