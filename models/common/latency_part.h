// SPDX-License-Identifier: Apache-2.0
//
// The parts of a command's latency, in the order in which a command goes through them, and their
// names in reports (docs/results.md).
#pragma once

#include <array>
#include <cstdint>

#include "models/common/time.h"

namespace ssdvp {

enum class latency_part : std::uint8_t {
    link,
    front_end,
    firmware,
    wait_core,
    wait_power,
    wait_map,
    wait_buffer,
    queue,
    wait_read,
    wait_program,
    wait_erase,
    wait_gc,
    array,
    bus,
    ecc,
    dram,
    completion
};
constexpr std::size_t latency_parts = 17;
constexpr std::array<const char*, latency_parts> latency_part_names = {
    "link",        "front_end", "firmware",  "wait_core",    "wait_power", "wait_map",
    "wait_buffer", "queue",     "wait_read", "wait_program", "wait_erase", "wait_gc",
    "array",       "bus",       "ecc",       "dram",         "completion"};

using latency_split = std::array<sim_time, latency_parts>;

} // namespace ssdvp
