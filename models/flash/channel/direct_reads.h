// SPDX-License-Identifier: Apache-2.0
//
// Reads ordered on the wire of a page_read_client that the controller has no operation for yet.
#pragma once

#include <boost/circular_buffer.hpp>

#include "models/regs/channel_records.h"

namespace ssdvp::flash {

class direct_reads {
public:
    [[nodiscard]] bool empty() const { return m_waiting.empty(); }
    void add(const flash_desc& read)
    {
        if (m_waiting.full()) {
            m_waiting.set_capacity(m_waiting.empty() ? 64 : 2 * m_waiting.capacity());
        }
        m_waiting.push_back(read);
    }
    /// Precondition: not empty.
    flash_desc take()
    {
        const flash_desc first = m_waiting.front();
        m_waiting.pop_front();
        return first;
    }
    void clear() { m_waiting.clear(); }

private:
    boost::circular_buffer<flash_desc> m_waiting; // oldest first; grows to what the client has
};

} // namespace ssdvp::flash
