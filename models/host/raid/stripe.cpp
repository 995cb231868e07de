// SPDX-License-Identifier: Apache-2.0
#include "models/host/raid/stripe.h"

namespace ssdvp::host {

stripe_map::extent stripe_map::on(std::uint32_t member, std::uint64_t lba,
                                  std::uint32_t sectors) const
{
    const std::uint64_t end = lba + sectors;
    const std::uint64_t first = lba / m_chunk;
    const std::uint64_t last = (end - 1) / m_chunk;
    // The member's first and last chunk among them.
    const std::uint64_t head = first + (member + m_members - first % m_members) % m_members;
    if (head > last) {
        return {};
    }
    const std::uint64_t tail = last - (last % m_members + m_members - member) % m_members;
    const std::uint64_t from = head == first ? lba % m_chunk : 0;
    const std::uint64_t to = tail == last ? (end - 1) % m_chunk + 1 : m_chunk;
    const std::uint64_t start = head / m_members * m_chunk + from;
    return {start, static_cast<std::uint32_t>(tail / m_members * m_chunk + to - start)};
}

} // namespace ssdvp::host
