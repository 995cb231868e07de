// SPDX-License-Identifier: Apache-2.0
//
// DRAM buffer, fidelity `bandwidth`: one shared data bus with a latency. Page in
// docs/models/dram.md.
#pragma once

#include "models/common/memory_target.h"
#include "models/common/reservation.h"
#include "models/dram/config.h"
#include "models/dram/stats.h"

namespace ssdvp::dram {

class dram final : public memory_target {
public:
    dram(const sc_core::sc_module_name& name, const dram_config& config);

    [[nodiscard]] const dram_stats& stats() const { return m_stats; }
    /// Data bus time of a transfer of `bytes`, without latency or contention.
    [[nodiscard]] sim_time occupancy(std::uint64_t bytes) const
    {
        return time_for(bytes, m_effective);
    }

private:
    void forget() override;
    sim_time access(const tlm::tlm_generic_payload& gp, sim_time at) override;

    rate m_effective; // bytes per second that the bus sustains
    reservation m_bus;
    dram_stats m_stats;
};

} // namespace ssdvp::dram
