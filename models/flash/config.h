// SPDX-License-Identifier: Apache-2.0
//
// What the flash back end is built from: part geometry, array times, bus interface, policies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/data_mode.h"
#include "models/common/time.h"

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
    nv_ddr3
};

enum class arbiter_kind : std::uint8_t { sequential, interleaved, out_of_order };
enum class suspend_kind : std::uint8_t { none, immediate };

/// Geometry of one LUN. Sizes in bytes.
struct geometry {
    std::uint32_t planes = 1;
    std::uint32_t blocks_per_plane = 0;
    std::uint32_t pages_per_block = 0;
    std::uint32_t page_size = 0;
    std::uint32_t oob_size = 0;
};

/// Array times of one LUN. Lists have one entry per page of a word line (lsb, csb, msb, ...) or a
/// single entry; page p of a block uses entry p % size.
struct array_timing {
    std::vector<sim_time> tR;
    std::vector<sim_time> tPROG;
    sim_time tDBSY; // between the planes of a multi-plane command
    sim_time tRST;
};

/// Erase as incremental-step pulses: `loops` pulses of `loop_time` each; tBERS = loops * loop_time.
struct erase_timing {
    std::uint32_t loops = 1;
    sim_time loop_time;
    sim_time suspend_overhead; // from the suspend command until the array accepts a read
};

struct die_config {
    geometry geo;
    cell_type cell = cell_type::tlc;
    array_timing timing;
    erase_timing erase;
    std::uint32_t endurance = 0; // rated P/E cycles; an erase beyond it fails
    data_mode data = data_mode::tag;
    suspend_kind suspend = suspend_kind::none;
    std::uint32_t stored_oob = 16; // OOB bytes per page that are kept; writing more is an error
    /// Factory bad blocks: share of blocks, drawn per die from the seed. Page 0 of a bad block
    /// reads back 00h as its first OOB byte (an erased page reads FFh); programs and erases of it
    /// fail.
    double factory_bad_share = 0.0;
    std::uint64_t seed = 1;
};

struct bus_config {
    data_interface mode = data_interface::nv_ddr3;
    rate transfer_rate; // transfers per second, one byte each (x8)
};

struct channel_config {
    std::uint32_t luns = 1;
    arbiter_kind arbiter = arbiter_kind::out_of_order;
    std::uint32_t queue_entries = 1024; // operations held per channel
    sim_time ecc_latency;               // hard-decision decode of a page's last codeword
    bool status_poll = true;            // 70h/78h cycles after program and erase
    die_config die;
    bus_config bus;
};

} // namespace ssdvp::flash
