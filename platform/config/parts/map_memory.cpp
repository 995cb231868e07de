// SPDX-License-Identifier: Apache-2.0
//
// Memory of the map that is not DRAM: SRAM, and memory that the host lends.
#include <fmt/format.h>

#include "models/regs/parts/map.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/parts/figures.h"
#include "platform/config/parts/part.h"

namespace ssdvp::platform {

namespace {

using namespace units;

static_assert(static_cast<int>(map_memory::dram) == BOOT_MAP_DRAM &&
              static_cast<int>(map_memory::sram) == BOOT_MAP_SRAM &&
              static_cast<int>(map_memory::hmb) == BOOT_MAP_HMB);

constexpr std::uint64_t lent_page = 4096; // CC.MPS

option of_host_buffer(option o)
{
    return acts_when<ssd_config>(std::move(o), has_host_buffer, "ftl.map_memory is hmb",
                                 "use ftl.map_memory: hmb, or remove it");
}

/// What others have, all in memory, lies in DRAM.
option of_paged_map(option o)
{
    o.relevant = map_is_paged;
    o.relevant_when = "ftl.scheme is dftl, vm_map or log_set";
    return o;
}

option of_removal(option o)
{
    return acts_when<ssd_config>(
        std::move(o),
        [](const ssd_config& c) { return has_host_buffer(c) && c.driver.hmb.away != sim_time(); },
        "host.nvme.hmb.away is above 0s", "give host.nvme.hmb.away");
}

/// Of the host's key and of the drive's, whichever was given.
const char* lending_key(const raw_tree& raw)
{
    return raw.values.count("host.nvme.hmb.size") != 0 ? "host.nvme.hmb.size" : "ftl.hmb.minimum";
}

void check_lending(const rejection& reject, const raw_tree& raw, const ssd_config& c)
{
    const host::hmb_grant& lent = c.driver.hmb;
    if (lent.size != 0 && lent.size < c.ftl.hmb.minimum) {
        reject(lending_key(raw),
               fmt::format("{} that the host lends are less than the {} that the drive can use "
                           "(HMMIN)",
                           format_size(lent.size), format_size(c.ftl.hmb.minimum)),
               "use a larger host.nvme.hmb.size, 0B, or a smaller ftl.hmb.minimum");
    }
    if (lent.chunk % lent_page != 0 || lent.size % lent_page != 0) {
        reject(lent.chunk % lent_page != 0 ? "host.nvme.hmb.chunk" : "host.nvme.hmb.size",
               "descriptors count memory pages of 4KiB", "use a multiple of 4KiB");
    }
    if (lent.chunk < c.ftl.map_unit) {
        reject("host.nvme.hmb.chunk",
               fmt::format("{} hold no map page of {} (HMMINDS)", format_size(lent.chunk),
                           format_size(c.ftl.map_unit)),
               "use a larger one");
    }
}

std::vector<option> map_memory_options()
{
    return {
        of_paged_map(basic(make_option<ssd_config>(
            {"ftl.map_memory", "dram",
             "memory of a map that ftl.scheme pages, and of what is cached of it: DRAM; SRAM, of "
             "sram.capacity; hmb: SRAM, with copies of map pages in memory that the host lends"},
            words({{"dram", static_cast<int>(map_memory::dram)},
                   {"sram", static_cast<int>(map_memory::sram)},
                   {"hmb", static_cast<int>(map_memory::hmb)}}),
            FIELD(ftl.memory)))),
        of_host_buffer(make_option<ssd_config>(
            {"ftl.hmb.preferred", "64MiB",
             "memory that the drive asks the host for (HMPRE), no more than its map takes"},
            size_of(32 * KiB, 64 * GiB), FIELD(ftl.hmb.preferred))),
        of_host_buffer(make_option<ssd_config>(
            {"ftl.hmb.minimum", "64KiB", "less than that it does not use (HMMIN)"},
            size_of(0, 64 * GiB), FIELD(ftl.hmb.minimum))),
        of_host_buffer(make_option<ssd_config>(
            {"host.nvme.hmb.size", "128MiB",
             "memory that the host's driver lends at most, as Linux does; 0B: none"},
            size_of(0, 16 * GiB), FIELD(driver.hmb.size))),
        of_host_buffer(
            make_option<ssd_config>({"host.nvme.hmb.chunk", "4MiB",
                                     "pieces in which the host lends memory, a descriptor each"},
                                    size_of(4 * KiB, GiB), FIELD(driver.hmb.chunk))),
        of_host_buffer(make_option<ssd_config>(
            {"host.nvme.hmb.away", "0s",
             "after the drive is ready, when the driver takes the memory back; 0s: never"},
            time_of(0, 3600 * s), FIELD(driver.hmb.away))),
        of_host_buffer(make_option<ssd_config>(
            {"host.nvme.hmb.overwrite", "0s",
             "after the drive is ready, when the host writes over memory that it has lent, which "
             "it must not; 0s: never"},
            time_of(0, 3600 * s), FIELD(driver.hmb.overwrite))),
        of_removal(make_option<ssd_config>(
            {"host.nvme.hmb.back", "0s", "after that, when it lends the memory again; 0s: never"},
            time_of(0, 3600 * s), FIELD(driver.hmb.back))),
    };
}

} // namespace

bool map_is_on_chip(const ssd_config& c)
{
    return c.ftl.memory != map_memory::dram;
}

bool has_host_buffer(const ssd_config& c)
{
    return c.ftl.memory == map_memory::hmb;
}

namespace {

void check_map_memory(const raw_tree& raw, const ssd_config& c)
{
    const rejection reject{raw};
    if (!map_is_on_chip(c)) {
        return;
    }
    if (!map_is_paged(c)) {
        reject("ftl.map_memory", "the whole map of this scheme is in memory: none is cached",
               "use ftl.scheme: dftl, vm_map or log_set, or ftl.map_memory: dram");
    }
    if (!has_host_buffer(c)) {
        return;
    }
    if (is_sata(c)) {
        reject("ftl.map_memory", "a SATA host lends no memory",
               "use host.interface: nvme, or ftl.map_memory: sram");
    }
    if (c.ftl.hmb.preferred < c.ftl.hmb.minimum) {
        reject("ftl.hmb.minimum",
               fmt::format("{} are more than the {} that the drive asks for",
                           format_size(c.ftl.hmb.minimum), format_size(c.ftl.hmb.preferred)),
               "use a smaller one, or a larger ftl.hmb.preferred");
    }
    check_lending(reject, raw, c);
}

void complete_map_memory(const raw_tree& /*raw*/, ssd_config& c, preset_fit& /*fit*/)
{
    c.driver.hmb.on = has_host_buffer(c);
}

void fill_map_memory(boot_params& p, const ssd_config& c)
{
    p.map.memory = value_of(c.ftl.memory);
    p.map.bank = c.dram.on_chip_size;
    if (has_host_buffer(c)) {
        p.map.preferred = c.ftl.hmb.preferred;
        p.map.minimum = c.ftl.hmb.minimum;
    }
}

} // namespace

const config_part parts::map_memory = {map_memory_options, complete_map_memory, check_map_memory,
                                       fill_map_memory};

} // namespace ssdvp::platform
