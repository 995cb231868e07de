// SPDX-License-Identifier: Apache-2.0
//
// Attribution of a function's target instructions to the markers that were counted on the host.
//
// A marker stands in each block of the IR; the target's code generator splits, merges and
// duplicates blocks. What is known is how often each marker was reached, and that flow conserves:
// what enters a block leaves it. So weights are wanted with
//
//     sum over markers k of weight[k] * count[k]  =  sum over blocks and edges of cost * flow
//
// for every flow that conserves. Both sides are linear in the flow of the edges, so one equation
// per edge says it all: weights of the markers in the block it enters, plus the potential of that
// block, less the potential of the block it leaves, is the edge's cost. Least squares, where the
// code generator left no exact answer; the smallest change of the natural weights (a marker's own
// block), where it left several.
#pragma once

#include <cstdint>
#include <vector>

namespace fwtime {

/// Kinds of instruction. `taken` counts branches, returns among them, that do not fall through: it
/// is no instruction of its own.
enum cost_class : unsigned {
    CLASS_ALU,
    CLASS_MULTIPLY,
    CLASS_DIVIDE,
    CLASS_LOAD,
    CLASS_STORE,
    CLASS_BRANCH,
    CLASS_CALL,
    CLASS_SYSTEM,
    CLASS_TAKEN,
    CLASS_COUNT
};

using class_costs = std::vector<double>; // CLASS_COUNT, or more: library calls are costs too

struct flow_block {
    class_costs cost;
    std::vector<unsigned> markers; // indices into the weights of the function
    std::vector<unsigned> next;    // blocks that may follow
    std::vector<bool> taken;       // by next: not by falling through
    bool leaves = false;           // by a return or a call that does not come back
    bool returns = false;          // ... by a return, which is a taken branch
    /// By next, and at the end for leaving: what runs on this way alone, as the second of two jumps
    /// does. May be shorter: nothing then.
    std::vector<class_costs> way;
};

struct flow_solution {
    std::vector<class_costs> weight; // by marker
    double worst = 0; // largest part of an edge's instructions that no weights can tell
};

/// Block 0 is the entry. `costs`: entries of each class_costs.
flow_solution solve_flow(const std::vector<flow_block>& blocks, unsigned markers, unsigned costs);

} // namespace fwtime
