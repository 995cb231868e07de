// SPDX-License-Identifier: Apache-2.0
//
// From configuration files and the command line to a checked ssd_config, and back to text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/config/config.h"
#include "platform/input/config_error.h"
#include "platform/plan/firmware_planner.h"

namespace ssdvp::platform {

/// A key set by a command-line option other than --set; `label` is that option as written.
struct config_override {
    std::string key;
    std::string value;
    std::string label; // "--requests 1000"
};

struct config_sources {
    std::vector<std::string> files;             // merged left to right: paths, or bare preset names
    std::vector<std::string> sets;              // "key=value", after the files
    std::vector<config_override> overrides;     // after the sets
    bool guest = false;                         // the host's driver is not ours
    bool own_firmware = false;                  // not the one that is built in
    std::string power_cut;                      // at=T[,T...] | every=N | random=RATE
    std::string trace;                          // FILE[,format=F]: replaces the workload
    std::string fio;                            // FILE: replaces the workload
    std::vector<std::string> fio_arguments;     // fio's command line: replaces it too
    std::string trace_replay;                   // timed | asap | scaled=F
    std::string trace_fit;                      // wrap | scale | error
    std::string trace_device;                   // number | all
    std::string configs_dir;                    // of presets; empty: presets_folder() says
    const firmware_planner* firmware = nullptr; // null: the built-in one plans
};

/// One key of the resolved tree.
struct resolved_key {
    std::string key;
    std::string value;
    std::string from; // "default", "file:line:column" or the command-line option
};

struct resolved_config {
    ssd_config config;
    std::vector<resolved_key> keys; // in the order of the tree
    std::vector<std::string> idle;  // "place: key why": notices of keys that do not act as written
};

/// One drive of a run.
struct named_drive {
    std::string name; // empty: the only one, and there is no list
    resolved_config resolved;
};

/// Drives that the host uses as one.
struct named_array {
    host::array_config config;
    std::vector<std::size_t> members; // of the list of drives
    host::workload_config workload;
    run_config run;
};

struct run_plan {
    std::vector<named_drive> drives;
    std::vector<named_array> arrays;
};

/// The drives of the list `drives`, each with the streams that name it or its array, and the arrays
/// of the list `raid`; without a list the one drive. Throws config_error, as do the next two, which
/// refuse a list.
run_plan resolve_run(const config_sources& sources);
resolved_config resolve(const config_sources& sources);
ssd_config load(const config_sources& sources);

/// The full tree as YAML; loading it gives the same ssd_config.
std::string resolved_yaml(const ssd_config& c);
/// SHA-256 of resolved_yaml.
std::string config_sha256(const ssd_config& c);

/// SHA-256 of the keys that say what the cells hold and how firmware finds it there.
std::string cells_sha256(const ssd_config& c);

/// Keys that options of the command line gave, and their values.
std::vector<std::pair<std::string, std::string>> overrides_of(const resolved_config& r);

/// Each key, its value and where it came from, for people.
std::string show(const resolved_config& r);

/// JSON Schema (draft 2020-12) of configuration files.
std::string schema_json();

std::string list_presets(const std::string& configs_dir = {});
std::string list_policies();
std::string list_options();
/// The same as tables of Markdown, those of docs/configuration.md.
std::string options_markdown();

} // namespace ssdvp::platform
