// SPDX-License-Identifier: Apache-2.0
//
// The front end's accesses to host memory over the link.
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "models/common/front_end_base.h"
#include "models/nvme/agenda.h"
#include "models/nvme/pointer_walker.h"

namespace ssdvp::nvme {

class host_port final : public host_reader {
public:
    host_port(front_end_base& front_end, front_end_base::dma_socket& link)
        : m_front_end(front_end), m_link(link)
    {
        m_payload.set_extension(&m_tlp);
    }
    host_port(const host_port&) = delete;
    host_port& operator=(const host_port&) = delete;
    ~host_port() { m_payload.clear_extension(&m_tlp); } // the payload would free it

    /// A small transfer whose bytes all count: entries, lists, messages.
    dma_result access(const host_access& a, sim_time earliest);
    dma_result read_host(std::uint64_t address, void* bytes, std::uint32_t length,
                         sim_time earliest) override
    {
        return access({tlm::TLM_READ_COMMAND, address, bytes, length, tlp::portion::whole,
                       tlp::purpose::list},
                      earliest);
    }
    /// Writes at most 16 bytes, which follow later: only the wire. Returns the arrival.
    sim_time occupy(std::uint64_t address, std::uint32_t length, sim_time earliest);

    /// The next data transfer's command, address, data and byte enables.
    [[nodiscard]] tlm::tlm_generic_payload& payload() { return m_payload; }
    /// A transfer of what payload() says.
    dma_result move_data(sim_time earliest)
    {
        m_tlp.carries = tlp::portion::whole;
        m_tlp.reads = tlp::purpose::data;
        return m_front_end.dma(m_link, m_payload, earliest);
    }
    /// When the last transfer's data had left the wire.
    [[nodiscard]] sim_time wire_end() const { return m_tlp.wire_end; }

private:
    front_end_base& m_front_end;
    front_end_base::dma_socket& m_link;
    tlm::tlm_generic_payload m_payload;
    tlp::extension m_tlp; // attached to m_payload for life
    std::array<unsigned char, 16> m_later{};
};

} // namespace ssdvp::nvme
