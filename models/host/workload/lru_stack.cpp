// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/lru_stack.h"

#include <algorithm>

#include "models/common/real_functions.h"

namespace ssdvp::host {

namespace {

constexpr std::uint64_t slots_at_first = 4096;

} // namespace

stack_depths::stack_depths(const stream_config& config, std::uint64_t n)
    : m_law(config.lru_law), m_power(n, config.lru_exponent),
      m_log_ratio(portable_log1p(-1.0 / config.lru_mean_depth)),
      m_all(portable_expm1(std::max(m_log_ratio * static_cast<double>(n), -600.0))), m_n(n)
{}

std::uint64_t stack_depths::next(rng& random) const
{
    if (m_law == stack_law::power) {
        return m_power.next(random);
    }
    const double above = portable_log1p(random.real() * m_all) / m_log_ratio;
    return std::min(static_cast<std::uint64_t>(above), m_n - 1) + 1;
}

lru_stack::lru_stack(std::uint64_t blocks) : m_blocks(blocks), m_order(blocks)
{
    shuffle(0);
}

void lru_stack::shuffle(std::uint64_t key)
{
    m_order = scatter(m_blocks, key);
    m_untouched.assign(m_blocks, m_blocks);
    m_block_of.assign(slots_at_first, 0);
    m_touched.assign(slots_at_first, 0);
    m_next = 0;
}

std::uint64_t lru_stack::touch(std::uint64_t depth)
{
    const std::uint64_t touched = m_touched.live();
    std::uint64_t block = 0;
    if (depth <= touched) {
        const std::uint64_t slot = m_touched.find(touched - depth);
        block = m_block_of[slot];
        m_touched.erase(slot);
    } else {
        const std::uint64_t place = m_untouched.find(depth - touched - 1);
        block = m_order(place);
        m_untouched.erase(place);
    }
    push(static_cast<std::uint32_t>(block));
    return block;
}

void lru_stack::push(std::uint32_t block)
{
    if (m_next == m_touched.slots()) {
        pack();
    }
    m_block_of[m_next] = block;
    m_touched.insert(m_next);
    ++m_next;
}

/// A fifth of the slots is free afterwards at least, so that a touch pays for few moves.
void lru_stack::pack()
{
    std::uint64_t live = 0;
    for (std::uint64_t slot = 0; slot < m_next; ++slot) {
        if (m_touched.contains(slot)) {
            m_block_of[live] = m_block_of[slot];
            ++live;
        }
    }
    std::uint64_t slots = m_touched.slots();
    if (live > slots / 4 * 3) {
        slots = std::min(2 * slots, m_blocks + m_blocks / 4 + slots_at_first);
        m_block_of.resize(slots);
    }
    m_touched.assign(slots, live);
    m_next = live;
}

std::uint64_t lru_region::next(rng& random)
{
    if (!m_shuffled) {
        m_shuffled = true;
        m_stack.shuffle(random.engine()());
    }
    return m_stack.touch(m_depths.next(random));
}

} // namespace ssdvp::host
