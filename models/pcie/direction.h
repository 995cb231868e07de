// SPDX-License-Identifier: Apache-2.0
//
// One direction of the link: the bookings of its wire, the credits of the receiver at its end, and
// the DLLPs that the traffic of the other direction puts on it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/reservation.h"
#include "models/common/timeline.h"
#include "models/pcie/bit_errors.h"
#include "models/pcie/config.h"
#include "models/pcie/tlp_cost.h"
#include "models/pcie/tlp_split.h"
#include "models/pcie/tlp_tap.h"
#include "models/pcie/unit_pool.h"

namespace ssdvp::pcie {

/// Classes of TLPs, each with credits of its own.
enum class flow : std::uint8_t { posted, nonposted, completion };

struct direction_stats {
    std::uint64_t tlps = 0;
    std::uint64_t bytes = 0; // of TLPs, with all overhead on the wire
    std::uint64_t dllp_bytes = 0;
    std::uint64_t credit_stalls = 0; // TLPs that waited for credits ...
    sim_time credit_stall_time;      // ... and for how long in all
    std::uint64_t replays = 0;       // of TLPs that arrived wrong
};

/// Place of a TLP in an unbroken sequence: its end on the wire is rounded as that of the whole.
struct tlp_run {
    sim_time end;
    std::uint64_t bytes = 0;
};

class direction {
public:
    /// `number` tells the directions of a link apart, 0 to the host: each has bit errors of its
    /// own.
    direction(const link_config& config, const wire_clock& clock, const credit_limits& receiver,
              std::uint64_t number);

    /// What it sends is told on tracks of `to`: posted, requests, completions.
    void follow(timeline& to, const std::string& name);
    /// Each TLP that it sends is told to `tap`.
    void follow(tlp_tap& tap)
    {
        m_tap = &tap;
        m_observed = true;
    }
    /// Which DLLPs go back on `other`.
    void answer_on(direction& other) { m_back = &other; }

    /// Whether a transfer, sent from `t` on, stays clear of the receiver's limits.
    [[nodiscard]] bool ample(flow f, sim_time t, std::uint64_t tlps, std::uint64_t payload)
    {
        credit_class& c = of(f);
        return !c.limited ||
               (c.headers.ample(t, tlps) && c.data.ample(t, payload / credit_unit + tlps));
    }

    /// A transfer in one piece, for which credits are ample.
    reservation::interval send(flow f, sim_time present, sim_time earliest, tlp_cost cost,
                               std::uint64_t payload)
    {
        pay_dllps(earliest);
        if (m_errors.possible()) {
            m_wire.owe(replay(cost, earliest));
        }
        const sim_time length = m_clock.time(cost.bytes);
        const auto w = f == flow::completion
                           ? m_wire.reserve_around(present, earliest, length, m_packet_time)
                           : m_wire.reserve(present, earliest, length);
        m_tail = later(m_tail, w.end);
        sent(f, cost, payload, w);
        return w;
    }

    /// The same for short ones, which go out between the packets of the data moves: waiting for all
    /// data already ordered would stall command fetch whenever the link is the bottleneck.
    reservation::interval put_between(flow f, sim_time present, sim_time earliest, tlp_cost cost,
                                      std::uint64_t payload)
    {
        auto w = m_wire.interleave(present, earliest, m_clock.time(cost.bytes), m_packet_time);
        if (m_errors.possible()) {
            const sim_time lost = replay(cost, earliest);
            m_wire.owe(lost);
            w = {w.begin + lost, w.end + lost};
        }
        m_tail = later(m_tail, w.end);
        sent(f, cost, payload, w);
        return w;
    }

    /// Read requests, single headers.
    reservation::interval ask(sim_time present, sim_time earliest, tlp_cost cost)
    {
        return put_between(flow::nonposted, present, earliest, cost, 0);
    }

    /// TLP by TLP, each when the receiver has room for it. From the first one's begin to the last
    /// one's end.
    reservation::interval send_singly(flow f, sim_time present, sim_time earliest, tlp_split split,
                                      tlp_run& run);
    /// One read request, when the receiver has room for it.
    reservation::interval ask_singly(sim_time present, sim_time earliest, std::uint64_t address);

    /// The same behind all that is ordered already.
    reservation::interval ask_in_order(sim_time present, sim_time earliest, std::uint64_t address);

    /// The link is down: what was under way is gone, and the receivers are empty.
    void cut(sim_time present);

    [[nodiscard]] const direction_stats& stats() const { return m_stats; }
    [[nodiscard]] sim_time busy() const { return m_wire.used(now()); }

private:
    static constexpr std::size_t flows = 3;

    struct credit_class {
        credit_class(std::uint32_t header_credits, std::uint32_t data_credits)
            : headers(header_credits), data(data_credits),
              limited(header_credits != 0 || data_credits != 0)
        {}
        unit_pool headers;
        unit_pool data;
        bool limited;
        std::uint64_t unreturned = 0; // TLPs since the last UpdateFC
    };

    credit_class& of(flow f) { return m_credits[static_cast<std::size_t>(f)]; }
    [[nodiscard]] std::uint64_t request_bytes(std::uint64_t address) const
    {
        return m_header_bytes + (address < long_addresses ? 0 : long_address_bytes);
    }
    sim_time wait_for_credits(flow f, sim_time ready, std::uint64_t payload);
    void sent(flow f, tlp_cost cost, std::uint64_t payload, reservation::interval w);
    void observe(flow f, tlp_cost cost, std::uint64_t payload, reservation::interval w);
    void tell(flow f, tlp_cost cost, std::uint64_t payload, reservation::interval w) const;
    void return_credits(credit_class& c, tlp_cost cost, std::uint64_t payload,
                        reservation::interval w);
    sim_time replay(tlp_cost cost, sim_time earliest);
    void pay_dllps(sim_time earliest);
    void put_dllps(std::uint64_t count, sim_time when);

    const wire_clock& m_clock;
    reservation m_wire;
    std::array<credit_class, flows> m_credits;
    direction* m_back = nullptr;
    std::uint32_t m_ack_factor;
    std::uint32_t m_update_factor;
    std::uint32_t m_dllp_bytes;
    std::uint32_t m_header_bytes; // around a payload, or an MRd, with a short header
    sim_time m_packet_time;       // the longest TLP on the wire
    sim_time m_propagation;
    sim_time m_nak_loop; // wrong TLP off the wire -> its NAK is there
    bit_errors m_errors;
    sim_time m_credit_loop;             // TLP off the wire -> its credits are back
    sim_time m_tail;                    // of what was ever reserved
    std::uint64_t m_unacknowledged = 0; // TLPs since the last ACK
    std::uint64_t m_due = 0;            // bytes of DLLPs that wait for a gap ...
    sim_time m_due_from;                // ... from then on
    direction_stats m_stats;
    std::array<timeline_track, flows> m_tracks;
    tlp_tap* m_tap = nullptr;
    bool m_up;               // to the host
    bool m_observed = false; // by a timeline or a tap
};

} // namespace ssdvp::pcie
