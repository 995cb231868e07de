// SPDX-License-Identifier: Apache-2.0
//
// What the configuration has of one part of the drive: its options, what they are where nobody
// gives them, and their rules. A part is <id>.cpp of this folder, and a row of table.h.
#pragma once

#include <vector>

#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"
#include "platform/config/parts/table.h"
#include "platform/config/rules.h"

struct boot_params;

namespace ssdvp::platform {

/// A function that is null has nothing to do.
struct config_part {
    std::vector<option> (*options)();
    /// Computed defaults, and copies that the models carry. Values of presets that the other keys
    /// do not allow give way through `fit`.
    void (*complete)(const raw_tree& raw, ssd_config& c, preset_fit& fit) = nullptr;
    /// Throws config_error when keys that are each legal cannot be combined.
    void (*check)(const raw_tree& raw, const ssd_config& c) = nullptr;
    /// What firmware is told of it, for each partition by itself.
    void (*fill)(boot_params& p, const ssd_config& c) = nullptr;
    /// As `check`, before all of these: what divides the drive, so that its units can be counted.
    void (*check_division)(const raw_tree& raw, const ssd_config& c) = nullptr;
};

namespace parts {
#define SSDVP_DECLARE_PART(id) extern const config_part id;
CONFIG_PARTS(SSDVP_DECLARE_PART)
#undef SSDVP_DECLARE_PART
} // namespace parts

/// What all parts tell firmware.
void fill_parts(boot_params& p, const ssd_config& c);

// Of the flash, what more than one part asks.
bool has_planes(const ssd_config& c);        // geometry.cpp
option or_own_firmware(option o);            // the same: firmware of one's own may use it
bool keeps_order(const ssd_config& c);       // channel.cpp: the arbiter does
bool suspends_erases(const ssd_config& c);   // suspend.cpp
bool suspends_programs(const ssd_config& c); // ...
option when_suspended(option o);             // ... acts where one is
option when_pulse_counts(option o);          // ... where an erase stops at certain points
bool bits_go_wrong(const ssd_config& c);     // errors.cpp
option with_errors(option o);                // ... acts where they do
option with_code(option o);                  // ... where pages need a code

} // namespace ssdvp::platform
