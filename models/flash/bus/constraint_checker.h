// SPDX-License-Identifier: Apache-2.0
//
// Holds the events of one channel against the table of constraints. No modules, no clock: events
// carry their time; those of one LUN come in order, except that R/B# is told as it happens while
// cycle groups are told ahead.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "models/flash/bus/constraints.h"
#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

struct violation {
    const constraint* rule = nullptr;
    lun_index lun;
    sim_time when;     // of the event that came too early or too late
    sim_time off;      // by how much
    sim_time limit;    // what the constraint asks for; not of bound::not_busy and its like
    plane_index plane; // whose rest was not awaited: bound::plane_rests, planes_rest
};

/// "tRHW of lun1 broken at 1000000 ps: command 99999 ps after last data-out, at least 100000 ps:
/// ..."
[[nodiscard]] std::string describe(const violation& v);

class constraint_checker {
public:
    using report = std::function<void(const violation&)>;

    constraint_checker(const constraint_values& values, unsigned luns, report on_violation);

    /// `cycles`: how many there were since the event before it, for bound::per_cycle.
    void observe(bus_event event, lun_index lun, sim_time t, std::uint64_t cycles = 1)
    {
        const index_range rules = m_index[static_cast<std::size_t>(event)];
        for (std::size_t i = rules.first; i < rules.last; ++i) {
            check(m_rules[i], lun, t, cycles);
        }
        note(event, lun, t);
    }
    /// The plane that the next events of the channel are about.
    void about(plane_index plane) { m_plane = plane; }
    /// An independent read of a plane has ended at `t`.
    void plane_ready(lun_index lun, plane_index plane, sim_time t);
    /// Forgets what happened so far.
    void restart();
    [[nodiscard]] std::uint64_t violations() const { return m_violations; }

private:
    static constexpr auto events = static_cast<std::size_t>(bus_event::count);
    struct rule { // a constraint with its value
        const constraint* what;
        sim_time value;
    };
    struct index_range {
        std::size_t first = 0;
        std::size_t last = 0;
    };
    struct history { // of one LUN, or of the bus
        std::array<sim_time, events> last;
        std::uint32_t seen = 0; // bit e = event e happened
        bool busy = false;      // from the command until R/B# rises
        violation early;        // the first event of the busy time that had to wait
        plane_set reading;      // planes at an independent read
        std::array<violation, max_planes> early_plane; // the same as `early`, by plane
        violation early_whole;                         // and of them all
    };

    void check(const rule& r, lun_index lun, sim_time t, std::uint64_t cycles);
    void note(bus_event event, lun_index lun, sim_time t);
    /// `waited` for something that came at `t`.
    void settle(violation& waited, sim_time t);
    void violated(const violation& v);

    std::vector<rule> m_rules; // by event `to`
    std::array<index_range, events> m_index;
    indexed<lun_index, history> m_luns;
    history m_bus;
    plane_index m_plane;
    report m_report;
    std::uint64_t m_violations = 0;
};

} // namespace ssdvp::flash
