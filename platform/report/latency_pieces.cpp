// SPDX-License-Identifier: Apache-2.0
#include "platform/report/latency_pieces.h"

#include <algorithm>

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

latency_piece joined(const latency_piece& a, const latency_piece& b)
{
    latency_piece both;
    for (std::size_t k = 0; k < both.size(); ++k) {
        latency_counts& out = both[k];
        std::merge(a[k].begin(), a[k].end(), b[k].begin(), b[k].end(), std::back_inserter(out));
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

latency_counter::latency_counter()
{
    for (one& k : m_kinds) {
        k.counts.resize(histogram::buckets);
    }
}

latency_piece latency_counter::take()
{
    latency_piece piece;
    for (std::size_t i = 0; i < piece.size(); ++i) {
        one& k = m_kinds[i];
        for (std::uint32_t b = k.first; b <= k.last && k.first != UINT32_MAX; ++b) {
            if (k.counts[b] != 0) {
                piece[i].emplace_back(b, k.counts[b]);
                k.counts[b] = 0;
            }
        }
        k.first = UINT32_MAX;
        k.last = 0;
    }
    return piece;
}

} // namespace ssdvp::platform
