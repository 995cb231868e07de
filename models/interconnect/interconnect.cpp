// SPDX-License-Identifier: Apache-2.0
#include "models/interconnect/interconnect.h"

#include <cstring>
#include <stdexcept>

namespace ssdvp::interconnect {

namespace {

void check_disjoint(const std::vector<window>& windows)
{
    for (std::size_t i = 0; i < windows.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const window& a = windows[i];
            const window& b = windows[k];
            if (a.base < b.base + b.size && b.base < a.base + a.size) {
                throw std::invalid_argument("address windows overlap: " + a.name + ", " + b.name);
            }
        }
    }
}

} // namespace

interconnect::interconnect(const sc_core::sc_module_name& name,
                           const std::vector<std::string>& masters, std::vector<window> windows,
                           const port_config& port)
    : block(name), m_windows(std::move(windows)), m_writable(m_windows.size()),
      m_port_rate(port.bytes_per_second()), m_ports(port.width != 0 ? m_windows.size() : 0),
      m_found(masters.size())
{
    check_disjoint(m_windows);
    for (std::size_t i = 0; i < masters.size(); ++i) {
        auto socket = std::make_unique<target_socket>(("in_" + masters[i]).c_str());
        const int tag = static_cast<int>(i);
        socket->register_b_transport(this, &interconnect::b_transport, tag);
        socket->register_nb_transport_fw(this, &interconnect::nb_transport_fw, tag);
        socket->register_get_direct_mem_ptr(this, &interconnect::get_direct_mem_ptr, tag);
        m_in.push_back(std::move(socket));
    }
    for (std::size_t i = 0; i < m_windows.size(); ++i) {
        auto socket = std::make_unique<initiator_socket>(("out_" + m_windows[i].name).c_str());
        socket->register_nb_transport_bw(this, &interconnect::nb_transport_bw, static_cast<int>(i));
        m_out.push_back(std::move(socket));
    }
}

interconnect::~interconnect() = default;

int interconnect::decode(int master, tlm::tlm_generic_payload& gp)
{
    const std::uint64_t address = gp.get_address();
    const std::uint64_t length = gp.get_data_length();
    const auto holds = [address, length](const window& w) {
        return address >= w.base && address - w.base < w.size &&
               length <= w.size - (address - w.base);
    };
    // Registers of different blocks, and of all channels, fall on different guesses.
    std::uint32_t& guess = m_found[static_cast<std::size_t>(master)]
                                  [((address >> page_shift) + (address >> group_shift)) % guesses];
    if (guess < m_windows.size() && holds(m_windows[guess])) {
        return static_cast<int>(guess);
    }
    for (std::size_t i = 0; i < m_windows.size(); ++i) {
        if (holds(m_windows[i])) {
            guess = static_cast<std::uint32_t>(i);
            return static_cast<int>(i);
        }
    }
    gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return -1;
}

void interconnect::look_at(std::size_t window, const tlm::tlm_generic_payload& gp,
                           std::uint64_t offset)
{
    const std::vector<std::uint32_t>& writable = *m_writable[window];
    std::uint32_t value = 0;
    if (gp.get_data_length() != sizeof value || offset / sizeof value >= writable.size()) {
        return; // refused by the block
    }
    std::memcpy(&value, gp.get_data_ptr(), sizeof value);
    if ((value & ~writable[offset / sizeof value]) != 0) {
        m_watch->wrong_write(window, offset, value);
    }
}

void interconnect::power_off()
{
    for (reservation& port : m_ports) {
        port.cut(now());
    }
}

sim_time interconnect::take_port(std::size_t window, std::uint64_t bytes, sc_core::sc_time& delay)
{
    const sim_time asked = now() + sim_time::from_sc(delay);
    const reservation::interval taken =
        m_ports[window].reserve(now(), asked, time_for(bytes, m_port_rate));
    delay = (taken.begin - now()).to_sc();
    return taken.end;
}

/// Bytes pass the port while the target takes or gives them: the slower one tells when it ends.
template <typename Forward>
void interconnect::pass(std::size_t window, std::uint64_t bytes, sc_core::sc_time& delay,
                        Forward forward)
{
    if (m_ports.empty()) {
        forward();
        return;
    }
    const sim_time passed = take_port(window, bytes, delay);
    forward();
    delay = later(sim_time::from_sc(delay), passed - now()).to_sc();
}

void interconnect::b_transport(int master, tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const int target = decode(master, gp);
    if (target < 0) {
        return;
    }
    const auto i = static_cast<std::size_t>(target);
    const std::uint64_t address = gp.get_address();
    gp.set_address(address - m_windows[i].base);
    if (m_writable[i] != nullptr && gp.is_write()) {
        look_at(i, gp, address - m_windows[i].base);
    }
    pass(i, gp.get_data_length(), delay, [&] { (*m_out[i])->b_transport(gp, delay); });
    gp.set_address(address);
}

tlm::tlm_sync_enum interconnect::nb_transport_fw(int master, tlm::tlm_generic_payload& gp,
                                                 tlm::tlm_phase& phase, sc_core::sc_time& delay)
{
    const int target = decode(master, gp);
    if (target < 0) {
        return tlm::TLM_COMPLETED;
    }
    const auto i = static_cast<std::size_t>(target);
    const std::uint64_t address = gp.get_address();
    gp.set_address(address - m_windows[i].base);
    tlm::tlm_sync_enum result = tlm::TLM_COMPLETED;
    pass(i, gp.get_data_length(), delay,
         [&] { result = (*m_out[i])->nb_transport_fw(gp, phase, delay); });
    gp.set_address(address);
    return result;
}

// Every memory behind the crossbar completes early, so nothing travels backwards.
tlm::tlm_sync_enum interconnect::nb_transport_bw(int, tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                                 sc_core::sc_time&)
{
    SC_REPORT_FATAL(name(), "a target behind the crossbar used the backward path");
    return tlm::TLM_COMPLETED;
}

bool interconnect::get_direct_mem_ptr(int master, tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi)
{
    const int target = decode(master, gp);
    if (target < 0) {
        return false;
    }
    const auto i = static_cast<std::size_t>(target);
    const std::uint64_t address = gp.get_address();
    gp.set_address(address - m_windows[i].base);
    const bool granted = (*m_out[i])->get_direct_mem_ptr(gp, dmi);
    gp.set_address(address);
    dmi.set_start_address(dmi.get_start_address() + m_windows[i].base);
    dmi.set_end_address(dmi.get_end_address() + m_windows[i].base);
    return granted;
}

} // namespace ssdvp::interconnect
