// SPDX-License-Identifier: Apache-2.0
#include "platform/report/measurement.h"

#include <fmt/format.h>
#include <iterator>
#include <sys/resource.h>

#include "models/regs/telemetry_join.h"
#include "platform/report/format.h"

namespace ssdvp::platform {

const std::array<const char*, FLASH_PURPOSES> purpose_names = {
    "host", "gc", "map", "merge", "refresh", "wear", "recovery", "scan", "precondition", "fold"};

namespace {

void subtract(std::uint64_t& from, std::uint64_t amount)
{
    from -= amount;
}
/// Times of a block only grow: one that has shrunk wraps, which the identities tell.
void subtract(sim_time& from, sim_time amount)
{
    from = sim_time(from.ps() - amount.ps());
}
template <typename T>
void subtract(std::optional<T>& from, const std::optional<T>& amount)
{
    if (from && amount) {
        subtract(*from, *amount);
    }
}

void subtract(flash_statistics& f, const flash_statistics& b)
{
    subtract(f.reads, b.reads);
    subtract(f.programs, b.programs);
    subtract(f.erases, b.erases);
    subtract(f.suspends, b.suspends);
    subtract(f.resumes, b.resumes);
    subtract(f.multi_plane, b.multi_plane);
    subtract(f.joined, b.joined);
    subtract(f.cached, b.cached);
    subtract(f.overlapped, b.overlapped);
    subtract(f.snap_reads, b.snap_reads);
    subtract(f.copybacks, b.copybacks);
    if (f.ecc && b.ecc) {
        subtract(f.ecc->corrected_bits, b.ecc->corrected_bits);
        subtract(f.ecc->uncorrectable, b.ecc->uncorrectable);
        subtract(f.ecc->soft_decodes, b.ecc->soft_decodes);
        subtract(f.ecc->retries, b.ecc->retries);
    }
    subtract(f.bytes_read, b.bytes_read);
    subtract(f.bytes_programmed, b.bytes_programmed);
    for (std::size_t p = 0; p < f.by_purpose.size(); ++p) {
        subtract(f.by_purpose[p].reads, b.by_purpose[p].reads);
        subtract(f.by_purpose[p].programs, b.by_purpose[p].programs);
        subtract(f.by_purpose[p].erases, b.by_purpose[p].erases);
        subtract(f.by_purpose[p].bytes_programmed, b.by_purpose[p].bytes_programmed);
    }
}

void subtract(channel_statistics& c, const channel_statistics& b)
{
    subtract(c.busy, b.busy);
    subtract(c.polling, b.polling);
    for (std::size_t i = 0; i < c.luns.size() && i < b.luns.size(); ++i) {
        subtract(c.luns[i].busy, b.luns[i].busy);
        subtract(c.luns[i].held, b.luns[i].held);
        subtract(c.luns[i].reads, b.luns[i].reads);
        subtract(c.luns[i].programs, b.luns[i].programs);
        subtract(c.luns[i].erases, b.luns[i].erases);
        for (std::size_t use = 0; use < c.luns[i].arrays.size(); ++use) {
            subtract(c.luns[i].arrays[use].time, b.luns[i].arrays[use].time);
            subtract(c.luns[i].arrays[use].planes, b.luns[i].arrays[use].planes);
        }
    }
}

void subtract(core_statistics& c, const core_statistics& b)
{
    subtract(c.instructions, b.instructions);
    subtract(c.cycles, b.cycles);
    subtract(c.busy, b.busy);
    subtract(c.slowed, b.slowed);
    c.uncharged -= b.uncharged;
    if (c.dcache && b.dcache) {
        subtract(c.dcache->hits, b.dcache->hits);
        subtract(c.dcache->misses, b.dcache->misses);
        subtract(c.dcache->writebacks, b.dcache->writebacks);
    }
    if (c.icache && b.icache) {
        subtract(c.icache->lines.hits, b.icache->lines.hits);
        subtract(c.icache->lines.misses, b.icache->lines.misses);
        subtract(c.icache->stalled, b.icache->stalled);
    }
    if (c.tlb && b.tlb) {
        subtract(c.tlb->hits, b.tlb->hits);
        subtract(c.tlb->misses, b.tlb->misses);
    }
}

void subtract(std::optional<dram_statistics>& d, const std::optional<dram_statistics>& b)
{
    if (d && b) {
        subtract(d->bytes_read, b->bytes_read);
        subtract(d->bytes_written, b->bytes_written);
        subtract(d->busy, b->busy);
        subtract(d->bursts_read, b->bursts_read);
        subtract(d->bursts_written, b->bursts_written);
        subtract(d->accesses, b->accesses);
        subtract(d->row_hits, b->row_hits);
        subtract(d->row_misses, b->row_misses);
        subtract(d->row_conflicts, b->row_conflicts);
        subtract(d->activates, b->activates);
        subtract(d->refreshes, b->refreshes);
        subtract(d->open, b->open);
    }
}

void subtract(std::optional<dram_joules>& d, const std::optional<dram_joules>& b)
{
    if (d && b) {
        d->activate -= b->activate;
        d->read -= b->read;
        d->write -= b->write;
        d->refresh -= b->refresh;
        d->background -= b->background;
    }
}

void subtract(std::optional<link_statistics>& l, const std::optional<link_statistics>& b)
{
    if (l && b) {
        subtract(l->bytes_up, b->bytes_up);
        subtract(l->bytes_down, b->bytes_down);
        subtract(l->tlps_up, b->tlps_up);
        subtract(l->tlps_down, b->tlps_down);
        subtract(l->busy_up, b->busy_up);
        subtract(l->busy_down, b->busy_down);
        subtract(l->dllp_bytes_up, b->dllp_bytes_up);
        subtract(l->dllp_bytes_down, b->dllp_bytes_down);
        subtract(l->credit_stalls_up, b->credit_stalls_up);
        subtract(l->credit_stalls_down, b->credit_stalls_down);
        subtract(l->credit_stall_time_up, b->credit_stall_time_up);
        subtract(l->credit_stall_time_down, b->credit_stall_time_down);
        subtract(l->replays_up, b->replays_up);
        subtract(l->replays_down, b->replays_down);
        subtract(l->tag_stalls, b->tag_stalls);
        subtract(l->tag_stall_time, b->tag_stall_time);
        subtract(l->tags_out, b->tags_out);
    }
}

void subtract(std::optional<nvme_statistics>& n, const std::optional<nvme_statistics>& b)
{
    if (n && b) {
        subtract(n->commands, b->commands);
        subtract(n->completions, b->completions);
        subtract(n->interrupts, b->interrupts);
        if (n->looked_up && b->looked_up) {
            subtract(*n->looked_up, *b->looked_up);
            subtract(*n->passed_on, *b->passed_on);
        }
        subtract(n->looked_up_sectors, b->looked_up_sectors);
        subtract(n->engine_busy, b->engine_busy);
        subtract(n->slot_wait, b->slot_wait);
    }
}

void subtract(std::optional<sata_statistics>& s, const std::optional<sata_statistics>& b)
{
    if (s && b) {
        subtract(s->r_errs, b->r_errs);
        subtract(s->crc_errors, b->crc_errors);
        subtract(s->collisions, b->collisions);
        subtract(s->comresets, b->comresets);
        subtract(s->commands, b->commands);
        subtract(s->completions, b->completions);
        subtract(s->set_device_bits, b->set_device_bits);
        subtract(s->interrupts, b->interrupts);
        subtract(s->recoveries, b->recoveries);
        subtract(s->retries, b->retries);
    }
}

void subtract(std::optional<integrity_statistics>& i, const std::optional<integrity_statistics>& b)
{
    if (i && b) {
        subtract(i->sectors_checked, b->sectors_checked);
        subtract(i->mismatches, b->mismatches);
    }
}

void subtract(std::optional<power_statistics>& p, const std::optional<power_statistics>& b)
{
    if (p && b) {
        subtract(p->cuts, b->cuts);
        subtract(p->shutdowns, b->shutdowns);
        subtract(p->torn_pages, b->torn_pages);
        subtract(p->torn_blocks, b->torn_blocks);
        subtract(p->lost_requests, b->lost_requests);
        subtract(p->verified_sectors, b->verified_sectors);
    }
}

/// Temperatures are as at the end.
void subtract(thermal::thermal_stats& d, const thermal::thermal_stats& begin)
{
    d.taken -= begin.taken;
    d.stored -= begin.stored;
    d.given_off -= begin.given_off;
    for (std::size_t i = 0; i < d.time.size(); ++i) {
        d.time[i] = d.time[i] - begin.time[i];
        d.entries[i] -= begin.entries[i];
    }
}

} // namespace

void subtract(untold_statistics& from, const untold_statistics& amount)
{
    subtract(from.reads, amount.reads);
    subtract(from.programs, amount.programs);
    subtract(from.erases, amount.erases);
    subtract(from.bytes, amount.bytes);
}

std::uint64_t units_ordered(const telemetry& t)
{
    return t.host_units_written + t.pad_units + t.gc_units_moved + t.wear_units_moved +
           t.refresh_units_moved + t.slc.folded + t.map_units_written +
           t.copy_page_writes; // a page is a unit
}

// What is told of a measured part, by kind; of a sum over power cycles, the last of them.
#define DIFFERENCE_COUNTER(field) d.field -= begin.field;
#define DIFFERENCE_GAUGE(field)
#define DIFFERENCE_LEAST(field)
#define DIFFERENCE_MOST(field)
#define DIFFERENCE_FLAG(field)
#define DIFFERENCE_MAXIMUM(field)
#define DIFFERENCE(field, kind, ...) DIFFERENCE_##kind(field)
#define DIFFERENCE_OF_RETENTION(field, kind, ...) DIFFERENCE_##kind(retention.field)
#define DIFFERENCE_OF_ZONES(field, kind, ...) DIFFERENCE_##kind(zones.field)
#define DIFFERENCE_OF_SLC(field, kind, ...) DIFFERENCE_##kind(slc.field)
#define DIFFERENCE_OF_HMB(field, kind, ...) DIFFERENCE_##kind(hmb.field)
#define DIFFERENCE_OF_ARRAY(field, length, kind, ...)                                              \
    for (std::size_t i = 0; i < std::size(d.field); ++i) {                                         \
        DIFFERENCE_##kind(field[i])                                                                \
    }

telemetry difference(const telemetry& end, const telemetry& begin)
{
    telemetry d = end;
    COUNTERS_FIRST(DIFFERENCE, DIFFERENCE_OF_ARRAY)
    COUNTERS_LATER(DIFFERENCE)
    COUNTERS_RETENTION(DIFFERENCE_OF_RETENTION)
    COUNTERS_ZONES(DIFFERENCE_OF_ZONES)
    COUNTERS_SLC(DIFFERENCE_OF_SLC)
    COUNTERS_HMB(DIFFERENCE_OF_HMB)
    return d;
}

telemetry sum(const telemetry& past, const telemetry& now)
{
    return difference(now, difference(telemetry{}, past)); // gauges: those of now
}

telemetry together(const telemetry& a, const telemetry& b)
{
    telemetry d = a;
    if (a.magic != TELEMETRY_MAGIC || b.magic != TELEMETRY_MAGIC) {
        d = a.magic == TELEMETRY_MAGIC ? a : b;
        d.ready = 0;
        return d;
    }
    telemetry_join(&d, &b);
    return d;
}

counters difference(const counters& end, const counters& begin)
{
    counters d = end;
    subtract(d.when, begin.when);
    d.wall_s -= begin.wall_s;
    subtract(d.kernel_activations, begin.kernel_activations);
    subtract(d.kernel_entries, begin.kernel_entries);
    subtract(d.driver.requests_in, begin.driver.requests_in);
    subtract(d.driver.requests_out, begin.driver.requests_out);
    subtract(d.driver.requests_lost, begin.driver.requests_lost);
    subtract(d.flash, begin.flash);
    for (std::size_t i = 0; i < d.channels.size() && i < begin.channels.size(); ++i) {
        subtract(d.channels[i], begin.channels[i]);
    }
    if (d.ftl && begin.ftl) {
        d.ftl = difference(*end.ftl, *begin.ftl);
    }
    for (std::size_t i = 0; i < d.cpu.size() && i < begin.cpu.size(); ++i) {
        subtract(d.cpu[i], begin.cpu[i]);
    }
    subtract(d.dram, begin.dram);
    subtract(d.dram_energy, begin.dram_energy);
    if (d.thermal && begin.thermal) {
        subtract(*d.thermal, *begin.thermal);
    }
    if (d.states && begin.states) {
        subtract(*d.states, *begin.states);
    }
    subtract(d.link, begin.link);
    subtract(d.nvme, begin.nvme);
    subtract(d.sata, begin.sata);
    subtract(d.integrity, begin.integrity);
    subtract(d.power, begin.power);
    subtract(d.untold, begin.untold);
    return d;
}

std::string sampling_text(const sampling_figures& s)
{
    return fmt::format("in {} windows, {:.3g} % of {} requests; {:.1f} times fewer are simulated",
                       s.windows, 100.0 * s.share, text_count(s.requests),
                       static_cast<double>(s.requests) / static_cast<double>(s.simulated));
}

std::optional<double> write_amplification(const flash_statistics& flash,
                                          std::uint64_t host_bytes_written)
{
    if (host_bytes_written == 0) {
        return std::nullopt;
    }
    const std::uint64_t bytes =
        flash.bytes_programmed - flash.by_purpose[FLASH_PURPOSE_PRECONDITION].bytes_programmed;
    return static_cast<double>(bytes) / static_cast<double>(host_bytes_written);
}

std::uint64_t buffer_growth(const counters& end, const counters& begin)
{
    if (!end.ftl || !begin.ftl || end.ftl->buffer_dirty < begin.ftl->buffer_dirty) {
        return 0;
    }
    return end.ftl->buffer_dirty - begin.ftl->buffer_dirty;
}

std::int64_t data_growth(const counters& end, const counters& begin)
{
    return !end.ftl || !begin.ftl ? 0
                                  : static_cast<std::int64_t>(end.ftl->mapped) -
                                        static_cast<std::int64_t>(begin.ftl->mapped);
}

double fraction(sim_time busy, sim_time elapsed)
{
    return elapsed == sim_time()
               ? 0.0
               : static_cast<double>(busy.ps()) / static_cast<double>(elapsed.ps());
}

std::uint64_t peak_rss_bytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024; // Linux counts KiB
}

} // namespace ssdvp::platform
