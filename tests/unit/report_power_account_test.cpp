// SPDX-License-Identifier: Apache-2.0
//
// What a drive with power states draws, and for how long it is in each.
#include "platform/report/counter_sums.h"
#include "platform/report/power_account.h"

#include <catch2/catch.hpp>

namespace report_power_account_test {

using namespace ssdvp;
using namespace ssdvp::platform;

namespace {

/// A drive whose cores have drawn so much.
power_account::reading after(sim_time when, uint128 core_idle)
{
    power_account::reading r;
    r.when = when;
    r.parts.cores.idle = core_idle;
    r.places.controller = core_idle;
    r.places.luns = {0, 0};
    return r;
}

} // namespace

TEST_CASE("power account: an idle period of a drive with two states")
{
    // 1 W idle for 5 ms, 1 ms on the way in, 12 ms asleep at 100 mW, 2 ms on the way out.
    constexpr uint128 mj = uint128{1000000000000} * 1000000000000; // of 1e-27 J
    using namespace ssdvp::literals;
    power_account account({0, 100000});
    account.change(after(5_ms, 5 * mj), 1, false);
    account.change(after(6_ms, 6 * mj), 1, true);
    const power_state_counts within = account.at(after(10_ms, 10 * mj));
    CHECK(within.states[1].asleep == 4_ms);
    account.change(after(18_ms, 18 * mj), 1, false);
    power_state_counts p = account.at(after(20_ms, 20 * mj));
    CHECK(p.states[0].time == 5_ms);
    CHECK(p.states[1].time == 15_ms);
    CHECK(p.states[1].asleep == 12_ms);
    CHECK(p.states[1].entries == 1);
    const uint128 slept = uint128{12000000000} * 100000 * 1000000000;
    CHECK((p.asleep == slept)); // 1.2 mJ in 1e-27 J
    CHECK((p.states[0].energy == uint128{5} * mj));
    CHECK((p.states[1].energy == slept + uint128{3} * mj));
    energy_parts drawn = after(20_ms, 20 * mj).parts;
    leave_out(drawn, p);
    CHECK((drawn.cores.idle == uint128{8} * mj));
    CHECK((drawn.sum() == uint128{8} * mj + slept));
    energy_places at = after(20_ms, 20 * mj).places;
    leave_out(at, p);
    CHECK((at.controller == uint128{8} * mj + slept));
    const platform::power_state_counts later = platform::difference(p, within);
    CHECK(later.states[1].asleep == 8_ms);
    CHECK((later.asleep == uint128{8000000000} * 100000 * 1000000000));
}

} // namespace report_power_account_test
