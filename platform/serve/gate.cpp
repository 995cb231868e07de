// SPDX-License-Identifier: Apache-2.0
#include "platform/serve/gate.h"

namespace ssdvp::platform {

void gate::post(call& c)
{
    c.m_next = nullptr;
    {
        const std::lock_guard lock(m_mutex);
        if (m_last == nullptr) {
            m_first = &c;
        } else {
            m_last->m_next = &c;
        }
        m_last = &c;
        m_posted.store(true, std::memory_order_release);
    }
    m_changed.notify_one();
}

void gate::end()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ended.store(true, std::memory_order_release);
    }
    m_changed.notify_one();
}

std::size_t gate::let_in()
{
    if (!m_posted.load(std::memory_order_acquire)) {
        return 0;
    }
    call* next = nullptr;
    {
        const std::lock_guard lock(m_mutex);
        next = m_first;
        m_first = m_last = nullptr;
        m_posted.store(false, std::memory_order_release);
    }
    std::size_t count = 0;
    while (next != nullptr) {
        call& c = *next;
        next = c.m_next; // after enter() the call is its poster's again
        c.enter();
        ++count;
    }
    return count;
}

void gate::wait(wall_clock::time_point until)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_until(lock, until, [this] { return m_first != nullptr || m_ended.load(); });
}

} // namespace ssdvp::platform
