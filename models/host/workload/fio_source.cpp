// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/fio_source.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/common/data_mode.h"
#include "models/common/real_functions.h"

namespace ssdvp::host {

namespace {

constexpr std::size_t at(fio_kind k)
{
    return static_cast<std::size_t>(k);
}

/// Of `count` at so many a second; what would take years is never.
sim_time time_of(std::uint64_t count, std::uint64_t per_second)
{
    constexpr sim_time never(5000000000000000000ull); // 58 days
    const bool years = count / 5000000 >= per_second;
    return years ? never : time_for(count, rate(per_second));
}

constexpr request_kind kinds[] = {request_kind::read, request_kind::write, request_kind::trim};

} // namespace

fio_source::fio_source(const fio_job& job, std::uint16_t index, std::uint64_t seed)
    : m_job(job), m_index(index), m_random(seed ^ job.seed, index + 1ull),
      m_positions(m_job, (seed ^ job.seed) + index),
      m_deadline(job.runtime == sim_time() ? sim_time() : job.delay + job.ramp + job.runtime),
      m_hold(job.delay), m_last_think(job.delay)
{
    m_due.fill(job.delay);
    m_rate_start.fill(job.delay);
    for (const fio_direction& d : m_job.kinds) {
        m_longest = std::max(m_longest, d.sizes.back().sectors);
    }
    const fio_direction& writes = m_job.kinds[at(fio_kind::write)];
    if (m_job.verify && writes.used && m_job.verify_backlog == 0 && !m_job.time_based) {
        std::uint32_t unit = writes.align;
        for (const fio_size& s : writes.sizes) {
            unit = std::gcd(unit, s.sectors);
        }
        m_written = written_pieces(m_job.sectors, unit);
    }
    if (m_job.verify) {
        m_to_verify.pieces.reserve(m_job.verify_backlog);
    }
    m_to_trim.pieces.reserve(m_job.trim_backlog);
}

/// fio's rule: reads and writes are drawn by their shares, but where the draw changes the
/// direction, the new one stays until it has its percentage of what the old one had. That brings a
/// small share back which fell behind (to 9.1 % of a share of 10 %), so that a job of few requests
/// does a little more of it: 10.5 % in 256 requests.
fio_kind fio_source::draw_mixed()
{
    const auto issued = [this](fio_kind k) { return m_mix.issued[at(k)]; };
    if (issued(m_mix.kind) >= m_mix.until) {
        const bool read = m_random.below(100) < m_job.read_percent;
        const fio_kind drawn = read ? fio_kind::read : fio_kind::write;
        if (drawn != m_mix.kind) {
            const std::uint64_t percent = read ? m_job.read_percent : 100 - m_job.read_percent;
            m_mix.until = issued(m_mix.kind) * percent / 100;
        }
        m_mix.kind = drawn;
    }
    return m_mix.kind;
}

/// A job of reads and writes draws by share; trims are alone, or before a write of the same blocks.
fio_kind fio_source::draw_kind()
{
    if (m_job.kinds[at(fio_kind::trim)].used) {
        return m_write_next ? fio_kind::write : fio_kind::trim;
    }
    const bool reads = m_job.kinds[at(fio_kind::read)].used;
    const bool writes = m_job.kinds[at(fio_kind::write)].used;
    if (reads && writes) {
        return draw_mixed();
    }
    return reads ? fio_kind::read : fio_kind::write;
}

bool fio_source::due(fio_kind kind, sim_time t) const
{
    return m_due[at(kind)] <= t;
}

/// Rates hold for reads and for writes: when one of them is early and the other due, that one goes.
fio_kind fio_source::paced(fio_kind kind, sim_time& t)
{
    const bool mixed = kind != fio_kind::trim && m_job.kinds[at(fio_kind::read)].used &&
                       m_job.kinds[at(fio_kind::write)].used;
    if (mixed && !due(kind, t)) {
        const fio_kind other = kind == fio_kind::read ? fio_kind::write : fio_kind::read;
        if (m_due[at(other)] < m_due[at(kind)]) {
            kind = other;
        }
    }
    t = later(t, m_due[at(kind)]);
    return kind;
}

void fio_source::charge(fio_kind kind, std::uint32_t sectors)
{
    const fio_direction& d = m_job.kinds[at(kind)];
    if (d.rate_bytes == 0 && d.rate_iops <= 0.0) {
        return;
    }
    std::uint64_t& sum = m_rated[at(kind)];
    sim_time& next = m_due[at(kind)];
    const double bytes = static_cast<double>(sectors) * static_cast<double>(sector_size);
    if (m_job.poisson) {
        const double mean_s =
            d.rate_bytes != 0 ? bytes / static_cast<double>(d.rate_bytes) : 1.0 / d.rate_iops;
        const double gap = -portable_log1p(-m_random.real()) * mean_s * 1e12;
        next += sim_time(static_cast<std::uint64_t>(std::min(gap, 1e16))); // 3 hours at most
    } else if (d.rate_bytes != 0) {
        sum += std::uint64_t{sectors} * sector_size;
        next = m_rate_start[at(kind)] + time_of(sum, d.rate_bytes);
    } else {
        sum += 1000;
        next = m_rate_start[at(kind)] +
               time_of(sum, static_cast<std::uint64_t>(std::llround(d.rate_iops * 1000.0)));
    }
}

/// As fio, the limits hold for all passes together, and not in a job that runs for a time.
bool fio_source::all_done() const
{
    return !m_job.time_based &&
           (m_bytes / m_job.loops >= m_job.pass_bytes ||
            (m_job.number_ios != 0 && m_issued / m_job.loops >= m_job.number_ios));
}

/// After `loops` passes, io_size may want more of them, but not for less than a request.
bool fio_source::pass_follows() const
{
    if (m_job.time_based) {
        return true;
    }
    const bool more = m_job.more_passes && m_pass_issued != 0 && m_bytes < m_job.pass_bytes &&
                      m_job.pass_bytes - m_bytes >= std::uint64_t{m_longest} * sector_size;
    return !all_done() && (m_passes < m_job.loops || more);
}

void fio_source::drain_to(part p)
{
    m_part = p;
    m_drain = true;
}

/// After the last request of a pass: what it wrote is read back, then comes the next pass.
void fio_source::end_pass()
{
    if (m_job.verify && !m_to_verify.pieces.empty()) {
        m_after_revisit = part::main;
        drain_to(part::revisit);
        return;
    }
    if (m_written.kept()) {
        drain_to(part::verify);
        return;
    }
    again();
}

void fio_source::again()
{
    ++m_passes;
    if (pass_follows()) {
        m_pass_over = false;
        m_pass_issued = 0;
        m_mix.until = 0;
        m_part = part::main;
        m_positions.begin_pass();
        return;
    }
    if (m_job.flush_at_end) {
        drain_to(part::flush);
    } else {
        m_part = part::over;
    }
}

bool fio_source::issue(request& out, sim_time arrival)
{
    out.stream = m_index;
    out.arrival = arrival;
    if (out.kind == request_kind::read || out.kind == request_kind::write) {
        const bool reads = out.kind == request_kind::read; // of verification too
        out.fua = m_job.kinds[at(reads ? fio_kind::read : fio_kind::write)].fua;
    }
    if (m_deadline != sim_time() && arrival >= m_deadline) {
        m_deadline = sim_time();
        m_part = part::over;
        if (m_job.flush_at_end) {
            drain_to(part::flush);
        }
        return false;
    }
    return true;
}

void fio_source::think(sim_time elapsed)
{
    if (m_job.think == sim_time()) {
        return;
    }
    ++m_since_think;
    const bool by_time = m_job.think_io_time != sim_time();
    const bool now_due = by_time ? elapsed - m_last_think >= m_job.think_io_time
                                 : m_since_think >= m_job.think_blocks;
    if (now_due) {
        m_since_think = 0;
        m_thinks = true;
        m_drain = true; // fio lets everything complete first
    }
}

/// The rate of what it did last goes on as if it had been kept while thinking, but for one request,
/// so that the next one comes at once.
void fio_source::skip_thinking()
{
    const fio_direction& d = m_job.kinds[at(m_last)];
    const bool by_bytes = d.rate_bytes != 0;
    if (!m_job.rate_skips_thinking || (!by_bytes && d.rate_iops <= 0.0)) {
        return;
    }
    const std::uint64_t bytes = std::uint64_t{d.sizes.front().sectors} * sector_size;
    const sim_time each =
        by_bytes ? time_of(bytes, d.rate_bytes)
                 : time_of(1000, static_cast<std::uint64_t>(std::llround(d.rate_iops * 1000.0)));
    const sim_time skipped = each <= m_job.think ? m_job.think - each : m_job.think;
    m_rate_start[at(m_last)] += skipped;
    m_due[at(m_last)] += skipped;
}

void fio_source::remember(const request& out)
{
    if (m_written.kept() && out.kind != request_kind::read) {
        const fio_place place = {out.lba - m_job.first, out.sectors};
        out.kind == request_kind::write ? m_written.write(place) : m_written.trim(place);
    }
    if (out.kind != request_kind::write) {
        return;
    }
    ++m_writes;
    for (backlog* b : {&m_to_trim, &m_to_verify}) {
        if (b->pieces.capacity() != 0 && !b->due()) {
            b->pieces.push_back({out.lba, out.sectors});
        }
    }
    if (m_to_verify.due() || m_to_trim.due()) {
        m_after_revisit = part::main;
        drain_to(part::revisit);
    }
}

/// Where the next request of that kind goes: a write to what was trimmed just before.
bool fio_source::place_request(fio_kind kind, request& out)
{
    if (m_write_next) {
        out.lba = m_trimmed.lba;
        out.sectors = m_trimmed.sectors;
        return true;
    }
    const std::optional<fio_place> place = m_positions.next(kind, m_random);
    if (place) {
        out.lba = m_job.first + place->first;
        out.sectors = place->sectors;
    }
    return place.has_value();
}

void fio_source::count(fio_kind kind, const request& out)
{
    m_trimmed = {out.lba, out.sectors};
    m_write_next = m_job.trim_then_write && !m_write_next;
    if (!m_write_next) { // a trim and its write are one
        m_bytes += std::uint64_t{out.sectors} * sector_size;
        ++m_issued;
        ++m_pass_issued;
    }
    m_last = kind;
    if (kind != fio_kind::trim) {
        m_mix.kind = kind; // a rate may have taken the other one
        ++m_mix.issued[at(kind)];
    }
}

bool fio_source::main_request(sim_time elapsed, request& out)
{
    if (all_done() || m_pass_over) {
        end_pass();
        return false;
    }
    if (m_job.flush_every != 0 && m_writes >= m_job.flush_every) {
        m_writes = 0;
        out.kind = request_kind::flush;
        return issue(out, later(elapsed, m_hold));
    }
    sim_time t = later(elapsed, m_hold);
    const fio_kind kind = paced(draw_kind(), t);
    out.kind = kinds[at(kind)];
    if (!place_request(kind, out)) {
        m_pass_over = true;
        end_pass();
        return false;
    }
    if (!issue(out, t)) {
        return false;
    }
    count(kind, out);
    charge(kind, out.sectors);
    remember(out);
    think(t);
    return true;
}

/// Written blocks of the backlogs: some are trimmed, the others read back where that is wanted.
bool fio_source::revisit_request(request& out)
{
    while (m_to_trim.due() && m_to_trim.given < m_to_trim.pieces.size()) {
        const piece p = m_to_trim.pieces[m_to_trim.given++];
        if (m_random.real() < m_job.trim_share) {
            out.kind = request_kind::trim;
            out.lba = p.lba;
            out.sectors = p.sectors;
            return true;
        }
    }
    if (m_to_trim.due()) {
        m_to_trim.pieces.clear();
        m_to_trim.given = 0;
    }
    const bool last = all_done() || m_pass_over;
    if (m_to_verify.given < m_to_verify.pieces.size() && (m_to_verify.due() || last)) {
        const piece p = m_to_verify.pieces[m_to_verify.given++];
        out.kind = request_kind::read;
        out.lba = p.lba;
        out.sectors = p.sectors;
        return true;
    }
    m_to_verify.given = 0;
    m_to_verify.pieces.clear();
    drain_to(m_after_revisit);
    return false;
}

/// The next piece that was written.
bool fio_source::verify_request(request& out)
{
    fio_place place;
    if (!m_written.next(place)) {
        again();
        return false;
    }
    out.kind = request_kind::read;
    out.lba = m_job.first + place.first;
    out.sectors = place.sectors;
    return true;
}

bool fio_source::next(sim_time elapsed, request& out)
{
    if (m_drain && m_thinks) {
        m_thinks = false;
        m_hold = elapsed + m_job.think;
        m_last_think = m_hold;
        skip_thinking();
    }
    m_drain = false;
    while (m_part != part::over) {
        out = {};
        bool made = false;
        switch (m_part) {
        case part::main:
            made = main_request(elapsed, out);
            break;
        case part::revisit:
            made = revisit_request(out) && issue(out, later(elapsed, m_hold));
            break;
        case part::verify:
            made = verify_request(out) && issue(out, later(elapsed, m_hold));
            break;
        case part::flush:
            out.kind = request_kind::flush;
            made = issue(out, elapsed);
            m_part = part::over;
            break;
        case part::over:
            break;
        }
        if (made || m_drain) {
            return made;
        }
    }
    return false;
}

} // namespace ssdvp::host
