// SPDX-License-Identifier: Apache-2.0
//
// What every key is tested with (config_keys.cpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/unit/config_support.h"

namespace ssdvp::platform::test {

struct key_case {
    std::string key;
    std::string good;
    std::function<bool(const ssd_config&)> arrived;
    std::string bad;
    std::vector<std::string> with; // what else makes `good` legal
};

/// Of every key but those of power (config_keys.cpp).
std::vector<key_case> all_cases();
/// Keys of maps that are paged between DRAM and flash.
std::vector<key_case> map_cases();
/// Keys of what the parts draw (config_energy_keys.cpp).
std::vector<key_case> energy_cases();
/// Keys of heat (config_thermal_test.cpp).
std::vector<key_case> thermal_cases();
/// Keys of power states (config_power_states_test.cpp).
std::vector<key_case> power_state_cases();
/// Keys of several cores and their caches (config_core_keys.cpp).
std::vector<key_case> core_cases();
std::vector<key_case> timing_cases();
/// Keys of shallow programs (config_shallow.cpp).
std::vector<key_case> shallow_cases();
/// Keys of the DRAM's model (config_dram_keys.cpp).
std::vector<key_case> dram_cases();
/// Keys of schemes that map logical blocks (config_block_keys.cpp).
std::vector<key_case> block_cases();
/// Keys of the buffer (config_cache_keys.cpp).
std::vector<key_case> cache_cases();
/// Keys of watchdogs and resets (config_watchdog.cpp).
std::vector<key_case> watchdog_cases();
/// Keys of a drive that serves clients (config_serve.cpp).
std::vector<key_case> serve_cases();
/// Keys of the link (config_pcie.cpp).
std::vector<key_case> pcie_cases();
/// Keys of what the driver asks of an NVMe controller (config_nvme_keys.cpp).
std::vector<key_case> nvme_cases();
/// Keys of zoned namespaces (config_zones.cpp).
std::vector<key_case> zone_cases();
/// Keys of streams by directive (config_directives.cpp).
std::vector<key_case> directive_cases();
/// Keys of the SLC cache (config_slc_cache_test.cpp).
std::vector<key_case> slc_cache_cases();
/// Keys of the map's memory (config_map_memory_test.cpp).
std::vector<key_case> map_memory_cases();
/// Keys of where a write lands (config_placement.cpp).
std::vector<key_case> placement_cases();
/// Keys of runs until the steady state, and of overwrites (config_steady_test.cpp).
std::vector<key_case> steady_cases();
/// Keys of sampled runs (config_sampling_test.cpp).
std::vector<key_case> sampling_cases();
/// Keys of read levels by page (config_read_levels_test.cpp).
std::vector<key_case> read_level_cases();
/// Keys of word lines in two passes (config_passes_test.cpp).
std::vector<key_case> pass_cases();
/// Keys of snap reads (config_snap_read_test.cpp).
std::vector<key_case> snap_read_cases();
/// Keys of SATA (config_sata.cpp).
std::vector<key_case> sata_cases();

} // namespace ssdvp::platform::test
