// SPDX-License-Identifier: Apache-2.0
//
// Where the ranges of a trace's devices begin on the drive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "models/host/workload/trace.h"

namespace ssdvp::host {

class trace_bases {
public:
    explicit trace_bases(const std::vector<trace_device>& devices)
        : m_devices(devices), m_order(devices.size())
    {
        std::iota(m_order.begin(), m_order.end(), 0u);
        std::sort(m_order.begin(), m_order.end(), [this](std::uint32_t a, std::uint32_t b) {
            return m_devices[a].device < m_devices[b].device;
        });
    }

    /// Sector; 0 for a device that has no range.
    [[nodiscard]] std::uint64_t of(std::uint64_t device)
    {
        if (m_last < m_devices.size() && m_devices[m_last].device != device) {
            const auto at = std::lower_bound(m_order.begin(), m_order.end(), device,
                                             [this](std::uint32_t place, std::uint64_t wanted) {
                                                 return m_devices[place].device < wanted;
                                             });
            if (at == m_order.end() || m_devices[*at].device != device) {
                return 0;
            }
            m_last = *at;
        }
        return m_last < m_devices.size() ? m_devices[m_last].base : 0;
    }

private:
    const std::vector<trace_device>& m_devices; // of a summary that outlives this
    std::vector<std::uint32_t> m_order;         // by their names
    std::size_t m_last = 0;                     // of the record before
};

} // namespace ssdvp::host
