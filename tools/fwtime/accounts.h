// SPDX-License-Identifier: Apache-2.0
//
// What a marked module spends at run time. Until it has been optimised a counted place is a call of
// a function that touches nothing; then it becomes an addition to a register, and the register goes
// to an account of the image before anybody else may look (telling.h).
#pragma once

#include <llvm/IR/Module.h>

namespace fwtime::accounts {

/// The module's table: {instructions, cycles} of so many places, in 1/256.
[[nodiscard]] llvm::GlobalVariable* table(llvm::Module& module, unsigned places);

/// What is called, with its number, where a place is.
[[nodiscard]] llvm::FunctionCallee mark(llvm::Module& module);

/// Replaces the calls.
void spend(llvm::Module& module);

} // namespace fwtime::accounts
