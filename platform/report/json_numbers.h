// SPDX-License-Identifier: Apache-2.0
//
// Numbers as summaries write them. Computed ones are cut to the digits that mean something, so that
// the last bit of a floating-point sum never shows.
#pragma once

#include <cmath>

#include "models/common/time.h"

namespace ssdvp::platform {

inline double ns(sim_time t)
{
    return static_cast<double>(t.ps()) / 1000.0;
}
inline double ns_of_ps(double ps)
{
    return std::round(ps) / 1000.0;
}
inline double thousandths(double v)
{
    return std::round(v * 1e3) / 1e3;
}
inline double millionths(double v)
{
    return std::round(v * 1e6) / 1e6;
}
/// 0 in no time.
inline double per_second(double amount, sim_time elapsed)
{
    return elapsed == sim_time() ? 0.0 : amount * 1e12 / static_cast<double>(elapsed.ps());
}

} // namespace ssdvp::platform
