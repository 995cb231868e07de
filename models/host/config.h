// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/data_mode.h"
#include "models/common/time.h"
#include "models/host/ahci/config.h"
#include "models/host/workload/fio_job.h"
#include "models/host/workload/formats/formats.h"
#include "models/host/workload/patterns.h"
#include "models/regs/choices/host_interface.h"

namespace ssdvp::host {

enum class arbitration_kind : std::uint8_t { round_robin, weighted_round_robin };

/// QPRIO of NVM Express; unset is medium.
enum class priority_class : std::uint8_t { urgent, high, medium, low, unset };
#define SSDVP_INTERFACE(ID, id, about) id,
enum class interface_kind : std::uint8_t { HOST_INTERFACES(SSDVP_INTERFACE) };
#undef SSDVP_INTERFACE

/// Host side of a drive behind an AHCI adapter.
struct sata_config {
    bool queued = true;                      // NCQ; else READ and WRITE DMA EXT, one at a time
    std::uint32_t tags = 32;                 // in use, at most
    std::uint32_t max_transfer = 128 * 1024; // bytes of a command
    ahci::hba_config hba;
};

/// Memory that the driver lends the drive.
struct hmb_grant {
    bool on = false;         // the drive may ask for some
    std::uint64_t size = 0;  // bytes at most; 0 = none
    std::uint64_t chunk = 0; // bytes of a descriptor
    sim_time away;           // after the drive is ready: it is taken back; 0 = never
    sim_time back;           // ... and after that lent again; 0 = never
    sim_time overwrite;      // after the drive is ready: the host writes over it; 0 = never
};

/// Metadata of namespace 1, in blocks of 512 bytes.
struct metadata_config {
    std::uint32_t bytes = 0;      // of a block
    std::uint32_t protection = 0; // type of protection information, the last 8 of them; 0 = none
    bool extended = false;        // behind the data of each block, not at MPTR
};

struct driver_config {
    interface_kind interface = interface_kind::nvme;
    bool guest = false; // the driver runs in a guest (host/guest): this one takes no requests
    std::uint32_t queue_pairs = 1;
    std::uint32_t queue_entries = 1024;
    sim_time submit_latency;   // request -> SQE written and doorbell on the link
    sim_time complete_latency; // MSI-X arrives -> completion reaped
    data_mode data = data_mode::tag;
    bool sgl = false; // data pointers are SGL descriptors, not PRPs
    metadata_config metadata;
    // What it asks the controller for.
    arbitration_kind arbitration = arbitration_kind::round_robin;
    std::uint32_t burst = 8; // commands of a queue's turn, a power of two; 0 = no limit
    std::uint32_t weight_high = 4, weight_medium = 2, weight_low = 1; // commands in a round
    std::uint32_t coalescing_threshold = 1; // completions that a message waits for
    sim_time coalescing_time;               // and how long at most; a multiple of 100 us
    std::uint32_t power_state = 0;          // that it chooses
    std::vector<sim_time> apst; // idle before each non-operational state in turn; empty: off
    std::uint32_t power_states = 0, operational_states = 0; // of the drive
    std::vector<priority_class> stream_priorities; // by request.stream; others: the first's
    std::vector<std::uint16_t> stream_ids;         // by request.stream; others: 0, no directive
    hmb_grant hmb;
    sata_config sata; // with interface_kind::sata
    // Namespace 1 is zoned: sectors of a zone, and those that can be written; 0 = it is not.
    std::uint64_t zone_size = 0, zone_capacity = 0;
};

/// How the probability of a stack depth falls: as d^-s, or by the same ratio at each step.
enum class stack_law : std::uint8_t { power, geometric };

/// Blocks in the range of a stream with lru or hclru, at most.
constexpr std::uint64_t lru_blocks_max = 1ull << 30;

/// One synthetic stream. Sizes in bytes, already aligned to sectors.
struct stream_config {
    std::string name;
    pattern_kind pattern = pattern_kind::uniform;
    double read_fraction = 1.0;
    double trim_fraction = 0.0; // of all requests; reads and writes share the rest
    std::uint64_t block_size = 4096;
    std::uint64_t range_start = 0;
    std::uint64_t range_size = 0;         // 0 = to the end of the drive
    std::uint32_t queue_depth = 1;        // closed loop, when rate_iops == 0
    double rate_iops = 0.0;               // open loop: requests per second
    bool poisson = true;                  // open loop: exponential gaps, else constant
    std::uint64_t requests = 0;           // 0 = no limit of its own
    sim_time duration;                    // 0 = no limit of its own
    double hot_fraction = 0.2;            // hot_cold, hclru: share of the range that is hot
    double hot_probability = 0.8;         // hot_cold, hclru: share of requests that go there
    stack_law lru_law = stack_law::power; // lru, hclru
    double lru_exponent = 1.0;            // power: s
    double lru_mean_depth = 64.0;         // geometric: mean of the law without end
    double zipf_theta = 0.99;             // zipf: exponent
    std::uint64_t flush_every = 0;        // a Flush after this many writes; 0 = never
    bool fua = false;                     // every write with Force Unit Access
    bool read_fua = false;                // every read likewise
    priority_class priority = priority_class::unset; // of the queues it uses
    std::uint16_t stream_id = 0; // its writes name this stream by directive; 0 = none
};

enum class trace_replay : std::uint8_t { timed, asap, scaled };
enum class trace_fit : std::uint8_t { wrap, scale, error };
enum class trace_ranges : std::uint8_t { per_device, one };

enum class csv_separator : std::uint8_t { comma, semicolon, tab, blank };

enum class csv_time_unit : std::uint8_t {
    ns = 3,
    hundred_ns = 5,
    us = 6,
    ms = 9,
    s = 12
}; // 10^n ps

/// What the lines of format csv hold. A column is a number from 1 on, a name of the first line, or
/// the word none.
struct csv_columns {
    std::string time = "none", operation = "none", offset = "none", size = "none", device = "none";
    csv_time_unit time_unit = csv_time_unit::us;
    std::uint64_t offset_unit = 1, size_unit = 1; // bytes
    std::string read, write, trim;                // words of the operation, between blanks
    csv_separator separator = csv_separator::comma;
    bool header = false; // the first line has names, though no column is given by one
};

struct trace_config {
    std::string file;
    trace_format format = trace_format::automatic;
    trace_replay replay = trace_replay::timed;
    double scale = 1.0; // scaled: times of the trace are multiplied by it
    trace_fit fit = trace_fit::wrap;
    int device = -1;                                // -1 = all
    trace_ranges ranges = trace_ranges::per_device; // of the drive
    std::uint64_t repeat = 1; // times that it is replayed, one after the other
    csv_columns csv;
    std::uint32_t queue_depth = 128; // requests in flight at most
};

struct workload_config {
    std::vector<stream_config> streams; // either these
    trace_config trace;                 // or, when file is not empty, this
    fio_config fio;                     // or, when file is not empty, this
};

} // namespace ssdvp::host
