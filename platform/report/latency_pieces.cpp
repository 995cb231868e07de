// SPDX-License-Identifier: Apache-2.0
#include "platform/report/latency_pieces.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ssdvp::platform {

std::uint64_t count_of(const latency_counts& piece)
{
    return count_up_to(piece, UINT32_MAX);
}

std::uint64_t count_up_to(const latency_counts& piece, std::uint32_t bucket)
{
    std::uint64_t sum = 0;
    for (const auto& [b, count] : piece) {
        sum += b <= bucket ? count : 0;
    }
    return sum;
}

latency_sums::latency_sums(const latency_counts& piece)
{
    m_up_to.reserve(piece.size());
    for (const auto& [bucket, count] : piece) {
        m_up_to.emplace_back(bucket, all() + count);
    }
}

std::uint64_t latency_sums::up_to(std::uint32_t bucket) const
{
    const auto after = std::upper_bound(m_up_to.begin(), m_up_to.end(), bucket,
                                        [](std::uint32_t b, const auto& s) { return b < s.first; });
    return after == m_up_to.begin() ? 0 : std::prev(after)->second;
}

latency_piece joined(const latency_piece& a, const latency_piece& b)
{
    latency_piece both;
    for (std::size_t k = 0; k < both.size(); ++k) {
        latency_counts& out = both[k];
        out.resize(a[k].size() + b[k].size());
        std::merge(a[k].begin(), a[k].end(), b[k].begin(), b[k].end(), out.begin());
        std::size_t used = 0; // equal buckets stand side by side now
        for (const auto& [bucket, count] : out) {
            if (used != 0 && out[used - 1].first == bucket) {
                out[used - 1].second += count;
            } else {
                out[used++] = {bucket, count};
            }
        }
        out.resize(used);
    }
    return both;
}

latency_counter::latency_counter() : m_taken(histogram::buckets)
{
    for (one& k : m_kinds) {
        k.counts.resize(histogram::buckets);
        k.used.resize(histogram::buckets / word_bits + 1);
    }
}

latency_piece latency_counter::take()
{
    latency_piece piece;
    for (std::size_t i = 0; i < piece.size(); ++i) {
        one& k = m_kinds[i];
        auto end = m_taken.begin();
        for (std::uint32_t w = k.first; w <= k.last && k.first != UINT32_MAX; ++w) {
            for (std::uint64_t bits = std::exchange(k.used[w], 0); bits != 0; bits &= bits - 1) {
                const std::uint32_t b =
                    w * word_bits + static_cast<std::uint32_t>(__builtin_ctzll(bits));
                *end++ = {b, std::exchange(k.counts[b], 0)};
            }
        }
        piece[i].assign(m_taken.begin(), end);
        k.first = UINT32_MAX;
        k.last = 0;
    }
    return piece;
}

} // namespace ssdvp::platform
