// SPDX-License-Identifier: Apache-2.0
//
// What firmware takes from its arenas, take by take: a drive that passes here also boots.
#include <algorithm>

#include "firmware/flash/reserve.h"
#include "models/regs/boot_params.h"
#include "models/regs/channel_regs.h"
#include "models/regs/nvme_fe_regs.h"
#include "platform/config/choices.h"
#include "platform/config/derived.h"

namespace ssdvp::platform {
namespace {

// Sizes of the firmware's structures (tests/system/memory_budget_test.cpp).
constexpr std::uint64_t link = 4;
constexpr std::uint64_t superblock_bytes = 72 + link;
constexpr std::uint64_t request_bytes = 72 + link;
constexpr std::uint64_t chain_link = 8;
constexpr std::uint64_t slot_bytes = 56 + 2 * chain_link + link; // state, two chains, free list
constexpr std::uint64_t arrival_bytes = 16 + link;
constexpr std::uint64_t cache_member_bytes = 8;
constexpr std::uint64_t cache_group_bytes = 32;
constexpr std::uint64_t gc_unit_bytes = 16 + link;
constexpr std::uint64_t segment_entry_bytes = 24;
constexpr std::uint64_t segment_slot_bytes = 40;
constexpr std::uint64_t segment_move_bytes = 32;
constexpr std::uint64_t map_block_bytes = 16;
constexpr std::uint64_t map_out_bytes = 16 + link;
constexpr std::uint64_t log_entry_bytes = 16;
constexpr std::uint64_t merge_bytes = 112;
constexpr std::uint64_t block_slot_bytes = 16;
constexpr std::uint64_t fold_bytes = 56;
constexpr std::uint64_t command_bytes = 64 + 4 * link;
constexpr std::uint64_t lun_queue_bytes = 32;
constexpr std::uint64_t event_bytes = 80; // messages between cores, firmware/drv/cores.h
constexpr std::uint64_t order_bytes = 56;
constexpr std::uint64_t operation_bytes = 8;
constexpr std::uint64_t controls = 64;    // messages that are neither command nor move
constexpr std::uint64_t spare_reads = 64; // that the host role keeps
constexpr std::uint64_t retained_bytes = 16 + chain_link;
constexpr std::uint64_t region_bytes = 2;
constexpr std::uint64_t drive_state_bytes = 1416; // firmware/recovery/drive_state.h
constexpr std::uint64_t controller_bytes = 7768;  // struct nvme, firmware/hil/controller.h
constexpr std::uint64_t zones_bytes = 352;        // struct zones, firmware/hil/zones.h
constexpr std::uint64_t zone_bytes = 8;
constexpr std::uint64_t firmware_state = 13 * 1024;       // struct fw
constexpr std::uint64_t stagings = 4, staging_bytes = 88; // firmware/hil/metadata.h
constexpr std::uint64_t protection_bytes = 16;

constexpr std::uint64_t park_buckets = 1024;
constexpr std::uint64_t map_reads = 2; // beside one per LUN
constexpr std::uint64_t meta_buffers = 16 * 4096;
constexpr std::uint64_t checkpoint_programs_least = 64;
constexpr std::uint64_t completions_unreturned = 128;
constexpr std::uint64_t move_entries = 512;
constexpr std::uint64_t done_entries = 1024;
constexpr std::uint64_t service_buffer = 128 * 1024; // at the end of DRAM, not firmware's

unsigned bits_for(std::uint64_t values)
{
    unsigned bits = 0;
    while ((1ull << bits) < values) {
        ++bits;
    }
    return bits;
}

std::uint64_t divided_up(std::uint64_t a, std::uint64_t b)
{
    return (a + b - 1) / b;
}

/// Takes are aligned to cache lines; tables that stay untouched until used, and buffers, to pages.
class arena {
public:
    void take(std::uint64_t bytes) { m_bytes += divided_up(bytes, 64) * 64; }
    void take_pages(std::uint64_t bytes) { m_bytes += divided_up(bytes, 64) * 64 + 4096; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }

private:
    std::uint64_t m_bytes = 0;
};

struct sizes {
    std::uint64_t luns, planes; // of a superblock
    std::uint64_t unit, page, group, slots, transfer;
    std::uint64_t part_luns, part_planes;
    std::uint64_t reads;    // page buffers: host reads that are in the flash at a time
    std::uint64_t programs; // of firmware on a LUN at a time
};

sizes sizes_of(const ssd_config& c)
{
    sizes s{};
    s.luns = superblock_luns(c);
    s.planes = superblock_planes(c);
    s.part_luns = std::uint64_t{c.channels} * c.channel.luns;
    s.part_planes = c.channel.die.geo.planes;
    s.unit = c.ftl.map_unit;
    s.page = c.channel.die.geo.page_size;
    s.group = std::max<std::uint64_t>(group_units(c), 1); // may be 0 before it is checked
    s.slots = front_end_slots(c);
    s.transfer = c.max_transfer / s.unit;
    s.reads = std::clamp<std::uint64_t>(s.slots, 64, 1024);
    s.programs = lun_programs(c);
    return s;
}

/// firmware/flash/blocks.c
void take_blocks(arena& a, const ssd_config& c, const sizes& s)
{
    const std::uint64_t blocks = superblocks(c) * s.luns * s.planes;
    a.take(superblocks(c) * superblock_bytes + 64);
    a.take(superblocks(c) * s.luns);
    a.take(superblocks(c) * s.luns);
    a.take_pages(unit_addresses(c) / 8 + 16);
    for (std::uint64_t stream = 0; stream < write_streams(c) + c.ftl.streams; ++stream) {
        a.take(s.luns * ANCHOR_POINTER_BYTES);
        a.take(s.luns * s.planes * 2);
    }
    if (!c.ftl.place.is_stripe()) { // firmware/flash/lanes.c
        const std::uint64_t lanes = place_lanes(c);
        for (unsigned table = 0; table < 3; ++table) {
            a.take(lanes * 2);
        }
        a.take(place_superblocks(c) * ANCHOR_LANES_BYTES);
        a.take(place_superblocks(c) * lanes * 2);
        a.take(place_superblocks(c) * 4);
        a.take(place_superblocks(c) * lanes * 2);
        a.take((c.channels + s.luns) * 4);
    }
    a.take(c.ftl.refresh.reads != 0 ? blocks * 4 : 0);
    a.take(c.ftl.refresh.retire != 0 ? blocks : 0);
}

/// firmware/flash/retention.c: a stamp per page address
void take_retention(arena& a, const ssd_config& c)
{
    if (!tracks_retention(c)) {
        return;
    }
    const std::uint64_t slots = 1ull << bits_for(c.channel.die.geo.page_size / c.ftl.map_unit);
    a.take(superblocks(c) * retained_bytes + 64);
    a.take(RETENTION_WHEEL * chain_link);
    a.take_pages(unit_addresses(c) / slots);
    if (c.shallow.policy == shallow_policy::predicted) {
        a.take_pages(c.shallow.regions * region_bytes);
    }
}

/// Requests of firmware that are no reads of the host.
std::uint64_t background_requests(const ssd_config& c, const sizes& s)
{
    const std::uint64_t luns = s.part_luns;
    const std::uint64_t quarter = std::max<std::uint64_t>(luns / 4, 1);
    return (1 + s.programs) * luns + 2 * luns * s.part_planes + luns + quarter + 2 * luns +
           (c.ftl.gc_copyback ? 2 * luns : 0) + map_reads + luns + quarter + ANCHOR_COPIES +
           (scheme_has(c, SCHEME_HAS_SEGMENTS) ? SEGMENT_REQUESTS : 0) +
           (maps_blocks(c) ? 2 * MERGE_DEPTH * merges(c) : 0) +
           (places_pages(c) ? 2 * folds(c) : 0);
}

/// firmware/drv/cores.c
void take_mailboxes(arena& a, const ssd_config& c, const sizes& s)
{
    if (c.roles == core_roles::together) {
        return;
    }
    const auto mailbox = [&a](std::uint64_t least, std::uint64_t bytes) {
        a.take((1ull << bits_for(least)) * bytes);
    };
    const std::uint64_t operations = s.reads + background_requests(c, s);
    if (c.roles != core_roles::flash_apart) {
        mailbox(2 * s.slots + move_entries + controls + spare_reads, event_bytes);
        mailbox(move_entries + controls, order_bytes);
    }
    if (c.roles != core_roles::host_apart) {
        mailbox(operations, operation_bytes);
        mailbox(operations, sizeof(flash_completion));
    }
}

/// firmware/flash/flash.c
void take_flash(arena& a, const ssd_config& c, const sizes& s)
{
    const std::uint64_t background = background_requests(c, s);
    a.take((s.reads + background) * request_bytes + 64);
    a.take(background * s.group * 8);
    a.take(background * (s.group + s.planes) * 8);
    a.take_pages(s.reads * s.page);
}

/// firmware/ftl/segments.c, and level 1 of firmware/ftl/maps.c
void take_segments(arena& a, const ssd_config& c, const sizes& s)
{
    const std::uint64_t pages = map_level_units(c).front();
    const std::uint64_t slots = segments_in_dram(c);
    a.take(pages);
    a.take(pages * 4);
    a.take_pages(slots * segment_bytes(c));
    a.take(map_segments(c) * (segment_entry_bytes + link) + 64);
    a.take(slots * (segment_slot_bytes + 5 * link) + 3 * 64);
    a.take(map_blocks(c) * (map_block_bytes + link) + 64);
    a.take(SEGMENT_MOVES * segment_move_bytes);
    a.take(SEGMENT_REQUESTS * link);
    a.take_pages(SEGMENT_REQUESTS * s.page);
}

/// firmware/hybrid
void take_hybrid(arena& a, const ssd_config& c, const sizes& s)
{
    const std::uint64_t pages = block_pages(c);
    const std::uint64_t entries = log_slots(c) * pages + 2 * HYBRID_MARKS(pages);
    a.take(log_slots(c) * 4);
    a.take(entries * log_entry_bytes);
    a.take((1ull << bits_for(2 * entries)) * link);
    a.take(logical_blocks(c) * 2);
    a.take(logical_blocks(c) * 2);
    a.take(merges(c) * merge_bytes);
    a.take(merges(c) * pages * link);
    a.take(merges(c) * pages);
    a.take_pages(merges(c) * MERGE_DEPTH * s.unit);
}

/// firmware/blockmap/blockmap.c
void take_block_map(arena& a, const ssd_config& c, const sizes& s)
{
    const std::uint64_t pages = block_pages(c);
    const std::uint64_t seconds = block_slots(c, second_blocks(c));
    const std::uint64_t shared = shared_slots(c);
    const std::uint64_t entries = shared * pages;
    const std::uint64_t hashed = groups_blocks(c) ? 0 : entries;
    const std::uint64_t bits = divided_up(superblocks(c) * pages, 64) * 8;
    a.take_pages(mapped_blocks(c) * logical_block_bytes);
    for (unsigned map = 0; map < 3; ++map) {
        a.take_pages(bits);
    }
    a.take((seconds + shared) * block_slot_bytes);
    a.take((seconds + shared) * chain_link);
    a.take_pages(seconds * pages * 2);
    a.take_pages(superblocks(c) * (pages - home_pages(c)) * 2);
    a.take_pages(entries * 4);
    a.take_pages(hashed * 4);
    a.take_pages((1ull << bits_for(2 * std::max<std::uint64_t>(hashed, 1))) * 4);
    a.take_pages((shared * slot_notes(c) + (slot_notes(c) != 0 ? pages : 0)) * 4);
    if (c.ftl.scheme == ftl_scheme::bast && c.ftl.blocks.bast_log_info) {
        a.take_pages(s.unit);
    }
    a.take(folds(c) * fold_bytes);
    a.take_pages(folds(c) * s.unit);
    if (groups_blocks(c)) { // firmware/blockmap/groups.c
        a.take_pages(mapped_blocks(c) * group_bytes);
        a.take_pages(shared * chain_link);
        a.take_pages(mapped_blocks(c) * chain_link);
        a.take_pages(user_units(c) * 4);
    }
}

/// firmware/ftl/maps.c
void take_maps(arena& a, const ssd_config& c, const sizes& s)
{
    const std::uint64_t upper = upper_frames(c);
    std::vector<std::uint64_t> frames = {map_has_frames(c) ? map_frames(c) : 0, upper};
    std::vector<std::uint64_t> levels = map_level_units(c);
    if (scheme_has(c, SCHEME_HAS_SEGMENTS)) {
        take_segments(a, c, s);
        levels.clear();
    }
    frames.resize(std::max<std::size_t>(frames.size(), levels.size()));
    for (std::size_t n = 0; n < levels.size(); ++n) {
        a.take(levels[n]);
        if (frames[n] != 0) {
            a.take(levels[n] * 4);
            a.take(frames[n] * 4);
            a.take(frames[n] * 4);
        }
        a.take_pages((frames[n] != 0 ? frames[n] : levels[n]) * s.unit);
    }
    const std::uint64_t outs = 2 * s.group * map_streams_of(c); // firmware/ftl/maps_out.c
    a.take(outs * map_out_bytes + 64);
    a.take_pages(outs * s.unit);
    if (places_pages(c)) {
        take_block_map(a, c, s);
    } else if (maps_blocks(c)) {
        take_hybrid(a, c, s);
    } else if (c.ftl.scheme == ftl_scheme::log_set) { // firmware/ftl/maps_buffer.c
        a.take(map_frames(c) * 4);
        a.take(map_frames(c) * 8);
        a.take(upper * 4);
        a.take(upper * 8);
    }
}

/// firmware/recovery: replay table, scan, anchor record, journal
void take_recovery(arena& a, const ssd_config& c, const sizes& s)
{
    const std::uint64_t due =
        std::max(c.ftl.checkpoint_interval / s.unit / s.group, checkpoint_programs_least);
    const std::uint64_t limit = 2 * due + 2 * (map_units(c) / s.group) + checkpoint_programs_least;
    a.take_pages(limit * (1 + s.group) * 8);
    a.take(superblocks(c) * 2);
    a.take(superblocks(c) * s.luns);
    a.take(s.part_luns / s.luns * 4);
    a.take(s.part_luns * s.planes * 2);
    a.take(drive_state_bytes);
    a.take_pages(anchor_pages(c) * s.page);
    a.take_pages(journal_units(c) * s.unit);
}

/// firmware/cache/slots.c, groups.c and fab.c
void take_cache(arena& a, const ssd_config& c, const sizes& s)
{
    const std::uint64_t slots = buffer_slots(c);
    a.take(slots * slot_bytes + 4 * 64);
    a.take(buffer_keeps(c) || groups_buffer(c) ? slots * chain_link : 0);
    a.take(buffer_is_staged(c) ? slots * cache_member_bytes : 0);
    a.take(c.cache.read_ahead != 0 ? slots : 0);
    if (groups_buffer(c)) {
        a.take(slots * (cache_group_bytes + chain_link + link) + 2 * 64);
        a.take((1ull << (bits_for(slots) + 1)) * link);
        a.take(c.cache.policy == cache_policy::fab ? (c.cache.group / s.unit + 1) * chain_link : 0);
    }
    a.take((1ull << bits_for(2 * slots)) * link);
    a.take(s.slots * (s.transfer + 1) * arrival_bytes + 64);
    a.take_pages(std::max<std::uint64_t>(s.page, 4096));
    a.take_pages(slots * s.unit);
    if (scheme_has(c, SCHEME_MAP_IN_DRAM)) { // firmware/cache/parked.c
        a.take(park_buckets * link);
        a.take(slots * link);
    }
}

/// firmware/gc/gc.c, and preconditioning's buffers of one write unit (firmware/boot)
void take_collection(arena& a, const ssd_config& c, const sizes& s)
{
    const std::uint64_t units = std::max(3 * s.luns * s.group, (s.group + 2) * s.group);
    a.take(units * gc_unit_bytes + 64);
    a.take_pages((units + 1) * s.unit);
    a.take(tracks_retention(c) ? units * 8 : 0);
    for (unsigned list = 0; list < 4; ++list) {
        a.take(s.group * 8);
    }
    a.take((s.group + s.planes) * 8);
    a.take_pages(s.group * s.unit);
    if (c.ftl.place.is_keyed()) {
        const std::uint64_t gathered = place_bins(c) * (s.page / s.unit);
        a.take(2 * place_bins(c) * 4);
        a.take(gathered * 8);
        a.take_pages(gathered * s.unit);
    }
}

/// firmware/hil/metadata.c: where namespaces may have metadata, their transfers are staged
void take_stagings(arena& a, const ssd_config& c, const sizes& s)
{
    if (c.driver.interface == host::interface_kind::nvme && c.data == data_mode::full &&
        s.unit >= 1024) {
        a.take(s.slots * protection_bytes);
        a.take(stagings * staging_bytes);
        a.take_pages(stagings * (c.max_transfer + c.max_transfer / 4));
    }
}

/// firmware/hil, firmware/drv/front_end.c: moves that wait for the data mover are at most a whole
/// transfer of every command
void take_host(arena& a, const ssd_config& c, const sizes& s)
{
    a.take(controller_bytes);
    if (c.zones.size != 0) { // firmware/hil/zones.c
        const std::uint64_t count = user_units(c) * s.unit / c.zones.size;
        a.take(zones_bytes);
        a.take(count * zone_bytes);
        a.take(count * chain_link);
    }
    a.take_pages(c.max_transfer);
    take_stagings(a, c, s);
    a.take(s.slots * command_bytes + 4 * 64);
    a.take_pages(meta_buffers);
    a.take((1ull << bits_for(s.slots * (s.transfer + 2))) * sizeof(fe_move));
}

} // namespace

std::uint64_t dram_bytes_needed(const ssd_config& c)
{
    const sizes s = sizes_of(c);
    arena a;
    take_host(a, c, s);
    take_blocks(a, c, s);
    take_retention(a, c);
    take_flash(a, c, s);
    take_maps(a, c, s);
    take_recovery(a, c, s);
    take_cache(a, c, s);
    take_collection(a, c, s);
    return a.bytes() + service_buffer;
}

std::uint64_t sram_bytes_needed(const ssd_config& c)
{
    const sizes s = sizes_of(c);
    arena a;
    a.take((1ull << bits_for(2 * s.slots)) * sizeof(fe_command));
    a.take(move_entries * sizeof(fe_move));
    a.take(done_entries * sizeof(fe_move_done));
    const std::uint64_t entries =
        s.reads + map_reads + s.part_luns + c.channel.luns * s.programs + 1;
    for (unsigned channel = 0; channel < c.channels; ++channel) {
        a.take(entries * sizeof(flash_desc));
        a.take((entries + completions_unreturned) * sizeof(flash_completion));
    }
    a.take(s.part_luns * lun_queue_bytes);
    take_mailboxes(a, c, s);
    return BOOT_FREE_OFFSET + firmware_state + a.bytes();
}

} // namespace ssdvp::platform
