// SPDX-License-Identifier: Apache-2.0
//
// One LUN: a command decoder, the page registers of its planes and the array engine on its cells.
// It receives cycle groups from the bus with the delay of their last cycle and drives R/B#: low tWB
// after that cycle, high when the array is done. Page in docs/models/die.md.
#pragma once

#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/block.h"
#include "models/common/fault_log.h"
#include "models/flash/die/array_engine.h"
#include "models/flash/die/command_decoder.h"

namespace ssdvp::flash {

class lun final : public block, public onfi::ready_line {
public:
    tlm_utils::simple_target_socket<lun> in; // ONFI cycle groups
    sc_core::sc_out<bool> rb;                // R/B#: true = ready; with trace_rb()

    /// Of the bus, tWB and tFEAT count.
    lun(const sc_core::sc_module_name& name, const die_config& config, const cycle_times& bus,
        fault_log* faults, die_index die);
    ~lun() override;

    /// Power goes, now: what ends at this instant has ended, what the array works on is torn, and
    /// everything but the cells is as at power-up, R/B# high.
    void power_off()
    {
        m_array.power_off();
        m_decoder.reset();
    }
    /// Told of every program and erase at the moment its array begins.
    void watch(array_watch* watch) { m_array.watch(watch); }
    /// `clock` calls edge() when it is time, as LUN `number`.
    void keep_time(onfi::edge_clock& clock, lun_index number)
    {
        m_array.line().keep_time(clock, number);
    }
    /// Who hears of each edge of R/B#.
    void attach(onfi::ready_observer& observer) { m_array.line().attach(observer); }
    /// `rb` follows R/B#.
    void trace_rb() { m_array.line().trace(); }
    onfi::ready_change edge() override { return m_array.edge(); }
    [[nodiscard]] bool high() const override { return m_array.high(); }
    [[nodiscard]] cell_array& cells() { return m_cells; }
    [[nodiscard]] const cell_array& cells() const { return m_cells; }
    [[nodiscard]] lun_stats stats() const { return m_array.stats(); }

private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);

    const die_config m_config;
    fault_log* m_faults;
    cell_array m_cells;
    plane_bank m_planes;
    array_engine m_array;
    command_decoder m_decoder;
};

} // namespace ssdvp::flash
