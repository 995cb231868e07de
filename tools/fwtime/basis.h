// SPDX-License-Identifier: Apache-2.0
//
// Which blocks of a function have to be counted at run time: the counts of the others follow from
// theirs, because flow conserves (Knuth and Stevenson, "Optimal measurement points for program
// frequency counts", BIT 13, 1973). A diamond needs two markers of four.
#pragma once

#include <utility>
#include <vector>

namespace fwtime {

struct graph_block {
    std::vector<unsigned> next; // blocks that may follow; none: the function is left
    bool dead = false;          // it ends in what never returns: then nothing is charged any more
};

struct block_basis {
    std::vector<bool> counted; // by block
    /// By block: its count as a sum of counted ones, itself if it is one.
    std::vector<std::vector<std::pair<unsigned, double>>> from;
};

/// Block 0 is the entry. Of two that tell the same the earlier one is counted, so that what a call
/// of the port is charged covers what ran before it. Dead blocks count as blocks that never run.
block_basis choose_counted(const std::vector<graph_block>& blocks);

} // namespace fwtime
