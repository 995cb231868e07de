// SPDX-License-Identifier: Apache-2.0
#include "models/common/ring_view.h"

namespace ssdvp {

bool ring_view::open(tlm::tlm_fw_transport_if<>& memory, std::uint32_t entries,
                     std::uint32_t entry_size)
{
    head = 0;
    tail = 0;
    phase = 1;
    m_entries = nullptr;
    m_size = 0;
    m_entry_size = entry_size;
    if (entries == 0) {
        return true;
    }
    tlm::tlm_generic_payload gp;
    gp.set_command(tlm::TLM_WRITE_COMMAND);
    gp.set_address(base);
    tlm::tlm_dmi dmi;
    const std::uint64_t bytes = std::uint64_t{entries} * entry_size;
    if (!memory.get_direct_mem_ptr(gp, dmi) || !dmi.is_read_write_allowed() ||
        base < dmi.get_start_address() || base > dmi.get_end_address() ||
        bytes - 1 > dmi.get_end_address() - base) {
        return false;
    }
    m_entries = dmi.get_dmi_ptr() + (base - dmi.get_start_address());
    m_size = entries;
    return true;
}

} // namespace ssdvp
