// SPDX-License-Identifier: Apache-2.0
//
// Time and energy by NVMe power state (docs/power_states.md). A drive asleep draws the idle power
// of its state: what its parts would have drawn meanwhile is left out of all sums.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/time.h"
#include "platform/report/energy_parts.h"

namespace ssdvp::platform {

struct power_state_statistics {
    sim_time time;             // in which it was the drive's state
    sim_time asleep;           // of that, drawing its idle power alone
    std::uint64_t entries = 0; // from another state
    uint128 energy = 0;
};

struct power_state_counts {
    std::vector<power_state_statistics> states;
    uint128 asleep = 0;    // energy drawn asleep
    energy_parts left_out; // of the parts meanwhile
    energy_places left_out_at;
};

/// What the parts drew while the drive was awake, and what it drew asleep.
void leave_out(energy_parts& parts, const power_state_counts& p);
void leave_out(energy_places& places, const power_state_counts& p);

class power_account {
public:
    /// `idle`: microwatts that a drive asleep draws, by state.
    explicit power_account(std::vector<std::uint64_t> idle);

    struct reading { // what all parts have drawn since power-on
        sim_time when;
        energy_parts parts;
        energy_places places;
    };
    void change(const reading& now, unsigned state, bool asleep);
    [[nodiscard]] power_state_counts at(const reading& now) const;
    [[nodiscard]] sim_time asleep(sim_time when) const; // in all

private:
    void close(power_state_counts& counts, const reading& now) const;

    std::vector<std::uint64_t> m_idle;
    power_state_counts m_counts;
    reading m_last;
    unsigned m_state = 0;
    bool m_asleep = false;
};

} // namespace ssdvp::platform
