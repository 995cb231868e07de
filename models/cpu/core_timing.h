// SPDX-License-Identifier: Apache-2.0
//
// What instructions of each class take on a core. A model, not a pipeline: instructions issue side
// by side, and each class adds the cycles for which it keeps the core from issuing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ssdvp::cpu {

/// Kinds of instruction, as timing files count them. `taken` counts branches that do not fall
/// through; it is no instruction of its own.
enum class instruction_class : std::size_t {
    alu,
    multiply,
    divide,
    load,
    store,
    branch,
    call,
    system,
    taken
};
constexpr std::size_t instruction_classes = 9;

struct core_timing {
    double issue_width = 1; // instructions per cycle when nothing waits
    double alu = 1;         // cycles of an instruction, alone
    double multiply = 1;
    double divide = 1;
    double load = 1;
    double store = 1;
    double branch = 1;
    double call = 1;
    double system = 1;
    double taken = 0; // cycles lost by a branch that is taken
};

/// Instructions by class, of any fraction.
using class_counts = std::array<double, instruction_classes>;

[[nodiscard]] double instructions_of(const class_counts& counts);
[[nodiscard]] double cycles_of(const class_counts& counts, const core_timing& timing);

/// An instruction of a library's routine, where only their number is known.
[[nodiscard]] double mean_cycles(const core_timing& timing);

} // namespace ssdvp::cpu
