// SPDX-License-Identifier: Apache-2.0
//
// How long the array of a part works at a read, a program and an erase.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "models/common/time.h"
#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

/// Array times of the pseudo-SLC mode; zero = the part does not have it.
struct slc_timing {
    sim_time tR;
    sim_time tPROG;
    sim_time tBERS;
};

/// Array times of one LUN. Lists have one entry per page of a word line (lsb, csb, msb, ...) or a
/// single entry; page p of a block uses entry p % size.
struct array_timing {
    std::vector<sim_time> tR;
    std::vector<sim_time> tPROG;
    sim_time tDBSY; // between the planes of a multi-plane command
    sim_time tRST;
    sim_time tR_retry{}; // page read at a read retry level; 0 = tR
    sim_time tRCBSY{};   // cache read: from data register to cache register
    sim_time tCBSY{};    // cache program: from cache register to data register
    slc_timing slc{};
    sim_time tPROG_shallow{};   // of any page; 0 = as shallow_speed_up says
    sim_time tPROG_word_line{}; // of a one-pass part; 0 = sum of tPROG over the word line
    sim_time tPROG_coarse{};    // of a two-pass part: each pass of a word line; 0 = a third of the
    sim_time tPROG_fine{};      // sum of tPROG over the word line, and the rest of that
    double shallow_speed_up =
        0.0; // tPROG of a page over that of its shallow program; 0 = see above
    std::vector<sim_time> tRSNAP{}; // snap read, a list like tR; empty or 0 = the part has none
};

/// Programs of the pages of a word line, together.
inline sim_time program_sum(const array_timing& t, std::size_t pages)
{
    sim_time sum;
    for (std::size_t p = 0; p < pages; ++p) {
        sum += t.tPROG[p % t.tPROG.size()];
    }
    return sum;
}

/// A pass of a word line.
inline sim_time pass_time(const array_timing& t, std::size_t pages, bool fine)
{
    const sim_time given = fine ? t.tPROG_fine : t.tPROG_coarse;
    const sim_time sum = program_sum(t, pages);
    const sim_time coarse(sum.ps() / 3);
    return given != sim_time() ? given : fine ? sum - coarse : coarse;
}

/// Array time of a shallow program; 0 = the part has none.
inline sim_time shallow_program(const array_timing& t, page_index page)
{
    if (t.shallow_speed_up <= 0.0) {
        return t.tPROG_shallow;
    }
    const auto normal = static_cast<double>(t.tPROG[page.value() % t.tPROG.size()].ps());
    return sim_time(static_cast<std::uint64_t>(std::llround(normal / t.shallow_speed_up)));
}

/// Erase as incremental-step pulses (ISPE): up to `loops` loops of `loop_time`, each ramp,
/// execution, recovery and verify; tBERS = loops * loop_time. A block needs `loops_fresh` loops
/// when new and `loops` at its rated endurance, in between in proportion, and its own
/// `loops_spread` (standard deviation, drawn per block from the seed) more or less.
struct erase_timing {
    std::uint32_t loops = 1;
    sim_time loop_time;
    sim_time suspend_overhead;     // voltage recovery: from where the pulse stops to the first read
    sim_time resume_overhead;      // ramp: from the resume command until the pulse goes on
    sim_time ramp;                 // of a loop, before execution: no safe point lies in it
    sim_time recovery;             // of a loop, after execution: recovery and verify
    std::uint32_t loops_fresh = 0; // 0 = loops
    double loops_spread = 0.0;
};

} // namespace ssdvp::flash
