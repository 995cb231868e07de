// SPDX-License-Identifier: Apache-2.0
#include "platform/config/boot_block.h"

#include <algorithm>
#include <cmath>

#include "models/flash/die/suspend/suspend_policy.h"
#include "models/regs/channel_regs.h"
#include "models/regs/choices/bplru_reading.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/partition.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {

namespace {

std::uint32_t permille(double share)
{
    return static_cast<std::uint32_t>(std::lround(share * 1000.0));
}

void fill_geometry(boot_params& p, const ssd_config& config)
{
    const flash::geometry& g = config.channel.die.geo;
    p.channels = config.channels;
    p.luns_per_channel = config.channel.luns;
    p.planes = g.planes;
    p.blocks_per_plane = g.blocks_per_plane;
    p.pages_per_block = block_pages(config);
    p.page_size = g.page_size;
    p.oob_size = g.oob_size;
    p.endurance = config.channel.die.endurance;
}

/// The value of a choice that the firmware knows by the same table.
template <class Choice>
std::uint32_t value_of(Choice choice)
{
    return static_cast<std::uint32_t>(choice);
}

/// Mean time of a program in sixteenths of that of a read, at least one.
std::uint32_t program_cost(const ssd_config& config)
{
    const auto mean = [](const std::vector<sim_time>& times) {
        std::uint64_t sum = 0;
        for (const sim_time& t : times) {
            sum += t.ps();
        }
        return std::max<std::uint64_t>(sum / times.size(), 1);
    };
    const flash::array_timing t = part_as_built(config).timing;
    const auto pages = static_cast<std::size_t>(config.channel.die.cell);
    const sim_time passes = flash::pass_time(t, pages, false) + flash::pass_time(t, pages, true);
    const std::uint64_t program = config.channel.die.two_pass ? passes.ps() / pages : mean(t.tPROG);
    const std::uint64_t cost = program * 16 / mean(t.tR);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(cost, 1, 1u << 20));
}

/// Of a power of two.
std::uint32_t exponent_of(std::uint32_t power)
{
    std::uint32_t e = 0;
    while ((1u << e) < power) {
        ++e;
    }
    return e;
}

/// What a policy does not have is 0.
void fill_cache(boot_cache& b, const ssd_config& config)
{
    const cache_config& c = config.cache;
    b.dirty_permille = buffer_dirty_permille(config);
    b.group_units =
        groups_buffer(config) ? static_cast<std::uint32_t>(c.group / config.ftl.map_unit) : 0;
    if (buffer_has(config, CACHE_PREFERS_CLEAN)) {
        b.window_permille = permille(c.window);
        b.window_adapts = c.window_mode == cache_window::adaptive ? 1 : 0;
        b.program_cost = program_cost(config);
    }
    const bool pads = buffer_has(config, CACHE_PADS);
    b.padding = pads && c.padding ? 1 : 0;
    b.compensation = pads && c.compensation ? 1 : 0;
    b.readings = !pads ? 0
                       : (c.victim == bplru_victim::oldest ? BPLRU_OWN_LEAVES : 0) |
                             (c.rewrite == bplru_rewrite::ends ? BPLRU_REWRITE_ENDS : 0);
    // One log block that takes pages in order has place for one block that leaves.
    b.side_by_side = pads && scheme_has(config, SCHEME_ONE_IN_ORDER) ? 1 : 0;
    b.whole_units = c.granularity == cache_unit::page ? 1 : 0;
    b.idle_ns = c.flush_idle.ps() / 1000;
    b.ahead_units = c.read_ahead / config.ftl.map_unit;
}

void fill_policies(boot_params& p, const ssd_config& config)
{
    p.ftl_scheme = value_of(firmware_scheme(config));
    p.placed.page_order = value_of(config.channel.die.order);
    part_of(config).fill(p, config);
    p.map_cache = config.ftl.map_cache;
    p.cache_policy = value_of(config.cache.policy);
    p.cache_capacity = config.cache.capacity;
    fill_cache(p.cache, config);
    p.gc_policy = value_of(config.ftl.gc);
    p.gc_low_permille = permille(config.ftl.gc_threshold);
    p.gc_high_permille = permille(config.ftl.gc_stop);
    p.gc_copyback = config.ftl.gc_copyback ? 1 : 0;
    p.copyback_bits = copyback_bits(config);
    p.wear_static_delta = config.ftl.wear_static_delta;
    p.wear_dynamic = config.ftl.wear_dynamic ? 1 : 0;
    p.trim = config.ftl.trim ? 1 : 0;
    p.multi_plane = config.ftl.multi_plane ? 1 : 0;
    p.stripe = value_of(config.ftl.stripe);
    p.lun_programs = lun_programs(config);
    p.suspend_policy = flash::suspend_policy_id(config.channel.die.suspend.kind);
    p.array_mode = config.write == write_mode::slc ? FLASH_MODE_SLC : FLASH_MODE_NORMAL;
    p.host_program_mode =
        config.write == write_mode::shallow ? std::uint32_t{FLASH_MODE_SHALLOW} : p.array_mode;
    p.suspend_programs = config.channel.die.suspend.programs ? 1 : 0;
    p.word_line =
        config.channel.die.two_pass ? static_cast<std::uint32_t>(config.channel.die.cell) : 0;
}

