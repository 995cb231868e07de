// SPDX-License-Identifier: Apache-2.0
#include "tools/fwtime/telling.h"

#include <algorithm>
#include <set>

namespace fwtime {

namespace {

using way = std::pair<unsigned, unsigned>;

enum since : unsigned { UNREACHED = 0, ZERO = 1, SOME = 2, MIXED = 3 }; // what the paths say

/// By block: whatever way is taken from there, something is told before more is spent.
std::vector<bool> told_next(const std::vector<telling_block>& blocks)
{
    std::vector<bool> told(blocks.size(), false);
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = blocks.size(); i-- > 0;) {
            const telling_block& b = blocks[i];
            const bool all =
                b.first == event::none && !b.next.empty() &&
                std::all_of(b.next.begin(), b.next.end(), [&](unsigned n) { return told[n]; });
            if (!told[i] && (b.first == event::tell || all)) {
                told[i] = true;
                more = true;
            }
        }
    }
    return told;
}

unsigned leaving(const telling_block& b, unsigned entering)
{
    if (entering == UNREACHED || b.last == event::none) {
        return entering;
    }
    return b.last == event::spend ? SOME : ZERO;
}

/// By block: what has been spent and not told when it begins.
std::vector<unsigned> entering(const std::vector<telling_block>& blocks, const std::set<way>& early)
{
    std::vector<unsigned> in(blocks.size(), UNREACHED);
    in[0] = ZERO;
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < blocks.size(); ++i) {
            for (const unsigned n : blocks[i].next) {
                const unsigned out = leaving(blocks[i], in[i]);
                const unsigned told = out != UNREACHED && early.count({i, n}) != 0 ? ZERO : out;
                more |= (in[n] | told) != in[n];
                in[n] |= told;
            }
        }
    }
    return in;
}

} // namespace

telling place_telling(const std::vector<telling_block>& blocks)
{
    const std::vector<bool> told = told_next(blocks);
    std::set<way> early;
    std::vector<unsigned> in;
    for (bool more = true; more;) {
        more = false;
        in = entering(blocks, early);
        for (unsigned i = 0; i < blocks.size(); ++i) {
            for (const unsigned n : blocks[i].next) {
                if (leaving(blocks[i], in[i]) == SOME && in[n] == MIXED && told[n] &&
                    blocks[i].splits) {
                    more |= early.insert({i, n}).second;
                }
            }
        }
    }
    telling all;
    for (const way& e : early) {
        if ((in[e.second] & SOME) == 0) { // else it tells all the same, for others that come
            all.early.push_back(e);
        }
    }
    for (const unsigned state : in) {
        all.pending.push_back((state & SOME) != 0);
    }
    return all;
}

} // namespace fwtime
