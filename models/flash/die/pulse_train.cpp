// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/pulse_train.h"

namespace ssdvp::flash {

/// The first safe point at or after `progress`, and beyond `done`.
sim_time pulse_train::next_safe_point(sim_time progress) const
{
    const std::uint64_t execution = (loop - ramp - recovery).ps();
    for (sim_time begin = progress.ps() / loop.ps() * loop; begin < length; begin += loop) {
        for (std::uint64_t i = 1; i < safe_points; ++i) {
            const sim_time point = begin + ramp + sim_time(execution * i / safe_points);
            if (point >= progress && point > done) {
                return point;
            }
        }
        const sim_time end = begin + loop; // verified: the next loop has not begun
        if (end >= progress && end > done) {
            return end;
        }
    }
    return length;
}

std::optional<sim_time> pulse_train::stop(sim_time asked) const
{
    const sim_time progress = done + (asked - resumed); // a time before `resumed` counts as it
    const sim_time point = safe_points == 0 ? progress : next_safe_point(progress);
    return point < length ? std::optional<sim_time>(resumed + (point - done)) : std::nullopt;
}

} // namespace ssdvp::flash