void fill_retention(boot_params& p, const ssd_config& config)
{
    if (config.write != write_mode::shallow) {
        return;
    }
    boot_retention& r = p.retention;
    const shallow_config& s = config.shallow;
    r.limit_ns = tracks_retention(config) ? firmware_retention_ns(config) : 0;
    r.margin_ns = static_cast<std::uint64_t>(static_cast<double>(r.limit_ns) * s.margin);
    r.policy = value_of(s.policy);
    r.small = static_cast<std::uint32_t>(s.small);
    r.rewrite = s.rewrite ? 1 : 0;
    r.regions = s.regions;
    r.threshold = permille(s.threshold);
}

void fill_slc_cache(boot_params& p, const ssd_config& config)
{
    if (!has_slc_cache(config)) {
        return;
    }
    const slc_cache_config& s = config.ftl.slc;
    p.slc.fixed = static_cast<std::uint32_t>(slc_superblocks(config));
    p.slc.dynamic = static_cast<std::uint32_t>(slc_turning_superblocks(config));
    p.slc.pages = flash::slc_pages(config.channel.die);
    p.slc.policy = value_of(s.policy);
    p.slc.goal_permille = permille(s.goal);
    p.slc.low_permille = permille(s.low);
    p.slc.drain_permille = permille(s.drain);
    p.slc.idle_ns = s.idle.ps() / 1000;
    p.slc.reclaim_permille = permille(s.reclaim);
    p.slc.copyback = s.copyback ? 1 : 0;
    p.slc.close_ns = s.close.ps() / 1000;
    p.slc.endurance = s.endurance;
}

void fill_map(boot_params& p, const ssd_config& config)
{
    p.map.memory = value_of(config.ftl.memory);
    p.map.bank = config.dram.on_chip_size;
    if (has_host_buffer(config)) {
        p.map.preferred = config.ftl.hmb.preferred;
        p.map.minimum = config.ftl.hmb.minimum;
    }
}

void fill_placement(boot_params& p, const ssd_config& config)
{
    const placement_config& place = config.ftl.place;
    const std::uint32_t where = value_of(place.where);
    p.placement = place.is_static() ? value_of(placement_kind::static_order) : where;
    p.place_order = place.is_static() ? where - placement_orders : 0;
    p.place_window = place.window;
    p.dies_per_chip = config.dies_per_chip;
    p.planes_most = planes_most(config);
    p.streams = config.ftl.streams;
    p.lookup = config.nvme.lookup ? 1 : 0;
}

void fill_reliability(boot_params& p, const ssd_config& config)
{
    p.retry_levels = static_cast<std::uint32_t>(config.channel.die.errors.retry_gain.size());
    p.codeword = config.channel.ecc.codeword;
    p.pe_cycles = config.channel.die.pe_cycles;
    p.refresh_bits = config.ftl.refresh.corrected_bits;
    p.refresh_reads = config.ftl.refresh.reads;
    p.refresh_level = config.ftl.refresh.retry_level;
    p.refresh_retire = config.ftl.refresh.retire;
    p.patrol_us = static_cast<std::uint32_t>(config.ftl.patrol_interval.ps() / 1000000);
}

/// Degrees Celsius in kelvins as hosts count them, or in hundredths.
std::uint32_t kelvin(std::uint32_t celsius)
{
    return celsius + 273;
}
std::uint32_t centikelvin(std::uint32_t celsius)
{
    return celsius == 0 ? 0 : kelvin(celsius) * 100;
}

