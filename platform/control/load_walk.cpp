// SPDX-License-Identifier: Apache-2.0
#include "platform/control/load_walk.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ssdvp::platform {

namespace {

/// A stream that has come so far, for a host that knows nothing of what was before. It begins when
/// what has no phase is over.
class resumed final : public host::source {
public:
    resumed(std::unique_ptr<host::source> from, sim_time arrived)
        : m_from(std::move(from)), m_arrived(arrived)
    {}
    bool next(sim_time elapsed, host::request& out) override
    {
        const bool there = m_from->next(elapsed, out);
        out.arrival = timed() ? out.arrival - m_arrived : out.arrival;
        return there;
    }
    [[nodiscard]] bool timed() const override { return m_from->timed(); }
    [[nodiscard]] std::uint32_t queue_depth() const override { return m_from->queue_depth(); }
    [[nodiscard]] std::uint32_t refill_at() const override { return m_from->refill_at(); }
    [[nodiscard]] host::start_after starts_after() const override { return {1, 0, 0}; }

private:
    std::unique_ptr<host::source> m_from;
    sim_time m_arrived; // of its last request
};

} // namespace

load_walk::load_walk(sources streams, const std::vector<double>& shares)
{
    for (std::size_t i = 0; i < streams.size(); ++i) {
        m_streams.push_back({std::move(streams[i]), shares[i]});
        m_all += shares[i];
    }
}

const host::request& load_walk::next()
{
    stream* turn = &m_streams.front();
    if (m_streams.size() > 1) { // whoever is furthest behind its share
        for (stream& s : m_streams) {
            s.due += s.share;
        }
        turn = &*std::max_element(m_streams.begin(), m_streams.end(),
                                  [](const stream& a, const stream& b) { return a.due < b.due; });
        turn->due -= m_all;
    }
    if (!turn->from->next(turn->arrival, m_request)) {
        throw std::logic_error("a load that is walked does not end");
    }
    turn->arrival = m_request.arrival;
    ++m_position;
    return m_request;
}

load_walk::sources load_walk::rest()
{
    sources rest;
    for (stream& s : m_streams) {
        rest.push_back(std::make_unique<resumed>(std::move(s.from), s.arrival));
    }
    return rest;
}

std::vector<double> shares_asked_for(const host::workload_config& load)
{
    std::vector<double> shares;
    for (const host::stream_config& s : load.streams) {
        shares.push_back(s.rate_iops > 0.0 ? s.rate_iops : static_cast<double>(s.queue_depth));
    }
    return shares;
}

} // namespace ssdvp::platform
