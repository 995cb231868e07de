// SPDX-License-Identifier: Apache-2.0
#include "platform/report/series.h"

#include <algorithm>
#include <cmath>

#include "models/common/data_mode.h"
#include "platform/report/counter_sums.h"

namespace ssdvp::platform {

namespace {

/// Of the same blocks.
void add(std::vector<sim_time>& to, const std::vector<sim_time>& more)
{
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] += more[i];
    }
}

void read_flash(series_piece& p, const counters& d)
{
    for (std::size_t i = 0; i < FLASH_PURPOSES; ++i) {
        p.programmed[i] = d.flash.by_purpose[i].bytes_programmed;
    }
    p.erases = d.flash.erases;
    p.suspends = d.flash.suspends.value_or(0);
    for (const channel_statistics& c : d.channels) {
        p.channels += c.busy;
        for (const lun_statistics& l : c.luns) {
            p.luns.push_back(l.busy);
        }
    }
}

void read_heat(series_piece& p, const thermal::thermal_stats& t)
{
    p.celsius = {t.composite, t.controller, t.nand};
    p.throttled = {t.time[1], t.time[2] + t.time[3]};
}

void read_states(series_piece& p, const power_state_counts& counts)
{
    p.asleep = joules(counts.asleep);
    for (const power_state_statistics& s : counts.states) {
        p.states.push_back(s.time);
    }
}

void read_firmware(series_piece& p, const counters& d)
{
    if (d.ftl) {
        p.gc_runs = d.ftl->gc_runs;
        p.checkpoints = d.ftl->checkpoints;
        p.free_blocks = d.ftl->free_blocks;
        p.buffer_dirty = d.ftl->buffer_dirty;
        p.slc = d.ftl->slc;
    }
    p.power_cuts = d.power ? d.power->cuts : 0;
    for (const core_statistics& c : d.cpu) {
        p.cores.push_back(c.busy);
    }
}

} // namespace

/// Nearest rank; of the bucket its middle.
std::uint64_t piece_latencies::percentile(double share) const
{
    const auto rank = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count))));
    std::uint64_t seen = 0;
    for (const cell& c : occupied) {
        seen += c.count;
        if (seen >= rank) {
            return std::min(max, cells::lowest(c.index) + cells::width(c.index) / 2);
        }
    }
    return max;
}

void piece_latencies::merge(const piece_latencies& other)
{
    std::vector<cell> all;
    all.reserve(occupied.size() + other.occupied.size());
    auto a = occupied.begin();
    auto b = other.occupied.begin();
    while (a != occupied.end() || b != other.occupied.end()) {
        if (b == other.occupied.end() || (a != occupied.end() && a->index < b->index)) {
            all.push_back(*a++);
        } else if (a == occupied.end() || b->index < a->index) {
            all.push_back(*b++);
        } else {
            all.push_back({a->index, a->count + b->count});
            ++a;
            ++b;
        }
    }
    occupied = std::move(all);
    count += other.count;
    sum += other.sum;
    max = std::max(max, other.max);
}

// A counter of two pieces is their sum, any other is what it was at the end.
#define MERGE_COUNTER(field) slc.field += next.slc.field;
#define MERGE_GAUGE(field) slc.field = next.slc.field;
#define MERGE_LEAST(field) MERGE_GAUGE(field)
#define MERGE_MOST(field) MERGE_GAUGE(field)
#define MERGE_SLC(field, kind, ...) MERGE_##kind(field)

void series_piece::merge(const series_piece& next)
{
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        kinds[k].requests += next.kinds[k].requests;
        kinds[k].bytes += next.kinds[k].bytes;
        kinds[k].errors += next.kinds[k].errors;
        kinds[k].latency.merge(next.kinds[k].latency);
    }
    for (std::size_t i = 0; i < programmed.size(); ++i) {
        programmed[i] += next.programmed[i];
    }
    erases += next.erases;
    suspends += next.suspends;
    gc_runs += next.gc_runs;
    checkpoints += next.checkpoints;
    power_cuts += next.power_cuts;
    free_blocks = next.free_blocks;
    buffer_dirty = next.buffer_dirty;
    channels += next.channels;
    dram += next.dram;
    link_up += next.link_up;
    link_down += next.link_down;
    COUNTERS_SLC(MERGE_SLC)
    add(cores, next.cores);
    add(luns, next.luns);
    for (std::size_t i = 0; i < joules.size(); ++i) {
        joules[i] += next.joules[i];
    }
    asleep += next.asleep;
    add(states, next.states);
    celsius = next.celsius;
    for (std::size_t i = 0; i < throttled.size(); ++i) {
        throttled[i] += next.throttled[i];
    }
    end = next.end;
}

