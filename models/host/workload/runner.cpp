// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/runner.h"

#include <utility>

namespace ssdvp::host {

runner::runner(const sc_core::sc_module_name& name, drive& target, fault_log* faults)
    : block(name), m_driver(target), m_faults(faults), m_agenda("agenda")
{
    SC_METHOD(act);
    sensitive << m_agenda.event();
    dont_initialize();
}

void runner::add(std::unique_ptr<source> from)
{
    stream s;
    s.timed = from->timed();
    s.depth = from->queue_depth();
    s.from = std::move(from);
    m_streams.push_back(std::move(s));
}

void runner::start(const run_limits& limits, std::function<void()> done)
{
    m_limits = limits;
    m_done = std::move(done);
    m_start = now();
    m_running = true;
    pump();
    m_driver.ring();
}

void runner::stop()
{
    for (stream& s : m_streams) {
        end(s);
    }
    m_agenda.clear();
    m_paused = false;
    pump();
}

void runner::act()
{
    activated();
    std::uint32_t index = 0;
    while (m_agenda.pop_due(index)) {
        m_streams[index].waking = false;
    }
    pump();
    m_driver.ring();
}

void runner::on_done(std::uint64_t cookie, const request_result&)
{
    --m_streams[cookie].in_flight;
    ++m_completed;
}

void runner::on_lost(std::uint64_t cookie, const request&)
{
    --m_streams[cookie].in_flight;
    ++m_lost;
}

void runner::pause()
{
    if (!m_paused) {
        m_paused = true;
        m_paused_at = now();
    }
}

void runner::resume()
{
    const sim_time pause = now() - m_paused_at;
    m_paused = false;
    m_start += pause;
    m_agenda.clear();
    for (stream& s : m_streams) {
        s.next.arrival += pause;
        s.waking = false;
    }
    pump();
    m_driver.ring();
}

void runner::pump()
{
    if (!m_running || m_paused) {
        return;
    }
    m_full = false;
    bool live = false;
    for (std::size_t i = 0; i < m_streams.size(); ++i) {
        const std::size_t index = (m_first + i) % m_streams.size();
        while (!m_full && issue_one(index)) {
        }
        if (m_full) {
            m_first = (index + 1) % m_streams.size();
            return; // requests in flight: their end brings the next pump
        }
        live = live || !m_streams[index].ended || m_streams[index].in_flight != 0;
    }
    if (!live) {
        m_running = false;
        if (m_done) {
            m_done();
        }
    }
}

void runner::end(stream& s)
{
    s.ended = true;
    s.has_next = false;
}

/// Makes `next` the stream's next request, or ends the stream.
bool runner::take(stream& s)
{
    if (s.has_next) {
        return true;
    }
    const sim_time elapsed = now() - m_start;
    if (!s.from->next(elapsed, s.next)) {
        if (const std::string why = s.from->error(); !why.empty() && m_faults != nullptr) {
            m_faults->record(name(), why);
        }
        return false;
    }
    s.next.arrival = m_start + (s.timed ? s.next.arrival : elapsed);
    s.has_next = true;
    return true;
}

bool runner::issue_one(std::size_t index)
{
    stream& s = m_streams[index];
    if (s.ended || (s.depth != 0 && s.in_flight >= s.depth)) {
        return false;
    }
    const bool count_reached = m_limits.requests != 0 && m_issued == m_limits.requests;
    if (count_reached || !take(s)) {
        end(s);
        return false;
    }
    if (m_limits.duration != sim_time() && s.next.arrival - m_start >= m_limits.duration) {
        end(s);
        return false;
    }
    if (s.next.arrival > now()) {
        if (!s.waking) {
            s.waking = true;
            m_agenda.push(s.next.arrival, static_cast<std::uint32_t>(index));
        }
        return false;
    }
    if (!m_driver.submit(s.next, nullptr, *this, index)) {
        m_full = true;
        return false;
    }
    s.has_next = false;
    ++s.in_flight;
    ++m_issued;
    return true;
}

} // namespace ssdvp::host
