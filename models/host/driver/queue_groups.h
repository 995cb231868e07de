// SPDX-License-Identifier: Apache-2.0
//
// Which queues a request may use. Under weighted round robin each class of the streams has queues
// of its own: of n classes, queue i belongs to class i mod n. Else all queues are one group.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/host/config.h"

namespace ssdvp::host {

class queue_groups {
public:
    explicit queue_groups(const driver_config& config)
    {
        const bool weighted = config.arbitration == arbitration_kind::weighted_round_robin;
        std::vector<priority_class> classes;
        for (const priority_class p : config.stream_priorities) {
            classes.push_back(weighted ? ranked(p) : priority_class::medium);
        }
        m_of_stream.resize(std::max<std::size_t>(classes.size(), 1), 0);
        m_classes = classes.empty() ? std::vector<priority_class>{priority_class::medium} : classes;
        std::sort(m_classes.begin(), m_classes.end());
        m_classes.erase(std::unique(m_classes.begin(), m_classes.end()), m_classes.end());
        for (std::size_t i = 0; i < classes.size(); ++i) {
            const auto at = std::find(m_classes.begin(), m_classes.end(), classes[i]);
            m_of_stream[i] = static_cast<std::uint8_t>(at - m_classes.begin());
        }
        m_queues.resize(m_classes.size());
        for (std::uint32_t q = 0; q < config.queue_pairs; ++q) {
            m_queues[q % m_classes.size()].push_back(q);
        }
        m_next.resize(m_classes.size(), 0);
    }

    /// Classes that the streams of a workload use.
    [[nodiscard]] std::size_t count() const { return m_classes.size(); }
    [[nodiscard]] priority_class class_of(std::uint32_t queue) const
    {
        return m_classes[queue % m_classes.size()];
    }
    [[nodiscard]] std::uint8_t group_of(std::uint16_t stream) const
    {
        return stream < m_of_stream.size() ? m_of_stream[stream] : m_of_stream.front();
    }
    [[nodiscard]] const std::vector<std::uint32_t>& queues(std::uint8_t group) const
    {
        return m_queues[group];
    }
    /// Place in queues(group) of the queue that the group's next request goes to.
    std::uint32_t take_turn(std::uint8_t group)
    {
        const std::uint32_t turn = m_next[group];
        m_next[group] = turn + 1 == m_queues[group].size() ? 0 : turn + 1;
        return turn;
    }
    void restart() { std::fill(m_next.begin(), m_next.end(), 0); }

private:
    static priority_class ranked(priority_class p)
    {
        return p == priority_class::unset ? priority_class::medium : p;
    }

    std::vector<priority_class> m_classes; // in use, highest first
    std::vector<std::uint8_t> m_of_stream;
    std::vector<std::vector<std::uint32_t>> m_queues; // by group
    std::vector<std::uint32_t> m_next;
};

} // namespace ssdvp::host
