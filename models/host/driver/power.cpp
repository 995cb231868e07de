// SPDX-License-Identifier: Apache-2.0
//
// The driver and a drive that loses power, or that it resets.
#include "models/host/driver/driver.h"

namespace ssdvp::host {

void driver::forget()
{
    m_agenda.clear();
    m_limit.clear();
    m_bring_up.abandon();
    m_in_sequence = false;
    m_changing = false;
    m_sequence_done = nullptr;
    m_ready = false;
    for (queue_pair& q : m_queues) {
        q.reset();
    }
    m_to_ring.clear();
    m_groups.restart();
    m_resets = 0;
}

void driver::restart(callback done)
{
    forget();
    start(std::move(done));
}

/// A controller with commands in flight goes on posting completions until the reset reaches it.
/// Their phase bits would pass for those of the new queues.
void driver::controller_disabled()
{
    for (queue_pair& q : m_queues) {
        q.reset();
    }
}

} // namespace ssdvp::host
