// SPDX-License-Identifier: Apache-2.0
//
// What waves show of the front end: doorbells, entries that wait, commands, messages, readiness.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/time.h"
#include "models/common/timeline.h"

namespace ssdvp::nvme {

class queue_levels {
public:
    /// So many queue pairs, the admin queues among them, and interrupt vectors are told to `to`.
    void follow(timeline& to, std::size_t pairs, std::size_t vectors);

    // Values of doorbells of a queue, when they arrive.
    void tail(std::uint32_t id, std::uint32_t value, sim_time t) const
    {
        tell(m_tails, id, t, value);
    }
    void head(std::uint32_t id, std::uint32_t value, sim_time t) const
    {
        tell(m_heads, id, t, value);
    }
    /// Entries of a submission queue that are not fetched, from now on.
    void entries(std::uint32_t id, std::uint32_t count) const { tell(m_entries, id, now(), count); }
    /// Commands in the drive, from now on: fetched, their completions not there.
    void commands(std::uint32_t count) const { m_commands.set(now(), count); }
    /// CSTS.RDY, from now on.
    void ready(bool on) const { m_ready.set(now(), on ? 1 : 0); }
    /// A message to the host.
    void message(std::uint16_t vector)
    {
        if (m_follows) {
            m_messages[vector].set(now(), ++m_sent[vector]);
        }
    }

private:
    using levels = std::vector<timeline_level>;
    void tell(const levels& of, std::uint32_t id, sim_time t, std::uint32_t value) const
    {
        if (m_follows) {
            of[id].set(t, value);
        }
    }

    bool m_follows = false;
    levels m_tails, m_heads, m_entries; // by queue
    levels m_messages;                  // by vector
    std::vector<std::uint32_t> m_sent;
    timeline_level m_commands, m_ready;
};

} // namespace ssdvp::nvme
