// SPDX-License-Identifier: Apache-2.0
//
// The command line, parsed and nothing more.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "platform/config/loader.h"
#include "platform/control/kept_states.h"
#include "platform/guest/qemu.h"
#include "platform/report/sinks/sinks.h"
#include "platform/report/timeline/window.h"
#include "platform/report/traces/window.h"
#include "platform/report/waves/options.h"
#include "platform/serve/serve_options.h"

namespace ssdvp::platform {

enum class command { run, serve, guest, check, show, schema, states };
enum class show_what {
    configuration,
    presets,
    policies,
    counters,
    summary_keys,
    ideal,
    options,
    option_tables
};

struct command_line {
    command what = command::run;
    show_what show = show_what::configuration;
    config_sources sources;
    std::string firmware; // empty: built in
    std::string out;      // empty: out/<configuration>-<time>
    sink_choice sinks;
    sim_time series_interval;                 // 0: none was given
    timeline_window window;                   // of --timeline
    std::vector<std::string> timeline_scopes; // likewise
    wave_options waves;                       // of --vcd
    trace_window traced;                      // of --mmio-trace and the others
    bool check_onfi = false;
    bool check_dram = false;
    bool stop_on_fault = false;
    bool quiet = false;
    bool what_if = false;      // of command::run
    bool beside_ideal = false; // likewise
    std::size_t jobs = 1;      // likewise: processes of a sampled run
    state_options states;      // of command::run, and cache of the others that run
    bool clear = false;        // of command::states
    bool keys = false;         // likewise
    serve_options serve;       // of command::serve; image: of a guest too
    qemu_options machine;      // of command::guest
};

/// Nothing is left to do but to exit with this code: help or version was printed, or the usage was
/// wrong and said so on stderr.
struct early_exit {
    int code;
};

/// Throws early_exit.
[[nodiscard]] command_line parse_command_line(int argc, char* argv[]);

} // namespace ssdvp::platform
