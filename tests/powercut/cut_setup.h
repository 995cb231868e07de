// SPDX-License-Identifier: Apache-2.0
//
// Drives for power cuts: geometries by name, and what goes wrong with their flash besides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/ram_config.h"

namespace ssdvp::test {

/// Everything is a function of place, page and erase count: two drives with the same cells fail
/// alike. Rates are one in so many; 0 = never.
struct fault_rates {
    std::uint32_t program = 600;
    std::uint32_t erase = 120;
    std::uint32_t failed_max = 3; // blocks that fail in a drive's life
    std::uint32_t retry = 40;     // pages that only a retry level corrects
};

struct cut_setup {
    std::string geometry;
    ram_config config;
    fault_rates faults;
    bool resets = false;  // by the host, of a drive that may be shutting down
    bool formats = false; // Format NVM now and then
    [[nodiscard]] std::uint32_t unit_sectors() const { return config.params.ftl.map_unit / 512; }
    [[nodiscard]] std::uint64_t sectors() const
    {
        return config.params.ftl.user_units * unit_sectors();
    }
    [[nodiscard]] std::uint32_t transfer_sectors() const { return config.params.host.mdts / 512; }
};

/// The harness's own firmware (log_drive.h), which is no scheme of the drive.
inline constexpr const char* reference_scheme = "reference";

/// Names that setup_of() knows.
std::vector<std::string> cut_geometries(const std::string& scheme = reference_scheme);
std::vector<std::string> cut_schemes();
/// Throws std::invalid_argument with the names there are.
cut_setup setup_of(const std::string& scheme, const std::string& geometry);

/// Why no drive can be made of them, or nothing: firmware would refuse to boot.
std::string cannot_be(const std::string& scheme, const std::string& geometry);

/// Words that look random, the same everywhere.
std::uint64_t scramble(std::uint64_t x);

} // namespace ssdvp::test
