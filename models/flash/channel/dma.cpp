// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/dma.h"

namespace ssdvp::flash {

dma::dma(socket& memory, std::string who, fault_log* faults, std::uint64_t order)
    : m_socket(memory), m_who(std::move(who)), m_faults(faults), m_order(order)
{}

std::optional<sim_time> dma::run(tlm::tlm_command command, const transfer& t, sim_time at)
{
    m_payload.set_command(command);
    m_payload.set_address(t.address);
    m_payload.set_data_ptr(t.data);
    m_payload.set_data_length(t.length);
    m_payload.set_streaming_width(t.length);
    set_byte_enables(m_payload, t.mode);
    m_payload.set_dmi_allowed(false);
    m_payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    const sim_time present = now();
    sc_core::sc_time delay = (at - present).to_sc();
    const tlm::tlm_sync_enum sync = m_socket->nb_transport_fw(m_payload, phase, delay);
    if (sync != tlm::TLM_COMPLETED || !m_payload.is_response_ok()) {
        refused(t.field, t.address, t.length);
        return std::nullopt;
    }
    return present + sim_time::from_sc(delay);
}

std::optional<sim_time> dma::move_plane(const flash_desc& d, const plane_move& m, sim_time at)
{
    const std::uint64_t begin = std::uint64_t{m.index} * d.length;
    const std::uint64_t* list = nullptr;
    if ((d.flags & FLASH_FLAG_SG) != 0 && d.length != 0) {
        const std::uint64_t entries = (begin + d.length + d.sg_unit - 1) / d.sg_unit;
        list = reinterpret_cast<const std::uint64_t*>(
            direct(d.buffer, entries * sizeof(std::uint64_t), "buffer (a list)"));
        if (list == nullptr) {
            return std::nullopt;
        }
    }
    sim_time end = at;
    const auto one = [&](const transfer& t) {
        const std::optional<sim_time> done = run(m.command, t, at);
        end = done ? later(end, *done) : end;
        return done.has_value();
    };
    const auto piece = [&](std::uint64_t address, std::uint32_t offset, std::uint32_t length) {
        return one({address, m.data + offset, length, m.mode});
    };
    bool ok = d.length == 0 || for_each_piece(d, list, begin, d.length, piece);
    if (ok && d.oob_length != 0) {
        ok = one({d.oob + std::uint64_t{m.index} * d.oob_length, m.oob, d.oob_length,
                  data_mode::full, "oob"});
    }
    return ok ? std::optional<sim_time>(end) : std::nullopt;
}

unsigned char* dma::find(std::uint64_t address, std::uint64_t length) const
{
    for (const region& r : m_regions) {
        if (address >= r.begin && address <= r.end && length - 1 <= r.end - address) {
            return r.host + (address - r.begin);
        }
    }
    return nullptr;
}

unsigned char* dma::direct(std::uint64_t address, std::uint64_t length, const char* field)
{
    if (length == 0) {
        length = 1;
    }
    unsigned char* host = find(address, length);
    if (host != nullptr) {
        return host;
    }
    tlm::tlm_dmi dmi;
    m_payload.set_command(tlm::TLM_WRITE_COMMAND);
    m_payload.set_address(address);
    if (m_socket->get_direct_mem_ptr(m_payload, dmi) && dmi.is_read_write_allowed()) {
        m_regions[m_next_region] = {dmi.get_start_address(), dmi.get_end_address(),
                                    dmi.get_dmi_ptr()};
        m_next_region = (m_next_region + 1) % m_regions.size();
        host = find(address, length);
    }
    if (host == nullptr) {
        refused(field, address, length);
    }
    return host;
}

} // namespace ssdvp::flash
