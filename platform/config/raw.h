// SPDX-License-Identifier: Apache-2.0
//
// The raw tree: what files and command line say, merged, as text with the place of each value.
// Keys are known here (an unknown key is an error at its place); values are not looked at.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/input/config_error.h"

namespace ssdvp::platform {

struct raw_entry {
    std::vector<std::string> items;
    bool is_list = false;
    origin at;
};

using raw_map = std::map<std::string, raw_entry>;

/// A list of streams, or a trace (then `trace` holds at least the key `trace`), or fio jobs.
struct raw_workload {
    bool given = false;
    origin at;
    std::vector<raw_map> streams;
    raw_map trace;
    raw_map fio;
    std::map<std::size_t, raw_entry> drives; // by stream: the drive it names
};

/// An entry of the list `drives`.
struct raw_drive {
    std::string name;
    origin at;
    raw_entry config; // no items: none
    raw_map values;   // over those of `config` and of the tree; "default" is kept as a value
};

/// An entry of the list `raid`.
struct raw_array {
    origin at;
    raw_map values;
};

struct raw_tree {
    raw_map values; // full dotted keys
    raw_workload workload;
    std::vector<raw_drive> drives; // empty: one drive without a name
    std::vector<raw_array> arrays; // of those drives
    std::string name;              // stem of the last file
};

/// Names of drives and arrays are folders of the results and modules of the simulation.
bool is_drive_name(const std::string& name);

/// What a file says about itself under `description`, or nothing.
std::string file_description(const std::string& path);

/// The workload when no configuration names one: a 4 KiB 70/30 zipf stream at queue depth 16.
std::vector<raw_map> default_streams();
/// The place of what it says.
bool is_default(const origin& at);

/// Merges a file, or a preset by its bare name, with all that it extends, over `tree`.
void merge_file(raw_tree& tree, const std::string& name, const std::string& folder);

/// Merges key=value over `tree`; `label` names the command-line option in messages.
void merge_setting(raw_tree& tree, const std::string& key, const std::string& value,
                   const std::string& label);

} // namespace ssdvp::platform
