// SPDX-License-Identifier: Apache-2.0
//
// Collects every block's counters into one plain reading.
#include <cstring>
#include <map>

#include "models/common/calendar.h"
#include "models/dram/energy.h"
#include "models/regs/boot_params.h"
#include "platform/config/derived.h"
#include "platform/report/counter_sums.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

namespace {

void add_channel(counters& out, flash::flash_channel& c, bool polls)
{
    const flash::channel_stats s = c.stats();
    channel_statistics channel;
    channel.busy = s.busy;
    if (polls) {
        channel.polling = s.polling;
    }
    flash_statistics& f = out.flash;
    for (std::size_t p = 0; p < FLASH_PURPOSES; ++p) {
        f.by_purpose[p].reads += s.by_purpose[p].reads;
        f.by_purpose[p].programs += s.by_purpose[p].programs;
        f.by_purpose[p].erases += s.by_purpose[p].erases;
        f.by_purpose[p].bytes_programmed += s.by_purpose[p].bytes_programmed;
        f.reads += s.by_purpose[p].reads;
        f.programs += s.by_purpose[p].programs;
        f.erases += s.by_purpose[p].erases;
    }
    f.bytes_read += s.bytes_read;
    f.bytes_programmed += s.bytes_programmed;
    *f.multi_plane += s.multi_plane;
    *f.copybacks += s.copybacks;
    if (f.joined) {
        *f.joined += s.joined;
    }
    if (f.cached) {
        *f.cached += s.cached;
    }
    if (f.overlapped) {
        *f.overlapped += s.overlapped;
    }
    if (f.snap_reads) {
        *f.snap_reads += s.snap_reads;
    }
    *f.suspends += s.suspends;
    *f.resumes += s.resumes;
    if (f.ecc) {
        f.ecc->corrected_bits += s.corrected_bits;
        f.ecc->uncorrectable += s.uncorrectable;
        f.ecc->soft_decodes += s.soft_decodes;
        f.ecc->retries += s.retries;
    }
    for (const flash::lun_index l : c.luns()) {
        const flash::lun_stats& lun = c.lun(l).stats();
        lun_statistics counted;
        counted.busy = lun.busy;
        counted.held = c.held(l);
        counted.reads = lun.reads;
        counted.programs = lun.programs;
        counted.erases = lun.erases;
        for (std::size_t use = 0; use < counted.arrays.size(); ++use) {
            counted.arrays[use] = {lun.arrays[use].time, lun.arrays[use].planes};
        }
        channel.luns.push_back(counted);
    }
    out.channels.push_back(std::move(channel));
}

std::string role_name(std::uint32_t roles)
{
    std::string name;
    const auto add = [&](std::uint32_t role, const char* text) {
        if ((roles & role) != 0) {
            name += (name.empty() ? "" : "+") + std::string(text);
        }
    };
    add(BOOT_ROLE_HOST, "host");
    add(BOOT_ROLE_FTL, "ftl");
    add(BOOT_ROLE_FLASH, "flash");
    return name;
}

core_statistics reading_of(const cpu::native_core& core, const std::string& name,
                           std::uint32_t roles)
{
    const cpu::core_stats& s = core.stats();
    core_statistics r{s.instructions, s.cycles, s.busy, core.timing_level(), {}, {}, {}};
    if (r.timing != "flat") {
        r.core = name;
    }
    if (roles != BOOT_ROLE_ALL) {
        r.role = role_name(roles);
    }
    r.clock = core.clock();
    r.slowed = s.slowed;
    r.uncharged = s.uncharged;
    const cpu::core_caches& caches = core.caches();
    if (caches.has_dcache) {
        r.dcache = caches.dcache.stats();
    }
    if (caches.has_icache) {
        r.icache = fetch_statistics{caches.icache.stats(), s.fetching};
    }
    if (caches.has_tlb) {
        r.tlb = caches.tlb.stats();
    }
    return r;
}

} // namespace

telemetry ssd::firmware_telemetry() const
{
    const unsigned char* const sram = const_cast<sram::sram&>(m_sram).data();
    telemetry all{};
    std::memcpy(&all, sram + BOOT_TELEMETRY_OFFSET, sizeof all);
    for (std::uint32_t i = 1; i < partitions(); ++i) {
        telemetry t{};
        std::memcpy(&t, sram + i * m_slice + BOOT_TELEMETRY_OFFSET, sizeof t);
        all = together(all, t);
    }
    return all;
}

std::uint64_t ssd::core_activations() const
{
    std::uint64_t sum = 0;
    for (const auto& c : m_cores) {
        sum += c->activations();
    }
    return sum;
}

std::uint64_t ssd::activations() const
{
    std::uint64_t sum = m_host.total_activations() + interface_activations() + m_nor.activations() +
                        m_thermal.activations() + core_activations();
    for (const auto& t : m_timers) {
        sum += t->activations();
    }
    for (const auto& c : m_channels) {
        sum += c->total_activations();
    }
    return sum;
}

