// SPDX-License-Identifier: Apache-2.0
//
// The controller's registers through the driver's socket: one payload, blocking calls.
#pragma once

#include <cstdint>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/common/time.h"

namespace ssdvp::host {

class registers {
public:
    explicit registers(tlm::tlm_initiator_socket<>& socket) : m_socket(socket) {}

    /// Posted: the write acts at the device after `delay` and the link's own time.
    /// Returns when it has left, from now.
    sim_time write32(std::uint64_t offset, std::uint32_t value, sim_time delay = {})
    {
        std::uint64_t wide = value;
        return access(tlm::TLM_WRITE_COMMAND, offset, {&wide, 4}, delay);
    }
    void write64(std::uint64_t offset, std::uint64_t value, sim_time delay = {})
    {
        access(tlm::TLM_WRITE_COMMAND, offset, {&value, 8}, delay);
    }

    struct reading {
        std::uint64_t value;
        sim_time delay; // until the value is here
    };
    reading read32(std::uint64_t offset) { return read(offset, 4); }
    reading read64(std::uint64_t offset) { return read(offset, 8); }

    /// Accesses that the device refused.
    [[nodiscard]] std::uint64_t errors() const { return m_errors; }

private:
    struct bytes {
        std::uint64_t* value;
        unsigned length;
    };

    reading read(std::uint64_t offset, unsigned length)
    {
        std::uint64_t value = 0;
        const sim_time delay = access(tlm::TLM_READ_COMMAND, offset, {&value, length}, {});
        return {value, delay};
    }

    sim_time access(tlm::tlm_command command, std::uint64_t offset, bytes b, sim_time delay)
    {
        m_payload.set_command(command);
        m_payload.set_address(offset);
        m_payload.set_data_ptr(reinterpret_cast<unsigned char*>(b.value));
        m_payload.set_data_length(b.length);
        m_payload.set_streaming_width(b.length);
        m_payload.set_byte_enable_ptr(nullptr);
        m_payload.set_byte_enable_length(0);
        m_payload.set_dmi_allowed(false);
        m_payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        sc_core::sc_time annotated = delay.to_sc();
        m_socket->b_transport(m_payload, annotated);
        if (m_payload.is_response_error()) {
            ++m_errors;
        }
        return sim_time::from_sc(annotated);
    }

    tlm::tlm_initiator_socket<>& m_socket;
    tlm::tlm_generic_payload m_payload;
    std::uint64_t m_errors = 0;
};

} // namespace ssdvp::host
