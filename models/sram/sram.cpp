// SPDX-License-Identifier: Apache-2.0
#include "models/sram/sram.h"

#include "models/common/data_mode.h"

namespace ssdvp::sram {

sram::sram(const sc_core::sc_module_name& name, std::uint64_t size, sim_time latency)
    : block(name), in("in"), m_store(size), m_latency(latency)
{
    in.register_b_transport(this, &sram::b_transport);
    in.register_nb_transport_fw(this, &sram::nb_transport_fw);
    in.register_get_direct_mem_ptr(this, &sram::get_direct_mem_ptr);
}

void sram::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    if (!m_store.contains(gp.get_address(), gp.get_data_length())) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    transfer(gp, m_store.data() + gp.get_address());
    delay += m_latency.to_sc();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
}

tlm::tlm_sync_enum sram::nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase&,
                                         sc_core::sc_time& delay)
{
    b_transport(gp, delay);
    return tlm::TLM_COMPLETED;
}

bool sram::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    dmi.set_dmi_ptr(m_store.data());
    dmi.set_start_address(0);
    dmi.set_end_address(m_store.size() - 1);
    dmi.allow_read_write();
    dmi.set_read_latency(m_latency.to_sc());
    dmi.set_write_latency(m_latency.to_sc());
    return true;
}

} // namespace ssdvp::sram
