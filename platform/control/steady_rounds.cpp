// SPDX-License-Identifier: Apache-2.0
#include "platform/control/steady_rounds.h"

#include <algorithm>
#include <fmt/format.h>

#include "platform/config/derived.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t rounds_of_capacity = 20;   // of those that write
constexpr std::uint64_t superblocks_of_round = 4;  // but so many at least: they are few
constexpr std::uint64_t requests_of_reads = 16384; // one that does not
// Where the state is steady from the start, rates alone have to become so.
constexpr std::uint64_t superblocks_of_short_round = 2;
constexpr std::uint64_t short_round = 65536; // units, at least
constexpr double settled_before = 0.10;      // change of write amplification
// Collection frees whole superblocks, so rounds of two differ by chance: by a tenth of their write
// amplification, but two or three of them make up for each other.
constexpr double by_chance = 2.0; // times what others may differ
// What queues and buffers need to fill is over within one of them.
constexpr std::uint32_t compared_of_five = 3;
constexpr std::uint32_t measured_of_five = 8;
constexpr std::uint32_t least_compared = 2;

/// Of so many rounds, when others compare five.
std::uint32_t share_of(std::uint32_t rounds, std::uint32_t of_five)
{
    return (rounds * of_five + 4) / 5;
}

/// Overwriting went on until the state was steady, and wrote as the load does.
bool began_steady(const ssd_config& c)
{
    const precondition_config& p = c.precondition;
    return p.fill > 0.0 && p.overwrite > 0.0 &&
           overwriting_until(c) == precondition_until::steady && overwrites_as_load(c);
}

} // namespace

bool overwrites_as_load(const ssd_config& c)
{
    const auto& streams = c.workload.streams;
    // Units that were written together are found together, by collection and by reads.
    return c.precondition.source == overwrite_source::own ||
           (overwrites_uniformly(c) &&
            std::all_of(streams.begin(), streams.end(), [&c](const host::stream_config& s) {
                return write_share(s) == 0.0 ||
                       (s.pattern == host::pattern_kind::uniform && s.range_start == 0 &&
                        s.range_size == 0 && s.block_size <= c.ftl.map_unit);
            }));
}

std::uint64_t round_units(const ssd_config& config)
{
    return std::max(user_units(config) / rounds_of_capacity,
                    superblocks_of_round * config.ftl_cores * superblock_units(config));
}

std::uint64_t written_range(const ssd_config& config)
{
    std::uint64_t range = 0;
    for (const host::stream_config& s : config.workload.streams) {
        if (write_share(s) > 0.0) {
            range += s.range_size != 0 ? s.range_size : logical_bytes(config) - s.range_start;
        }
    }
    return std::min(range, logical_bytes(config));
}

steady_rule steady_rule_of(const ssd_config& config)
{
    const steady_config& s = config.run.steady;
    return {s.rounds, s.range, s.slope};
}

steady_rounds::steady_rounds(const ssd_config& config)
    : m_config(config.run.steady), m_rule(steady_rule_of(config)), m_to_measure(m_rule.rounds),
      m_pages_per_block(block_pages(config)),
      m_round_bytes(round_units(config) * config.ftl.map_unit),
      m_short_bytes(config.ftl.map_unit *
                    std::max(short_round, superblocks_of_short_round * config.ftl_cores *
                                              superblock_units(config))),
      m_range(began_steady(config) ? 0 : written_range(config))
{}

void steady_rounds::state_is_steady()
{
    m_rule.latencies = false;
    m_rule.settled = settled_before;
    m_range = 0;
    const bool own_length = m_config.round_requests != 0 || m_config.round_time != sim_time();
    if (!own_length && m_short_bytes < m_round_bytes) {
        m_round_bytes = m_short_bytes;
        m_rule.range *= by_chance;
        m_rule.slope *= by_chance;
        m_to_measure = share_of(m_rule.rounds, measured_of_five);
        m_rule.rounds = std::max(least_compared, share_of(m_rule.rounds, compared_of_five));
    }
}

void steady_rounds::begin(const run_sample& now)
{
    m_rounds.clear();
    next(now);
}

