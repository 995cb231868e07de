// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::interconnect {

/// Of the port to each target.
struct port_config {
    std::uint32_t width = 0; // bits moved in a cycle; 0: transfers take no time and never wait
    rate clock;              // cycles per second

    [[nodiscard]] rate bytes_per_second() const { return rate(clock.per_second() * (width / 8)); }
};

} // namespace ssdvp::interconnect
