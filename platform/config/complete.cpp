// SPDX-License-Identifier: Apache-2.0
//
// What a configuration leaves open and other keys decide.
#include <algorithm>

#include <fmt/format.h>

#include "models/flash/bus/interface_modes.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/option.h"
#include "platform/config/rules.h"
#include "platform/config/schemes/scheme_part.h"

namespace ssdvp::platform {
namespace {

using flash::rates_of;

bool unlimited(const host::stream_config& s)
{
    return s.requests == 0 && s.duration.ps() == 0;
}

/// What schemes of logical blocks are made for.
void complete_blocks(const raw_tree& raw, ssd_config& c)
{
    const auto given = [&](const char* key) { return raw.values.count(key) != 0; };
    const bool blocks = places_pages(c);
    if (!given("ftl.map_unit")) {
        const std::uint32_t page = c.channel.die.geo.page_size;
        c.ftl.map_unit = blocks ? page : std::min(4096u, page);
    }
    if (!given("ftl.stripe")) {
        c.ftl.stripe = blocks ? superblock_stripe::block : superblock_stripe::drive;
    }
    if (!given("ftl.placement") && planes_are_apart(c)) {
        c.ftl.place.where = placement_kind::round_robin;
    }
    part_of(c).complete(raw, c);
}

/// What the driver knows of streams, and names for those that have none.
void complete_streams(ssd_config& c)
{
    auto& streams = c.workload.streams;
    c.driver.stream_priorities.clear();
    c.driver.stream_ids.clear();
    for (const host::stream_config& s : streams) {
        c.driver.stream_priorities.push_back(s.priority);
        c.driver.stream_ids.push_back(s.stream_id);
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
        if (streams[i].name.empty()) {
            streams[i].name = fmt::format("stream{}", i);
        }
    }
}

void complete_buffer(const raw_tree& raw, ssd_config& c, preset_fit& fit)
{
    if (raw.values.count("cache.capacity") == 0) {
        c.cache.capacity = doubled_to("cache.capacity", c.cache.capacity, buffer_bytes_needed(c));
    }
    if (!buffer_has(c, CACHE_BUFFERS)) {
        c.cache.capacity = 0;
    }
    fit.buffer(c);
    if (raw.values.count("cache.group") == 0) {
        c.cache.group = buffer_group_units(c) * c.ftl.map_unit;
    }
}

} // namespace

std::uint64_t doubled_to(const char* key, std::uint64_t size, std::uint64_t needed)
{
    const std::uint64_t most = find_option(option_table(), key)->spec.max;
    while (size < needed && size <= most / 2) {
        size *= 2;
    }
    return size;
}

void complete(const raw_tree& raw, ssd_config& c, preset_fit& fit)
{
    const auto given = [&](const char* key) { return raw.values.count(key) != 0; };
    auto& die = c.channel.die;
    c.erase_loop_given = given("flash.erase.loop_time");
    complete_sata(c);
    complete_blocks(raw, c);
    complete_shallow(raw, c);
    if (!given("nand.interface.rate")) {
        c.channel.bus.transfer_rate = rate(rates_of(c.channel.bus.mode).usual);
    }
    fit.interface_rate(c);
    if (!given("nand.oob_size")) {
        die.geo.oob_size = usual_oob_size(c);
    }
    fit.spare_area(c);
    if (!given("host.driver.queue_entries")) {
        c.driver.queue_entries = c.nvme.queue_entries;
    }
    if (!given("name")) {
        c.name = raw.name.empty() ? "default" : raw.name;
    }
    complete_buffer(raw, c, fit);
    complete_map(raw, c);
    if (!given("ftl.checkpoint_interval")) {
        const std::uint64_t least =
            std::max<std::uint64_t>(16ull << 20, 16 * bytes_between_passes(c));
        c.ftl.checkpoint_interval = std::clamp<std::uint64_t>(
            logical_bytes(c) / 64, least, std::max<std::uint64_t>(least, 8ull << 30));
    }
    complete_cores(raw, c);
    complete_zones(c);
    complete_dram(raw, c);
    complete_pcie(raw, c);
    complete_timing(raw, c);
    c.nvme.vectors = c.nvme.queue_pairs + 1; // one per I/O completion queue, one for admin
    die.data = c.data;
    c.nvme.data = c.data;
    c.driver.data = c.data;
    die.stored_oob = 8 * (1 + die.geo.page_size / c.ftl.map_unit); // firmware/flash/spare.h
    complete_ecc(raw, c);
    if (!given("energy.link.generation")) {
        c.energy.link_generation = c.pcie.generation;
    }
    if (!given("thermal.start")) {
        c.thermal.start = c.thermal.ambient;
    }
    c.driver.hmb.on = has_host_buffer(c);
    c.thermal.on = c.heat_model == thermal_model::rc;
    complete_power_states(raw, c);
    complete_snap_read(raw, c);
    die.seed = c.run.seed;
    die.slc_endurance = has_slc_cache(c) ? c.ftl.slc.endurance : 0;
    complete_streams(c);
    const auto& streams = c.workload.streams;
    const bool endless = std::any_of(streams.begin(), streams.end(), unlimited);
    if (!given("run.requests") && endless && c.run.duration.ps() == 0 &&
        c.run.until == run_until::limit) {
        c.run.requests = 500000;
    }
}

} // namespace ssdvp::platform
