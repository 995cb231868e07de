// SPDX-License-Identifier: Apache-2.0
//
// Everything a report needs to know about a run, as plain data. The platform reads the blocks into
// `counters` twice, where the measured part begins and where it ends; their difference is the
// measured part. An optional that is empty says "this drive has no such part": it is then absent
// from the report, never 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/common/fault_log.h"
#include "models/common/time.h"
#include "models/cpu/data_cache.h"
#include "models/dram/stats.h"
#include "models/pcie/link_stats.h"
#include "models/regs/telemetry.h"
#include "models/thermal/stats.h"
#include "platform/report/drive_description.h"
#include "platform/report/energy_figures.h"
#include "platform/report/flash_statistics.h"
#include "platform/report/ideal_run.h"
#include "platform/report/power_account.h"
#include "platform/report/power_statistics.h"
#include "platform/report/run_samples.h"
#include "platform/report/trace_account.h"
#include "platform/report/what_if_run.h"
#include "platform/report/window_weights.h"

namespace ssdvp::platform {

struct fetch_statistics {
    cpu::cache_stats lines;
    sim_time stalled; // of a core, for those that missed
};

struct core_statistics {
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
    sim_time busy;
    std::string timing;                          // level of the cost model
    std::string core = {};                       // whose instructions; empty with level "flat"
    std::string role = {};                       // of several cores: "host", "ftl+flash", ...
    std::optional<cpu::cache_stats> dcache = {}; // empty: there is none
    std::optional<fetch_statistics> icache = {}; // empty: there is none
    std::optional<cpu::cache_stats> tlb = {};    // empty: there is none
    rate clock = {};                             // 0: not known
    sim_time slowed = {};                        // of busy, what would not have been at that clock
    std::int64_t uncharged = 0; // 1/256 instruction, beside `instructions` (core_stats)
};

using dram_statistics = dram::dram_stats;

using link_statistics = pcie::link_stats;

struct nvme_statistics {
    std::uint64_t commands = 0; // fetched
    std::uint64_t completions = 0;
    std::uint64_t interrupts = 0;
    std::optional<std::uint64_t> looked_up; // of a drive with a look-up engine: reads that it did
    std::optional<std::uint64_t> passed_on; // ... and those that it left to firmware
    std::uint64_t looked_up_sectors = 0;    // that it read for the host
    sim_time engine_busy{};                 // with look-ups
    sim_time slot_wait{};                   // that entries waited while all slots were taken
};

struct sata_statistics { // of the link beside link_statistics, whose TLPs are frames; then the rest
    std::uint64_t r_errs = 0;
    std::uint64_t crc_errors = 0;
    std::uint64_t collisions = 0;
    std::uint64_t comresets = 0;
    std::uint64_t commands = 0; // Register FIS with a command
    std::uint64_t completions = 0;
    std::uint64_t set_device_bits = 0; // frames: one may complete several commands
    std::uint64_t interrupts = 0;
    std::uint64_t recoveries = 0; // of the driver, from errors
    std::uint64_t retries = 0;    // commands issued again by them
};

struct integrity_statistics {
    std::uint64_t sectors_checked = 0;
    std::uint64_t mismatches = 0;
};

struct driver_statistics {
    std::uint64_t requests_in = 0;        // taken from the workload
    std::uint64_t requests_out = 0;       // told to the observers
    std::uint64_t requests_in_flight = 0; // gauge, counted by the driver's own table
    std::uint64_t requests_lost = 0;      // to power cuts
};

/// A block of the part, which is one of a plane.
struct block_wear {
    std::uint32_t channel = 0;
    std::uint32_t lun = 0; // of the channel
    std::uint32_t plane = 0;
    std::uint32_t block = 0;
    std::uint64_t erases = 0; // with those that nand.pe_cycles puts behind every block
    bool factory_bad = false;
};

/// Readings that only grow (but gauges, which a difference takes from its end).
struct counters {
    sim_time when;
    double wall_s = 0.0;                  // of the host machine, from any origin
    std::uint64_t kernel_activations = 0; // of blocks and cores, each as a process of its own
    std::uint64_t kernel_entries = 0;     // those there were: blocks share one, as do drives
    driver_statistics driver;
    flash_statistics flash;
    std::vector<channel_statistics> channels;
    std::optional<telemetry> ftl; // empty until firmware is ready
    bool slc_cache = false;       // it has one
    std::vector<core_statistics> cpu;
    std::optional<dram_statistics> dram;
    std::optional<dram_joules> dram_energy;        // empty: not counted
    std::optional<thermal::thermal_stats> thermal; // empty: nothing models heat
    std::optional<power_state_counts> states;      // empty: the drive has none of its own
    std::optional<link_statistics> link;
    std::optional<nvme_statistics> nvme;
    std::optional<sata_statistics> sata;
    std::optional<integrity_statistics> integrity;
    std::optional<power_statistics> power; // where power goes and comes back
    untold_statistics untold;
};

/// Of two parts of a drive, at the same time: as one that has both. A part without telemetry counts
/// nothing; the whole is ready when both are.
[[nodiscard]] telemetry together(const telemetry& a, const telemetry& b);
/// Units of the map that firmware says it wrote.
[[nodiscard]] std::uint64_t units_ordered(const telemetry& t);

/// Where the preconditioned drive came from.
struct state_origin {
    std::string from;  // preconditioned, cache or file
    std::string key;   // of the kept state; empty: none was kept
    bool used = false; // a load had run before it was kept, nobody knows which
};

/// Of a run that was measured in windows (run.sampling).
struct sampling_figures {
    std::uint64_t windows = 0;
    std::uint64_t requests = 0;           // that the windows stand for
    std::uint64_t simulated = 0;          // in windows and before them
    double share = 0.0;                   // of the requests that was measured
    std::vector<std::size_t> by_phase;    // the windows, in the order of where a superblock was
    std::vector<window_control> controls; // what each of them counts; empty: all the same
    double too_wide = 0.0;                // run.sampling.within, if all windows did not reach it
    // Of the part that the windows lie in; and how much more or less firmware wrote there for what
    // the host did than in the windows, as a share.
    std::uint64_t checkpoints = 0;
    double unseen = 0.0;
    std::optional<double> erased; // pages erased for each that was programmed; empty: unknown
    std::uint64_t checkpoints_measured = 0;
    std::uint64_t victims = 0;         // superblocks collected in that part
    std::uint64_t windows_erasing = 0; // that saw an erase

