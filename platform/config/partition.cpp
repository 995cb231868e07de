// SPDX-License-Identifier: Apache-2.0
#include "platform/config/partition.h"

#include <fmt/format.h>

#include "models/regs/memory_map.h"
#include "models/regs/parts/zones.h"
#include "platform/config/boot_block.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/cache.h"
#include "platform/config/parts/slc.h"
#include "platform/config/rules.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t slice_page = 4096; // parts of memories are whole pages

std::uint64_t share_up(std::uint64_t all, std::uint64_t parts)
{
    return (all + parts - 1) / parts;
}

/// What several FTLs behind one stream of commands cannot do, or have not been seen to do.
struct obstacle {
    bool there;
    const char* what;
    const char* remedy;
};

std::vector<obstacle> obstacles(const ssd_config& c)
{
    return {
        {is_sata(c), "commands are divided by the NVMe front end's core",
         "use host.interface: nvme"},
        {c.ftl.scheme != ftl_scheme::page_map && c.ftl.scheme != ftl_scheme::dftl,
         "only ftl.scheme page_map and dftl have been seen to run so", "use one of these"},
        {superblocks_are_narrow(c) || !c.ftl.place.is_stripe(),
         "a partition stripes its superblocks over its channels",
         "use ftl.stripe: drive and ftl.placement: stripe"},
        {c.write == write_mode::shallow,
         "how long data are kept is told by whole commands, and a partition sees parts of them",
         "use write.mode: normal or slc"},
        {map_is_on_chip(c), "the part of SRAM that the map has is in one piece",
         "use ftl.map_memory: dram"},
        {c.nvme.lookup, "the look-up engine reads one map, and there is one for each partition",
         "use host.nvme.lookup: false"},
        {c.zones->size != 0, "a zone would lie in several partitions, each with a write pointer",
         "leave host.nvme.zns.zone_size out"},
        {c.driver.metadata.bytes != 0, "formats of a namespace are those of one FTL",
         "use host.nvme.metadata.bytes: 0"},
        {c.ftl.streams != 0, "streams of the host are those of one FTL", "use ftl.streams: 0"},
        {c.thermal.on, "throttling is ordered by one FTL", "use thermal.model: off"},
        {c.states.any(), "power states are those of one FTL", "leave power.states.max_power out"},
    };
}

} // namespace

ssd_config partition_of(const ssd_config& drive)
{
    if (!is_divided(drive)) {
        return drive;
    }
    const std::uint64_t count = drive.ftl_cores;
    ssd_config p = drive;
    p.ftl_cores = 1;
    p.channels = drive.channels / drive.ftl_cores;
    p.cache->capacity = drive.cache->capacity / count;
    p.ftl.map_cache = drive.ftl.map_cache / count;
    p.ftl.checkpoint_interval = drive.ftl.checkpoint_interval / count;
    p.ftl.slc->fixed = share_up(drive.ftl.slc->fixed, count);
    p.ftl.slc->dynamic = share_up(drive.ftl.slc->dynamic, count);
    p.sram_size = sram_window(drive) / count / slice_page * slice_page;
    p.dram.capacity = service_buffer(drive) / count / slice_page * slice_page + service_buffer_size;
    return p;
}

firmware_needs needs_of_partitions(const firmware_needs& one, std::uint32_t count)
{
    const auto slices = [count](std::uint64_t bytes) {
        return share_up(bytes, slice_page) * slice_page * count;
    };
    firmware_needs all = one;
    all.sram = slices(one.sram);
    all.dram = slices(one.dram);
    for (std::uint64_t firmware_needs::*of :
         {&firmware_needs::superblocks, &firmware_needs::open, &firmware_needs::overhead,
          &firmware_needs::gc_low, &firmware_needs::gc_high}) {
        all.*of *= count;
    }
    for (memory_share& s : all.shares) {
        s.sram *= count;
        s.dram *= count;
    }
    return all;
}

void check_partitions(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (!is_divided(c)) {
        return;
    }
    const char* const key = "cpu.ftl_cores";
    if (c.channels % c.ftl_cores != 0) {
        reject(key,
               fmt::format("{} partitions do not divide {}", c.ftl_cores,
                           told(raw, c, "flash.channels")),
               fmt::format("use a flash.channels that is a multiple of {}, or fewer cores",
                           c.ftl_cores));
    }
    if (c.channels > IRQ_CHANNEL_LINES) {
        reject(
            key,
            fmt::format("{} is more than the {} that have an interrupt line of their own",
                        told(raw, c, "flash.channels"), IRQ_CHANNEL_LINES),
            fmt::format("use flash.channels: {} or less, or cpu.ftl_cores: 1", IRQ_CHANNEL_LINES));
    }
    for (const obstacle& o : obstacles(c)) {
        if (o.there) {
            reject(key, fmt::format("{} partitions: {}", c.ftl_cores, o.what),
                   fmt::format("{}, or cpu.ftl_cores: 1", o.remedy));
        }
    }
    if (c.cores != c.ftl_cores + 1) {
        reject("cpu.cores",
               fmt::format("{}, but {} take one each, and the role host one more", c.cores,
                           told(raw, c, key)),
               fmt::format("use cpu.cores: {}, or leave it out", c.ftl_cores + 1));
    }
    if (c.roles != core_roles::host_apart) {
        reject("cpu.roles", "cores of partitions have the roles ftl and flash, another one host",
               "use cpu.roles: host_apart, or leave it out");
    }
}

} // namespace ssdvp::platform
