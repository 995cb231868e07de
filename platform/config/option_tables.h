// SPDX-License-Identifier: Apache-2.0
//
// Parts of the option table, one function per file, and what they are written with.
#pragma once

#include "platform/config/option.h"

namespace ssdvp::platform {

std::vector<option> host_options();
std::vector<option> pcie_options();
std::vector<option> flash_options();
std::vector<option> mode_options();
std::vector<option> pass_options();
std::vector<option> shallow_options();
std::vector<option> snap_read_options();
std::vector<option> level_options();
std::vector<option> error_options();
std::vector<option> dram_options();
std::vector<option> system_options();
std::vector<option> core_options();
std::vector<option> cache_options();
std::vector<option> placement_options();
std::vector<option> directive_options();
std::vector<option> slc_cache_options();
std::vector<option> map_memory_options();
std::vector<option> run_options();
std::vector<option> power_options();
std::vector<option> energy_options();
std::vector<option> thermal_options();
std::vector<option> power_state_options();
std::vector<option> core_timing_options();
std::vector<option> watchdog_options();
std::vector<option> reset_options();
std::vector<option> serve_options();
option arbitration_option();
std::vector<option> nvme_feature_options();
std::vector<option> metadata_options();
/// Keys of a stream that say where its requests go.
std::vector<stream_option> address_options();
std::vector<stream_option> priority_options();
std::vector<option> zone_options();
std::vector<stream_option> directive_stream_options();
std::vector<option> sata_options();
/// Keys of one interface mean nothing with the other (options_sata.cpp).
void divide_by_interface(std::vector<option>& table);

/// A key with one choice in this version, which therefore no field carries.
option make_fixed_option(const option_text& text, value_spec spec);

std::vector<std::uint64_t> powers_of_two(std::uint64_t first, std::uint64_t last);

inline void append(std::vector<option>& table, std::vector<option> more)
{
    for (option& o : more) {
        table.push_back(std::move(o));
    }
}

} // namespace ssdvp::platform
