// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/direction.h"

namespace ssdvp::pcie {

namespace {

constexpr std::uint64_t first_stream = 0x9C1E00; // of the run's random numbers

} // namespace

direction::direction(const link_config& config, const wire_clock& clock,
                     const credit_limits& receiver, std::uint64_t number)
    : m_clock(clock), m_credits{credit_class(receiver.posted_headers, receiver.posted_data),
                                credit_class(receiver.nonposted_headers, 0),
                                credit_class(receiver.completion_headers,
                                             receiver.completion_data)},
      m_ack_factor(config.ack_factor), m_update_factor(config.update_factor),
      m_dllp_bytes(dllp_bytes(config)), m_header_bytes(completion_overhead(config)),
      m_packet_time(clock.time(config.max_payload_size + request_overhead(config, long_addresses))),
      m_propagation(config.propagation),
      m_nak_loop(config.propagation + clock.time(dllp_bytes(config)) + config.propagation),
      m_errors(config.bit_error_rate, config.seed, first_stream + number),
      m_credit_loop(m_nak_loop + config.credit_latency), m_up(number == 0)
{}

void direction::cut(sim_time present)
{
    m_wire.cut(present);
    for (credit_class& c : m_credits) {
        c.headers.give_all_back();
        c.data.give_all_back();
        c.unreturned = 0;
    }
    m_tail = sim_time();
    m_unacknowledged = m_due = 0;
}

/// When a TLP that is ready has its credits; counts the wait.
sim_time direction::wait_for_credits(flow f, sim_time ready, std::uint64_t payload)
{
    credit_class& c = of(f);
    if (!c.limited) {
        return ready;
    }
    const std::uint64_t units = (payload + credit_unit - 1) / credit_unit;
    const sim_time start = c.data.free_from(c.headers.free_from(ready, 1), units);
    if (start > ready) {
        ++m_stats.credit_stalls;
        m_stats.credit_stall_time += start - ready;
    }
    return start;
}

reservation::interval direction::send_singly(flow f, sim_time present, sim_time earliest,
                                             tlp_split split, tlp_run& run)
{
    reservation::interval all;
    sim_time ready = earliest;
    for (bool first = true; !split.done(); first = false) {
        const doublewords piece = split.next();
        const std::uint64_t payload = piece.length;
        const sim_time start = wait_for_credits(f, ready, payload);
        pay_dllps(start);
        if (start != run.end) {
            run.bytes = 0;
        }
        const std::uint64_t around =
            f == flow::completion ? m_header_bytes : request_bytes(piece.begin);
        const std::uint64_t bytes = around + payload;
        const sim_time length = m_clock.time(run.bytes + bytes) - m_clock.time(run.bytes);
        if (m_errors.possible()) {
            m_wire.owe(replay({1, bytes}, start));
        }
        const auto w = m_wire.reserve(present, start, length);
        run.bytes = w.begin == start ? run.bytes + bytes : bytes;
        run.end = w.end;
        m_tail = later(m_tail, w.end);
        sent(f, {1, bytes}, payload, w);
        all.begin = first ? w.begin : all.begin;
        all.end = ready = w.end;
    }
    return all;
}

reservation::interval direction::ask_singly(sim_time present, sim_time earliest,
                                            std::uint64_t address)
{
    const sim_time start = wait_for_credits(flow::nonposted, earliest, 0);
    return ask(present, start, {1, request_bytes(address)});
}

reservation::interval direction::ask_in_order(sim_time present, sim_time earliest,
                                              std::uint64_t address)
{
    const sim_time start = wait_for_credits(flow::nonposted, earliest, 0);
    return send(flow::nonposted, present, start, {1, request_bytes(address)}, 0);
}

void direction::follow(timeline& to, const std::string& name)
{
    constexpr std::array words = {"posted", "requests", "completions"};
    for (std::size_t i = 0; i < flows; ++i) {
        m_tracks[i] = timeline_track(to, "link", name + " " + words[i]);
    }
    m_observed = true;
}

void direction::tell(flow f, tlp_cost cost, std::uint64_t payload, reservation::interval w) const
{
    timeline_slice s;
    s.name = payload != 0 ? "data" : f == flow::nonposted ? "MRd" : "TLP";
    s.begin = w.begin;
    s.end = w.end;
    s.details = {{{"payload", payload}, {"bytes", cost.bytes}, {"TLPs", cost.tlps}}};
    m_tracks[static_cast<std::size_t>(f)].add(s);
}

void direction::observe(flow f, tlp_cost cost, std::uint64_t payload, reservation::interval w)
{
    if (m_tracks.front()) {
        tell(f, cost, payload, w);
    }
    if (m_tap != nullptr) {
        m_tap->sent(m_up, cost.tlps, w);
    }
}

void direction::sent(flow f, tlp_cost cost, std::uint64_t payload, reservation::interval w)
{
    if (m_observed) {
        observe(f, cost, payload, w);
    }
    m_stats.tlps += cost.tlps;
    m_stats.bytes += cost.bytes;
    m_unacknowledged += cost.tlps;
    if (m_unacknowledged >= m_ack_factor && m_ack_factor != 0) {
        const std::uint64_t acks = m_unacknowledged / m_ack_factor;
        m_back->put_dllps(acks, w.begin + m_propagation);
        m_unacknowledged -= acks * m_ack_factor;
    }
    if (credit_class& c = of(f); c.limited) {
        return_credits(c, cost, payload, w);
    }
}

/// All credits of what was sent come back together, a loop after its end: of one TLP that is
/// exact; of a longer transfer it is late, but then credits were ample.
void direction::return_credits(credit_class& c, tlp_cost cost, std::uint64_t payload,
                               reservation::interval w)
{
    c.headers.take(cost.tlps, w.end + m_credit_loop);
    c.data.take((payload + credit_unit - 1) / credit_unit, w.end + m_credit_loop);
    c.unreturned += cost.tlps;
    if (c.unreturned >= m_update_factor && m_update_factor != 0) {
        m_back->put_dllps(c.unreturned / m_update_factor, w.begin + m_propagation);
        c.unreturned %= m_update_factor;
    }
}

/// Time that replays add to a transfer. What follows a wrong TLP is dropped as well until its NAK
/// is there, and all is sent again from that TLP on: the wire from its start to the NAK is lost.
sim_time direction::replay(tlp_cost cost, sim_time earliest)
{
    const std::uint64_t tlp = cost.bytes / cost.tlps;
    const std::uint64_t replays = m_errors.replays(cost.bytes, tlp);
    if (replays == 0) {
        return sim_time();
    }
    m_stats.replays += replays;
    m_back->put_dllps(replays, earliest + m_propagation);
    return (m_clock.time(tlp) + m_nak_loop) * replays;
}

/// For TLPs of which the first begins to arrive at `when`.
void direction::put_dllps(std::uint64_t count, sim_time when)
{
    m_stats.dllp_bytes += count * m_dllp_bytes;
    m_due_from = m_due == 0 ? when : m_due_from;
    m_due += count * m_dllp_bytes;
}

/// DLLPs go out in the first gap of the wire. Where TLPs follow each other without one, the next
/// is longer by as much.
void direction::pay_dllps(sim_time earliest)
{
    if (m_due == 0) {
        return;
    }
    const sim_time begin = later(earliest, m_tail);
    if (begin < m_due_from) {
        return; // they are for TLPs that have not arrived yet
    }
    const sim_time owed = m_clock.time(m_due);
    const sim_time idle = begin - later(m_tail, m_due_from);
    m_due = 0;
    if (owed > idle) {
        m_wire.owe(owed - idle);
    }
}

} // namespace ssdvp::pcie
