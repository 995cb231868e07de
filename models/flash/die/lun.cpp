// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/lun.h"

namespace ssdvp::flash {

lun::lun(const sc_core::sc_module_name& name, const die_config& config, const cycle_times& bus,
         fault_log* faults, die_index die)
    : block(name), in("in"), rb("rb"), m_config(config), m_faults(faults),
      m_cells(m_config, this->name(), faults, die), m_array(m_config, bus, m_cells, m_planes, rb),
      m_decoder(m_config, bus, m_cells, m_planes, m_array)
{
    m_planes.reserve(config.geo.planes);
    for (std::uint32_t p = 0; p < config.geo.planes; ++p) {
        m_planes.emplace_back(config.geo.page_size, config.stored_oob);
    }
    in.register_nb_transport_fw(this, &lun::nb_transport_fw);
    rb.initialize(true);
}

lun::~lun() = default;

tlm::tlm_sync_enum lun::nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay)
{
    onfi::extension* g = gp.get_extension<onfi::extension>();
    const bool addressed = g != nullptr && m_planes.has(g->plane);
    if (phase != tlm::BEGIN_REQ || !addressed ||
        !m_decoder.execute(gp, *g, now() + sim_time::from_sc(delay))) {
        if (m_faults != nullptr) {
            m_faults->record(name(), addressed ? m_decoder.refusal() : "illegal command sequence");
        }
        gp.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace ssdvp::flash
