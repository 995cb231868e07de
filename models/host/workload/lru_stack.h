// SPDX-License-Identifier: Apache-2.0
//
// The LRU stack model: blocks by the time of their last access, and the law of the depth at which
// the next one is accessed. The hit ratio of an LRU cache of c blocks is P(depth <= c).
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/rng.h"
#include "models/host/config.h"
#include "models/host/workload/live_slots.h"
#include "models/host/workload/zipf.h"

namespace ssdvp::host {

/// Draws a depth in 1..n: with probability proportional to d^-s, or to (1 - 1/mean)^d.
class stack_depths {
public:
    stack_depths(const stream_config& config, std::uint64_t n);
    std::uint64_t next(rng& random) const;

private:
    stack_law m_law;
    zipf_ranks m_power;
    double m_log_ratio; // of the probabilities of two neighbours
    double m_all;       // probability of a depth up to n in the law without end, negative
    std::uint64_t m_n;
};

/// Blocks touched are kept in slots by time, the last on top; when the slots are used up, they are
/// packed. Below them are the blocks not touched yet, in the order of a permutation that takes no
/// memory. A touch costs O(log n); memory is a bit per block and four bytes per block touched.
class lru_stack {
public:
    /// Precondition: 0 < blocks <= 2^30.
    explicit lru_stack(std::uint64_t blocks);
    /// Begins anew with the blocks in an order that follows from the key.
    void shuffle(std::uint64_t key);
    /// The block at a depth, 1 on top; it moves to the top.
    std::uint64_t touch(std::uint64_t depth);

private:
    void push(std::uint32_t block);
    void pack();

    std::uint64_t m_blocks;
    scatter m_order;
    live_slots m_untouched; // by place in the first order
    live_slots m_touched;   // by time
    std::vector<std::uint32_t> m_block_of;
    std::uint64_t m_next = 0; // slot
};

/// A stack with its law.
class lru_region {
public:
    lru_region(const stream_config& config, std::uint64_t blocks)
        : m_depths(config, blocks), m_stack(blocks)
    {}
    std::uint64_t next(rng& random);

private:
    stack_depths m_depths;
    lru_stack m_stack;
    bool m_shuffled = false;
};

} // namespace ssdvp::host
