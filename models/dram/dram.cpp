// SPDX-License-Identifier: Apache-2.0
#include "models/dram/dram.h"

#include "models/common/data_mode.h"

namespace ssdvp::dram {

namespace {

rate effective_rate(const dram_config& config)
{
    const double bytes_per_second =
        static_cast<double>(config.bandwidth.per_second()) * config.efficiency;
    return rate(static_cast<std::uint64_t>(bytes_per_second));
}

} // namespace

dram::dram(const sc_core::sc_module_name& name, const dram_config& config)
    : block(name), in("in"), m_store(config.capacity), m_effective(effective_rate(config)),
      m_latency(config.latency)
{
    in.register_b_transport(this, &dram::b_transport);
    in.register_nb_transport_fw(this, &dram::nb_transport_fw);
    in.register_get_direct_mem_ptr(this, &dram::get_direct_mem_ptr);
}

void dram::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const std::uint64_t bytes = gp.get_data_length();
    if (!m_store.contains(gp.get_address(), bytes)) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    transfer(gp, m_store.data() + gp.get_address());
    const sim_time t = now();
    const auto slot = m_bus.reserve(t, t + sim_time::from_sc(delay), occupancy(bytes));
    (gp.is_write() ? m_stats.bytes_written : m_stats.bytes_read) += bytes;
    m_stats.busy = m_bus.total();
    delay = (slot.end + m_latency - t).to_sc();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
}

tlm::tlm_sync_enum dram::nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase&,
                                         sc_core::sc_time& delay)
{
    b_transport(gp, delay);
    return tlm::TLM_COMPLETED;
}

bool dram::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    dmi.set_dmi_ptr(m_store.data());
    dmi.set_start_address(0);
    dmi.set_end_address(m_store.size() - 1);
    dmi.allow_read_write();
    dmi.set_read_latency(m_latency.to_sc());
    dmi.set_write_latency(m_latency.to_sc());
    return true;
}

} // namespace ssdvp::dram
