// SPDX-License-Identifier: Apache-2.0
#include "models/host/guest/guest_driver.h"

#include <cstring>

#include "models/common/data_mode.h"

namespace ssdvp::host {

guest_driver::guest_driver(const sc_core::sc_module_name& name)
    : block(name), mmio("mmio"), from_link("from_link"), m_registers(mmio)
{
    from_link.bind(*this);
}

guest_driver::~guest_driver() = default;

void guest_driver::write(std::uint64_t offset, std::uint32_t value)
{
    ++m_writes;
    m_settled = later(m_settled, now() + m_registers.write32(offset, value));
}

unsigned char* guest_driver::find(std::uint64_t address, std::uint64_t length) const
{
    for (const guest_ram& r : m_ram) {
        const std::uint64_t at = address - r.address; // huge below it
        if (at < r.size && length <= r.size - at) {
            return r.bytes + at;
        }
    }
    return nullptr;
}

// The drive's time on the link has been taken already; guest memory has no clock of ours.
void guest_driver::access(tlm::tlm_generic_payload& gp)
{
    const std::uint64_t address = gp.get_address();
    const std::uint64_t length = gp.get_data_length();
    gp.set_dmi_allowed(false);
    if (gp.is_write() && length == 4 && address - message_base < message_size) {
        std::uint32_t data = 0;
        std::memcpy(&data, gp.get_data_ptr(), sizeof data);
        if (m_on_message) {
            m_on_message(address, data);
        }
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    unsigned char* bytes = m_master ? find(address, length) : nullptr;
    if (bytes == nullptr) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (gp.get_command() != tlm::TLM_IGNORE_COMMAND) {
        transfer(gp, bytes);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
}

void guest_driver::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time&)
{
    access(gp);
}

tlm::tlm_sync_enum guest_driver::nb_transport_fw(tlm::tlm_generic_payload& gp,
                                                 tlm::tlm_phase& phase, sc_core::sc_time&)
{
    if (phase == tlm::BEGIN_REQ) {
        access(gp);
    }
    return tlm::TLM_COMPLETED;
}

bool guest_driver::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    // A pointer would bypass the link, and with it the time that a transfer takes.
    dmi.allow_none();
    dmi.set_start_address(0);
    dmi.set_end_address(~0ull);
    return false;
}

} // namespace ssdvp::host
