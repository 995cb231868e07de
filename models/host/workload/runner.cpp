// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/runner.h"

#include <algorithm>
#include <utility>

namespace ssdvp::host {

namespace {

std::size_t level_of(std::uint32_t in_flight)
{
    return 31u - static_cast<unsigned>(__builtin_clz(in_flight));
}

std::size_t batch_level(std::uint32_t n)
{
    return n <= 4 ? 1 : std::min<std::size_t>(level_of(n - 1), depth_levels - 1);
}

} // namespace

runner::runner(const sc_core::sc_module_name& name, request_target& target, fault_log* faults)
    : block(name), m_driver(target), m_faults(faults)
{
    m_agenda.wakes<&runner::act>(*this);
}

void runner::add(std::unique_ptr<source> from)
{
    stream s;
    s.timed = from->timed();
    s.depth = from->queue_depth();
    s.refill_at = from->refill_at();
    s.after = from->starts_after();
    s.from = std::move(from);
    m_streams.push_back(std::move(s));
}

void runner::start(const run_limits& limits, std::function<void()> done)
{
    m_limits = limits;
    m_done = std::move(done);
    m_start = now();
    m_running = true;
    for (stream& s : m_streams) {
        may_start(s);
    }
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
    ++m_streams[cookie].completing;
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
        s.origin += pause;
        s.waking = false;
    }
    pump();
    m_driver.ring();
}

/// Issues what may be issued; false when the driver is full.
bool runner::pass()
{
    for (std::size_t i = 0; i < m_streams.size(); ++i) {
        const std::size_t index = (m_first + i) % m_streams.size();
        stream& s = m_streams[index];
        if (s.completing != 0) {
            ++s.depths.completed[batch_level(s.completing)];
            s.completing = 0;
        }
        std::uint32_t issued = 0;
        while (!m_full && issue_one(index)) {
            ++issued;
        }
        if (issued != 0) {
            ++s.depths.submitted[batch_level(issued)];
        }
        if (m_full) {
            m_first = (index + 1) % m_streams.size();
            return false; // requests in flight: their end brings the next pump
        }
        finish(s);
    }
    return true;
}

void runner::pump()
{
    if (!m_running || m_paused) {
        return;
    }
    m_full = false;
    do {
        m_changed = false;
        if (!pass()) {
            return;
        }
    } while (m_changed); // to start what waited for it
    m_running = std::any_of(m_streams.begin(), m_streams.end(),
                            [](const stream& s) { return !s.finished; });
    if (!m_running && m_done) {
        m_done();
    }
}

void runner::finish(stream& s)
{
    if (s.finished || !s.ended || s.in_flight != 0) {
        return;
    }
    s.finished = true;
    m_changed = m_streams.size() > 1;
    m_phase = UINT32_MAX;
    for (const stream& other : m_streams) {
        m_phase = other.finished ? m_phase : std::min(m_phase, other.after.phase);
    }
}

bool runner::ready_to_start(const stream& s) const
{
    if (s.after.phase > m_phase) {
        return false;
    }
    for (std::size_t i = s.after.first; i < s.after.last; ++i) {
        if (!m_streams[i].finished) {
            return false;
        }
    }
    return true;
}

bool runner::may_start(stream& s)
{
    if (!s.started && ready_to_start(s)) {
        s.started = true;
        s.origin = now();
    }
    return s.started;
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
    const sim_time elapsed = now() - s.origin;
    if (!s.from->next(elapsed, s.next)) {
        if (const std::string why = s.from->error(); !why.empty() && m_faults != nullptr) {
            m_faults->record(name(), why);
        }
        return false;
    }
    s.next.arrival = s.origin + (s.timed ? s.next.arrival : elapsed);
    s.has_next = true;
    return true;
}

/// Room for another request of the stream there is not, or not yet.
bool runner::waits(stream& s)
{
    s.held = s.held && s.in_flight > s.refill_at;
    const bool full = s.depth != 0 && s.in_flight >= s.depth;
    return full || s.held || (!s.has_next && s.in_flight != 0 && s.from->drains());
}

bool runner::issue_one(std::size_t index)
{
    stream& s = m_streams[index];
    if (s.ended || !may_start(s) || waits(s)) {
        return false;
    }
    if (m_limits.requests != 0 && m_issued == m_limits.requests) {
        end(s);
        return false;
    }
    while (!take(s)) {
        if (!s.from->drains()) {
            end(s);
            return false;
        }
        if (s.in_flight != 0) {
            return false;
        }
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
    s.held = s.in_flight == s.depth;
    ++s.depths.in_flight[std::min<std::size_t>(level_of(s.in_flight), depth_levels - 1)];
    ++m_issued;
    return true;
}

} // namespace ssdvp::host
