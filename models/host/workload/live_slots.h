// SPDX-License-Identifier: Apache-2.0
//
// Slots that are live or not, and the k-th live one in logarithmic time.
#pragma once

#include <cstdint>
#include <vector>

namespace ssdvp::host {

/// A bit per slot, and a Fenwick tree over the live slots of each 512: 1.07 bits of memory a slot.
class live_slots {
public:
    /// That many slots, the first `live` of them live. Fewer than 2^32 slots.
    void assign(std::uint64_t slots, std::uint64_t live);
    void insert(std::uint64_t slot);
    void erase(std::uint64_t slot);
    [[nodiscard]] bool contains(std::uint64_t slot) const
    {
        return (m_words[slot / 64] >> slot % 64 & 1) != 0;
    }
    /// The slot of the k-th live one, from 0. Precondition: k < live().
    [[nodiscard]] std::uint64_t find(std::uint64_t k) const;
    [[nodiscard]] std::uint64_t live() const { return m_live; }
    [[nodiscard]] std::uint64_t slots() const { return m_slots; }

private:
    void add(std::uint64_t slot, std::uint32_t difference);

    std::vector<std::uint64_t> m_words;
    std::vector<std::uint32_t> m_sums; // entry i: of the i & -i chunks that end with the i-th
    std::uint64_t m_slots = 0;
    std::uint64_t m_live = 0;
    std::uint64_t m_half = 0; // largest power of two that is at most the number of chunks
};

} // namespace ssdvp::host
