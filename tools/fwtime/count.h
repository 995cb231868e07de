// SPDX-License-Identifier: Apache-2.0
//
// Counts the instructions of machine code by block and class.
#pragma once

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <optional>
#include <string>

#include "tools/fwtime/record.h"

namespace fwtime {

/// Text of the inline assembly that marks a block, and of the one before a memory intrinsic of a
/// length that is known. Both are comments of no instruction.
[[nodiscard]] std::string marker_text(unsigned marker);
[[nodiscard]] std::string length_text(std::uint64_t bytes);

/// The block of the IR that begins at `i`, if that is a mark.
[[nodiscard]] std::optional<unsigned> marked_block(const llvm::MachineInstr& i);

/// The last pass over each function: adds its markers' costs to `table`, and where its code lies.
/// The table's cost and code have an entry for each marker of the module.
[[nodiscard]] llvm::MachineFunctionPass* create_count_pass(target_table& table);

} // namespace fwtime
