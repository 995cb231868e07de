// SPDX-License-Identifier: Apache-2.0
//
// Where a function puts on account what it has spent: before whoever it calls or returns to may
// look, and no more often than need be. Where paths meet of which some have spent something since
// the last time and some have not, those that have tell before they meet.
#pragma once

#include <utility>
#include <vector>

namespace fwtime {

enum class event { none, spend, tell }; // a counted place; a call or a return

struct telling_block {
    std::vector<unsigned> next; // blocks that may follow
    event first = event::none;  // of the block
    event last = event::none;   // the same
    bool splits = true;         // something may be put on each of the edges that leave it
};

struct telling {
    std::vector<std::pair<unsigned, unsigned>> early; // edges on which something is told: from, to
    std::vector<bool>
        pending; // by block: something may have been spent and not told when it begins
};

/// Block 0 is the entry.
[[nodiscard]] telling place_telling(const std::vector<telling_block>& blocks);

} // namespace fwtime
