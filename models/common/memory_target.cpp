// SPDX-License-Identifier: Apache-2.0
#include "models/common/memory_target.h"

#include "models/common/data_mode.h"

namespace ssdvp {

memory_target::memory_target(const sc_core::sc_module_name& name, std::uint64_t size,
                             sim_time latency)
    : block(name), in("in"), m_bytes(size, guard), m_latency(latency)
{
    in.register_b_transport(this, &memory_target::b_transport);
    in.register_nb_transport_fw(this, &memory_target::nb_transport_fw);
    in.register_get_direct_mem_ptr(this, &memory_target::get_direct_mem_ptr);
}

memory_target::~memory_target() = default;

void memory_target::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const std::uint64_t length = gp.get_data_length();
    if (length > size() || gp.get_address() > size() - length) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    transfer(gp, data() + gp.get_address());
    const sim_time t = now();
    delay = (access(gp, t + sim_time::from_sc(delay)) - t).to_sc();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
}

tlm::tlm_sync_enum memory_target::nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase&,
                                                  sc_core::sc_time& delay)
{
    b_transport(gp, delay);
    return tlm::TLM_COMPLETED;
}

bool memory_target::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    dmi.set_dmi_ptr(data());
    dmi.set_start_address(0);
    dmi.set_end_address(size() - 1);
    dmi.allow_read_write();
    dmi.set_read_latency(m_latency.to_sc());
    dmi.set_write_latency(m_latency.to_sc());
    return true;
}

} // namespace ssdvp
