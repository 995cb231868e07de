// SPDX-License-Identifier: Apache-2.0
//
// Where the machine code of a source lies: which bytes the core fetches for each block of the IR.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class MachineFunction;
}

namespace fwtime {

/// Bytes from the beginning of the source's code.
struct code_range {
    std::uint32_t at;
    std::uint32_t bytes;
};

/// What is fetched when a block runs. Of several copies of it (the code generator duplicates what
/// ends in several places) one runs.
using code_copy = std::vector<code_range>;

struct function_code {
    std::string name;
    std::uint32_t at;
    std::uint32_t bytes;
};

struct source_code {
    std::uint32_t bytes = 0;
    std::uint32_t alignment = 1;
    std::vector<function_code> functions;       // as they follow one another
    std::vector<std::vector<code_copy>> blocks; // of the IR, by number: none, one or more copies
};

/// Puts `f` behind the functions that `to` has.
void lay_out(llvm::MachineFunction& f, source_code& to);

} // namespace fwtime
