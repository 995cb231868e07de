// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/memory.h"

#include <cstring>
#include <new>
#include <sys/mman.h>

#include "models/common/data_mode.h"

namespace ssdvp::host {

memory::memory(const sc_core::sc_module_name& name) : block(name), from_link("from_link")
{
    // Inaccessible until allocated: address space costs nothing, and a stray access of the host
    // side faults instead of reading zeros.
    void* space =
        mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) {
        throw std::bad_alloc();
    }
    m_bytes = static_cast<unsigned char*>(space);
    from_link.bind(*this);
}

memory::~memory()
{
    munmap(m_bytes, reserved);
}

std::uint64_t memory::allocate(std::uint64_t bytes)
{
    const std::uint64_t length = (bytes + page_size - 1) / page_size * page_size;
    if (length > reserved - m_used ||
        mprotect(m_bytes + m_used, length, PROT_READ | PROT_WRITE) != 0) {
        throw std::bad_alloc();
    }
    const std::uint64_t address = base + m_used;
    m_used += length;
    return address;
}

void memory::watch(std::uint64_t first, std::uint64_t length)
{
    m_watch_first = first;
    m_watch_length = length;
}

bool memory::holds(std::uint64_t address, std::uint64_t length) const
{
    const std::uint64_t offset = address - base; // wraps to a huge value below base
    return offset < m_used && length <= m_used - offset;
}

void memory::access(tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay)
{
    const std::uint64_t address = gp.get_address();
    const std::uint64_t length = gp.get_data_length();
    gp.set_dmi_allowed(false);
    if (address >= msi_base && address - msi_base < msi_size) {
        interrupt(gp, delay);
        return;
    }
    if (!holds(address, length)) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (gp.get_streaming_width() < length) {
        gp.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (gp.get_command() != tlm::TLM_IGNORE_COMMAND) {
        transfer(gp, at(address));
    }
    if (gp.is_write() && m_listener != nullptr && address - m_watch_first < m_watch_length) {
        m_listener->on_watched_write(address, length, now() + sim_time::from_sc(delay));
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
}

void memory::interrupt(tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay)
{
    if (!gp.is_write() || gp.get_data_length() != 4) {
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    std::uint32_t data = 0;
    std::memcpy(&data, gp.get_data_ptr(), sizeof data);
    if (m_listener != nullptr) {
        m_listener->on_msi(data, now() + sim_time::from_sc(delay));
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
}

void memory::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    access(gp, delay);
}

tlm::tlm_sync_enum memory::nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay)
{
    if (phase == tlm::BEGIN_REQ) {
        access(gp, delay);
    }
    return tlm::TLM_COMPLETED;
}

bool memory::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    // A pointer would bypass the link, and with it the time that a transfer takes.
    dmi.allow_none();
    dmi.set_start_address(0);
    dmi.set_end_address(~0ull);
    return false;
}

unsigned int memory::transport_dbg(tlm::tlm_generic_payload& gp)
{
    if (!holds(gp.get_address(), gp.get_data_length())) {
        return 0;
    }
    unsigned char* storage = at(gp.get_address());
    if (gp.is_read()) {
        std::memcpy(gp.get_data_ptr(), storage, gp.get_data_length());
    } else if (gp.is_write()) {
        std::memcpy(storage, gp.get_data_ptr(), gp.get_data_length());
    }
    return gp.get_data_length();
}

} // namespace ssdvp::host