drive_progress ssd::progress() const
{
    drive_progress p = interface_progress();
    // A drive that is too hot to work, or asleep, is not stuck.
    p.lasting += m_thermal.time_at(3).ns() + (m_states ? m_states->asleep(now()).ns() : 0);
    p.in_vain += m_faults.count();
    for (const auto& c : m_channels) {
        const flash::channel_stats& s = c->stats();
        p.lasting += s.stored;
        p.passing += s.looked;
        p.in_vain += s.failed;
    }
    return p;
}

sim_time ssd::worst_blocking() const
{
    sim_time worst;
    for (const auto& c : m_channels) {
        worst = later(worst, c->stats().worst_blocking);
    }
    return worst;
}

std::vector<block_wear> ssd::wear() const
{
    const flash::geometry& geo = m_config.channel.die.geo;
    std::vector<block_wear> all;
    for (const flash::channel_index channel : channels()) {
        for (const flash::lun_index l : m_channels[channel]->luns()) {
            const flash::cell_array& cells = m_channels[channel]->lun(l).cells();
            for (const flash::plane_index plane : each<flash::plane_index>(geo.planes)) {
                for (const flash::block_index block :
                     each<flash::block_index>(geo.blocks_per_plane)) {
                    all.push_back({channel.value(), l.value(), plane.value(), block.value(),
                                   cells.erase_count(plane, block),
                                   cells.factory_bad(plane, block)});
                }
            }
        }
    }
    return all;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> ssd::erase_histogram() const
{
    std::map<std::uint64_t, std::uint64_t> blocks;
    for (const block_wear& b : wear()) {
        if (!b.factory_bad) {
            ++blocks[b.erases - m_config.channel.die.pe_cycles];
        }
    }
    return {blocks.begin(), blocks.end()};
}

flash_totals ssd::flash_so_far() const
{
    flash_totals t;
    const telemetry firmware = firmware_telemetry();
    if (firmware.magic == TELEMETRY_MAGIC && firmware.ready != 0) { // else it knows nothing yet
        t.victims = m_past.gc_runs + firmware.gc_runs;
        t.moved = m_past.gc_units_moved + firmware.gc_units_moved;
    }
    for (const auto& c : m_channels) {
        const flash::channel_stats& s = c->stats();
        t.bytes_programmed += s.bytes_programmed;
        for (std::size_t p = 0; p < FLASH_PURPOSES; ++p) {
            if (p != FLASH_PURPOSE_PRECONDITION) {
                t.programs += s.by_purpose[p].programs;
                t.erases += s.by_purpose[p].erases;
            } else {
                t.bytes_programmed -= s.by_purpose[p].bytes_programmed;
            }
        }
    }
    return t;
}

counters ssd::read() const
{
    counters r = read_energy();
    r.slc_cache = has_slc_cache(m_config);
    if (m_config.thermal.on) {
        r.thermal = m_thermal.stats();
    }
    return r;
}

counters ssd::read_blocks() const
{
    counters r;
    r.when = now();
    r.kernel_activations = activations();
    r.kernel_entries = calendar::get().activations();
    r.flash.suspends = r.flash.resumes = r.flash.multi_plane = r.flash.copybacks = 0;
    if (m_config.channel.join_planes) {
        r.flash.joined = 0;
    }
    if (m_config.channel.use_cache) {
        r.flash.cached = 0;
    }
    if (m_config.channel.die.independent_plane_reads) {
        r.flash.overlapped = 0;
    }
    if (flash::has_snap_read(m_config.channel.die)) {
        r.flash.snap_reads = 0;
    }
    if (m_config.channel.die.errors.rber > 0.0 ||
        m_config.channel.die.shallow_retention != sim_time()) {
        r.flash.ecc = ecc_statistics{};
    }
    for (const auto& c : m_channels) {
        add_channel(r, *c, m_config.channel.poll_period != sim_time());
    }
    auto& host = const_cast<host::host_system&>(m_host);
    r.driver = {host.workload().issued(), host.workload().completed(), host.drive().in_flight(),
                host.workload().lost()};
    if (host.check().active()) {
        r.integrity =
            integrity_statistics{host.check().sectors_checked(), host.check().mismatches()};
    }
    const telemetry t = firmware_telemetry();
    if (t.magic == TELEMETRY_MAGIC && t.ready != 0) {
        r.ftl = sum(m_past, t);
    }
    r.untold = m_untold;
    if (m_config.power.any()) {
        r.power = power_counts();
    }
    for (std::size_t i = 0; i < m_cores.size(); ++i) {
        r.cpu.push_back(reading_of(*m_cores[i], m_config.cpu.core, m_roles[i]));
    }
    r.dram = m_dram.stats();
    if (m_config.energy.any()) {
        const dram::dram_energy e = dram::energy_of(m_config.dram, *r.dram, r.when);
        r.dram_energy = dram_joules{e.activate, e.read, e.write, e.refresh, e.background};
    }
    read_interface(r);
    return r;
}

} // namespace ssdvp::platform
