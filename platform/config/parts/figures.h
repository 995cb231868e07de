// SPDX-License-Identifier: Apache-2.0
//
// Figures as firmware is told them, for what parts fill of its boot parameters.
#pragma once

#include <cmath>
#include <cstdint>

#include "models/regs/boot_params.h"

namespace ssdvp::platform {

inline std::uint32_t permille(double share)
{
    return static_cast<std::uint32_t>(std::lround(share * 1000.0));
}

/// The value of a choice that the firmware knows by the same table.
template <class Choice>
std::uint32_t value_of(Choice choice)
{
    return static_cast<std::uint32_t>(choice);
}

/// Of a power of two.
inline std::uint32_t exponent_of(std::uint32_t power)
{
    std::uint32_t e = 0;
    while ((1u << e) < power) {
        ++e;
    }
    return e;
}

} // namespace ssdvp::platform
