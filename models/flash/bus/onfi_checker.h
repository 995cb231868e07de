// SPDX-License-Identifier: Apache-2.0
//
// Bus checker of one channel: takes the cycle groups from the bus and the R/B# edges from the
// dies, tells a constraint_checker what they are on the wires, and records each broken constraint
// as a fault: name, LUN, time, by how much. Costs no activation and no allocation.
#pragma once

#include <string>

#include "models/common/fault_log.h"
#include "models/flash/bus/constraint_checker.h"
#include "models/flash/bus/cycle_timing.h"
#include "models/flash/bus/group_observer.h"
#include "models/protocols/onfi.h"

namespace ssdvp::flash {

class onfi_checker final : public onfi::ready_observer, public group_observer {
public:
    /// `name` is the who of its faults.
    onfi_checker(std::string name, const cycle_timing& timing, const channel_config& config,
                 fault_log* faults);

    void group(const onfi::extension& g, std::uint64_t bytes, sim_time begin,
               const group_times& times, bool taken) override;
    /// Power went: the next group is the first.
    void restart()
    {
        m_multi = {};
        m_checker.restart();
    }
    void ready_edge(lun_index lun, bool rises, sim_time at) override;
    void plane_ready(lun_index lun, plane_index plane, sim_time at) override
    {
        m_checker.plane_ready(lun, plane, at);
    }

    /// Cycle groups that passed by.
    [[nodiscard]] std::uint64_t groups() const { return m_groups; }
    [[nodiscard]] std::uint64_t violations() const { return m_checker.violations(); }

private:
    void commands(const onfi::extension& g, sim_time begin, const group_times& times);
    void data(const onfi::extension& g, std::uint64_t bytes, sim_time begin,
              const group_times& times);
    void last_cycle(const onfi::extension& g, sim_time end);
    [[nodiscard]] bool reads_one_plane(const onfi::extension& g) const;
    [[nodiscard]] bool asks_for_plane(const onfi::extension& g) const;

    std::string m_name;
    fault_log* m_faults;
    bool m_ddr;
    bool m_independent; // planes take reads while others read
    lun_set m_multi;    // 32h came: the next read command is of the same multi-plane read
    std::uint64_t m_groups = 0;
    constraint_checker m_checker;
};

} // namespace ssdvp::flash
