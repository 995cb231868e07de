// SPDX-License-Identifier: Apache-2.0
//
// The TLPs of a transfer one after another, for links on which single TLPs have to wait. tlp_cost
// counts the same TLPs without visiting them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/pcie/config.h"

namespace ssdvp::pcie {

inline constexpr std::uint64_t request_boundary = 4096; // no request crosses a multiple of it

/// A byte range widened to whole doublewords: what a TLP carries when byte enables cut the ends.
struct doublewords {
    constexpr doublewords(std::uint64_t address, std::uint64_t bytes)
        : begin(address & ~3ull), length(bytes == 0 ? 0 : ((address + bytes + 3) & ~3ull) - begin)
    {}
    std::uint64_t begin;
    std::uint64_t length;
};

class tlp_split {
public:
    /// MWr: at most MPS bytes each.
    static tlp_split writes(const link_config& c, doublewords range)
    {
        return {range, c.max_payload_size, request_boundary};
    }
    /// MRd: ask for at most MRRS bytes each.
    static tlp_split requests(const link_config& c, doublewords range)
    {
        return {range, c.max_read_request_size, request_boundary};
    }
    /// CplD of one request: at most MPS bytes each, all but the last up to a boundary.
    static tlp_split completions(const link_config& c, doublewords request)
    {
        return {request, c.max_payload_size, c.read_completion_boundary};
    }

    [[nodiscard]] bool done() const { return m_left == 0; }

    doublewords next()
    {
        std::uint64_t length = m_left;
        if (m_unit == request_boundary) {
            length = std::min({m_left, m_limit, m_unit - m_at % m_unit});
        } else if (m_left > m_limit) {
            length = (m_at + m_limit) / m_unit * m_unit - m_at;
        }
        const doublewords tlp(m_at, length);
        m_at += length;
        m_left -= length;
        return tlp;
    }

private:
    tlp_split(doublewords range, std::uint64_t limit, std::uint64_t unit)
        : m_at(range.begin), m_left(range.length), m_limit(limit), m_unit(unit)
    {}

    std::uint64_t m_at;
    std::uint64_t m_left;
    std::uint64_t m_limit;
    std::uint64_t m_unit; // where TLPs end
};

} // namespace ssdvp::pcie
