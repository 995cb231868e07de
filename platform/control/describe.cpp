// SPDX-License-Identifier: Apache-2.0
#include "platform/control/describe.h"

#include <fmt/format.h>

#include "models/regs/parts/refresh.h"
#include "models/regs/parts/zones.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/loader.h"
#include "platform/config/parts/cache.h"
#include "platform/config/reduced.h"
#include "platform/control/load_memory.h"
#include "platform/control/version.h"

namespace ssdvp::platform {

namespace {

std::string host_side(const ssd_config& c)
{
    if (is_sata(c)) {
        const double rate = 0.75 * static_cast<double>(1u << c.sata.generation); // Gb/s
        return fmt::format("SATA, {:.1f} Gb/s, {}", rate,
                           c.driver.sata.queued ? fmt::format("{} tags", c.driver.sata.tags)
                                                : "no command queuing");
    }
    return fmt::format("NVMe, PCIe {}.0 x{}, {} queue pair{}", c.pcie.generation, c.pcie.lanes,
                       c.driver.queue_pairs, c.driver.queue_pairs == 1 ? "" : "s");
}

std::string how_preconditioned(const precondition_result& r,
                               const std::optional<state_origin>& state)
{
    if (state && state->from != "preconditioned") {
        return fmt::format("in a kept state ({})", state->from);
    }
    return fmt::format("{:.2f} M pages/s", static_cast<double>(r.pages) * 1e-6 / r.seconds);
}

bool went_to_settle(const precondition_result& r)
{
    return r.settled || r.units_settled != 0;
}

std::string how_settled(const precondition_result& r)
{
    const std::string which =
        r.units_settled != 0 ? fmt::format("the last {} of them", r.units_settled) : "overwritten";
    return fmt::format("{} as the load writes: its state is {}", which,
                       r.settled ? "steady" : "not steady");
}

precondition_figures figures_of(const ssd_config& c, const precondition_result& r)
{
    precondition_figures f;
    f.method = r.by_counts ? "counts" : "units";
    f.filled_bytes = r.units_filled * c.ftl.map_unit;
    f.overwritten_bytes = (r.units_written - r.units_filled) * c.ftl.map_unit;
    f.programmed_bytes = r.pages * c.channel.die.geo.page_size;
    if (went_to_settle(r)) {
        f.settled_bytes = r.units_settled * c.ftl.map_unit;
    }
    if (overwriting_until(c) == precondition_until::steady || f.settled_bytes) {
        f.steady = !r.never_steady;
    }
    return f;
}

drive_geometry geometry_of(const ssd_config& c)
{
    const flash::geometry& g = c.channel.die.geo;
    drive_geometry d;
    d.channels = c.channels;
    d.luns_per_channel = c.channel.luns;
    d.planes = g.planes;
    d.blocks_per_plane = g.blocks_per_plane;
    d.pages_per_block = block_pages(c);
    d.page_bytes = g.page_size;
    d.oob_bytes = g.oob_size;
    d.physical_bytes = std::uint64_t{c.channels} * c.channel.luns * g.planes * g.blocks_per_plane *
                       d.pages_per_block * g.page_size;
    d.capacity_bytes = user_units(c) * c.ftl.map_unit;
    d.superblock_bytes = superblock_units(c) * c.ftl.map_unit;
    d.superblock_blocks = static_cast<std::uint32_t>(superblock_planes(c));
    return d;
}

load_description load_of(const host::workload_config& w)
{
    load_description d;
    for (const host::stream_config& s : w.streams) {
        d.rate += s.rate_iops;
        d.depth += s.rate_iops > 0.0 ? 0 : s.queue_depth;
    }
    for (const host::fio_job& j : w.fio.jobs) {
        d.depth += j.depth;
    }
    if (!w.trace.file.empty()) {
        d.depth = w.trace.queue_depth;
        d.timed = w.trace.replay != host::trace_replay::asap;
    }
    return d;
}

drive_description drive_of(const ssd_config& c, const precondition_result& preconditioning,
                           const std::optional<state_origin>& state)
{
    const flash::geometry& g = c.channel.die.geo;
    drive_description d;
    d.scheme = word_of(c.ftl.scheme);
    d.geometry = geometry_of(c);
    d.load = load_of(c.workload);
    d.load.failed_limit = c.run.failed_limit;
    d.state_watts = c.states.max_power;
    d.submit_ns = static_cast<double>(c.driver.submit_latency.ps()) / 1e3;
    d.tags = c.pcie.tags;
    d.slots = c.nvme.slots;
    d.map_is_paged = map_is_paged(c);
    d.map_share = d.map_is_paged ? map_share_held(c) : 1.0;
    d.merges = places_pages(c);
    d.places = c.ftl.place.is_keyed();
    d.reads_ahead = c.cache->read_ahead != 0;
    d.cache_policy = word_of(c.cache->policy);
    d.map_unit = c.ftl.map_unit;
    d.purposes = (1u << FLASH_PURPOSE_HOST) | (1u << FLASH_PURPOSE_GC) |
                 (1u << FLASH_PURPOSE_WEAR) | (1u << FLASH_PURPOSE_SCAN) |
                 (1u << FLASH_PURPOSE_PRECONDITION);
    d.health = c.channel.die.errors.any() || c.ftl.refresh->reads != 0 ||
               c.ftl.patrol_interval != sim_time() || c.channel.die.shallow_retention != sim_time();
    d.zoned = c.zones->size != 0;
    d.slc_cache = has_slc_cache(c);
    d.host_buffer = has_host_buffer(c);
    d.retention = tracks_retention(c);
    d.predicts = d.retention && c.shallow.policy == shallow_policy::predicted;
    d.retention_speed = c.channel.die.retention_speed;
    d.retry_levels = static_cast<std::uint32_t>(c.channel.die.errors.retry_gain.size());
    d.refresh_reads = c.ftl.refresh->reads;
    d.purposes |= d.health ? 1u << FLASH_PURPOSE_REFRESH : 0u;
    d.purposes |= d.slc_cache ? 1u << FLASH_PURPOSE_FOLD : 0u;
    d.purposes |= d.merges ? 1u << FLASH_PURPOSE_MERGE : 0u;
    d.purposes |= (1u << FLASH_PURPOSE_MAP) | (1u << FLASH_PURPOSE_RECOVERY);
    const double gib = static_cast<double>(logical_bytes(c)) / static_cast<double>(1ull << 30);
    d.rows = {{"capacity", fmt::format("{:.1f} GiB for the host, {:.1f} % over-provisioned", gib,
                                       100.0 * c.ftl.over_provisioning)},
              {"flash",
               fmt::format("{} channels x {} LUNs x {} planes, {} blocks of {} pages of {} KiB{}",
                           c.channels, c.channel.luns, g.planes, g.blocks_per_plane, block_pages(c),
                           static_cast<double>(g.page_size) / 1024,
                           c.write == write_mode::slc ? " in SLC mode" : "")},
              {"host", host_side(c)}};
    if (c.run.reduced != 1) {
        const reduced_error e = error_of_reduced(c);
        d.reduced = {c.run.reduced, e.iops, e.write_amplification};
        d.rows.emplace_back(
            "reduced",
            fmt::format("1/{} of {} blocks of a plane; measured error of IOPS <= {:g} %, "
                        "of WAF <= {:g} %",
                        c.run.reduced, c.whole->channel.die.geo.blocks_per_plane, 100.0 * e.iops,
                        100.0 * e.write_amplification));
    }
    d.memory = memory_of(c, preconditioning);
    if (preconditioning.units_written != 0) {
        d.precondition = figures_of(c, preconditioning);
        d.rows.emplace_back("beforehand",
                            fmt::format("{} units of {} B written by {}, {} pages programmed, {}",
                                        preconditioning.units_written, c.ftl.map_unit,
                                        d.precondition->method, preconditioning.pages,
                                        how_preconditioned(preconditioning, state)));
        if (went_to_settle(preconditioning)) {
            d.rows.emplace_back("", how_settled(preconditioning));
        }
    }
    return d;
}

} // namespace

sink_subject subject_of(const ssd_config& c, const std::string& name,
                        const std::filesystem::path& directory, const command_line& line)
{
    return {name,
            directory,
            c.workload,
            c.channel.die.geo.page_size,
            energy_of_drive(c),
            line.series_interval,
            line.window,
            line.waves,
            line.traced,
            !is_sata(c),
            line.timeline_scopes,
            c.run.sampling.windows != 0 && line.what == command::run};
}

void describe_trace(measurement& m, const std::optional<host::trace_summary>& read,
                    const host::trace_config& asked)
{
    if (read) {
        m.trace = {read->records, asked.repeat, read->out_of_order, read->folded};
        m.drive.rows.emplace_back("trace", trace_text(*m.trace));
    }
}

measurement described(const ssd_config& c, const precondition_result& preconditioning,
                      const std::optional<state_origin>& state)
{
    measurement m;
    m.config_name = c.name;
    m.config_sha256 = config_sha256(c);
    m.version = version;
    m.seed = c.run.seed;
    m.drive = drive_of(c, preconditioning, state);
    for (const host::stream_config& s : c.workload.streams) {
        m.streams.push_back(s.name);
    }
    for (const host::fio_job& job : c.workload.fio.jobs) {
        m.streams.push_back(job.name);
    }
    m.energy = energy_of_drive(c);
    m.state = state;
    return m;
}

} // namespace ssdvp::platform
