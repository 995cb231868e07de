// SPDX-License-Identifier: Apache-2.0
//
// The shared x8 bus of one channel. One transaction per cycle group: it times the group, hands it
// to the addressed LUN and completes with the delay of the last cycle. Never waits, never
// arbitrates: that is the controller's work; a group that overlaps another one is a recorded fault.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/block.h"
#include "models/common/busy_time.h"
#include "models/common/fault_log.h"
#include "models/flash/bus/cycle_timing.h"
#include "models/flash/bus/onfi_checker.h"

namespace ssdvp::flash {

class onfi_bus final : public block {
public:
    tlm_utils::simple_target_socket<onfi_bus> in;                         // controller
    sc_core::sc_vector<tlm_utils::simple_initiator_socket<onfi_bus>> out; // one per LUN

    onfi_bus(const sc_core::sc_module_name& name, const cycle_timing& timing, unsigned luns,
             fault_log* faults);
    ~onfi_bus() override;

    /// Tells `checker` of every group; it records overlaps then.
    void attach(onfi_checker& checker) { m_checker = &checker; }
    /// Tells `observer` of every group.
    void follow(group_observer& observer) { m_observers.push_back(&observer); }
    /// Power goes: cycles under way are none.
    void power_off()
    {
        m_free = m_turnaround = sim_time();
        m_busy.cut(now());
    }
    /// Time with cycles on the bus, until now.
    [[nodiscard]] sim_time busy() const { return m_busy.until(now()); }
    /// Bytes of a group on the wire: data, out-of-band bytes, and what goes beside.
    [[nodiscard]] static std::uint64_t bytes_of(const tlm::tlm_generic_payload& gp,
                                                const onfi::extension& g);

private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    [[nodiscard]] sim_time first_cycle(const onfi::extension& g, sim_time asked);

    cycle_timing m_timing;
    fault_log* m_faults;
    onfi_checker* m_checker = nullptr;
    std::vector<group_observer*> m_observers;
    sim_time m_free;       // end of the last group
    sim_time m_turnaround; // earliest command cycle after data out (tRHW)
    busy_time m_busy;
};

} // namespace ssdvp::flash
