// SPDX-License-Identifier: Apache-2.0
#include "platform/control/kept_rounds.h"

#include <utility>

namespace ssdvp::platform {

kept_rounds::window::window(std::size_t streams, const run_sampler::flash_reading& flash)
    : m_requests(streams), m_sampler(m_requests, flash)
{}

void kept_rounds::window::begin(const counters& now)
{
    rounds = 0;
    m_begin = now;
    m_requests.begin_measurement();
    m_sampler.begin(now.when);
}

void kept_rounds::window::on_complete(const host::request_result& result)
{
    m_requests.on_complete(result);
    m_sampler.on_complete(result);
}

told_rounds kept_rounds::window::told(const counters& now) const
{
    return {rounds, m_begin, now, m_requests, m_sampler.samples(), m_sampler.pieces()};
}

kept_rounds::kept_rounds(std::uint64_t least, std::size_t streams, counter_reading read,
                         run_sampler::flash_reading flash)
    : m_least(least),
      m_read(std::move(read)), m_windows{window(streams, flash), window(streams, flash)}
{}

void kept_rounds::begin(completion_hub& hub)
{
    const counters now = m_read();
    for (window& w : m_windows) {
        w.begin(now);
        hub.tell(w);
    }
}

void kept_rounds::round_is_over()
{
    const counters now = m_read();
    window& older = m_windows[m_older];
    window& other = m_windows[1 - m_older];
    ++older.rounds;
    ++other.rounds;
    m_told = older.told(now);
    if (older.rounds == m_least) { // the first ones: both began with the load
        other.begin(now);
    } else if (older.rounds == 2 * m_least) {
        older.begin(now);
        m_older = 1 - m_older;
    }
}

void kept_rounds::end(completion_hub& hub)
{
    for (window& w : m_windows) {
        hub.forget(w);
    }
    if (m_told.rounds == 0) {
        m_told = m_windows[m_older].told(m_read());
    }
}

} // namespace ssdvp::platform
