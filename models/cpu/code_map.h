// SPDX-License-Identifier: Apache-2.0
//
// Where the code of a program lies: which of its bytes a core fetches for each of its blocks.
#pragma once

#include <cstdint>
#include <vector>

namespace ssdvp::cpu {

/// Bytes from the beginning of the code.
struct code_range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

/// What is fetched when a block runs. Of several copies of it, which compilers make of what ends in
/// several places, one runs.
using code_copy = std::vector<code_range>;

struct code_map {
    std::uint32_t bytes = 0;
    std::vector<std::vector<code_copy>> blocks; // by number: none, one or more copies
};

} // namespace ssdvp::cpu
