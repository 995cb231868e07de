// SPDX-License-Identifier: Apache-2.0
#include "platform/control/kept_rounds.h"

#include <utility>

namespace ssdvp::platform {

kept_rounds::window::window(std::size_t streams, const sample_reading& sample)
    : m_requests(streams), m_sampler([this, sample](sim_time when) {
          return with_requests_of(sample(when), m_requests);
      })
{}

void kept_rounds::window::begin(const counters& now, std::uint64_t piece)
{
    rounds = 0;
    m_begin = now;
    m_requests.begin_measurement();
    m_sampler.begin(now.when, piece);
}

void kept_rounds::window::tell(const counters& end, told_rounds& to)
{
    to.rounds = rounds;
    to.begin = m_begin;
    to.end = end;
    to.samples = m_sampler.samples();
    to.latencies = m_sampler.pieces();
    while (to.samples.back().requests() > m_requests.requests()) { // of the round under way
        to.samples.pop_back();
        to.latencies.pop_back();
    }
    std::swap(to.requests, m_requests);
}

kept_rounds::kept_rounds(std::uint64_t least, std::size_t streams, const rounds_heard& heard)
    : m_heard(heard),
      m_least(least), m_windows{window(streams, heard.sample), window(streams, heard.sample)},
      m_told{0, {}, {}, request_statistics(streams), {}, {}}
{}

void kept_rounds::begin_window(const counters& now, std::uint64_t piece)
{
    window& w = m_windows[m_begun++];
    w.begin(now, piece);
    m_heard.hub.tell(w.sampler());
}

void kept_rounds::begin()
{
    m_heard.requests.begin_measurement();
    begin_window(m_heard.read(), run_sampler::shortest);
}

void kept_rounds::round_is_over()
{
    m_end = m_heard.read();
    for (std::size_t i = 0; i < m_begun; ++i) {
        m_windows[i].add(m_heard.requests);
        ++m_windows[i].rounds;
    }
    m_heard.requests.begin_measurement();
    window& older = m_windows[m_older];
    m_is_told = older.rounds == 2 * m_least;
    if (older.rounds == m_least) { // the first ones
        begin_window(m_end, older.sampler().piece());
    } else if (m_is_told) {
        older.tell(m_end, m_told);
        m_older = 1 - m_older;
        older.begin(m_end, m_windows[m_older].sampler().piece());
    }
}

void kept_rounds::end()
{
    for (window& w : m_windows) {
        m_heard.hub.forget(w.sampler());
    }
    window& older = m_windows[m_older];
    if (older.rounds == 0) {
        m_end = m_heard.read();
        older.add(m_heard.requests);
    }
    if (!m_is_told) {
        older.tell(m_end, m_told);
    }
}

} // namespace ssdvp::platform
