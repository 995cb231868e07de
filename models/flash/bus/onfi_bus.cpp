// SPDX-License-Identifier: Apache-2.0
#include "models/flash/bus/onfi_bus.h"

namespace ssdvp::flash {

onfi_bus::onfi_bus(const sc_core::sc_module_name& name, const cycle_timing& timing, unsigned luns,
                   fault_log* faults)
    : block(name), in("in"), out("out", luns), m_timing(timing), m_faults(faults)
{
    in.register_nb_transport_fw(this, &onfi_bus::nb_transport_fw);
}

onfi_bus::~onfi_bus() = default;

std::uint64_t onfi_bus::bytes_of(const tlm::tlm_generic_payload& gp, const onfi::extension& g)
{
    const bool moves_data = gp.get_command() != tlm::TLM_IGNORE_COMMAND;
    return (moves_data ? gp.get_data_length() : 0) + std::uint64_t{g.oob_length} + g.beside;
}

sim_time onfi_bus::first_cycle(const onfi::extension& g, sim_time asked)
{
    if (asked < m_free && m_checker == nullptr && m_faults != nullptr) {
        m_faults->record(name(), "a cycle group overlaps the one before it");
    }
    return cycle_timing::has_command(g) ? later(asked, m_turnaround) : asked;
}

tlm::tlm_sync_enum onfi_bus::nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay)
{
    const onfi::extension* g = gp.get_extension<onfi::extension>();
    if (g == nullptr || g->lun.value() >= out.size()) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    const sim_time present = now();
    const sim_time asked = present + sim_time::from_sc(delay);
    const std::uint64_t bytes = bytes_of(gp, *g);
    const group_times times = m_timing.expand(*g, bytes);
    const sim_time length = times.end;
    const bool has_cycles = length != sim_time() || g->first != onfi::NO_COMMAND;
    sim_time end = asked;
    if (has_cycles) {
        end = first_cycle(*g, asked) + length;
        m_free = end;
        m_busy.add(present, end - length, end);
        if (g->data_out) {
            m_turnaround = end + m_timing.times().tRHW;
        }
    }
    delay = (end - present).to_sc();
    const tlm::tlm_sync_enum sync = out[g->lun.value()]->nb_transport_fw(gp, phase, delay);
    if (m_checker != nullptr && has_cycles) {
        m_checker->group(*g, bytes, end - length, times, gp.is_response_ok());
    }
    if (has_cycles) {
        for (group_observer* observer : m_observers) {
            observer->group(*g, bytes, end - length, times, gp.is_response_ok());
        }
    }
    return sync;
}

} // namespace ssdvp::flash
