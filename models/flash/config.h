// SPDX-License-Identifier: Apache-2.0
//
// What the flash back end is built from: part geometry, array times, bus interface, policies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/data_mode.h"
#include "models/common/time.h"
#include "models/flash/array_times.h"
#include "models/flash/channel/arbiter/arbiters.h"
#include "models/flash/error_config.h"
#include "models/protocols/flash_indices.h"
#include "models/regs/choices/page_order.h"
#include "models/regs/choices/suspend_policy.h"

namespace ssdvp::flash {

enum class cell_type : std::uint8_t { slc = 1, mlc = 2, tlc = 3, qlc = 4 }; // value = bits per cell

enum class data_interface : std::uint8_t {
    sdr0,
    sdr1,
    sdr2,
    sdr3,
    sdr4,
    sdr5,
    nv_ddr,
    nv_ddr2,
    nv_ddr3,
    nv_lpddr4
};

/// In which order the pages of a block may be programmed: that of their numbers, as in all parts
/// since MLC, or any, as in small-block SLC parts.
#define SSDVP_PAGE_ORDER(ID, id, about) id,
enum class page_order : std::uint8_t { PAGE_ORDERS(SSDVP_PAGE_ORDER) };
#undef SSDVP_PAGE_ORDER

/// When an erase stops for a read (models/flash/die/suspend).
#define SSDVP_SUSPEND_KIND(ID, id, about) id,
enum class suspend_kind : std::uint8_t { FLASH_SUSPENDS(SSDVP_SUSPEND_KIND) };
#undef SSDVP_SUSPEND_KIND

/// Geometry of one LUN. Sizes in bytes.
struct geometry {
    std::uint32_t planes = 1;
    std::uint32_t blocks_per_plane = 0;
    std::uint32_t pages_per_block = 0;
    std::uint32_t page_size = 0;
    std::uint32_t oob_size = 0;
};

/// Safe points per erase loop that a block of so many P/E cycles has (docs/models/die.md).
struct safe_point_step {
    std::uint32_t pe_cycles = 0;
    std::uint32_t safe_points = 0;
};

/// When an erase or a program may be stopped for a read. The kind is the die's power-up setting.
struct suspend_config {
    suspend_kind kind = suspend_kind::none;
    /// By P/E cycles, ascending; safe_point_static uses the first. Empty = the policy's own
    /// default.
    std::vector<safe_point_step> safe_points;
    bool programs = false;            // programs too, between their ISPP loops
    std::uint32_t limit = 0;          // suspends of one erase or program; 0 = no limit
    std::uint32_t reads_per_stop = 0; // reads served before it resumes; 0 = all that wait
};

struct die_config {
    geometry geo;
    cell_type cell = cell_type::tlc;
    array_timing timing;
    erase_timing erase;
    std::uint32_t endurance = 0;     // rated P/E cycles; an erase beyond it fails
    std::uint32_t slc_endurance = 0; // ... of a block that is used in SLC mode; 0 = the same
    bool slc_copyback = false;   // what was read in SLC mode can be programmed in the normal one
    std::uint32_t pe_cycles = 0; // that every block has behind it when the run begins
    error_config errors;
    sim_time shallow_retention;   // how long a shallow page can be read; 0 = as long as any other
    double retention_speed = 1.0; // time compression: retention per simulated time
    /// Programs of all pages of a word line but the last only load a latch, for tDBSY; the last one
    /// programs the word line.
    bool one_pass = false;
    /// A word line is programmed twice, each time by all of its pages, of which the last one makes
    /// the array work (die/pass_order.h).
    bool two_pass = false;
    /// Asynchronous independent plane reads: each plane takes reads while others of its LUN read.
    bool independent_plane_reads = false;
    /// Snap reads (timing.tRSNAP) sense so many bytes: the aligned part of a page's data that the
    /// column lies in, and parity. A divisor of the page size.
    std::uint32_t snap_bytes = 0;
    /// Pages of an erased block may be programmed in any order, each once; else from the first on.
    page_order order = page_order::sequential;
    data_mode data = data_mode::tag;
    sim_time program_loop; // one ISPP loop; 0 = a program is one loop
    suspend_config suspend;
    std::uint32_t stored_oob = 16; // OOB bytes per page that are kept; writing more is an error
    /// Factory bad blocks: share of blocks, drawn per die from the seed. Page 0 of a bad block
    /// reads back 00h as its first OOB byte (an erased page reads FFh); programs and erases of it
    /// fail.
    double factory_bad_share = 0.0;
    std::uint64_t seed = 1;
};

/// The same in simulated time; at least 1 ps where there is a limit.
inline sim_time shallow_limit(const die_config& die)
{
    if (die.shallow_retention == sim_time()) {
        return {};
    }
    const double ps = static_cast<double>(die.shallow_retention.ps()) / die.retention_speed;
    return later(sim_time(static_cast<std::uint64_t>(ps)), sim_time(1));
}

inline bool has_snap_read(const die_config& die)
{
    return !die.timing.tRSNAP.empty() && die.timing.tRSNAP.front() != sim_time();
}

/// Pages of a block in SLC mode: one per word line.
inline std::uint32_t slc_pages(const die_config& die)
{
    return die.geo.pages_per_block / static_cast<std::uint32_t>(die.cell);
}

struct bus_config {
    data_interface mode = data_interface::nv_ddr3;
    rate transfer_rate; // transfers per second, one byte each (x8)
};

/// Where a page's out-of-band bytes cross the bus: interleaved = with the data, as where each code
/// word keeps its own; page_end = in the spare area behind the page's data, which may cost a change
/// of column.
enum class spare_layout : std::uint8_t { interleaved, page_end };

/// Since when a start phase counts as ready, for the bus rule: since its operation is queued, or
/// since its LUN is idle too.
enum class start_ready : std::uint8_t { queued, idle };

struct channel_config {
    std::uint32_t luns = 1;
    arbiter_kind arbiter = arbiter_kind::out_of_order;
    start_ready starts = start_ready::queued;
    sim_time age_limit;                 // priorities: how long an operation may be passed
    bool join_planes = false;           // waiting operations become one multi-plane operation
    bool use_cache = false;             // waiting operations follow by cache read and cache program
    std::uint32_t queue_entries = 1024; // operations held per channel
    sim_time ecc_latency;               // hard-decision decode of a page's last codeword
    ecc_config ecc;
    bool ecc_parity = true;  // data cross the bus as whole code words, with ecc.parity
    bool status_poll = true; // 70h/78h cycles after program and erase
    sim_time poll_period;    // without R/B#: busy LUNs are polled every so often; 0 = R/B#
    spare_layout spare = spare_layout::page_end;
    die_config die;
    bus_config bus;
};

} // namespace ssdvp::flash