run_series::run_series(sim_time interval, const energy_figures& energy)
    : m_interval(interval), m_energy(energy)
{
    for (open_kind& k : m_open) {
        k.cells.resize(piece_latencies::cells::count);
        k.touched.reserve(piece_latencies::cells::count);
    }
}

void run_series::begin(const counters& now)
{
    m_first = now;
    m_last = now;
}

bool run_series::completed(const host::request_result& r)
{
    open_kind& k = m_open[static_cast<std::size_t>(r.req.kind)];
    const std::uint64_t latency = r.latency().ps();
    const std::size_t i = piece_latencies::cells::index_of(latency);
    ++k.requests;
    k.bytes += r.status == 0 ? std::uint64_t{r.req.sectors} * sector_size : 0;
    k.errors += r.status != 0 ? 1 : 0;
    k.sum += latency;
    k.max = std::max(k.max, latency);
    if (k.cells[i]++ == 0) {
        k.touched.push_back(static_cast<std::uint32_t>(i));
    }
    ++m_requests;
    return m_interval == sim_time() ? m_requests >= m_wanted
                                    : r.completed >= m_last.when + m_interval;
}

series_piece::kind run_series::close(open_kind& k)
{
    series_piece::kind closed;
    closed.requests = k.requests;
    closed.bytes = k.bytes;
    closed.errors = k.errors;
    std::sort(k.touched.begin(), k.touched.end());
    for (const std::uint32_t i : k.touched) {
        closed.latency.occupied.push_back({i, k.cells[i]});
        k.cells[i] = 0;
    }
    closed.latency.count = k.requests;
    closed.latency.sum = k.sum;
    closed.latency.max = k.max;
    k.touched.clear();
    k.requests = k.bytes = k.errors = k.max = 0;
    k.sum = 0;
    return closed;
}

void run_series::take(const counters& now)
{
    const counters d = difference(now, m_last);
    series_piece p;
    p.begin = m_last.when - m_first.when;
    p.end = now.when - m_first.when;
    for (std::size_t k = 0; k < m_open.size(); ++k) {
        p.kinds[k] = close(m_open[k]);
    }
    read_flash(p, d);
    read_firmware(p, d);
    if (d.thermal) {
        read_heat(p, *d.thermal);
    }
    p.dram = d.dram ? d.dram->busy : sim_time();
    p.link_up = d.link ? d.link->busy_up : sim_time();
    p.link_down = d.link ? d.link->busy_down : sim_time();
    if (d.states) {
        read_states(p, *d.states);
    }
    const energy_parts e = energy_of(m_energy, d);
    p.joules = {joules(e.nand()), joules(e.memory() + e.dram_phy.sum()),
                joules(e.channels.sum() + e.ecc.sum()), joules(e.link.sum()),
                joules(e.cores.sum())};
    m_pieces.push_back(std::move(p));
    m_last = now;
    m_requests = 0;
    if (m_interval == sim_time() && m_pieces.size() > most) {
        halve();
    }
}

/// Each two pieces become one; of an odd number the last stays.
void run_series::halve()
{
    const std::size_t n = m_pieces.size();
    for (std::size_t i = 0; i < n / 2; ++i) {
        m_pieces[2 * i].merge(m_pieces[2 * i + 1]);
        if (i != 0) {
            m_pieces[i] = std::move(m_pieces[2 * i]);
        }
    }
    if (n % 2 != 0) {
        m_pieces[n / 2] = std::move(m_pieces[n - 1]);
    }
    m_pieces.resize((n + 1) / 2);
    m_wanted *= 2;
}

void run_series::end(const counters& now)
{
    if (now.when > m_last.when) {
        take(now);
    }
}

} // namespace ssdvp::platform
