// SPDX-License-Identifier: Apache-2.0
//
// What firmware tells the platform alone (HAL_TELL in firmware/hal/hal.h). Clang leaves a word of
// assembly, whose operands are the function, null if nobody is to be told, and its arguments. It
// takes no memory away from the optimiser, as a call would.
#pragma once

#include <llvm/IR/Module.h>

namespace fwtime {

/// In code that is counted: nothing, and no computing of arguments.
void drop_tellings(llvm::Module& module);

/// In code for the host: the call, if there is a function. To be done when blocks are numbered.
void call_tellings(llvm::Function& f);

} // namespace fwtime
