// SPDX-License-Identifier: Apache-2.0
//
// Numbers that follow from each other, drawn by a second thread while the first one uses those
// before them. Which they are depends on neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <utility>
#include <vector>

namespace ssdvp::platform {

class drawn_ahead {
public:
    /// What `draw` uses is the second thread's alone until this object is gone; what it throws is
    /// thrown by next().
    explicit drawn_ahead(std::function<std::uint64_t()> draw) : m_draw(std::move(draw)) {}

    std::uint64_t next()
    {
        if (m_at == m_now.size()) {
            refill();
        }
        return m_now[m_at++];
    }

private:
    static constexpr std::size_t at_once = std::size_t{1} << 16; // milliseconds of work

    void refill()
    {
        m_now = m_next.valid() ? m_next.get() : drawn();
        m_next = std::async(std::launch::async, [this] { return drawn(); });
        m_at = 0;
    }
    [[nodiscard]] std::vector<std::uint64_t> drawn() const
    {
        std::vector<std::uint64_t> all(at_once);
        for (std::uint64_t& n : all) {
            n = m_draw();
        }
        return all;
    }

    std::function<std::uint64_t()> m_draw;
    std::vector<std::uint64_t> m_now;
    std::size_t m_at = 0;
    std::future<std::vector<std::uint64_t>> m_next; // last: its end is waited for first
};

} // namespace ssdvp::platform
