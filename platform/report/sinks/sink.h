// SPDX-License-Identifier: Apache-2.0
//
// What hears of a run and reports on it in files of its own: an object for each drive and array.
#pragma once

#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/common/timeline.h"
#include "models/cpu/call_profile.h"
#include "models/flash/bus/bus_tap.h"
#include "models/host/config.h"
#include "models/host/request.h"
#include "models/host/workload/runner.h"
#include "models/pcie/tlp_watch.h"
#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"
#include "platform/report/sinks/sinks.h"
#include "platform/report/timeline/window.h"
#include "platform/report/traces/register_access.h"
#include "platform/report/traces/window.h"
#include "platform/report/waves/options.h"

namespace ssdvp::platform {

/// What a sink is made for.
struct sink_subject {
    std::string name;                              // of several drives and arrays; empty: one drive
    std::filesystem::path directory;               // of its results
    const host::workload_config& workload;         // until the sink is made
    std::uint32_t page_size = 0;                   // of its flash, bytes; 0: an array
    energy_figures energy = {};                    // what its parts draw
    sim_time interval = {};                        // of --series-interval; 0: none was given
    timeline_window window = {};                   // of --timeline-window
    wave_options waves = {};                       // of --vcd
    trace_window traced = {};                      // of --trace-window
    bool pcie = false;                             // the drive has a PCIe link
    std::vector<std::string> timeline_scopes = {}; // of --timeline-scope; none: everything
    bool sampled = false;                          // the run is measured in windows
};

/// What there is to tell when a run is over.
struct sink_results {
    const request_statistics& requests;
    const host::workload_config& workload;
    const host::runner* runner; // of the workload; null: others sent the requests
    std::function<std::vector<block_wear>()> wear = {}; // of a drive, at its end; empty: an array
    std::time_t when = 0; // the run ended, by the clock of this machine
};

class report_sink {
public:
    report_sink() = default;
    virtual ~report_sink() = default;
    report_sink(const report_sink&) = delete;
    report_sink& operator=(const report_sink&) = delete;

    /// What it writes. Asked for before the run, to refuse what would overwrite something else.
    [[nodiscard]] virtual std::vector<std::filesystem::path> files() const = 0;
    /// Folders that are made for it, and taken back when the run is refused.
    [[nodiscard]] virtual std::vector<std::filesystem::path> folders() const { return {}; }
    /// The run is about to begin. Opens what is written meanwhile. Throws output_error.
    virtual void open() {}

    /// Who hears of each request of the measured part, and allocates nothing then. Null: nobody.
    [[nodiscard]] virtual host::request_observer* requests() { return nullptr; }
    /// What the cores tell what firmware spends. Null: nothing.
    [[nodiscard]] virtual cpu::call_profile* profile() { return nullptr; }

    /// What the blocks of a drive tell of their work. Null: nothing.
    [[nodiscard]] virtual timeline* trace() { return nullptr; }
    /// What is told of the drive's accesses to registers, flash buses, TLPs. Null: nothing.
    [[nodiscard]] virtual access_trace* accesses() { return nullptr; }
    [[nodiscard]] virtual flash::bus_watch* flash_buses() { return nullptr; }
    [[nodiscard]] virtual pcie::tlp_watch* tlps() { return nullptr; }

    /// The measured part of a drive begins and ends; an array has no counters. `read` stays, and
    /// says what the counters are at the moment.
    virtual void begin(const counters& now, const std::function<counters()>& read)
    {
        (void)now;
        (void)read;
    }
    virtual void end(const counters& now) { (void)now; }
    /// Sentences, if what it heard contradicts the counters of the measured part.
    [[nodiscard]] virtual std::vector<std::string> violations(const counters& measured) const
    {
        (void)measured;
        return {};
    }

    /// The run is over: writes the rest. Throws write_error.
    virtual void finish(const sink_results& results) = 0;
    /// What people see of it on stderr.
    [[nodiscard]] virtual std::string text() const { return {}; }
};

// `value`: what the option names; of a word, the word.
#define SSDVP_SINK_MAKER(id, ...)                                                                  \
    [[nodiscard]] std::unique_ptr<report_sink> make_##id(const std::string& value,                 \
                                                         const sink_subject& of);
REPORT_SINKS(SSDVP_SINK_MAKER)
#undef SSDVP_SINK_MAKER

} // namespace ssdvp::platform
