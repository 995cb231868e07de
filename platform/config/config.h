// SPDX-License-Identifier: Apache-2.0
//
// The resolved configuration: every value checked, in SI base units or strong types, defaults
// filled in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/cpu/config.h"
#include "models/dram/config.h"
#include "models/flash/config.h"
#include "models/host/config.h"
#include "models/host/raid/config.h"
#include "models/interconnect/config.h"
#include "models/nvme/config.h"
#include "models/pcie/config.h"
#include "models/sata/config.h"
#include "models/sata/front_end_config.h"
#include "models/thermal/config.h"
#include "platform/config/ftl_config.h"
#include "platform/config/power_config.h"
#include "platform/report/energy_figures.h"

namespace ssdvp::platform {

/// write.mode: shallow. Which writes of the host, and when their data are written again.
struct shallow_config {
    shallow_policy policy{};
    std::uint64_t small = 16384; // bytes of the longest command that is small
    sim_time retention;          // as firmware knows it; 0 = no limit
    double margin = 0.1;         // of it
    bool rewrite = true;
    std::uint32_t regions = 4096; // of the predictor
    double threshold = 0.0;       // share of a region's units that may outlive the retention
};

/// Through the firmware's streams unit by unit, or by how many units of each superblock are valid.
enum class precondition_method : std::uint8_t { automatic, units, counts };
/// When overwriting ends; automatic: as overwriting_until() says.
enum class precondition_until : std::uint8_t { automatic, amount, steady, settled };
/// Whose addresses it takes: a stream of its own, or the streams of the run.
enum class overwrite_source : std::uint8_t { stream, own };

struct precondition_config {
    double fill = 0.0;      // share of the logical space written once, in order
    double overwrite = 0.0; // then this many times the logical space
    precondition_method method = precondition_method::automatic;
    precondition_until until = precondition_until::automatic;
    overwrite_source source = overwrite_source::stream;
    host::stream_config stream; // of overwrites; its addresses alone
};

enum class thermal_model : std::uint8_t { off, rc };

/// What firmware does about heat; degrees Celsius, 0 = never.
struct heat_config {
    std::uint32_t warning = 70;  // WCTEMP
    std::uint32_t critical = 80; // CCTEMP
    std::uint32_t light = 75;    // TMT1
    std::uint32_t heavy = 78;    // TMT2
    std::uint32_t shutdown = 0;
    double hysteresis = 1.0;     // K
    double light_programs = 0.5; // share of the host's that run at a time
    double heavy_programs = 0.125;
    std::uint32_t clock_divider = 4; // under heavy throttling
};

struct power_states_config {             // of NVMe; the first so many are operational
    std::vector<double> max_power, idle; // W; idle: of each that is not operational
    std::uint32_t operational = 1;
    std::vector<sim_time> entry, exit;
    sim_time step; // between looks at the power drawn
    [[nodiscard]] bool any() const { return !max_power.empty(); }
};

/// When firmware counts as stuck; 0 = never.
struct watchdog_config {
    sim_time progress; // simulated, while the host waits
    sim_time hang;     // of the host's processor, in one go
};

/// limit: when so much was measured.
enum class run_until : std::uint8_t { limit, steady };

/// Rounds of a load until it is steady: report/steadiness.h.
struct steady_config {
    std::uint64_t round_requests = 0; // of a round, or ...
    sim_time round_time;              // ... how long it is; neither: as it follows from the load
    std::uint32_t rounds = 5;
    double range = 0.2;
    double slope = 0.1;
    std::uint32_t limit = 400; // rounds
};

/// Of the drive: what run.faster may name.
enum class faster_part : std::uint8_t {
    none,
    luns,
    channels,
    cores,
    dram,
    link,
    host,
    engine,
    heat,
    power
};

/// What of firmware costs nothing (run.ideal): its time alone, or its limits too (ideal.h).
enum class ideal_part : std::uint8_t { none, costs, firmware };

/// Exact windows, and between them a load that changes the drive's state alone.
struct sampling_config {
    std::uint32_t windows = 0; // 0 = all of the run is exact
    double share = 0.05;       // of the requests that is measured
    std::uint64_t warmup = 0;  // requests before each window; 0 = computed
    bool idle = false;         // the drive has idle time beside the load
    double within = 0.0;       // the interval of IOPS that is enough, a share; 0 = all windows
};

struct run_config {
    std::uint64_t seed = 1;
    run_until until = run_until::limit;
    steady_config steady;
    sampling_config sampling;
    std::uint64_t requests = 0;        // 0 = no limit
    sim_time duration;                 // 0 = no limit
    std::uint64_t warmup_requests = 0; // run.warmup as a count ...
    sim_time warmup;                   // ... or as a time
    double failed_limit = 0.01;        // share of the requests
    faster_part faster = faster_part::none;
    double faster_by = 1.2;
    ideal_part ideal = ideal_part::none;
    std::uint32_t reduced = 1; // the drive is one of 1/n of the blocks (reduced.h)
};

/// Which of the firmware's roles (host, ftl, flash) has a core of its own; the others share one.
enum class core_roles : std::uint8_t { together, host_apart, flash_apart, ftl_apart, each_apart };

enum class sata_line_rate : std::uint32_t { gen1 = 1, gen2 = 2, gen3 = 3 };

struct ssd_config {
    std::string name;                        // of the configuration: last file's stem
    std::shared_ptr<const ssd_config> whole; // as it was given, of a reduced drive; else null
    pcie::link_config pcie;
    nvme::front_end_config nvme;
    sata::link_config sata; // this and the next two with host::interface_kind::sata
    sata_line_rate sata_rate = sata_line_rate::gen3;
    sata::front_end_config sata_fe;
    host::driver_config driver;
    host::workload_config workload;
    std::uint32_t channels = 1;
    std::uint32_t dies_per_chip = 1;        // naming: LUN of a channel = chip * dies + die
    flash::channel_config channel;          // luns, arbiter, bus, die
    dram::dram_config dram;                 // dram.bandwidth = dram_rate * dram_width / 8
    rate dram_rate;                         // transfers per second
    std::uint32_t dram_width = 32;          // bits
    interconnect::port_config port;         // of the crossbar, to each target
    std::uint32_t cores = 1, ftl_cores = 1; // the latter: each for a partition (partition.h)
    core_roles roles = core_roles::together;
    cpu::core_config cpu; // of each
    std::uint64_t sram_size = 4ull << 20;
    std::uint32_t max_transfer = 128 * 1024; // MDTS, bytes
    ftl_config ftl;
    boxed<cache_config> cache; // parts/cache.h
    precondition_config precondition;
    run_config run;
    std::vector<sim_time> reset_at; // of the controller, from the start of the measured part
    power_config power;
    boxed<boot_zones> zones; // size 0 = there are none
    watchdog_config watchdog;
    write_mode write = write_mode::normal; // how host data are programmed
    std::vector<double> read_levels;       // by page of a word line; empty = nobody says
    sim_time tR_level;                     // of a page read, for each of them
    shallow_config shallow;
    data_mode data = data_mode::tag;
    bool dram_rate_given = false;  // else it is that of dram.standard
    bool erase_loop_given = false; // flash.erase.loop_time; else nand.tBERS decides
    double serve_pacing = 0.0;     // simulated seconds per second of the wall clock; 0 = no limit
    energy_figures energy;
    thermal_model heat_model = thermal_model::off;
    thermal::thermal_config thermal;
    double thermal_speed = 1.0; // its capacities are divided by it
    heat_config heat;
    power_states_config states;
};

} // namespace ssdvp::platform
