// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/host_port.h"

namespace ssdvp::nvme {

dma_result host_port::access(const host_access& a, sim_time earliest)
{
    m_payload.set_command(a.command);
    m_payload.set_address(a.address);
    m_payload.set_data_ptr(static_cast<unsigned char*>(a.bytes));
    m_payload.set_data_length(a.length);
    m_payload.set_byte_enable_ptr(nullptr);
    m_payload.set_byte_enable_length(0);
    m_tlp.carries = a.carries;
    m_tlp.reads = a.reads;
    return m_front_end.dma(m_link, m_payload, earliest);
}

sim_time host_port::occupy(std::uint64_t address, std::uint32_t length, sim_time earliest)
{
    return access({tlm::TLM_WRITE_COMMAND, address, m_later.data(), length, tlp::portion::wire},
                  earliest)
        .end;
}

} // namespace ssdvp::nvme
