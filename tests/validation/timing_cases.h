// SPDX-License-Identifier: Apache-2.0
//
// The cases of the timing validation: a drive for each FTL scheme, and what its host does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/ram_config.h"
#include "tests/validation/timing_host.h"

namespace ssdvp::test {

/// Names, in the order of the table.
std::vector<std::string> timing_schemes();
std::vector<std::string> timing_mixes();

/// Throws std::invalid_argument with the names there are.
ram_config timing_drive(const std::string& scheme);

/// Writes the whole drive, and a part of it once more, so that collection and merges have work.
void age(timing_host& h);
/// So many commands of the mix, to their end. Throws std::invalid_argument.
void run_mix(timing_host& h, const std::string& mix, std::uint64_t commands, std::uint64_t seed);

} // namespace ssdvp::test
