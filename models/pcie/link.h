// SPDX-License-Identifier: Apache-2.0
//
// PCIe link between the drive and the host: two directions, each with the bookings of its wire. It
// has no process: every transfer is timed when it is asked for. Page in docs/models/pcie.md.
#pragma once

#include <memory>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/block.h"
#include "models/pcie/direction.h"
#include "models/pcie/link_stats.h"
#include "models/protocols/tlp.h"

namespace ssdvp::pcie {

class link final : public block {
public:
    tlm_utils::simple_target_socket<link> device;    // AT: DMA of the front end
    tlm_utils::simple_initiator_socket<link> host;   // LT: host memory and MSI addresses
    tlm_utils::simple_target_socket<link> host_mmio; // LT: the host's accesses to the BAR
    tlm_utils::simple_initiator_socket<link> bar;    // LT: the front end's BAR

    link(const sc_core::sc_module_name& name, const link_config& config);
    ~link() override;

    /// The drive loses power: packets under way are dropped.
    void power_off();

    /// What crosses it is told to `to`.
    void follow(timeline& to)
    {
        m_up.follow(to, "to the host:");
        m_down.follow(to, "to the drive:");
    }
    /// Each TLP is told to `watch`.
    void follow(tlp_watch& watch);
    [[nodiscard]] link_stats stats() const;
    [[nodiscard]] const link_config& config() const { return m_config; }

private:
    tlm::tlm_sync_enum dma(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay);
    void mmio(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    void mmio_write(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    void mmio_read(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    reservation::interval write_up(tlm::tlm_generic_payload& gp, sim_time earliest, bool to_host);
    reservation::interval read_up(tlm::tlm_generic_payload& gp, sim_time earliest, tlp::purpose of);
    reservation::interval fetched(tlp::purpose of, sim_time asked, sim_time data, tlp_cost answers,
                                  std::uint64_t length);
    reservation::interval read_singly(tlm::tlm_generic_payload& gp, sim_time earliest);
    reservation::interval write_register(doublewords range, sim_time earliest);
    reservation::interval write(direction& wire, doublewords range, sim_time earliest);
    void about(bool up, tlp_kind kind, const tlm::tlm_generic_payload& gp);
    sim_time read_host(tlm::tlm_generic_payload& gp, sim_time arrival);
    sim_time wait_for_tag(sim_time ready);
    [[nodiscard]] sim_time request_time(std::uint64_t address) const // one MRd on the wire
    {
        return m_wire.time(request_overhead(m_config, address));
    }

    link_config m_config;
    wire_clock m_wire;
    direction m_up;
    direction m_down;
    unit_pool m_tags;
    sim_time m_posted_asked;             // the last posted write of the host: asked for at ...
    sim_time m_posted_end;               // ... and off the wire at
    sim_time m_fetch_asked, m_fetch_end; // likewise, of entries
    std::uint64_t m_tag_stalls = 0;
    sim_time m_tag_stall_time;
    sim_time m_tags_out;
    sim_time m_tags_out_until;
    std::unique_ptr<tlp_tap> m_tap; // with follow()
};

} // namespace ssdvp::pcie