    /// So few windows saw one, though there are many, that what waits for erases is told by chance.
    [[nodiscard]] bool erases_few() const
    {
        constexpr std::uint64_t least = 3;
        return victims > windows && windows_erasing < least;
    }

    /// So few checkpoints that what waits for them is told by chance.
    [[nodiscard]] bool episodes_few() const
    {
        constexpr std::uint64_t least = 8; // as of windows: a variance of fewer says little
        return checkpoints != 0 && checkpoints_measured < least;
    }
};

/// For people.
[[nodiscard]] std::string sampling_text(const sampling_figures& s);

/// A run.until: steady that was stopped before its end.
struct stopped_rounds {
    std::uint64_t complete = 0; // that are reported
    bool measured = false;      // of the measured part; else they are the last ones before it
    std::string unsteady;       // why it was not steady before the measured part; empty: it was
};

struct measurement {
    std::string config_name;
    std::string config_sha256;
    std::string version; // of the program
    std::uint64_t seed = 0;
    bool complete = false; // false: stopped before its end
    drive_description drive;
    std::vector<std::string> streams; // names, by request.stream

    counters measured;  // the measured part: a difference
    counters lifetime;  // the reading at the end, since preconditioning: identities only
    sim_time simulated; // since power-on: the first start, warm-up and the shutdown included
    std::uint64_t peak_rss_bytes = 0;
    /// Erases since the drive was made, and the blocks of the part that have had so many,
    /// ascending.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> erase_histogram;
    std::optional<sim_time> worst_blocking; // longest a host read waited behind firmware's own work

    std::vector<run_sample> samples;      // of the measured part, from its beginning
    std::vector<latency_piece> latencies; // between each of them and the next
    std::uint64_t buffer_growth = 0;      // units: in the write buffer, more than at the beginning
    std::int64_t data_growth = 0;         // units: with data, more than at the beginning
    std::string never_steady;             // why the measured part began all the same; empty: it was
    std::optional<sampling_figures> sampling;
    std::optional<stopped_rounds> stopped; // empty: run to its end, or of no rounds
    std::vector<std::pair<std::string, std::string>> overrides; // keys given as options

    power_times power;                        // of the measured part
    std::optional<std::uint64_t> host_resets; // where the host resets the drive
    std::optional<state_origin> state;        // of a drive that was preconditioned
    std::optional<trace_account> trace;       // of a workload that is one
    std::optional<beside_ideal_run> ideal;    // --beside-ideal: what a second run took
    std::optional<what_if_run> what_if;       // --what-if: the same
    energy_figures energy;

    std::uint64_t fault_count = 0;
    std::vector<fault_log::fault> faults; // the first of them

    // What the identities must allow for when a run stops in the middle of something.
    std::uint64_t program_bytes_in_flight =
        0; // ordered by firmware, not counted by the dies, or v.v.
};

/// Flash bytes programmed for each byte the host wrote, without those of preconditioning. Empty
/// when the host wrote nothing.
[[nodiscard]] std::optional<double> write_amplification(const flash_statistics& flash,
                                                        std::uint64_t host_bytes_written);

/// Units that the write buffer holds at the end, more than at the beginning.
[[nodiscard]] std::uint64_t buffer_growth(const counters& end, const counters& begin);

/// Logical units that have data at the end, more than at the beginning.
[[nodiscard]] std::int64_t data_growth(const counters& end, const counters& begin);

/// `busy` of `elapsed`; 0 when no time passed.
[[nodiscard]] double fraction(sim_time busy, sim_time elapsed);

/// Most memory this process has held, from the operating system.
[[nodiscard]] std::uint64_t peak_rss_bytes();

/// Names of enum flash_purpose as in summary.json.
extern const std::array<const char*, FLASH_PURPOSES> purpose_names;

} // namespace ssdvp::platform