void fill_thermal(boot_params& p, const ssd_config& config)
{
    const heat_config& h = config.heat;
    if (!config.thermal.on && config.states.any()) { /* throttling alone */
        p.thermal.light_programs = permille(h.light_programs);
        p.thermal.heavy_programs = permille(h.heavy_programs);
        p.thermal.clock_exponent = exponent_of(h.clock_divider);
    }
    if (!config.thermal.on) {
        return;
    }
    p.thermal = {1,
                 static_cast<std::uint32_t>(config.thermal.step.ps() / 1000000),
                 kelvin(h.warning),
                 kelvin(h.critical),
                 centikelvin(h.light),
                 centikelvin(h.heavy),
                 centikelvin(h.shutdown),
                 static_cast<std::uint32_t>(std::lround(h.hysteresis * 100.0)),
                 permille(h.light_programs),
                 permille(h.heavy_programs),
                 exponent_of(h.clock_divider),
                 0};
}

/// In 100 uW.
std::uint32_t power_figure(double watts)
{
    return static_cast<std::uint32_t>(std::lround(watts * 1e4));
}

std::uint32_t whole_us(sim_time t)
{
    return static_cast<std::uint32_t>(t.ps() / 1000000);
}

void fill_power(boot_power& b, const power_states_config& states)
{
    if (!states.any()) {
        return;
    }
    b.count = static_cast<std::uint32_t>(states.max_power.size());
    b.operational = states.operational;
    b.step_us = whole_us(states.step);
    for (std::uint32_t i = 0; i < b.count; ++i) {
        b.state[i].max_power = power_figure(states.max_power[i]);
        b.state[i].idle = i < b.operational ? 0 : power_figure(states.idle[i - b.operational]);
        b.state[i].entry_us = whole_us(entry_of(states, i));
        b.state[i].exit_us = whole_us(exit_of(states, i));
    }
}

void fill_cores(boot_params& p, const ssd_config& config)
{
    const std::vector<std::uint32_t> roles = roles_of_cores(config);
    p.cores = static_cast<std::uint32_t>(roles.size());
    std::copy(roles.begin(), roles.end(), p.core_roles);
}

void fill_partition(boot_params& p, const ssd_config& config, std::uint32_t index)
{
    const std::uint32_t count = config.ftl_cores;
    p.user_units = user_units(config) / count;
    if (!is_divided(config)) {
        return;
    }
    p.partition.count = count;
    p.partition.index = index;
    p.partition.stripe_shift = exponent_of(static_cast<std::uint32_t>(stripe_bytes / sector_size));
    p.partition.channel = index * p.channels;
    p.partition.sram = index * p.sram_size;
    p.partition.dram = index * p.dram_size;
}

} // namespace

std::vector<std::uint32_t> roles_of_cores(const ssd_config& config)
{
    constexpr std::uint32_t h = BOOT_ROLE_HOST;
    constexpr std::uint32_t t = BOOT_ROLE_FTL;
    constexpr std::uint32_t f = BOOT_ROLE_FLASH;
    if (is_divided(config)) {
        std::vector<std::uint32_t> roles(config.ftl_cores + 1, t | f);
        roles[0] = h;
        return roles;
    }
    switch (config.roles) {
    case core_roles::host_apart:
        return {h, t | f};
    case core_roles::flash_apart:
        return {h | t, f};
    case core_roles::ftl_apart:
        return {h | f, t};
    case core_roles::each_apart:
        return {h, t, f};
    case core_roles::together:
        break;
    }
    return {BOOT_ROLE_ALL};
}

boot_params make_boot_params(const ssd_config& drive, std::uint32_t partition)
{
    const ssd_config config = partition_of(drive);
    boot_params p{};
    p.magic = BOOT_PARAMS_MAGIC;
    p.version = BOOT_PARAMS_VERSION;
    p.sram_size = sram_window(config);
    p.dram_size = service_buffer(config);
    p.map_unit = config.ftl.map_unit;
    p.checkpoint_units = std::max<std::uint64_t>(config.ftl.checkpoint_interval / p.map_unit, 1);
    p.queue_pairs = config.nvme.queue_pairs;
    p.host_interface = value_of(config.driver.interface);
    p.mdts = config.max_transfer;
    p.data_mode = static_cast<std::uint32_t>(config.data);
    p.zones = {config.zones.size,
               config.zones.capacity,
               config.zones.open,
               config.zones.active,
               config.zones.read_across ? 1u : 0u,
               0};
    fill_geometry(p, config);
    fill_policies(p, config);
    fill_placement(p, config);
    fill_reliability(p, config);
    fill_retention(p, config);
    fill_thermal(p, config);
    fill_power(p.power, config.states);
    fill_slc_cache(p, config);
    fill_map(p, config);
    fill_cores(p, drive);
    fill_partition(p, drive, partition);
    return p;
}

} // namespace ssdvp::platform
