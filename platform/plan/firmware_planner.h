// SPDX-License-Identifier: Apache-2.0
//
// Asks a firmware image what it needs of a drive, before there is one (firmware_image.plan).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "firmware/hal/hal.h"
#include "firmware/port/native/timing.h"

struct boot_params;

namespace ssdvp::platform {

/// Bytes of memory, and what they are for.
struct memory_share {
    std::string name;
    std::uint64_t sram = 0;
    std::uint64_t dram = 0;
};

struct firmware_needs {
    std::uint64_t sram = 0; // bytes from the start of each memory
    std::uint64_t dram = 0;
    std::uint64_t map = 0; // of sram: what the map has in one piece, whole pages
    std::vector<memory_share> shares;
    // Superblocks beside the user's data and bad ones, and what they are for (struct
    // firmware_plan).
    std::uint64_t superblocks = 0;
    std::uint64_t open = 0;
    std::uint64_t overhead = 0;
    std::uint64_t gc_low = 0;
    std::uint64_t gc_high = 0;
    std::string reason; // it would not start; empty: it would

    /// Nothing, where there is none of that name.
    [[nodiscard]] memory_share share(const std::string& name) const;
};

/// What registers of the front end tell, beside the boot parameters.
struct front_end_limits {
    bool sata = false;
    std::uint32_t slots = 0;
    std::uint32_t queues = 0;
    std::uint32_t vectors = 0;
    std::uint32_t queue_entries = 0;
};

class firmware_planner {
public:
    /// The image that is built in.
    firmware_planner();
    /// `timing` is null where the image does not count what it costs; `path` is empty for the one
    /// that is built in.
    firmware_planner(const firmware_image& image, const fw_timing* timing, std::string path = {})
        : m_image(&image), m_timing(timing), m_path(std::move(path))
    {}

    /// Else nobody knows what it needs.
    [[nodiscard]] bool plans() const { return m_image->plan != nullptr; }
    [[nodiscard]] firmware_needs plan(const boot_params& params,
                                      const front_end_limits& front_end) const;

private:
    const firmware_image* m_image;
    const fw_timing* m_timing;
    std::string m_path;
};

} // namespace ssdvp::platform
