// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Runs the test cases of this program as Catch2's options in `argv` say. Returns its exit code.
int run_cases(int argc, char* argv[]);
