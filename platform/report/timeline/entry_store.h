// SPDX-License-Identifier: Apache-2.0
//
// What a record holds, in the order in which it was told: the newest may be added, the oldest
// dropped. It lies in chunks, which stay where they are; a chunk that was dropped is used again.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace ssdvp::platform {

template <typename Entry>
class entry_store {
public:
    static constexpr std::size_t chunk = 4096; // entries

    /// The place of a new one, to be filled.
    Entry& add()
    {
        if (m_next == m_chunk_end) {
            grow();
        }
        ++m_size;
        return *m_next++;
    }
    void drop_oldest()
    {
        --m_size;
        if (++m_first == chunk) {
            m_first = 0;
            m_spare.push_back(std::move(m_chunks.front()));
            m_chunks.erase(m_chunks.begin());
        }
    }
    [[nodiscard]] std::size_t size() const { return m_size; }
    /// 0 is the oldest.
    [[nodiscard]] Entry& operator[](std::size_t i)
    {
        return m_chunks[(m_first + i) / chunk][(m_first + i) % chunk];
    }
    /// Calls `f` with each, the oldest first.
    template <typename F>
    void for_each(const F& f)
    {
        for (std::size_t i = 0; i < m_size; ++i) {
            f((*this)[i]);
        }
    }

private:
    void grow()
    {
        if (m_spare.empty()) {
            m_chunks.push_back(std::make_unique<Entry[]>(chunk));
        } else {
            m_chunks.push_back(std::move(m_spare.back()));
            m_spare.pop_back();
        }
        m_next = m_chunks.back().get();
        m_chunk_end = m_next + chunk;
    }

    std::vector<std::unique_ptr<Entry[]>> m_chunks;
    std::vector<std::unique_ptr<Entry[]>> m_spare;
    Entry* m_next = nullptr; // in the last chunk
    Entry* m_chunk_end = nullptr;
    std::size_t m_first = 0; // the oldest, in the first chunk
    std::size_t m_size = 0;
};

} // namespace ssdvp::platform
