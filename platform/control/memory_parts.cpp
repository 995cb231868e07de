// SPDX-License-Identifier: Apache-2.0
//
// What a run takes of the host's address space, part by part. What depends on the requests that
// come is counted as far as the configuration tells; beyond that a mapping that fails ends the run.
#include <algorithm>
#include <sys/resource.h>

#include "models/cpu/native_core.h"
#include "models/flash/die/cell_array.h"
#include "models/host/driver/driver.h"
#include "models/host/raid/stripe.h"
#include "models/host/shadow/shadow.h"
#include "platform/config/derived.h"
#include "platform/control/array_run.h"
#include "platform/control/memory_plan.h"
#include "platform/control/precondition.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t slot_tables = 512;   // of a command in the driver and its ledger, at most
constexpr std::uint64_t arena = 64ull << 20; // that the C library reserves for a thread

/// With the driver's copy of what each sector of a read may hold.
std::uint64_t transfers(const ssd_config& c)
{
    constexpr std::uint64_t page = 4096;
    const std::uint64_t most = std::min<std::uint64_t>(c.max_transfer, 1u << 20);
    const std::uint64_t entries = std::uint64_t{c.driver.queue_pairs} * c.driver.queue_entries;
    const std::uint64_t seen = most / 512 * sizeof(std::uint32_t);
    // SATA: on both sides.
    return is_sata(c) ? 2 * 32 * (c.driver.sata.max_transfer + page + seen)
                      : host::driver::queue_memory(c.driver) +
                            entries * (most + page + most / 512 * c.driver.metadata.bytes + seen +
                                       slot_tables);
}

/// Units that requests of the streams write, where their number is known.
std::uint64_t units_of_run(const ssd_config& c)
{
    const std::uint64_t of_run = c.run.requests == 0 ? 0 : c.run.requests + c.run.warmup_requests;
    double most = 0.0; // of a request
    double own = 0.0;
    for (const host::stream_config& s : c.workload.streams) {
        const std::uint64_t units = (s.block_size + c.ftl.map_unit - 1) / c.ftl.map_unit;
        const double written = (1.0 - s.read_fraction) * static_cast<double>(units);
        most = std::max(most, written);
        own += static_cast<double>(s.requests) * written;
    }
    return static_cast<std::uint64_t>(of_run == 0 ? own : static_cast<double>(of_run) * most);
}

/// Of units, or of 4 KiB where units are larger: their sectors come to be of several versions.
bool writes_parts(const ssd_config& c)
{
    const std::uint64_t piece = std::min(std::uint64_t{c.ftl.map_unit}, std::uint64_t{4096});
    return std::any_of(c.workload.streams.begin(), c.workload.streams.end(),
                       [&](const host::stream_config& s) {
                           return s.read_fraction < 1.0 && s.block_size % piece != 0;
                       });
}

bool settles(const ssd_config& c)
{
    return c.precondition.fill > 0.0 && overwriting_until(c) == precondition_until::settled;
}

/// What settles has a table of places, whose addresses have whole bits for each part of them.
std::uint64_t places_table(const ssd_config& c)
{
    const auto whole = [](std::uint64_t count) {
        std::uint64_t power = 1;
        while (power < count) {
            power *= 2;
        }
        return power;
    };
    const flash::geometry& geo = c.channel.die.geo;
    const std::uint64_t luns = whole(std::uint64_t{c.channels} * c.channel.luns / c.ftl_cores);
    return geo.blocks_per_plane * block_pages(c) * luns * whole(geo.planes) *
           whole(geo.page_size / c.ftl.map_unit) * c.ftl_cores * sizeof(std::uint32_t);
}

/// Of one die, when the run ends: superblocks are spread over all of them.
flash::cells_in_use cells_in_use(const ssd_config& c)
{
    constexpr std::uint64_t units_per_journal_page = 16; // fewer have not been seen in long runs
    constexpr std::uint64_t packed_map = 8; // of pages that count up, at worst (metadata_cells.h)
    const flash::geometry& geo = c.channel.die.geo;
    const std::uint64_t luns = std::uint64_t{c.channels} * c.channel.luns;
    const std::uint64_t of_superblock = superblock_luns(c) * superblock_planes(c);
    const std::uint64_t overwrites =
        units_to_overwrite(c) + (settles(c) ? physical_units(c) : 0); // to the last superblock
    const std::uint64_t late = units_of_run(c);
    const std::uint64_t data = (units_to_fill(c) + overwrites + late) / superblock_units(c) + 1;
    const firmware_needs needs = needs_of(c);
    const std::uint64_t taken = std::min(superblocks(c), data + needs.open + needs.overhead);
    flash::cells_in_use used;
    used.blocks = std::min(std::uint64_t{geo.planes} * geo.blocks_per_plane,
                           taken * of_superblock / luns + 1);
    const std::uint64_t pages = used.blocks * block_pages(c);
    used.versions = std::min(pages, late / luns + 1);
    used.scattered = overwrites != 0 ? pages : 0;
    used.mixed = writes_parts(c) ? late / luns + 1 : 0;
    const std::uint64_t of_maps = needs.overhead * of_superblock * block_pages(c);
    // A fill ends with the whole map on flash; in the order of addresses it is packed.
    const std::uint64_t of_fill = units_to_fill(c) == 0 ? 0 : whole_map_bytes(c) / geo.page_size;
    const std::uint64_t whole = overwrites != 0 ? of_fill : of_fill / packed_map;
    used.metadata = std::min(of_maps, whole + late / units_per_journal_page) / luns + 1;
    return used;
}

} // namespace

std::vector<memory_part> memory_parts(const ssd_config& c, bool session)
{
    const std::uint64_t sectors = host_bytes(c) / 512;
    const std::uint64_t luns = std::uint64_t{c.channels} * c.channel.luns;
    std::vector<memory_part> parts = {
        {"the drive's DRAM (dram.capacity)", c.dram.capacity},
        {"the drive's SRAM (sram.capacity)", c.sram_size},
        {"the firmware's stacks (cpu.cores)",
         c.cores * (cpu::native_core::stack_size + cpu::native_core::stack_guard)},
        {"what the flash holds (nand, precondition)",
         luns * flash::cell_array::address_space(c.channel.die, cells_in_use(c))},
    };
    if (c.driver.guest) {
        return parts;
    }
    parts.push_back({"the driver's buffers (host.driver.queue_entries)", transfers(c)});
    if (c.driver.data != data_mode::none) {
        parts.push_back({"the check of what the host reads (data)",
                         host::shadow::address_space(sectors, c.power.any())});
    }
    if (settles(c)) {
        parts.push_back({"the table of places (precondition.until)", places_table(c)});
    }
    if (session) {
        parts.push_back({"the check of what clients read", sectors * sizeof(std::uint64_t)});
    }
    return parts;
}

memory_part memory_of_threads(std::size_t threads)
{
    rlimit l{};
    const bool known = getrlimit(RLIMIT_STACK, &l) == 0 && l.rlim_cur != RLIM_INFINITY;
    const std::uint64_t stack = known ? l.rlim_cur : 8ull << 20;
    return {"the threads of the drives", threads * (stack + arena)};
}

memory_part memory_of_array(const named_array& a, const ssd_config& member)
{
    const array_requests most = requests_of(a.workload);
    const std::uint64_t sectors =
        host::array_capacity(a.config, a.members.size(), host_bytes(member) / 512);
    return {a.config.name + ": its buffers, and the check of what the host reads",
            2ull * most.slots * most.sectors * 512 + host::shadow::address_space(sectors, false)};
}

} // namespace ssdvp::platform
