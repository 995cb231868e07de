// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/common/data_mode.h"

namespace ssdvp::host {

enum class raid_level : std::uint8_t { stripe, mirror }; // RAID-0, RAID-1
enum class mirror_reads : std::uint8_t { round_robin, least_loaded };

constexpr std::size_t array_members_max = 16;

struct array_config {
    std::string name;
    raid_level level = raid_level::stripe;
    std::uint64_t chunk = 64 * 1024;                // bytes; stripe only
    mirror_reads reads = mirror_reads::round_robin; // mirror only
    data_mode data = data_mode::tag;                // that of all members
};

} // namespace ssdvp::host
