// SPDX-License-Identifier: Apache-2.0
//
// The blocks of a module that are counted at run time, and what that makes of its tables.
#pragma once

#include <llvm/IR/Module.h>
#include <vector>

#include "tools/fwtime/basis.h"
#include "tools/fwtime/record.h"

namespace fwtime {

/// Of all functions, one behind the other: indices are those of the module's blocks.
[[nodiscard]] block_basis counted_blocks(const llvm::Module& module);

/// By block, and at the end for all: how many counted ones come before it. So the number of its
/// marker, for one that is counted.
[[nodiscard]] std::vector<unsigned> markers_before(const block_basis& basis);

/// From blocks to markers: moves costs of blocks that are not counted to those that tell how often
/// they ran.
void move_to_counted(target_table& table, const block_basis& basis);

} // namespace fwtime
