// SPDX-License-Identifier: Apache-2.0
//
// The last register writes of a core: a device that finds one of them wrong, when it arrives, has
// nobody on the stack to ask any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::cpu {

class write_log {
public:
    struct entry {
        std::uint64_t address = 0;
        const void* from = nullptr; // return address of the call
        sim_time when;              // of the core's local time
    };

    void add(const entry& e) { m_entries[m_count++ % m_entries.size()] = e; }
    /// The newest write to the address that had arrived by then; null when it is forgotten.
    [[nodiscard]] const entry* find(std::uint64_t address, sim_time by) const
    {
        for (std::size_t i = 1; i <= m_entries.size() && i <= m_count; ++i) {
            const entry& e = m_entries[(m_count - i) % m_entries.size()];
            if (e.address == address && e.when <= by) {
                return &e;
            }
        }
        return nullptr;
    }

private:
    std::array<entry, 64> m_entries;
    std::size_t m_count = 0;
};

} // namespace ssdvp::cpu
