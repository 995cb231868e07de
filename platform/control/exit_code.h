// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ssdvp::platform {

enum exit_code : int {
    EXIT_DONE = 0,
    EXIT_RUN_FAILED = 1,   // mismatch, identity, panic, device error
    EXIT_BAD_INPUT = 2,    // usage, configuration or input file; nothing ran
    EXIT_FAILING = 3,      // done, but more requests failed than run.failed_limit lets
    EXIT_INTERRUPTED = 130 // Ctrl-C, after a partial summary
};

} // namespace ssdvp::platform
