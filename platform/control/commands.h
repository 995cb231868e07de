// SPDX-License-Identifier: Apache-2.0
//
// The program's commands. Each returns the program's exit code (docs/results.md).
#pragma once

namespace ssdvp::platform {

/// Parses the command line, does what it says and reports errors on stderr.
int main_command(int argc, char* argv[]);

} // namespace ssdvp::platform
