// SPDX-License-Identifier: Apache-2.0
//
// Buffers of one size, carved from large chunks: thousands of blocks cost no call of the host's
// allocator each. Buffers come uninitialised and go back when a block is erased.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/common/lazy_array.h"

namespace ssdvp::flash {

class buffer_pool {
public:
    explicit buffer_pool(std::uint64_t buffer_size) : m_size(buffer_size) {}

    /// What so many buffers take of the host's address space, the first of them in a new chunk.
    [[nodiscard]] static std::uint64_t address_space(std::uint64_t buffer_size,
                                                     std::uint64_t buffers)
    {
        const std::uint64_t chunk = std::max(chunk_size, buffer_size);
        const std::uint64_t in_chunk = buffer_size == 0 ? 1 : chunk / buffer_size;
        return buffer_size == 0 ? 0 : (buffers / in_chunk + 1) * chunk;
    }
    /// Precondition: the buffer size is not zero.
    [[nodiscard]] unsigned char* take()
    {
        if (!m_free.empty()) {
            unsigned char* buffer = m_free.back();
            m_free.pop_back();
            return buffer;
        }
        if (m_left == 0) {
            m_left = std::max<std::uint64_t>(1, chunk_size / m_size);
            m_chunks.emplace_back(std::max(chunk_size, m_size));
            m_next = m_chunks.back().data();
        }
        --m_left;
        ++m_buffers;
        unsigned char* buffer = m_next;
        m_next += m_size;
        return buffer;
    }
    void give_back(unsigned char* buffer) { m_free.push_back(buffer); }

    /// Memory of all buffers ever taken.
    [[nodiscard]] std::uint64_t bytes() const { return m_buffers * m_size; }

private:
    static constexpr std::uint64_t chunk_size = 2u << 20;

    std::uint64_t m_size;
    std::uint64_t m_buffers = 0;
    unsigned char* m_next = nullptr; // in the newest chunk
    std::uint64_t m_left = 0;        // buffers from m_next on
    std::vector<lazy_array<unsigned char>> m_chunks;
    std::vector<unsigned char*> m_free;
};

} // namespace ssdvp::flash
