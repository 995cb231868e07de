// SPDX-License-Identifier: Apache-2.0
//
// The IR of a firmware source, lowered to a target core, to be counted and thrown away.
#pragma once

#include <llvm/IR/Module.h>

#include "tools/fwtime/record.h"

namespace fwtime {

struct target_core {
    const char* name; // as cpu.core says
    const char* triple;
    const char* cpu;
    const char* features;
};

/// All that there are tables for.
[[nodiscard]] const std::vector<target_core>& target_cores();

/// Lowers a copy of `module`, whose blocks count from 0 in their order. Throws std::runtime_error.
[[nodiscard]] target_table count_on(const target_core& core, const llvm::Module& module);

} // namespace fwtime
