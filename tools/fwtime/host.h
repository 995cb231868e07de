// SPDX-License-Identifier: Apache-2.0
//
// The IR of a firmware source, marked and compiled for the host: what runs.
#pragma once

#include <cstdint>
#include <llvm/IR/Module.h>
#include <string>
#include <vector>

namespace fwtime {

struct host_options {
    std::string name;          // of the source
    std::uint64_t hash = 0;    // of the IR before it was marked
    bool profile = false;      // functions tell when they are entered and left
    bool fetch = false;        // blocks tell when they run
    std::vector<bool> counted; // by block: whether it adds to the account
    bool debug = false;        // nothing is optimised: every variable stays where gdb finds it
};

/// Marks `module`, optimises it and writes an object file. Throws std::runtime_error.
void compile_for_host(llvm::Module& module, const host_options& options, const std::string& object);

} // namespace fwtime
