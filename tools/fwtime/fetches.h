// SPDX-License-Identifier: Apache-2.0
//
// Blocks that tell when the core fetches them: for an instruction cache.
#pragma once

#include <llvm/IR/Module.h>

namespace fwtime::fetches {

/// Where the platform puts the number of the module's first block in the image.
[[nodiscard]] llvm::GlobalVariable* first_block(llvm::Module& module);

/// Each block tells its number (firmware/port/native/timing.h) before it does anything else, and
/// again when it goes on behind a call. Calls of `mark` are no calls.
void tell(llvm::Module& module, const llvm::Value& mark);

} // namespace fwtime::fetches
