// SPDX-License-Identifier: Apache-2.0
//
// DRAM buffer in two models: `bandwidth`, one shared data bus with a latency, and `bank`, the
// commands of a JEDEC part. Page in docs/models/dram.md.
#pragma once

#include <memory>

#include "models/common/fault_log.h"
#include "models/common/memory_target.h"
#include "models/common/reservation.h"
#include "models/common/timeline.h"
#include "models/dram/bank_schedule.h"
#include "models/dram/config.h"
#include "models/dram/dram_checker.h"
#include "models/dram/stats.h"

namespace ssdvp::dram {

class dram final : public memory_target {
public:
    dram(const sc_core::sc_module_name& name, const dram_config& config);

    [[nodiscard]] dram_stats stats() const;
    /// Data bus time of a transfer of `bytes`, without latency or contention.
    [[nodiscard]] sim_time occupancy(std::uint64_t bytes) const
    {
        return time_for(bytes, m_effective);
    }
    /// Transfers are told to `to`.
    void follow(timeline& to) { m_track = timeline_track(to, "DRAM", "port"); }
    /// Holds the commands of the model `bank` against the timing rules; faults go to `faults`.
    void check_commands(fault_log* faults);
    /// Null without check_commands() and with the model `bandwidth`.
    [[nodiscard]] const dram_checker* checker() const { return m_checker.get(); }

private:
    void forget() override;
    void tell(const tlm::tlm_generic_payload& gp, sim_time begin, sim_time end) const;
    sim_time access(const tlm::tlm_generic_payload& gp, sim_time at) override;

    [[nodiscard]] bool is_on_chip(std::uint64_t address) const
    {
        return address - m_on_chip.begin < m_on_chip.size;
    }

    struct on_chip_part {
        std::uint64_t begin;
        std::uint64_t size;
        sim_time latency;
    };
    on_chip_part m_on_chip;
    rate m_effective; // bytes per second that the bus sustains
    sim_time m_controller;
    reservation m_bus;
    dram_stats m_stats;
    std::unique_ptr<dram_checker> m_checker;
    std::unique_ptr<bank_schedule> m_banks; // of the model `bank`
    timeline_track m_track;
};

} // namespace ssdvp::dram
