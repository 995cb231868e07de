// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/arbiter.h"

#include <algorithm>

namespace ssdvp::nvme {

namespace {

constexpr std::uint32_t no_limit = ~0u;
constexpr std::uint32_t burst_without_limit = 7; // AB

constexpr std::uint32_t weight_of(std::uint32_t arbitration, std::uint32_t shift)
{
    return (arbitration >> shift & 0xFFu) + 1; // zero-based
}

} // namespace

void arbiter::reset(bool weighted)
{
    for (queue_class& c : m_classes) {
        const std::uint32_t weight = c.weight;
        c = queue_class();
        c.weight = weight;
        c.current = queues_max - 1; // the first turn is queue 0's
    }
    m_class_of.fill(first);
    m_chosen = first;
    m_weighted = weighted;
}

void arbiter::configure(std::uint32_t arbitration)
{
    const std::uint32_t ab = arbitration & FE_ARBITRATION_AB_MASK;
    m_burst = ab == burst_without_limit ? no_limit : 1u << ab;
    m_classes[high].weight = weight_of(arbitration, FE_ARBITRATION_HPW_SHIFT);
    m_classes[medium].weight = weight_of(arbitration, FE_ARBITRATION_MPW_SHIFT);
    m_classes[low].weight = weight_of(arbitration, FE_ARBITRATION_LPW_SHIFT);
    for (queue_class& c : m_classes) { // a round under way is cut short, not made longer
        c.credit = std::min(c.credit, c.weight);
        c.left = std::min(c.left, m_burst);
    }
}

void arbiter::set_priority(std::uint32_t queue, std::uint32_t priority)
{
    const bool ranked = m_weighted && queue != 0;
    m_class_of[queue] = static_cast<std::uint8_t>(ranked ? urgent + priority : first);
}

void arbiter::filled(std::uint32_t queue)
{
    queue_class& c = m_classes[m_class_of[queue]];
    const std::uint64_t bit = 1ull << queue % 64;
    c.filled += (c.has_entries[queue / 64] & bit) == 0 ? 1 : 0;
    c.has_entries[queue / 64] |= bit;
}

/// A queue that runs empty gives up the rest of its turn.
void arbiter::emptied(std::uint32_t queue)
{
    queue_class& c = m_classes[m_class_of[queue]];
    const std::uint64_t bit = 1ull << queue % 64;
    c.filled -= (c.has_entries[queue / 64] & bit) != 0 ? 1 : 0;
    c.has_entries[queue / 64] &= ~bit;
    c.left = c.current == queue ? 0 : c.left;
}

/// Strictly admin, then urgent; of the other three the first with credit. Who has nothing to fetch
/// keeps nobody from a new round: so the low class gets its credit in each.
std::uint32_t arbiter::choose_class()
{
    for (const std::uint32_t strict : {first, urgent}) {
        if (m_classes[strict].filled != 0) {
            return strict;
        }
    }
    for (int round = 0; round < 2; ++round) {
        for (std::uint32_t c = high; c <= low; ++c) {
            if (m_classes[c].filled != 0 && m_classes[c].credit != 0) {
                return c;
            }
        }
        for (std::uint32_t c = high; c <= low; ++c) {
            m_classes[c].credit = m_classes[c].weight;
        }
    }
    return first; // not reached: some queue has entries
}

/// The turn goes to the next queue with entries, behind the one that had it.
void arbiter::advance(queue_class& c)
{
    const std::uint32_t from = (c.current + 1) % queues_max;
    std::uint32_t word = from / 64;
    std::uint64_t bits = c.has_entries[word] & (~0ull << from % 64);
    while (bits == 0) {
        word = (word + 1) % words;
        bits = c.has_entries[word];
    }
    c.current = word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

arbiter::turn arbiter::next()
{
    m_chosen = m_weighted ? choose_class() : first;
    queue_class& c = m_classes[m_chosen];
    if (c.left == 0) {
        advance(c);
        c.left = m_burst;
    }
    return {c.current, m_chosen >= high ? std::min(c.left, c.credit) : c.left};
}

void arbiter::took(std::uint32_t count)
{
    queue_class& c = m_classes[m_chosen];
    c.left -= m_burst == no_limit ? 0 : count;
    c.credit -= m_chosen >= high ? count : 0;
}

} // namespace ssdvp::nvme
