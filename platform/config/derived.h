// SPDX-License-Identifier: Apache-2.0
//
// What follows from a configuration.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/config/config.h"
#include "platform/plan/firmware_planner.h"

namespace ssdvp::platform {

/// What if: the drive with the part of run.faster as much faster as run.faster_by says, its times
/// divided by it, its rates multiplied (faster.cpp). What it holds stays the same: a run from the
/// same kept state tells what the part is worth. With run.ideal firmware takes no time.
ssd_config as_if_faster(ssd_config c);

/// What its parts draw, with the lanes of its link.
energy_figures energy_of_drive(const ssd_config& c);
/// What a drive draws that does nothing, without what firmware does by itself, awake or asleep in
/// the state that draws the most; how warm its hottest part is after hours of that
/// (parts/energy.cpp).
double idle_watts(const ssd_config& c);
double idle_celsius(const ssd_config& c);
/// Its parts as heat sees them (parts/thermal.cpp).
thermal::thermal_config thermal_of_drive(const ssd_config& c);
/// ENLAT and EXLAT of a power state (parts/power_states.cpp).
sim_time entry_of(const power_states_config& p, std::size_t state);
sim_time exit_of(const power_states_config& p, std::size_t state);
/// What a drive asleep draws, in microwatts by state; 0 of those that are operational.
std::vector<std::uint64_t> idle_of_states(const ssd_config& c);

/// Spare bytes of a code word that a code needs which corrects `bits` of it (parts/ecc.cpp).
std::uint32_t parity_bytes(const ssd_config& c, std::uint64_t bits);
/// Spare bytes of a page beside the words of firmware.
std::uint32_t parity_room(const ssd_config& c);
/// Spare bytes of a page where nobody says how many: 138 for each KiB, as 3D TLC parts have.
std::uint32_t usual_oob_size(const ssd_config& c);
/// Pages have a code: there is one, it corrects something, and it fits.
bool pages_have_code(const ssd_config& c);
inline constexpr const char* code_exists =
    "flash.ecc.kind is not none, flash.ecc.correctable is neither 0 nor all bits of a code word, "
    "and nand.oob_size has room for parity";
/// Parity of a page on the bus, all code words together: the code takes the room that there is.
std::uint32_t parity_of_page(const ssd_config& c);
/// Bytes on the bus of a whole page with firmware's words.
std::uint32_t page_on_bus(const ssd_config& c);
/// Code words of a page.
std::uint32_t codewords(const ssd_config& c);
/// Bits per code word that a code corrects whose parity fits, 72 at most: the default.
std::uint32_t usual_correctable(const ssd_config& c);

/// What a code is for: bits that go wrong, shallow pages whose time is over, and what a power cut
/// tears. And the same in words.
bool pages_need_a_code(const ssd_config& c);
inline constexpr const char* code_needed =
    "nand.errors.rber is not 0, or power is cut, or shallow pages last for a limited time";

/// Erases may be suspended more often than their cells stand (models/flash/die/errors/rber.h).
bool suspends_harm(const ssd_config& c);

/// The host side is SATA; commands in the drive at a time.
bool is_sata(const ssd_config& c);
std::uint32_t front_end_slots(const ssd_config& c);
/// Within which the drive says to be ready after power-up or a reset: what the host waits for.
sim_time ready_limit(const ssd_config& c);
/// Pages of a block that firmware uses: with write.mode slc one per word line.
std::uint32_t block_pages(const ssd_config& c);
/// Map units that fit the dies, spare ones included.
std::uint64_t physical_units(const ssd_config& c); // but for those of the SLC cache
/// ftl.slc_cache (parts/slc.cpp): whether there is one, whether anything is in SLC mode, data of
/// a superblock of it, and how many it has.
bool has_slc_cache(const ssd_config& c);
bool uses_slc_mode(const ssd_config& c);
std::uint64_t slc_superblock_bytes(const ssd_config& c);
std::uint64_t slc_superblocks(const ssd_config& c);         // of the static part
std::uint64_t slc_turning_superblocks(const ssd_config& c); // of the dynamic part, at most
/// Map units that the host sees: physical * (1 - over_provisioning), rounded down; of each
/// partition, if there are several, to whole stripes.
std::uint64_t user_units(const ssd_config& c);
/// Capacity that the host sees, in bytes.
std::uint64_t logical_bytes(const ssd_config& c);
/// Data that namespace 1 holds: blocks with metadata take twice their size.
std::uint64_t host_bytes(const ssd_config& c);
/// Bytes that the dies hold, spare ones included.
std::uint64_t physical_bytes(const ssd_config& c);

/// A superblock is the block of the same number in every plane of the drive; narrow: it is one
/// block. LUNs and planes of a superblock.
bool superblocks_are_narrow(const ssd_config& c);
/// ... and each plane has its own free ones and its own collection.
bool planes_are_apart(const ssd_config& c);
/// ... Of a partition, if there are several: the drive has those of all of them.
std::uint64_t superblock_luns(const ssd_config& c);
std::uint64_t superblock_planes(const ssd_config& c);
std::uint64_t superblocks(const ssd_config& c);
std::uint64_t superblock_units(const ssd_config& c);
/// Wrong bits per code word that a copyback may carry along: a quarter of what the code corrects.
/// 0 = the part has none.
std::uint32_t copyback_bits(const ssd_config& c);
/// Shallow pages have a limit, and firmware keeps it; the limit as it knows it, in simulated time;
/// survivors at which a shallow write costs what a deep one does (docs/shallow.md).
bool tracks_retention(const ssd_config& c);
std::uint64_t firmware_retention_ns(const ssd_config& c);
double shallow_break_even(const ssd_config& c);
/// Why preconditioning cannot go by counts, nullptr when it can; whether it does, if the firmware
/// can (docs/DESIGN.md).
const char* counts_obstacle(const ssd_config& c);
bool preconditions_by_counts(const ssd_config& c);
/// Why the load cannot go on before the run until the state is steady, nullptr when it can.
const char* settling_obstacle(const ssd_config& c);
/// precondition.until, with what it is where nobody says so: never automatic.
precondition_until overwriting_until(const ssd_config& c);
/// Its overwrites go to all that is filled, each unit as likely as another.
bool overwrites_uniformly(const ssd_config& c);
/// What weight a stream has among those that write, from its rate or depth; 0: it never writes.
double write_share(const host::stream_config& s);
/// Where ftl.placement is not stripe: planes that are written apart; sets of them that a page's
/// address names, 1 = none is named.
std::uint64_t place_lanes(const ssd_config& c);
std::uint64_t place_bins(const ssd_config& c);
/// Planes that a program of the host takes: ftl.multi_plane_threshold.
std::uint32_t planes_most(const ssd_config& c);
/// Superblocks that factory-bad blocks may make up.
std::uint64_t bad_superblocks(const ssd_config& c);

/// Bytes that one program command takes.
std::uint64_t write_unit_bytes(const ssd_config& c);

/// Units that one multi-plane page group takes.
std::uint64_t group_units(const ssd_config& c);
/// Addresses of physical units: block * pages + page in the high bits; LUN of the drive, plane and
/// unit in the page take whole bits each below it (firmware/lib/geometry.h).
std::uint64_t unit_addresses(const ssd_config& c);

/// Of each user unit, in the map: 4 while addresses have 31 bits, else 8.
std::uint64_t map_entry_bytes(const ssd_config& c);
/// Programs of firmware on a LUN at a time. More than one only where the channel gives them one
/// command sequence, since a host read may have to wait for all of them. The channel joins what
/// waits when a sequence begins: so while one is at work the next must be there; in a cache
/// sequence one is in the array, one in the register, and two wait, so that firmware has the time
/// of a program to send another.
std::uint32_t lun_programs(const ssd_config& c);
/// The part with the times and factors that nand.read_levels gives its pages (parts/levels.cpp).
flash::die_config part_as_built(const ssd_config& c);
/// What the map takes on the flash, or in DRAM if all of it is there.
std::uint64_t whole_map_bytes(const ssd_config& c);
/// Part of the map is in DRAM only, ftl.map_cache bytes of it.
bool map_is_paged(const ssd_config& c);
/// Schemes that give each page of a logical block its place, or one in a log: msbs, fmax, lm, bast,
/// fast, superblock (firmware/blocks).
bool places_pages(const ssd_config& c);
/// Pages of a logical block: all of a block, but for the spare pages of msbs.
std::uint32_t home_pages(const ssd_config& c);
/// Logical blocks are mapped, not pages.
bool maps_blocks(const ssd_config& c);
/// What the firmware has for the options: log_set has two.
ftl_scheme firmware_scheme(const ssd_config& c);
/// All of the flags SCHEME_* (models/regs/choices/ftl_scheme.h).
bool scheme_has(const ssd_config& c, std::uint32_t flags);
/// A few logical blocks are mapped as one (superblock).
bool groups_blocks(const ssd_config& c);
std::uint64_t logical_blocks(const ssd_config& c);
/// ... page by page, through frames in DRAM.
bool map_has_frames(const ssd_config& c);
/// vm_map: bytes of a segment of the map.
std::uint64_t segment_bytes(const ssd_config& c);
/// The map is not in DRAM; ... and copies of its pages are in memory of the host's.
bool map_is_on_chip(const ssd_config& c);
bool has_host_buffer(const ssd_config& c);
/// The fewest bytes of ftl.map_cache with dftl.
std::uint64_t map_cache_least(const ssd_config& c);
/// Bytes of ftl.map_cache that hold a share of a paged map; the share that those there are hold.
std::uint64_t map_cache_for(const ssd_config& c, double share);
double map_share_held(const ssd_config& c);
/// All of the flags CACHE_* (models/regs/choices/cache_policy.h).
bool buffer_has(const ssd_config& c, std::uint32_t flags);
/// The buffer keeps what was read (rw_lru, rw_cflru, fab); it lets go of whole logical blocks (fab,
/// bplru), of so many units by default; it has exact residents (firmware/buffer/residents.h).
bool buffer_keeps(const ssd_config& c);
bool groups_buffer(const ssd_config& c);
std::uint64_t buffer_group_units(const ssd_config& c);
bool buffer_is_staged(const ssd_config& c);
/// Pages of a LUN's plane that word lines hold until their fine pass; bytes of those of all LUNs;
/// what the buffer needs for them. Else 0 (parts/passes.cpp).
std::uint64_t pages_between_passes(const ssd_config& c);
std::uint64_t bytes_between_passes(const ssd_config& c);
/// Word lines of each LUN that the buffer has room for at least: those that wait for their fine
/// pass, and one more. Of some policies half of the buffer is on its way to the flash at most, or a
/// quarter (firmware/buffer/policy.h and residents.h).
std::uint64_t word_lines_buffered(const ssd_config& c);
std::uint64_t buffer_for_passes(const ssd_config& c);
/// The fewest bytes of cache.capacity: so many write units, four for each FTL, and room for word
/// lines of two passes.
std::uint64_t write_units_buffered(const ssd_config& c);
std::uint64_t buffer_bytes_needed(const ssd_config& c);
/// cache.dirty_limit in thousandths; 0 = none.
std::uint32_t buffer_dirty_permille(const ssd_config& c);
/// Slots of the buffer: as many as the capacity holds, and with a limit of dirty ones those besides
/// that are on their way to the flash.
std::uint64_t buffer_slots(const ssd_config& c);
/// Written units that it keeps while the host writes on, without a policy that chooses otherwise.
std::uint64_t buffer_held(const ssd_config& c);
/// What a firmware says that it needs (firmware_needs.cpp); what the built-in one says that it
/// takes of the memories, of DRAM with the service buffer.
firmware_needs needs_of(const ssd_config& c, const firmware_planner& firmware = {});
/// Of a drive with so many partitions that each need so much (partition.cpp).
firmware_needs needs_of_partitions(const firmware_needs& one, std::uint32_t count);
std::uint64_t dram_bytes_needed(const ssd_config& c);
std::uint64_t sram_bytes_needed(const ssd_config& c);

} // namespace ssdvp::platform