bool steady_rounds::is_round(const run_sample& r) const
{
    if (m_config.round_requests != 0) {
        return r.requests() >= m_config.round_requests;
    }
    if (m_config.round_time != sim_time()) {
        return r.when >= m_config.round_time;
    }
    const std::uint64_t written = r.of(host::request_kind::write).bytes;
    return written == 0 ? r.requests() >= requests_of_reads : written >= m_round_bytes;
}

bool steady_rounds::look(const run_sample& now)
{
    const run_sample r = difference(now, m_last);
    if (!is_round(r)) {
        return false;
    }
    m_rounds.push_back(r);
    return true;
}

std::string steady_rounds::why_not() const
{
    if (!comparable()) {
        return fmt::format("there were {} rounds, not {}", m_rounds.size(), m_rule.rounds);
    }
    std::string why = unsteady(m_rounds, m_rule, m_pages_per_block);
    return why.empty() && (m_range != 0 || !m_rule.latencies)
               ? unsettled(m_rounds, m_range, m_rule.settled)
               : why;
}

bool steady_rounds::over() const
{
    return m_rounds.size() >= m_config.limit || (comparable() && why_not().empty());
}

double steady_rounds::share() const
{
    return static_cast<double>(m_rounds.size()) / m_config.limit;
}

steady_load::steady_load(const ssd_config& config, const rounds_heard& heard)
    : m_wanted(config.run.until == run_until::steady), m_limits(config.run), m_heard(heard),
      m_rounds(config)
{
    if (m_wanted) {
        m_kept = std::make_unique<kept_rounds>(config.run.steady.rounds,
                                               streams_apart(config.workload), heard);
    }
}

/// Done: they have completed, or the workload has ended.
ending steady_load::some_requests(const simulate_function& simulate, const workload& w)
{
    w.flag = w.ended;
    m_next_look =
        m_next_look != 0 ? m_next_look : m_heard.hub.completed() + steady_rounds::look_every;
    ending how = ending::done; // requests that ended while power was about to go count as well
    if (m_heard.hub.completed() < m_next_look) {
        m_heard.hub.pause_at(m_next_look, w.flag);
        how = simulate(w.flag);
    }
    m_next_look = how == ending::done ? 0 : m_next_look;
    return how;
}

ending steady_load::settle(const simulate_function& simulate, const workload& w,
                           const std::function<void(double)>& tell)
{
    if (!m_wanted) {
        return ending::done;
    }
    if (w.settled) {
        m_rounds.state_is_steady();
    }
    m_settling = true;
    m_kept->begin();
    m_rounds.begin(reading());
    ending how = ending::done;
    while (how == ending::done && !m_rounds.over() && !w.ended) {
        tell(m_rounds.share());
        how = some_requests(simulate, w);
        if (how == ending::done && m_rounds.look(reading())) {
            m_kept->round_is_over();
            m_rounds.next(reading());
        }
    }
    m_kept->end();
    m_never = m_rounds.why_not();
    return how;
}

const told_rounds* steady_load::told() const
{
    return m_settling && (!m_measuring || m_rounds.complete() == 0) ? &m_kept->told() : nullptr;
}

void steady_load::put(measurement& m, bool stopped, const reported& r) const
{
    m.never_steady = m_never;
    if (!m_settling || !stopped) {
        return;
    }
    const told_rounds* before = told();
    m.stopped = {before != nullptr ? before->rounds : m_rounds.complete(), before == nullptr,
                 m_never};
    if (before != nullptr) {
        r.begin = before->begin;
        r.end = before->end;
        r.requests.report(before->requests);
        m.samples = before->samples;
        m.latencies = before->latencies;
    }
}

void steady_load::begin()
{
    m_measuring = true;
    m_begun = now();
    m_next_look = 0;
    m_rounds.begin(reading());
}

ending steady_load::go_on(const simulate_function& simulate, const workload& w, bool& enough)
{
    const ending how = some_requests(simulate, w);
    if (how != ending::done || w.ended) {
        return how;
    }
    if (m_rounds.look(reading())) {
        m_rounds.next(reading());
    }
    enough = m_rounds.measured() && m_heard.requests.requests() >= m_limits.requests &&
             now() - m_begun >= m_limits.duration;
    return ending::limit;
}

} // namespace ssdvp::platform
