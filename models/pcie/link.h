// SPDX-License-Identifier: Apache-2.0
//
// PCIe link between the drive and the host: two directions, each a calendar of the wire. It has no
// process: every transfer is timed when it is asked for. Page in docs/models/pcie.md.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/block.h"
#include "models/common/reservation.h"
#include "models/pcie/config.h"
#include "models/pcie/tlp_cost.h"
#include "models/protocols/tlp.h"

namespace ssdvp::pcie {

/// Counters since construction; a copy is a snapshot. Up is device to host.
struct link_stats {
    std::uint64_t bytes_up = 0;
    std::uint64_t bytes_down = 0;
    std::uint64_t tlps_up = 0;
    std::uint64_t tlps_down = 0;
    sim_time busy_up;
    sim_time busy_down;
};

class link final : public block {
public:
    tlm_utils::simple_target_socket<link> device;    // AT: DMA of the front end
    tlm_utils::simple_initiator_socket<link> host;   // LT: host memory and MSI addresses
    tlm_utils::simple_target_socket<link> host_mmio; // LT: the host's accesses to the BAR
    tlm_utils::simple_initiator_socket<link> bar;    // LT: the front end's BAR

    link(const sc_core::sc_module_name& name, const link_config& config);

    /// The drive loses power: packets under way are dropped.
    void power_off();

    [[nodiscard]] const link_stats& stats() const { return m_stats; }
    [[nodiscard]] const link_config& config() const { return m_config; }

private:
    tlm::tlm_sync_enum dma(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay);
    void mmio(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    void mmio_write(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    void mmio_read(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    reservation::interval write_up(tlm::tlm_generic_payload& gp, sim_time earliest, bool to_host);
    reservation::interval read_up(tlm::tlm_generic_payload& gp, sim_time earliest);
    reservation::interval interleave_up(sim_time earliest, tlp_cost cost);
    reservation::interval occupy_up(sim_time earliest, tlp_cost cost);
    void count_up(tlp_cost cost);
    reservation::interval occupy_down(sim_time earliest, tlp_cost cost);
    [[nodiscard]] sim_time completions_start(sim_time arrival) const
    {
        return arrival + m_config.host_latency;
    }

    link_config m_config;
    wire_clock m_wire;
    reservation m_up;
    reservation m_down;
    sim_time m_request_time; // one MRd on the wire
    sim_time m_packet_time;  // the longest TLP on the wire
    sim_time m_posted_asked; // the last posted write of the host: asked for at ...
    sim_time m_posted_end;   // ... and off the wire at
    link_stats m_stats;
};

} // namespace ssdvp::pcie
