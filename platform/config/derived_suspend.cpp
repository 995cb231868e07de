// SPDX-License-Identifier: Apache-2.0
//
// Suspends of an erase: how many a policy lets come, against how many its cells stand.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/flash/die/errors/rber.h"
#include "models/flash/die/suspend/suspend_policy.h"
#include "platform/config/derived.h"

namespace ssdvp::platform {

namespace {

/// Of a block with so many P/E cycles. An erase does not stop at the end of its last loop.
std::uint64_t most_suspends(const flash::die_config& die, std::uint32_t pe_cycles)
{
    const std::uint32_t id = flash::suspend_policy_id(die.suspend.kind);
    const flash::suspend_policy& policy = *flash::find_suspend_policy(id);
    if (!policy.interrupts()) {
        return 0;
    }
    const std::uint64_t points = policy.safe_points(die.suspend, pe_cycles);
    const std::uint64_t most = points == 0 ? UINT64_MAX : points * die.erase.loops - 1;
    return die.suspend.limit == 0 ? most : std::min<std::uint64_t>(most, die.suspend.limit);
}

} // namespace

bool suspends_harm(const ssd_config& c)
{
    const flash::die_config& die = c.channel.die;
    const flash::rber_model cells(die);
    // They stand fewer with each cycle, and a policy's points change at its steps alone.
    std::vector<std::uint32_t> worn = {die.endurance};
    for (const flash::safe_point_step& step : die.suspend.safe_points) {
        if (step.pe_cycles > die.pe_cycles && step.pe_cycles <= die.endurance) {
            worn.push_back(step.pe_cycles - 1);
        }
    }
    return std::any_of(worn.begin(), worn.end(), [&](std::uint32_t pe_cycles) {
        return most_suspends(die, pe_cycles) > cells.safe_suspends(pe_cycles);
    });
}

} // namespace ssdvp::platform
