// SPDX-License-Identifier: Apache-2.0
#include "platform/report/counter_sums.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>

namespace ssdvp::platform {

namespace {

/// A count that has shrunk wraps, which the identities tell.
struct taking_off {
    template <typename T>
    void operator()(T& of, const T& amount) const
    {
        of = static_cast<T>(of - amount);
    }
    void operator()(sim_time& of, sim_time amount) const { of = sim_time(of.ps() - amount.ps()); }
    /// Cores and link tell of what they do a little before or after it: no energy is less than
    /// none.
    void operator()(uint128& of, uint128 amount) const { of -= std::min(of, amount); }
};

struct adding {
    template <typename T>
    void operator()(T& of, const T& amount) const
    {
        of = static_cast<T>(of + amount);
    }
};

/// What it is given beside a count is that count.
struct scaled_by {
    double factor;
    template <typename T>
    void operator()(T& of, const T& /*itself*/) const
    {
        const double all = static_cast<double>(of) * factor;
        of = static_cast<T>(std::is_floating_point_v<T> ? all : std::round(all));
    }
    void operator()(sim_time& of, sim_time /*itself*/) const
    {
        of =
            sim_time(static_cast<std::uint64_t>(std::round(static_cast<double>(of.ps()) * factor)));
    }
};

/// Where there are both.
template <class Op, class T>
void both(const Op& op, std::optional<T>& of, const std::optional<T>& amount)
{
    if (of && amount) {
        op(*of, *amount);
    }
}

template <class Op>
void each(const Op& op, flash_statistics& f, const flash_statistics& b)
{
    op(f.reads, b.reads);
    op(f.programs, b.programs);
    op(f.erases, b.erases);
    both(op, f.suspends, b.suspends);
    both(op, f.resumes, b.resumes);
    both(op, f.multi_plane, b.multi_plane);
    both(op, f.joined, b.joined);
    both(op, f.cached, b.cached);
    both(op, f.overlapped, b.overlapped);
    both(op, f.snap_reads, b.snap_reads);
    both(op, f.copybacks, b.copybacks);
    if (f.ecc && b.ecc) {
        op(f.ecc->corrected_bits, b.ecc->corrected_bits);
        op(f.ecc->uncorrectable, b.ecc->uncorrectable);
        op(f.ecc->soft_decodes, b.ecc->soft_decodes);
        op(f.ecc->retries, b.ecc->retries);
    }
    op(f.bytes_read, b.bytes_read);
    op(f.bytes_programmed, b.bytes_programmed);
    for (std::size_t p = 0; p < f.by_purpose.size(); ++p) {
        op(f.by_purpose[p].reads, b.by_purpose[p].reads);
        op(f.by_purpose[p].programs, b.by_purpose[p].programs);
        op(f.by_purpose[p].erases, b.by_purpose[p].erases);
        op(f.by_purpose[p].bytes_programmed, b.by_purpose[p].bytes_programmed);
    }
}

template <class Op>
void each(const Op& op, channel_statistics& c, const channel_statistics& b)
{
    op(c.busy, b.busy);
    both(op, c.polling, b.polling);
    for (std::size_t i = 0; i < c.luns.size() && i < b.luns.size(); ++i) {
        op(c.luns[i].busy, b.luns[i].busy);
        op(c.luns[i].held, b.luns[i].held);
        op(c.luns[i].reads, b.luns[i].reads);
        op(c.luns[i].programs, b.luns[i].programs);
        op(c.luns[i].erases, b.luns[i].erases);
        for (std::size_t use = 0; use < c.luns[i].arrays.size(); ++use) {
            op(c.luns[i].arrays[use].time, b.luns[i].arrays[use].time);
            op(c.luns[i].arrays[use].planes, b.luns[i].arrays[use].planes);
        }
    }
}

template <class Op>
void each(const Op& op, core_statistics& c, const core_statistics& b)
{
    op(c.instructions, b.instructions);
    op(c.cycles, b.cycles);
    op(c.busy, b.busy);
    op(c.slowed, b.slowed);
    op(c.uncharged, b.uncharged);
    if (c.dcache && b.dcache) {
        op(c.dcache->hits, b.dcache->hits);
        op(c.dcache->misses, b.dcache->misses);
        op(c.dcache->writebacks, b.dcache->writebacks);
    }
    if (c.icache && b.icache) {
        op(c.icache->lines.hits, b.icache->lines.hits);
        op(c.icache->lines.misses, b.icache->lines.misses);
        op(c.icache->stalled, b.icache->stalled);
    }
    if (c.tlb && b.tlb) {
        op(c.tlb->hits, b.tlb->hits);
        op(c.tlb->misses, b.tlb->misses);
    }
}

template <class Op>
void each(const Op& op, std::optional<dram_statistics>& d, const std::optional<dram_statistics>& b)
{
    if (d && b) {
        op(d->bytes_read, b->bytes_read);
        op(d->bytes_written, b->bytes_written);
        op(d->busy, b->busy);
        op(d->bursts_read, b->bursts_read);
        op(d->bursts_written, b->bursts_written);
        op(d->accesses, b->accesses);
        op(d->row_hits, b->row_hits);
        op(d->row_misses, b->row_misses);
        op(d->row_conflicts, b->row_conflicts);
        op(d->activates, b->activates);
        op(d->refreshes, b->refreshes);
        op(d->open, b->open);
    }
}

template <class Op>
void each(const Op& op, std::optional<dram_joules>& d, const std::optional<dram_joules>& b)
{
    if (d && b) {
        op(d->activate, b->activate);
        op(d->read, b->read);
        op(d->write, b->write);
        op(d->refresh, b->refresh);
        op(d->background, b->background);
    }
}

template <class Op>
void each(const Op& op, std::optional<link_statistics>& l, const std::optional<link_statistics>& b)
{
    if (l && b) {
        op(l->bytes_up, b->bytes_up);
        op(l->bytes_down, b->bytes_down);
        op(l->tlps_up, b->tlps_up);
        op(l->tlps_down, b->tlps_down);
        op(l->busy_up, b->busy_up);
        op(l->busy_down, b->busy_down);
        op(l->dllp_bytes_up, b->dllp_bytes_up);
        op(l->dllp_bytes_down, b->dllp_bytes_down);
        op(l->credit_stalls_up, b->credit_stalls_up);
        op(l->credit_stalls_down, b->credit_stalls_down);
        op(l->credit_stall_time_up, b->credit_stall_time_up);
        op(l->credit_stall_time_down, b->credit_stall_time_down);
        op(l->replays_up, b->replays_up);
        op(l->replays_down, b->replays_down);
        op(l->tag_stalls, b->tag_stalls);
        op(l->tag_stall_time, b->tag_stall_time);
        op(l->tags_out, b->tags_out);
    }
}

template <class Op>
void each(const Op& op, std::optional<nvme_statistics>& n, const std::optional<nvme_statistics>& b)
{
    if (n && b) {
        op(n->commands, b->commands);
        op(n->completions, b->completions);
        op(n->interrupts, b->interrupts);
        if (n->looked_up && b->looked_up) {
            op(*n->looked_up, *b->looked_up);
            op(*n->passed_on, *b->passed_on);
        }
        op(n->looked_up_sectors, b->looked_up_sectors);
        op(n->engine_busy, b->engine_busy);
        op(n->slot_wait, b->slot_wait);
    }
}

template <class Op>
void each(const Op& op, std::optional<sata_statistics>& s, const std::optional<sata_statistics>& b)
{
    if (s && b) {
        op(s->r_errs, b->r_errs);
        op(s->crc_errors, b->crc_errors);
        op(s->collisions, b->collisions);
        op(s->comresets, b->comresets);
        op(s->commands, b->commands);
        op(s->completions, b->completions);
        op(s->set_device_bits, b->set_device_bits);
        op(s->interrupts, b->interrupts);
        op(s->recoveries, b->recoveries);
        op(s->retries, b->retries);
    }
}

template <class Op>
void each(const Op& op, std::optional<integrity_statistics>& i,
          const std::optional<integrity_statistics>& b)
{
    if (i && b) {
        op(i->sectors_checked, b->sectors_checked);
        op(i->mismatches, b->mismatches);
    }
}

template <class Op>
void each(const Op& op, std::optional<power_statistics>& p,
          const std::optional<power_statistics>& b)
{
    if (p && b) {
        op(p->cuts, b->cuts);
        op(p->shutdowns, b->shutdowns);
        op(p->torn_pages, b->torn_pages);
        op(p->torn_blocks, b->torn_blocks);
        op(p->lost_requests, b->lost_requests);
        op(p->verified_sectors, b->verified_sectors);
    }
}

/// Temperatures are as at the end.
template <class Op>
void each(const Op& op, thermal::thermal_stats& d, const thermal::thermal_stats& begin)
{
    op(d.taken, begin.taken);
    op(d.stored, begin.stored);
    op(d.given_off, begin.given_off);
    for (std::size_t i = 0; i < d.time.size(); ++i) {
        op(d.time[i], begin.time[i]);
        op(d.entries[i], begin.entries[i]);
    }
}

/// Of one drive.
template <class Op>
void each(const Op& op, power_state_counts& p, const power_state_counts& b)
{
    const auto part = [&op](uint128& of, uint128 amount) { op(of, amount); };
    for (std::size_t i = 0; i < p.states.size() && i < b.states.size(); ++i) {
        op(p.states[i].time, b.states[i].time);
        op(p.states[i].asleep, b.states[i].asleep);
        op(p.states[i].entries, b.states[i].entries);
        op(p.states[i].energy, b.states[i].energy);
    }
    op(p.asleep, b.asleep);
    each_part(p.left_out, b.left_out, part);
    each_place(p.left_out_at, b.left_out_at, part);
}

template <class Op>
void each(const Op& op, untold_statistics& u, const untold_statistics& b)
{
    op(u.reads, b.reads);
    op(u.programs, b.programs);
    op(u.erases, b.erases);
    op(u.bytes, b.bytes);
}

// Counters; of gauges and extremes what they are stays.
#define EACH_COUNTER(field) op(d.field, b.field);
#define EACH_GAUGE(field)
#define EACH_LEAST(field)
#define EACH_MOST(field)
#define EACH_FLAG(field)
#define EACH_MAXIMUM(field)
#define EACH(field, kind, ...) EACH_##kind(field)
#define EACH_OF_RETENTION(field, kind, ...) EACH_##kind(retention.field)
#define EACH_OF_ZONES(field, kind, ...) EACH_##kind(zones.field)
#define EACH_OF_SLC(field, kind, ...) EACH_##kind(slc.field)
#define EACH_OF_HMB(field, kind, ...) EACH_##kind(hmb.field)
#define EACH_OF_ARRAY(field, length, kind, ...)                                                    \
    for (std::size_t i = 0; i < std::size(d.field); ++i) {                                         \
        EACH_##kind(field[i])                                                                      \
    }

template <class Op>
void each(const Op& op, telemetry& d, const telemetry& b)
{
    COUNTERS_FIRST(EACH, EACH_OF_ARRAY)
    COUNTERS_LATER(EACH)
    COUNTERS_RETENTION(EACH_OF_RETENTION)
    COUNTERS_ZONES(EACH_OF_ZONES)
    COUNTERS_SLC(EACH_OF_SLC)
    COUNTERS_HMB(EACH_OF_HMB)
}

template <class Op>
void each(const Op& op, counters& d, const counters& b)
{
    op(d.when, b.when);
    op(d.wall_s, b.wall_s);
    op(d.kernel_activations, b.kernel_activations);
    op(d.kernel_entries, b.kernel_entries);
    op(d.driver.requests_in, b.driver.requests_in);
    op(d.driver.requests_out, b.driver.requests_out);
    op(d.driver.requests_lost, b.driver.requests_lost);
    each(op, d.flash, b.flash);
    for (std::size_t i = 0; i < d.channels.size() && i < b.channels.size(); ++i) {
        each(op, d.channels[i], b.channels[i]);
    }
    if (d.ftl && b.ftl) {
        each(op, *d.ftl, *b.ftl);
    }
    for (std::size_t i = 0; i < d.cpu.size() && i < b.cpu.size(); ++i) {
        each(op, d.cpu[i], b.cpu[i]);
    }
    each(op, d.dram, b.dram);
    each(op, d.dram_energy, b.dram_energy);
    if (d.thermal && b.thermal) {
        each(op, *d.thermal, *b.thermal);
    }
    if (d.states && b.states) {
        each(op, *d.states, *b.states);
    }
    each(op, d.link, b.link);
    each(op, d.nvme, b.nvme);
    each(op, d.sata, b.sata);
    each(op, d.integrity, b.integrity);
    each(op, d.power, b.power);
    each(op, d.untold, b.untold);
}

template <class T, class Op>
T with(const T& first, const T& second, const Op& op)
{
    T all = first;
    each(op, all, second);
    return all;
}

} // namespace

counters difference(const counters& end, const counters& begin)
{
    return with(end, begin, taking_off{});
}

telemetry difference(const telemetry& end, const telemetry& begin)
{
    return with(end, begin, taking_off{});
}

untold_statistics difference(const untold_statistics& end, const untold_statistics& begin)
{
    return with(end, begin, taking_off{});
}

power_state_counts difference(const power_state_counts& end, const power_state_counts& begin)
{
    return with(end, begin, taking_off{});
}

counters sum(const counters& first, const counters& second)
{
    return with(second, first, adding{});
}

telemetry sum(const telemetry& past, const telemetry& now)
{
    return with(now, past, adding{});
}

counters scaled(const counters& c, double factor)
{
    return with(c, c, scaled_by{factor});
}

} // namespace ssdvp::platform
