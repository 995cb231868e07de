// SPDX-License-Identifier: Apache-2.0
//
// Figures of a run that tests of many options compare.
#pragma once

#include "tests/support/platform_run.h"

namespace ssdvp::test {

inline double iops(const platform_run& r)
{
    return static_cast<double>(r.sim->requests().requests()) * 1e12 /
           static_cast<double>(r.measured().when.ps());
}
inline double mean_read(const platform_run& r)
{
    return r.reads().latency.mean();
}
inline double mean_write(const platform_run& r)
{
    return r.writes().latency.mean();
}

} // namespace ssdvp::test
