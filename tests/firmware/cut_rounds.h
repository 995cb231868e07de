// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/regs/choices/slc_policy.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test {

#define SSDVP_SLC_POLICY(ID, ...) SLC_POLICY_##ID,
constexpr std::uint32_t every_slc_policy[] = {SLC_POLICIES(SSDVP_SLC_POLICY)};
#undef SSDVP_SLC_POLICY

/// Three rounds of mixed commands on a full drive, each checked and ended by a loss of power, the
/// second one by a shutdown before it.
inline void mixed_through_cuts(drive& d)
{
    for (std::uint64_t round = 1; round < 4; ++round) {
        mixed(d, 2500, round);
        flush(d);
        d.check_everything();
        d.check_rules();
        if (round == 2) {
            shut_down(d);
        }
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == (round == 2 ? 1u : 2u));
        d.check_everything();
    }
    d.check_rules();
    CHECK(d.mismatches == 0);
}

} // namespace ssdvp::test
