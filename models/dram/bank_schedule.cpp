// SPDX-License-Identifier: Apache-2.0
#include "models/dram/bank_schedule.h"

#include "models/dram/command_log.h"
#include "models/dram/standards.h"

namespace ssdvp::dram {

bank_schedule::bank_schedule(const dram_config& config)
    : m_config(config), m_t(config), m_burst_bytes(burst_of(config.standard, config.width)),
      m_columns(config.row_size / m_burst_bytes * m_t.ways),
      m_chunk(config.mapping == address_mapping::bank_interleaved
                  ? config.interleave / m_burst_bytes
                  : m_columns),
      m_sets(m_t.sets), m_bus(m_t), m_acts(m_t), m_epoch{}
{
    m_epoch.close = m_t.refresh_period - m_t.figures.tRP;
    m_epoch.next = m_t.refresh_period + m_t.refresh;
}

/// Bursts from `burst` to `last` or the end of the row, whichever comes first. Chunks go around the
/// sets; with row:bank:column a chunk is a row.
bank_schedule::run bank_schedule::run_at(std::uint64_t burst, std::uint64_t last) const
{
    const std::uint64_t chunk = burst / m_chunk;
    const std::uint64_t turn = chunk / m_t.sets;
    const std::uint32_t chunks = m_columns / m_chunk; // of a row
    const auto within = static_cast<std::uint32_t>(burst % m_chunk);
    const std::uint64_t left = last - burst + 1;
    run r;
    r.set = static_cast<std::uint32_t>(chunk % m_t.sets);
    r.row = turn / chunks;
    r.column = static_cast<std::uint32_t>(turn % chunks) * m_chunk + within;
    r.bursts = m_chunk - within;
    if (left < r.bursts) {
        r.bursts = static_cast<std::uint32_t>(left);
    }
    r.write = false;
    return r;
}

column_span bank_schedule::span_of(const run& r, sim_time first, std::uint32_t bursts) const
{
    const auto group = [&](std::uint32_t burst) {
        return static_cast<std::uint8_t>(m_t.group_of(r.set, r.way(burst, m_t.ways)));
    };
    return {first, first + (bursts - 1) * m_t.spacing, r.write, group(0), group(bursts - 1)};
}

bank_schedule::epoch bank_schedule::epoch_of(sim_time t)
{
    if (t < m_epoch.close && t >= m_epoch.begin) {
        return m_epoch;
    }
    const sim_time period = m_t.refresh_period;
    const sim_time tRP = m_t.figures.tRP;
    const std::uint64_t k = (t + tRP).ps() / period.ps();
    m_epoch.begin = k * period - tRP; // rows close for the refresh
    m_epoch.open = k == 0 ? sim_time() : k * period + m_t.refresh;
    m_epoch.close = (k + 1) * period - tRP;
    m_epoch.next = (k + 1) * period + m_t.refresh;
    return m_epoch;
}

bank_schedule::place bank_schedule::find(const run& r, sim_time from)
{
    const sim_time length = (r.bursts - 1) * m_t.spacing;
    const std::uint64_t enough = m_looked + most_looked;
    place p;
    p.retry = from;
    for (;; ++m_looked) {
        if (m_looked >= enough) {
            p.retry = later(p.retry, behind_all(r));
        }
        const epoch e = epoch_of(p.retry);
        const sim_time begin = later(p.retry, e.open);
        p = place();
        p.bursts = r.bursts;
        p.close = e.close;
        p.use.first = m_bus.fit(begin, span_of(r, begin, r.bursts), length, m_looked);
        if (p.use.first >= e.close) {
            p.retry = p.use.first;
            continue;
        }
        p.use.last = p.use.first + length;
        p.use.row = r.row;
        p.use.write = r.write;
        p.use.way = static_cast<std::uint8_t>(r.way(0, m_t.ways));
        p.index = m_sets[r.set].behind(p.use.first);
        if (opens_row(r, from, e, p) && before_refresh(e, p) && leaves_next(r, p)) {
            return p;
        }
    }
}

/// Where the run meets no other one of its banks.
sim_time bank_schedule::behind_all(const run& r)
{
    bank_set& s = m_sets[r.set];
    const bank_use* last = s.before(s.size());
    return last == nullptr ? sim_time() : last->last + m_t.spacing;
}

/// Is the row open at p.use.first, or can it be opened until then?
bool bank_schedule::opens_row(const run& r, sim_time from, const epoch& e, place& p)
{
    bank_set& s = m_sets[r.set];
    bank_use& u = p.use;
    const bank_use* previous = s.before(p.index);
    const bank_use* next = s.at(p.index);
    const sim_time open_for = m_t.open_for(u.way);
    if (previous != nullptr && previous->first < e.open) {
        previous = nullptr; // closed by the refresh
    }
    sim_time least = later(from, e.open);
    if (open_policy()) {
        if (previous != nullptr && previous->row == u.row) {
            u.found = row_state::hit;
            u.ready = later(previous->ready, own_ready(u));
            return true;
        }
        if (next != nullptr && next->opens() && next->row == u.row &&
            next->act + open_for <= u.first) {
            p.takes_over = true;
            u.found = next->found;
            u.act = next->act;
            u.ready = later(u.act + m_t.least_open, own_ready(u));
            return true;
        }
        if (previous != nullptr) {
            u.found = row_state::conflict;
            least = later(least, previous->ready) + m_t.figures.tRP;
        }
    } else if (previous != nullptr) {
        least = later(least, previous->ready + m_t.figures.tRP);
    }
    u.act = m_acts.fit(least, m_looked);
    u.ready = later(u.act + m_t.least_open, own_ready(u));
    p.retry = u.act + open_for;
    return p.retry <= u.first;
}

/// Rows must be closed when the refresh comes: what is too long for that is cut.
bool bank_schedule::before_refresh(const epoch& e, place& p) const
{
    bank_use& u = p.use;
    p.retry = e.next;
    const sim_time last = e.close - m_t.to_close(u.write);
    if (u.first > last || (u.opens() && u.act + m_t.least_open > e.close)) {
        return false;
    }
    if (u.last > last) {
        const std::uint64_t steps = (last - u.first).ps() / m_t.spacing.ps();
        p.bursts = static_cast<std::uint32_t>(steps) + 1;
        const sim_time shorter = u.first + steps * m_t.spacing;
        if (u.ready == own_ready(u)) {
            u.ready = e.close; // as late as it may be
        }
        u.last = shorter;
    }
    return true;
}

/// Does the use behind it keep its times?
bool bank_schedule::leaves_next(const run& r, place& p)
{
    const bank_use* next = m_sets[r.set].at(p.index);
    if (next == nullptr || next->first >= p.close) {
        return true;
    }
    if (open_policy() && next->row == r.row) {
        return true;
    }
    p.retry = next->last + m_t.spacing;
    if (next->opens()) {
        return p.use.ready + m_t.figures.tRP <= next->act;
    }
    return opens_again(r, p);
}

/// The use behind it would find its row closed: is there time to open it again?
bool bank_schedule::opens_again(const run& r, place& p)
{
    bank_set& s = m_sets[r.set];
    p.act_again = m_acts.fit_beside(p.use.act, p.use.ready + m_t.figures.tRP, m_looked);
    const bank_use& next = *s.at(p.index);
    if (p.act_again + m_t.open_for(next.way) > next.first) {
        return false;
    }
    p.reopens = true;
    sim_time ready = p.act_again + m_t.least_open;
    for (std::size_t i = p.index; i < s.size(); ++i) {
        const bank_use& u = *s.at(i);
        if (u.opens()) { // of this epoch, or of the next, which is farther
            return u.first >= p.close ? ready <= p.close : ready + m_t.figures.tRP <= u.act;
        }
        ready = later(ready, own_ready(u));
    }
    return ready <= p.close;
}

void bank_schedule::count(row_state s, std::uint64_t n)
{
    switch (s) {
    case row_state::hit:
        m_stats.row_hits += n;
        break;
    case row_state::miss:
        m_stats.row_misses += n;
        break;
    case row_state::conflict:
        m_stats.row_conflicts += n;
        break;
    }
}

void bank_schedule::change(bank_use& u, row_state s)
{
    count(u.found, ~std::uint64_t{0}); // less one
    u.found = s;
    count(s, 1);
}

void bank_schedule::commit(const run& r, const place& p)
{
    bank_set& s = m_sets[r.set];
    const bank_use& u = p.use;
    s.insert(p.index, u);
    m_bus.take(span_of(r, u.first, p.bursts));
    count(u.found, 1);
    if (u.opens()) {
        if (!p.takes_over) {
            m_acts.take(u.act);
            m_stats.activates += m_t.ways;
        }
        m_open.add(u.act, open_policy() ? p.close : u.ready);
    }
    bank_use* next = s.at(p.index + 1);
    if (next != nullptr && next->first < p.close) {
        settle_next(p, *next);
        rechain(s, p.index + 1, p.close);
    }
    m_stats.busy += p.bursts * m_t.burst;
    (r.write ? m_stats.bursts_written : m_stats.bursts_read) += p.bursts;
}

/// The use behind a new one may have to open its row, or need no longer do so.
void bank_schedule::settle_next(const place& p, bank_use& next)
{
    if (!open_policy()) {
        return;
    }
    if (next.row == p.use.row) {
        if (next.opens()) {
            if (!p.takes_over) {
                m_acts.drop(next.act);
                m_stats.activates -= m_t.ways;
            }
            change(next, row_state::hit);
        }
    } else if (p.reopens) {
        next.act = p.act_again;
        m_acts.take(next.act);
        m_stats.activates += m_t.ways;
        change(next, row_state::conflict);
    } else if (next.found == row_state::miss) {
        change(next, row_state::conflict);
    }
}

/// When rows may be closed, from use `i` on until another row is opened.
void bank_schedule::rechain(bank_set& s, std::size_t i, sim_time close)
{
    do {
        bank_use& u = *s.at(i);
        const sim_time before = u.opens() ? u.act + m_t.least_open : s.before(i)->ready;
        u.ready = later(before, own_ready(u));
        ++i;
    } while (i < s.size() && !s.at(i)->opens() && s.at(i)->first < close);
}

sim_time bank_schedule::transfer(sim_time present, sim_time from, std::uint64_t address,
                                 std::uint64_t bytes, bool write)
{
    if (m_off) {
        m_not_refreshed += refreshes_until(present) - refreshes_until(m_off_since);
        m_told = present.ps() / m_t.refresh_period.ps();
        m_off = false;
    }
    tell(present);
    m_bus.forget(present);
    m_acts.forget(present);
    m_open.forget(present);
    ++m_stats.accesses;
    (write ? m_stats.bytes_written : m_stats.bytes_read) += bytes;
    const std::uint64_t clock = m_t.clock.ps();
    const sim_time begin((from.ps() + clock - 1) / clock * clock);
    std::uint64_t burst = address / m_burst_bytes;
    const std::uint64_t last = (address + bytes - 1) / m_burst_bytes;
    sim_time end = begin;
    while (bytes != 0 && burst <= last) {
        run r = run_at(burst, last);
        r.write = write;
        m_sets[r.set].forget(present);
        const place p = find(r, begin);
        commit(r, p);
        end = later(end, p.use.last + m_t.to_data(write) + m_t.burst);
        burst += p.bursts;
    }
    return end;
}

void bank_schedule::cut(sim_time present)
{
    tell(present);
    if (m_log != nullptr) {
        m_log->cut(present);
    }
    m_stats.busy = m_stats.busy - m_bus.ahead(present);
    m_bus.cut();
    m_stats.activates -= m_acts.cut(present) * m_t.ways;
    m_open.cut(present);
    for (bank_set& s : m_sets) {
        s.clear();
    }
    m_off = true;
    m_off_since = present;
}

std::uint64_t bank_schedule::refreshes_until(sim_time t) const
{
    return t.ps() / m_t.refresh_period.ps() * m_config.refresh_group;
}

dram_stats bank_schedule::stats(sim_time present) const
{
    dram_stats s = m_stats;
    s.refreshes = refreshes_until(m_off ? m_off_since : present) - m_not_refreshed;
    s.open = m_open.until(present);
    s.busy = s.busy - m_bus.ahead(present);
    s.banks = true;
    return s;
}

} // namespace ssdvp::dram
