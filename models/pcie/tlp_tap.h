// SPDX-License-Identifier: Apache-2.0
//
// The single TLPs of the transfers of a link, for whoever traces it: the link books most transfers
// in one piece, and keeps no headers.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/reservation.h"
#include "models/pcie/tlp_cost.h"
#include "models/pcie/tlp_split.h"
#include "models/pcie/tlp_watch.h"

namespace ssdvp::pcie {

class tlp_tap {
public:
    tlp_tap(tlp_watch& to, const link_config& config, const wire_clock& clock);

    /// What the next TLPs of a direction are: a write, requests of a read, or its completions,
    /// which are announced behind the requests.
    void about(bool up, tlp_kind kind, std::uint64_t address, std::uint64_t length);
    /// The next `tlps` of them have this place on the wire. Where others go between them, those
    /// behind are told of as much too early.
    void sent(bool up, std::uint64_t tlps, reservation::interval w);
    void power_off(sim_time at) { m_to.power_off(at); }

private:
    struct bytes {
        std::uint64_t begin;
        std::uint64_t end;
    };
    struct stream { // of a direction
        tlp_kind kind = tlp_kind::MWr;
        bytes exact{};
        tlp_split pieces;     // all of it: writes, requests; completions: requests not yet answered
        tlp_split answers;    // of the request that is being answered
        bytes request{};      // likewise
        std::uint64_t number; // of the next tag
    };
    packet next(stream& s, bool up);
    void put_request(packet& t, const stream& s, doublewords piece) const;
    packet next_answer(stream& s, bool of_drive);
    [[nodiscard]] std::uint16_t tag(std::uint64_t number, bool of_drive) const;

    tlp_watch& m_to;
    const link_config& m_config;
    const wire_clock& m_clock;
    std::array<stream, 2> m_streams;            // down, up
    std::array<std::uint64_t, 2> m_reads{};     // requests so far, of the host and of the drive ...
    std::array<std::uint64_t, 2> m_announced{}; // ... and when a read was announced last
};

} // namespace ssdvp::pcie
