// SPDX-License-Identifier: Apache-2.0
//
// Computed defaults, and the rules that tie keys to each other.
#pragma once

#include <string>

#include "platform/config/config.h"
#include "platform/config/preset_fit.h"
#include "platform/config/raw.h"
#include "platform/plan/firmware_planner.h"

namespace ssdvp::platform {

/// Where `key` was given, or null.
inline const raw_entry* entry_of(const raw_tree& raw, const std::string& key)
{
    const auto it = raw.values.find(key);
    return it == raw.values.end() ? nullptr : &it->second;
}

/// Throws a config_error at the place where `key` was written.
struct rejection {
    const raw_tree& raw;
    [[noreturn]] void operator()(const char* key, const std::string& what,
                                 const std::string& remedy) const
    {
        const raw_entry* given = entry_of(raw, key);
        fail(given == nullptr ? origin{"defaults", 0, 0} : given->at, key, what, remedy);
    }
};

/// "key value (place)", for the other keys of a message.
std::string told(const raw_tree& raw, const ssd_config& c, const char* key);

/// `size`, doubled until it holds what is needed or the option `key` takes no more.
std::uint64_t doubled_to(const char* key, std::uint64_t size, std::uint64_t needed);

/// Fills what follows from other keys: computed defaults and copies that the models carry. Values
/// of presets that the other keys do not allow give way through `fit`.
void complete(const raw_tree& raw, ssd_config& c, preset_fit& fit);

/// ... about SATA (options_sata.cpp).
void complete_sata(ssd_config& c);
void check_interface(const raw_tree& raw, const ssd_config& c, const std::string& presets);

/// The part of it that is about shallow programs (rules_shallow.cpp).
void complete_shallow(const raw_tree& raw, ssd_config& c);

/// Throws config_error when keys that are each legal cannot be combined.
void check(const raw_tree& raw, const ssd_config& c);
/// The rest of both, which the firmware is asked for; `own` is null: the one that is built in.
void fit_firmware(const raw_tree& raw, ssd_config& c, const firmware_planner* own, preset_fit& fit);
/// What the host is to send.
void check_workload(const raw_tree& raw, const ssd_config& c);
/// The parts of both that are about the DRAM.
void complete_dram(const raw_tree& raw, ssd_config& c);
/// cpu.timing: what cpu.core has and nobody gave.
void complete_timing(const raw_tree& raw, ssd_config& c);
void check_dram(const raw_tree& raw, const ssd_config& c);
/// ... about the PCIe link (rules_pcie.cpp).
void complete_pcie(const raw_tree& raw, ssd_config& c);
void check_pcie(const raw_tree& raw, const ssd_config& c);
/// ... about streams by directive (options_directives.cpp).
void check_directives(const raw_tree& raw, const ssd_config& c);
/// ... about memory of the map that is not DRAM (options_hmb.cpp).
void check_map_memory(const raw_tree& raw, const ssd_config& c);
/// ... about the SLC cache (options_slc.cpp).
void check_slc_cache(const raw_tree& raw, const ssd_config& c);
/// Before what counts the superblocks that are left.
void check_slc_size(const raw_tree& raw, const ssd_config& c);
/// ... about cores (options_cores.cpp).
void complete_cores(const raw_tree& raw, ssd_config& c);
void check_cores(const raw_tree& raw, const ssd_config& c);
/// ... and about partitions (partition.cpp): before what is counted by partition.
void check_partitions(const raw_tree& raw, const ssd_config& c);
/// The part of it that is about power.
void check_power(const raw_tree& raw, const ssd_config& c);
void check_thermal(const raw_tree& raw, const ssd_config& c);
/// ... about power states (options_power_states.cpp).
void complete_power_states(const raw_tree& raw, ssd_config& c);
void check_power_states(const raw_tree& raw, const ssd_config& c);

/// ... about the code of the pages, and its room beside them (rules_ecc.cpp).
void complete_ecc(const raw_tree& raw, ssd_config& c);
void check_ecc(const raw_tree& raw, const ssd_config& c);

void check_shallow(const raw_tree& raw, const ssd_config& c);

/// ... about read levels by page (options_levels.cpp).
void check_read_levels(const raw_tree& raw, const ssd_config& c);
/// ... about word lines in two passes (options_passes.cpp).
void check_passes(const raw_tree& raw, const ssd_config& c);
/// ... about snap reads (options_snap_read.cpp).
void complete_snap_read(const raw_tree& raw, ssd_config& c);
void check_snap_read(const raw_tree& raw, const ssd_config& c);

/// ... about what the driver asks of the controller (options_nvme.cpp).
void check_nvme(const raw_tree& raw, const ssd_config& c);
void check_metadata(const raw_tree& raw, const ssd_config& c);

/// ... about zones (options_zones.cpp).
void complete_zones(ssd_config& c);
void check_zones(const raw_tree& raw, const ssd_config& c);

/// ... about the part of a paged map that is in memory (rules_map.cpp).
void complete_map(const raw_tree& raw, ssd_config& c);
/// Of them those of superblocks of one block and of a map that is paged (rules_map.cpp).
void check_superblocks(const raw_tree& raw, const ssd_config& c);
void check_map(const raw_tree& raw, const ssd_config& c);
/// ... and of parts that take pages in any order (rules_blocks.cpp).
void check_blocks(const raw_tree& raw, const ssd_config& c);
/// ... and of the buffer (rules_cache.cpp).
void check_cache(const raw_tree& raw, const ssd_config& c);

/// ... and of where a write lands (rules_placement.cpp).
void check_placement(const raw_tree& raw, const ssd_config& c);
/// ... and of how the drive is filled before the run (rules_precondition.cpp).
void check_precondition(const raw_tree& raw, const ssd_config& c);

} // namespace ssdvp::platform
