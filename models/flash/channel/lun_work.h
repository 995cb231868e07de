// SPDX-License-Identifier: Apache-2.0
//
// What the LUNs of a channel do, by time, so that an operation which waited for its LUN knows what
// for: each piece of its wait is of the work that the LUN was at then, and not of whoever stood
// before it in the queue and waited for the same. While a LUN is free those that wait for it wait
// for the bus.
//
// A LUN is at an operation from its first command cycle to its last byte on the bus, but for the
// time in which it is suspended. Planes that read by themselves have accounts of their own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/latency_place.h"
#include "models/common/lazy_array.h"
#include "models/flash/channel/waiting.h"
#include "models/regs/channel_records.h"

namespace ssdvp::flash {

class lun_work {
public:
    using op_id = waiting_ops::op_id;
    using kind = std::uint8_t; // of work, in the order in which the channel met them; 0: none

    /// `planes` of a LUN that read by themselves; 0: none do.
    lun_work(std::uint32_t luns, std::uint32_t planes, std::uint32_t ops);
    /// Power goes at `t`: no LUN works.
    void reset(sim_time t);

    /// From `t` on the LUN as a whole is at this; none: at nothing. Bus phases are booked until
    /// their end: `t` may lie ahead.
    void does(lun_index lun, blocker work, sim_time t) { set(of(lun), kind_of(work), t); }
    /// ... or one of its planes.
    void plane_does(lun_index lun, plane_index plane, blocker work, sim_time t);
    /// The operation that ends at `t` was of these planes alone.
    [[nodiscard]] bool is_of_planes(lun_index lun, plane_set planes) const
    {
        return m_planes != 0 && !planes.empty() && of_plane(lun, planes.first()).now != 0;
    }

    /// `op` comes at `t`. behind_lun: an independent read that stands behind what needs the LUN,
    /// and so waits for what that waits for.
    void arrive(op_id op, const waiting_ops::request& r, bool behind_lun, sim_time t);
    /// Calls take(blocker, time) for each kind of work that the LUN was at since `op` came, until
    /// `t`; what it was at then comes first.
    template <typename Taker>
    void each_wait(op_id op, lun_index lun, sim_time t, const Taker& take)
    {
        const arrival& a = m_arrivals[op];
        account& whole = settled(of(lun), t);
        account& beside = m_planes == 0 ? whole : settled(m_accounts[a.beside], t);
        const auto tell = [&](kind k) {
            const sim_time spent =
                m_planes == 0 ? whole.at(k, t) : whole.at(k, t) + beside.at(k, t);
            if (spent != a.spent[k]) {
                take(m_works[k], spent - a.spent[k]);
            }
        };
        if (a.found != 0) {
            tell(a.found);
        }
        for (kind k = 1; k < m_kinds; ++k) {
            if (k != a.found) {
                tell(k);
            }
        }
    }

private:
    static constexpr std::size_t works = 3; // read, program, erase
    static constexpr std::size_t most = 1 + works * FLASH_PURPOSES;
    struct account {
        sim_time since;
        kind now = 0;                       // from `since` on
        kind before = 0;                    // until then
        std::array<sim_time, most> spent{}; // until `since`

        /// Settled: only what is booked beyond `t` is to be left out.
        [[nodiscard]] sim_time at(kind k, sim_time t) const
        {
            return k != before ? spent[k] : spent[k] - (since - t);
        }
    };
    struct arrival {
        std::uint32_t beside = 0; // account that counts as that of the LUN does
        kind found = 0;
        std::array<sim_time, most> spent{};
    };

    [[nodiscard]] kind kind_of(blocker work)
    {
        if (work.work == blocking_work::none) {
            return 0;
        }
        kind& k =
            m_known[(static_cast<std::size_t>(work.work) - 1) * FLASH_PURPOSES + work.purpose];
        return k != 0 ? k : k = meet(work);
    }
    kind meet(blocker work);
    static void set(account& a, kind k, sim_time t);
    /// Its sums count until `t`, or until later where that is booked.
    static account& settled(account& a, sim_time t)
    {
        if (t > a.since) {
            a.spent[a.now] += t - a.since;
            a.since = t;
            a.before = a.now;
        }
        return a;
    }
    // The LUN as a whole; each plane; any of them.
    [[nodiscard]] std::uint32_t number_of(lun_index lun) const
    {
        return lun.value() * (m_planes == 0 ? 1 : m_planes + 2);
    }
    [[nodiscard]] account& of(lun_index lun) { return m_accounts[number_of(lun)]; }
    [[nodiscard]] const account& of(lun_index lun) const { return m_accounts[number_of(lun)]; }
    [[nodiscard]] const account& of_plane(lun_index lun, plane_index plane) const
    {
        return m_accounts[number_of(lun) + 1 + plane.value()];
    }

    std::uint32_t m_planes;
    std::vector<account> m_accounts;
    lazy_array<arrival> m_arrivals; // by operation
    std::array<kind, works * FLASH_PURPOSES> m_known{};
    std::array<blocker, most> m_works{};
    kind m_kinds = 1; // met so far, none among them
};

} // namespace ssdvp::flash
