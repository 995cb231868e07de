// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/link.h"

namespace ssdvp::pcie {

link::link(const sc_core::sc_module_name& name, const link_config& config)
    : block(name), device("device"), host("host"), host_mmio("host_mmio"), bar("bar"),
      m_config(config), m_wire(config), m_up(m_config, m_wire, config.host_credits, 0),
      m_down(m_config, m_wire, config.device_credits, 1), m_tags(config.tags)
{
    m_up.answer_on(m_down);
    m_down.answer_on(m_up);
    device.register_nb_transport_fw(this, &link::dma);
    host_mmio.register_b_transport(this, &link::mmio);
}

link::~link() = default;

void link::power_off()
{
    m_up.cut(now());
    m_down.cut(now());
    if (m_tap != nullptr) {
        m_tap->power_off(now());
    }
    m_tags.give_all_back();
    m_posted_asked = m_posted_end = sim_time();
    m_fetch_asked = m_fetch_end = sim_time();
}

void link::follow(tlp_watch& watch)
{
    m_tap = std::make_unique<tlp_tap>(watch, m_config, m_wire);
    m_up.follow(*m_tap);
    m_down.follow(*m_tap);
}

/// What is sent next, for who traces it.
void link::about(bool up, tlp_kind kind, const tlm::tlm_generic_payload& gp)
{
    if (m_tap != nullptr) {
        m_tap->about(up, kind, gp.get_address(), gp.get_data_length());
    }
}

link_stats link::stats() const
{
    const direction_stats& up = m_up.stats();
    const direction_stats& down = m_down.stats();
    link_stats s;
    s.bytes_up = up.bytes;
    s.bytes_down = down.bytes;
    s.tlps_up = up.tlps;
    s.tlps_down = down.tlps;
    s.busy_up = m_up.busy();
    s.busy_down = m_down.busy();
    s.dllp_bytes_up = up.dllp_bytes;
    s.dllp_bytes_down = down.dllp_bytes;
    s.credit_stalls_up = up.credit_stalls;
    s.credit_stalls_down = down.credit_stalls;
    s.credit_stall_time_up = up.credit_stall_time;
    s.credit_stall_time_down = down.credit_stall_time;
    s.replays_up = up.replays;
    s.replays_down = down.replays;
    s.tag_stalls = m_tag_stalls;
    s.tag_stall_time = m_tag_stall_time;
    s.tags_out = m_tags_out;
    return s;
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
    const reservation::interval wire =
        gp.is_write() ? write_up(gp, earliest, carries == tlp::portion::whole)
                      : read_up(gp, earliest, ext == nullptr ? tlp::purpose::data : ext->reads);
    if (ext != nullptr) {
        ext->wire_begin = wire.begin;
        ext->wire_end = wire.end;
    }
    delay = (wire.end + m_config.propagation - t).to_sc();
    return tlm::TLM_COMPLETED;
}

reservation::interval link::write_up(tlm::tlm_generic_payload& gp, sim_time earliest, bool to_host)
{
    about(true, tlp_kind::MWr, gp);
    const auto wire = write(m_up, {gp.get_address(), gp.get_data_length()}, earliest);
    if (to_host) {
        sc_core::sc_time arrival = (wire.end + m_config.propagation - now()).to_sc();
        host->b_transport(gp, arrival);
    } else {
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    return wire;
}

/// The interval returned is that of the completions, on the wire to the device.
reservation::interval link::read_up(tlm::tlm_generic_payload& gp, sim_time earliest,
                                    tlp::purpose of)
{
    about(true, tlp_kind::MRd, gp);
    about(false, tlp_kind::CplD, gp);
    // The host may change the address while it routes the payload.
    const std::uint64_t address = gp.get_address();
    const std::uint64_t length = gp.get_data_length();
    const tlp_cost requests = read_request_cost(m_config, address, length);
    const tlp_cost answers = completion_cost(m_config, address, length);
    const bool ample = m_tags.ample(earliest, requests.tlps) &&
                       m_up.ample(flow::nonposted, earliest, requests.tlps, 0) &&
                       m_down.ample(flow::completion, earliest, answers.tlps, length);
    if (!ample) {
        return read_singly(gp, earliest);
    }
    const auto asked = m_up.ask(now(), earliest, requests);
    const sim_time data = read_host(gp, asked.begin + request_time(address) + m_config.propagation);
    const auto wire = of == tlp::purpose::data
                          ? m_down.send(flow::completion, now(), data, answers, length)
                          : fetched(of, earliest, data, answers, length);
    m_tags.take(requests.tlps, wire.end + m_config.propagation);
    return wire;
}

/// Completions of entries and lists go between those of data: a root complex answers requests as
/// its memory does. Entries that were asked for in turn come in turn.
reservation::interval link::fetched(tlp::purpose of, sim_time asked, sim_time data,
                                    tlp_cost answers, std::uint64_t length)
{
    const bool in_turn = of == tlp::purpose::entries && asked >= m_fetch_asked;
    const sim_time earliest = in_turn ? later(data, m_fetch_end) : data;
    const auto wire = m_down.put_between(flow::completion, now(), earliest, answers, length);
    if (in_turn) {
        m_fetch_asked = asked;
        m_fetch_end = wire.end;
    }
    return wire;
}

/// The same request by request: each takes a tag, and gives it back with its last completion.
reservation::interval link::read_singly(tlm::tlm_generic_payload& gp, sim_time earliest)
{
    const doublewords range(gp.get_address(), gp.get_data_length());
    reservation::interval all;
    tlp_run run;
    sim_time ready = earliest;
    sim_time host_time; // MRd at the root complex -> its first completion starts
    bool first = true;
    for (auto requests = tlp_split::requests(m_config, range); !requests.done(); first = false) {
        const doublewords request = requests.next();
        const auto asked = m_up.ask_singly(now(), wait_for_tag(ready), request.begin);
        const sim_time arrival = asked.begin + request_time(request.begin) + m_config.propagation;
        if (first) {
            host_time = read_host(gp, arrival) - arrival;
        }
        const auto wire = m_down.send_singly(flow::completion, now(), arrival + host_time,
                                             tlp_split::completions(m_config, request), run);
        m_tags.take(1, wire.end + m_config.propagation);
        all.begin = first ? wire.begin : all.begin;
        all.end = later(all.end, wire.end);
        ready = asked.end;
    }
    return all;
}

/// A request arrives at the root complex; returns when its completions start.
sim_time link::read_host(tlm::tlm_generic_payload& gp, sim_time arrival)
{
    sc_core::sc_time delay = (arrival - now()).to_sc();
    host->b_transport(gp, delay);
    return now() + sim_time::from_sc(delay) + m_config.host_latency;
}

sim_time link::wait_for_tag(sim_time ready)
{
    const sim_time start = m_tags.free_from(ready, 1);
    if (start > ready) {
        ++m_tag_stalls;
        m_tag_stall_time += start - ready;
        const sim_time begin = later(ready, m_tags_out_until);
        if (start > begin) {
            m_tags_out += start - begin;
            m_tags_out_until = start;
        }
    }
    return start;
}

/// Posted writes, of either side.
reservation::interval link::write(direction& wire, doublewords range, sim_time earliest)
{
    const tlp_cost cost = write_cost(m_config, range.begin, range.length);
    if (wire.ample(flow::posted, earliest, cost.tlps, range.length)) {
        return wire.send(flow::posted, now(), earliest, cost, range.length);
    }
    tlp_run run;
    return wire.send_singly(flow::posted, now(), earliest, tlp_split::writes(m_config, range), run);
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
    about(false, tlp_kind::MWr, gp);
    const auto wire = write_register({gp.get_address(), gp.get_data_length()}, earliest);
    if (asked >= m_posted_asked) {
        m_posted_asked = asked;
        m_posted_end = wire.end;
    }
    sc_core::sc_time arrival = (wire.end + m_config.propagation - t).to_sc();
    bar->b_transport(gp, arrival);
    delay = (wire.end - t).to_sc();
}

/// One TLP, which goes out between those of completions: a host's port takes turns between what its
/// cores and what its memory send.
reservation::interval link::write_register(doublewords range, sim_time earliest)
{
    const tlp_cost cost = write_cost(m_config, range.begin, range.length);
    if (cost.tlps == 1 && m_down.ample(flow::posted, earliest, cost.tlps, range.length)) {
        return m_down.put_between(flow::posted, now(), earliest, cost, range.length);
    }
    return write(m_down, range, earliest);
}

/// A register read is one request and one completion.
void link::mmio_read(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const sim_time t = now();
    const doublewords range(gp.get_address(), gp.get_data_length());
    about(false, tlp_kind::MRd, gp);
    about(true, tlp_kind::CplD, gp);
    tlp_run run;
    // A read pushes the posted writes before it.
    const sim_time earliest = later(t + sim_time::from_sc(delay), m_posted_end);
    const auto asked = m_down.ask_in_order(t, earliest, range.begin);
    sc_core::sc_time arrival = (asked.end + m_config.propagation - t).to_sc();
    bar->b_transport(gp, arrival);
    const auto answered = m_up.send_singly(flow::completion, t, t + sim_time::from_sc(arrival),
                                           tlp_split::completions(m_config, range), run);
    delay = (answered.end + m_config.propagation - t).to_sc();
}

} // namespace ssdvp::pcie
