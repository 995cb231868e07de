// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/live_slots.h"

#include <algorithm>

namespace ssdvp::host {

namespace {

constexpr std::uint64_t words_per_chunk = 8;
constexpr std::uint64_t slots_per_chunk = 64 * words_per_chunk;

std::uint32_t ones(std::uint64_t word)
{
    return static_cast<std::uint32_t>(__builtin_popcountll(word));
}

} // namespace

void live_slots::assign(std::uint64_t slots, std::uint64_t live)
{
    const std::uint64_t chunks = (slots + slots_per_chunk - 1) / slots_per_chunk;
    m_slots = slots;
    m_live = live;
    m_words.assign(chunks * words_per_chunk, 0);
    std::fill_n(m_words.begin(), static_cast<std::ptrdiff_t>(live / 64), ~0ull);
    if (live % 64 != 0) {
        m_words[live / 64] = (1ull << live % 64) - 1;
    }
    m_sums.assign(chunks + 1, 0);
    for (std::uint64_t i = 1; i <= chunks; ++i) {
        const std::uint64_t before = std::min(live, (i - (i & (0 - i))) * slots_per_chunk);
        m_sums[i] = static_cast<std::uint32_t>(std::min(live, i * slots_per_chunk) - before);
    }
    m_half = 1;
    while (2 * m_half <= chunks) {
        m_half *= 2;
    }
}

void live_slots::add(std::uint64_t slot, std::uint32_t difference)
{
    for (std::uint64_t i = slot / slots_per_chunk + 1; i < m_sums.size(); i += i & (0 - i)) {
        m_sums[i] += difference; // modulo 2^32: a difference may stand for -1
    }
}

void live_slots::insert(std::uint64_t slot)
{
    m_words[slot / 64] |= 1ull << slot % 64;
    ++m_live;
    add(slot, 1);
}

void live_slots::erase(std::uint64_t slot)
{
    m_words[slot / 64] &= ~(1ull << slot % 64);
    --m_live;
    add(slot, UINT32_MAX);
}

std::uint64_t live_slots::find(std::uint64_t k) const
{
    std::uint64_t chunk = 0;
    for (std::uint64_t step = m_half; step != 0; step /= 2) {
        if (chunk + step < m_sums.size() && m_sums[chunk + step] <= k) {
            chunk += step;
            k -= m_sums[chunk];
        }
    }
    std::uint64_t word = chunk * words_per_chunk;
    while (ones(m_words[word]) <= k) {
        k -= ones(m_words[word]);
        ++word;
    }
    std::uint64_t bits = m_words[word];
    for (; k != 0; --k) {
        bits &= bits - 1;
    }
    return word * 64 + static_cast<std::uint64_t>(__builtin_ctzll(bits));
}

} // namespace ssdvp::host
