// SPDX-License-Identifier: Apache-2.0
//
// Operations ordered on the wire: they come beside the rings, are as any other read to the arbiter,
// and their end goes back on the wire at once.
#include <stdexcept>

#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

void controller::read_page(const flash_desc& read)
{
    if (m_functional) {
        throw std::logic_error("a page is read while the channel works without time");
    }
    drain(); // what is due at this instant comes first
    m_direct.add(read);
    admit_direct();
    arbitrate();
}

/// As many as there are operations free for: before those of the ring.
void controller::admit_direct()
{
    while (!m_free.empty() && !m_direct.empty()) {
        const op_id op = m_free.back();
        m_ops[op] = operation();
        m_ops[op].desc = m_direct.take();
        m_ops[op].direct = true;
        m_free.pop_back();
        admit(op);
    }
    tell_held(now());
}

/// It tells its client, and makes room for the next one.
void controller::end_direct(op_id op)
{
    const flash_desc& d = m_ops[op].desc;
    const std::uint16_t tag = d.tag;
    const flash_status status = m_ops[op].status;
    m_free.push_back(op);
    tell_held(now());
    m_environment.reader->page_arrived(tag, status);
    if (!m_fetching) {
        fetch();
    }
}

} // namespace ssdvp::flash
