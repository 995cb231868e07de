// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/memory.h"

#include <cstring>
#include <stdexcept>
#include <sys/mman.h>

#include "models/common/address_space.h"
#include "models/common/data_mode.h"

namespace ssdvp::host {

/// Inaccessible until allocated: a stray access of the host side faults instead of reading zeros.
memory::area memory::map(std::uint64_t begin, std::uint64_t size)
{
    area a;
    a.begin = begin;
    a.size = page_up(size);
    a.bytes = static_cast<unsigned char*>(map_pages(a.size, PROT_NONE));
    return a;
}

memory::memory(const sc_core::sc_module_name& name, std::uint64_t size)
    : block(name), from_link("from_link"), m_first(map(base, size))
{
    from_link.bind(*this);
}

memory::~memory()
{
    for (const area& a : {m_first, m_second}) {
        if (a.bytes != nullptr) {
            munmap(a.bytes, a.size);
        }
    }
}

void memory::reserve(std::uint64_t size)
{
    if (m_second.bytes != nullptr) {
        throw std::logic_error("host memory: reserved twice");
    }
    m_second = map(m_first.begin + m_first.size, size);
}

std::uint64_t memory::allocate(std::uint64_t bytes)
{
    const std::uint64_t length = page_up(bytes);
    area& a = m_second.size - m_second.used >= length ? m_second : m_first;
    if (length > a.size - a.used) {
        throw std::length_error("host memory: more is allocated than was reserved");
    }
    if (mprotect(a.bytes + a.used, length, PROT_READ | PROT_WRITE) != 0) {
        throw address_space_error(length);
    }
    const std::uint64_t address = a.begin + a.used;
    a.used += length;
    return address;
}

void memory::watch(std::uint64_t first, std::uint64_t length)
{
    m_watch_first = first;
    m_watch_length = length;
}

bool memory::holds(std::uint64_t address, std::uint64_t length) const
{
    const area& a = address >= m_second.begin ? m_second : m_first;
    const std::uint64_t offset = address - a.begin; // wraps to a huge value below
    return offset < a.used && length <= a.used - offset;
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
