// SPDX-License-Identifier: Apache-2.0
//
// Buffers of one size, known by number, carved from large chunks: thousands of blocks cost no call
// of the host's allocator each. What a buffer holds when it comes is of no use. The lowest free one
// is given out first, so that what is in use stays together; a chunk without any goes back to the
// host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/common/lazy_array.h"
#include "models/common/state_archive.h"

namespace ssdvp::flash {

class buffer_pool {
public:
    explicit buffer_pool(std::uint64_t buffer_size) : m_size(buffer_size)
    {
        while (m_size != 0 && m_size << (m_shift + 1) <= chunk_size) {
            ++m_shift;
        }
    }

    /// What so many buffers take of the host's address space.
    [[nodiscard]] static std::uint64_t address_space(std::uint64_t buffer_size,
                                                     std::uint64_t buffers)
    {
        const buffer_pool pool(buffer_size);
        const std::uint64_t in_chunk = std::uint64_t{1} << pool.m_shift;
        return (buffers + in_chunk - 1) / in_chunk * pool.chunk_bytes();
    }
    /// Precondition: the buffer size is not zero.
    [[nodiscard]] std::uint32_t take()
    {
        std::uint32_t buffer = m_buffers;
        if (!m_free.empty()) {
            std::pop_heap(m_free.begin(), m_free.end(), std::greater<>());
            buffer = m_free.back();
            m_free.pop_back();
        } else if (m_buffers++ >> m_shift == m_chunks.size()) {
            m_chunks.push_back({lazy_array<unsigned char>(chunk_bytes()), 0});
        }
        ++m_chunks[buffer >> m_shift].in_use;
        return buffer;
    }
    void give_back(std::uint32_t buffer)
    {
        m_free.push_back(buffer);
        std::push_heap(m_free.begin(), m_free.end(), std::greater<>());
        chunk& c = m_chunks[buffer >> m_shift];
        if (--c.in_use == 0) {
            c.bytes.clear();
        }
    }
    [[nodiscard]] unsigned char* at(std::uint32_t buffer)
    {
        return m_chunks[buffer >> m_shift].bytes.data() + place(buffer);
    }
    [[nodiscard]] const unsigned char* at(std::uint32_t buffer) const
    {
        return &m_chunks[buffer >> m_shift].bytes[0] + place(buffer);
    }

    /// Of a buffer, in bytes.
    [[nodiscard]] std::uint64_t size() const { return m_size; }
    [[nodiscard]] std::uint64_t in_use() const { return m_buffers - m_free.size(); }
    /// Memory of all chunks, as far as their buffers were ever taken.
    [[nodiscard]] std::uint64_t bytes() const
    {
        std::uint64_t buffers = 0;
        for (std::size_t i = 0; i < m_chunks.size(); ++i) {
            buffers += m_chunks[i].in_use == 0 ? 0 : taken_of(i);
        }
        return buffers * m_size;
    }

    void keep(state_archive& archive)
    {
        archive.value(m_buffers);
        archive.list(m_free);
        if (archive.loading()) {
            m_chunks.clear();
            for (std::uint64_t i = 0; i << m_shift < m_buffers; ++i) {
                m_chunks.push_back({lazy_array<unsigned char>(chunk_bytes()), taken_of(i)});
            }
            for (const std::uint32_t buffer : m_free) {
                --m_chunks[buffer >> m_shift].in_use;
            }
        }
        for (std::size_t i = 0; i < m_chunks.size(); ++i) {
            archive.pages(m_chunks[i].bytes, taken_of(i) * m_size);
        }
    }

private:
    static constexpr std::uint64_t chunk_size = 512u << 10;
    struct chunk {
        lazy_array<unsigned char> bytes;
        std::uint32_t in_use;
    };

    /// Buffers of this chunk that were ever taken.
    [[nodiscard]] std::uint32_t taken_of(std::uint64_t number) const
    {
        return static_cast<std::uint32_t>(
            std::min(std::uint64_t{1} << m_shift, m_buffers - (number << m_shift)));
    }

    [[nodiscard]] std::uint64_t chunk_bytes() const { return m_size << m_shift; }
    [[nodiscard]] std::uint64_t place(std::uint32_t buffer) const
    {
        return (buffer & ((1u << m_shift) - 1)) * m_size;
    }

    std::uint64_t m_size;
    unsigned m_shift = 0; // 2^m_shift buffers in a chunk
    std::uint32_t m_buffers = 0;
    std::vector<chunk> m_chunks;
    std::vector<std::uint32_t> m_free; // a heap: the lowest one first
};

} // namespace ssdvp::flash
