// SPDX-License-Identifier: Apache-2.0
//
// The driver and a drive that loses power, or that it resets.
#include "models/host/driver/driver.h"

namespace ssdvp::host {

void driver::forget_queues()
{
    m_agenda.clear();
    m_limit.clear();
    m_bring_up.abandon();
    m_in_sequence = false;
    m_sequence_done = nullptr;
    m_ready = false;
    for (queue_pair& q : m_queues) {
        q.reset();
    }
    m_to_ring.clear();
    m_groups.restart();
}

void driver::restart(callback done)
{
    forget_queues();
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

void driver::lose_all()
{
    forget_queues();
    m_waiting_first = m_waiting_count = 0;
    m_told.clear();
    for (std::uint32_t i = 0; i < m_requests.size(); ++i) {
        if (m_requests[i].live) {
            lose(i);
        }
    }
    m_in_flight = 0;
    m_resets = 0;
    m_private = false;
    free_requests();
}

void driver::power_lost()
{
    lose_all();
    if (m_links.check != nullptr) {
        m_links.check->power_lost();
    }
}

void driver::abandon()
{
    lose_all();
    if (m_links.check != nullptr) {
        m_links.check->controller_reset();
    }
}

/// Completions on their way count as lost too: the host never learned of them.
void driver::lose(std::uint32_t index)
{
    pending_request& r = m_requests[index];
    r.live = false;
    m_lost += m_private ? 0 : 1;
    r.client->on_lost(r.cookie, r.result.req);
}

void driver::free_requests()
{
    m_free_requests.clear();
    for (auto i = static_cast<std::uint32_t>(m_requests.size()); i-- > 0;) {
        m_free_requests.push_back(i);
    }
}

} // namespace ssdvp::host
