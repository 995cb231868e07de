// SPDX-License-Identifier: Apache-2.0
//
// The controller's crossbar: decodes addresses and forwards, rebased to the target's window.
// Page in docs/models/interconnect.md.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/block.h"
#include "models/common/reservation.h"
#include "models/interconnect/config.h"

namespace ssdvp::interconnect {

/// One target: [base, base + size) of the address map.
struct window {
    std::string name;
    std::uint64_t base;
    std::uint64_t size;
};

/// What the registers of a window take. Told of writes that say more.
class write_watch {
public:
    virtual ~write_watch() = default;
    /// `value` has bits that the register at `offset` of the window does not have.
    virtual void wrong_write(std::size_t window, std::uint64_t offset, std::uint32_t value) = 0;
};

class interconnect final : public block {
public:
    using target_socket = tlm_utils::simple_target_socket_tagged<interconnect>;
    using initiator_socket = tlm_utils::simple_initiator_socket_tagged<interconnect>;

    /// `masters` name the sockets of in(); windows must not overlap (throws std::invalid_argument).
    interconnect(const sc_core::sc_module_name& name, const std::vector<std::string>& masters,
                 std::vector<window> windows, const port_config& port = {});
    ~interconnect() override;

    /// Bits that can be written, of each register in turn; both must stay. None: not looked at.
    void guard(std::size_t window, const std::vector<std::uint32_t>& writable, write_watch& watch)
    {
        m_writable[window] = &writable;
        m_watch = &watch;
    }

    /// Nothing is under way any more.
    void power_off();

    target_socket& in(std::size_t master) { return *m_in[master]; }
    initiator_socket& out(std::size_t window) { return *m_out[window]; }

private:
    void b_transport(int master, tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(int master, tlm::tlm_generic_payload& gp,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(int target, tlm::tlm_generic_payload& gp,
                                       tlm::tlm_phase& phase, sc_core::sc_time& delay);
    bool get_direct_mem_ptr(int master, tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi);
    /// Index of the window that holds all of gp, or -1 with the error response set.
    int decode(int master, tlm::tlm_generic_payload& gp);

    /// The port to the window is taken for a transfer asked for at `delay` from now, which begins
    /// later if others have it; when its last byte has passed.
    sim_time take_port(std::size_t window, std::uint64_t bytes, sc_core::sc_time& delay);
    template <typename Forward>
    void pass(std::size_t window, std::uint64_t bytes, sc_core::sc_time& delay, Forward forward);

    void look_at(std::size_t window, const tlm::tlm_generic_payload& gp, std::uint64_t offset);

    // Per master, by bits of the address: the window found last. A guess, to be verified.
    static constexpr std::size_t guesses = 64;
    static constexpr unsigned page_shift = 12, group_shift = 15;
    using guess_table = std::array<std::uint32_t, guesses>;

    std::vector<window> m_windows;
    std::vector<const std::vector<std::uint32_t>*> m_writable; // per window; null: memory
    write_watch* m_watch = nullptr;
    rate m_port_rate;                 // bytes per second of a port
    std::vector<reservation> m_ports; // per window; empty: transfers take no time there
    std::vector<guess_table> m_found;
    std::vector<std::unique_ptr<target_socket>> m_in;
    std::vector<std::unique_ptr<initiator_socket>> m_out;
};

} // namespace ssdvp::interconnect
