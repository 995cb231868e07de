// SPDX-License-Identifier: Apache-2.0
//
// Divisions of 64 bits, which a 32-bit core calls a routine for: what that takes depends on the
// operands. Each call is in the tables as one with small operands; where they are not, the marked
// program tells its image (firmware/port/native/timing.c).
#pragma once

#include <llvm/IR/Function.h>

namespace fwtime {

/// Name of the function that is told.
inline constexpr const char* divide_name = "ssdvp_fw_divide";

/// Puts the test, and the call behind it, before the divisions of `f`.
void tell_divisions(llvm::Function& f);

} // namespace fwtime
