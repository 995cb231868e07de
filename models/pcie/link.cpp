// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/link.h"

namespace ssdvp::pcie {

link::link(const sc_core::sc_module_name& name, const link_config& config)
    : block(name), device("device"), host("host"), host_mmio("host_mmio"), bar("bar"),
      m_config(config), m_wire(config), m_request_time(m_wire.time(request_overhead(config))),
      m_packet_time(m_wire.time(config.max_payload_size + request_overhead(config)))
{
    device.register_nb_transport_fw(this, &link::dma);
    host_mmio.register_b_transport(this, &link::mmio);
}

void link::power_off()
{
    m_up.cut(now());
    m_down.cut(now());
    m_stats.busy_up = m_up.total();
    m_stats.busy_down = m_down.total();
    m_posted_asked = m_posted_end = sim_time();
}

tlm::tlm_sync_enum link::dma(tlm::tlm_generic_payload& gp, tlm::tlm_phase&, sc_core::sc_time& delay)
{
    auto* ext = gp.get_extension<tlp::extension>(); // its initiator's for the whole transaction
    const tlp::portion carries = ext == nullptr ? tlp::portion::whole : ext->carries;
    if (carries == tlp::portion::bytes) {
        host->b_transport(gp, delay);
        return tlm::TLM_COMPLETED;
    }
    const sim_time t = now();
    const sim_time earliest = t + sim_time::from_sc(delay);
    const reservation::interval wire = gp.is_write()
                                           ? write_up(gp, earliest, carries == tlp::portion::whole)
                                           : read_up(gp, earliest);
    if (ext != nullptr) {
        ext->wire_begin = wire.begin;
        ext->wire_end = wire.end;
    }
    delay = (wire.end + m_config.propagation - t).to_sc();
    return tlm::TLM_COMPLETED;
}

reservation::interval link::write_up(tlm::tlm_generic_payload& gp, sim_time earliest, bool to_host)
{
    const auto wire =
        occupy_up(earliest, write_cost(m_config, gp.get_address(), gp.get_data_length()));
    if (to_host) {
        sc_core::sc_time arrival = (wire.end + m_config.propagation - now()).to_sc();
        host->b_transport(gp, arrival);
    } else {
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    return wire;
}

/// The interval returned is that of the completions, on the wire to the device.
reservation::interval link::read_up(tlm::tlm_generic_payload& gp, sim_time earliest)
{
    // The host may change the address while it routes the payload.
    const tlp_cost requests = read_request_cost(m_config, gp.get_address(), gp.get_data_length());
    const tlp_cost answers = completion_cost(m_config, gp.get_address(), gp.get_data_length());
    const auto asked = interleave_up(earliest, requests);
    const sim_time first = asked.begin + m_request_time + m_config.propagation;
    sc_core::sc_time arrival = (first - now()).to_sc();
    host->b_transport(gp, arrival);
    return occupy_down(completions_start(now() + sim_time::from_sc(arrival)), answers);
}

void link::mmio(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    if (gp.is_write()) {
        mmio_write(gp, delay);
    } else {
        mmio_read(gp, delay);
    }
}

void link::mmio_write(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const sim_time t = now();
    const sim_time asked = t + sim_time::from_sc(delay);
    // Posted writes stay in order: a short one may not slip into a gap before a longer one.
    const sim_time earliest = asked < m_posted_asked ? asked : later(asked, m_posted_end);
    const auto wire =
        occupy_down(earliest, write_cost(m_config, gp.get_address(), gp.get_data_length()));
    if (asked >= m_posted_asked) {
        m_posted_asked = asked;
        m_posted_end = wire.end;
    }
    sc_core::sc_time arrival = (wire.end + m_config.propagation - t).to_sc();
    bar->b_transport(gp, arrival);
    delay = (wire.end - t).to_sc();
}

void link::mmio_read(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const sim_time t = now();
    const tlp_cost requests = read_request_cost(m_config, gp.get_address(), gp.get_data_length());
    const tlp_cost answers = completion_cost(m_config, gp.get_address(), gp.get_data_length());
    // A read pushes the posted writes before it.
    const sim_time earliest = later(t + sim_time::from_sc(delay), m_posted_end);
    const auto asked = occupy_down(earliest, requests);
    sc_core::sc_time arrival = (asked.end + m_config.propagation - t).to_sc();
    bar->b_transport(gp, arrival);
    const auto answered = occupy_up(t + sim_time::from_sc(arrival), answers);
    delay = (answered.end + m_config.propagation - t).to_sc();
}

/// Read requests are single headers that go out between the packets of the data moves: waiting for
/// all data already ordered would stall command fetch whenever the link is the bottleneck.
reservation::interval link::interleave_up(sim_time earliest, tlp_cost cost)
{
    const auto wire = m_up.interleave(now(), earliest, m_wire.time(cost.bytes), m_packet_time);
    count_up(cost);
    return wire;
}

reservation::interval link::occupy_up(sim_time earliest, tlp_cost cost)
{
    const auto wire = m_up.reserve(now(), earliest, m_wire.time(cost.bytes));
    count_up(cost);
    return wire;
}

void link::count_up(tlp_cost cost)
{
    m_stats.bytes_up += cost.bytes;
    m_stats.tlps_up += cost.tlps;
    m_stats.busy_up = m_up.total();
}

reservation::interval link::occupy_down(sim_time earliest, tlp_cost cost)
{
    const auto wire = m_down.reserve(now(), earliest, m_wire.time(cost.bytes));
    m_stats.bytes_down += cost.bytes;
    m_stats.tlps_down += cost.tlps;
    m_stats.busy_down = m_down.total();
    return wire;
}

} // namespace ssdvp::pcie
