// SPDX-License-Identifier: Apache-2.0
//
// Where the time of each host command goes. Every block that moves a command forward says "up to
// now it was this part": the interval since the command's last stamp is added to that part. So
// the parts of a command always sum to its latency, to the picosecond, by construction.
//
// Firmware is told apart from waiting for it. Firmware that marks what it works on (hal_mark) has
// its cores count the work on each slot: that much of the time until a core hands the command on is
// its part `firmware`, and the rest it has waited: for the core's other work and rounds of the loop
// (`wait_core`), or for what firmware says that it held the command for. From when that was is told
// by a mark as well (begin_wait).
//
// Without marks: a core works on one command at a time, so of the time until it hands a command on,
// only what came after it handed the last one on can have been spent on this one. Of commands that
// are handed on together (one doorbell) the first carries the work of all.
//
// A command's record is opened by the host driver under (queue, command id), bound to a hardware
// slot by the front end, and stamped through that slot by everything inside the drive.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/common/latency_place.h"
#include "models/common/program_stamps.h"
#include "models/common/time.h"

namespace ssdvp {

class timeline;

class latency_ledger {
public:
    /// Room for `commands` host commands in flight and `slots` hardware slots.
    latency_ledger(std::size_t commands, std::size_t slots)
        : m_records(commands), m_by_slot(slots), m_work(slots + 1)
    {}

    void open(std::size_t command, sim_time t)
    {
        m_records[command].last = t;
        m_records[command].parts.fill(sim_time());
        m_records[command].place = {};
    }
    void bind(std::uint16_t slot, std::size_t command, sim_time when = sim_time());
    /// Which command has a slot is told to `to`.
    void follow(timeline& to) { m_follower = &to; }
    void unbind(std::uint16_t slot) { m_by_slot[slot].command = unbound; }

    /// Everything since the last stamp, up to `t`, was `part`. A stamp that lies before the last
    /// one (a sibling piece of the same command overtook it) adds nothing.
    void stamp(std::size_t command, latency_part part, sim_time t)
    {
        record& r = m_records[command];
        if (t > r.last) {
            r.parts[static_cast<std::size_t>(part)] += t - r.last;
            r.last = t;
        }
    }
    void stamp_slot(std::uint16_t slot, latency_part part, sim_time t)
    {
        if (bound(slot)) {
            stamp(m_by_slot[slot].command, part, t);
        }
    }
    /// Of work that began at `since`: for the command that had the slot then. A controller reset
    /// gives slots away while flash operations of their old commands are still under way.
    void stamp_slot(std::uint16_t slot, latency_part part, sim_time t, sim_time since)
    {
        if (slot < m_by_slot.size() && since >= m_by_slot[slot].when) {
            stamp_slot(slot, part, t);
        }
    }

    /// Of the command that had the slot at `since`; null: it is gone.
    latency_place* place_of_slot(std::uint16_t slot, sim_time since)
    {
        const bool has = bound(slot) && since >= m_by_slot[slot].when;
        return has ? &m_records[m_by_slot[slot].command].place : nullptr;
    }
    /// What of the latency so far is `part`, of the command in the slot.
    [[nodiscard]] sim_time spent(std::uint16_t slot, latency_part part) const
    {
        const auto i = static_cast<std::size_t>(part);
        return bound(slot) ? m_records[m_by_slot[slot].command].parts[i] : sim_time();
    }

    /// Cores of this clock count work, in 1/256 cycle.
    void count_work(rate clock);
    /// Work on the command in `slot` since it was last handed on; of others: on none.
    std::int64_t& work_on(std::uint32_t slot)
    {
        return m_work[std::min<std::size_t>(slot, m_by_slot.size())];
    }
    /// From now on what was counted is the part `firmware`.
    void marked() { m_marked = true; }

    /// The core found at `t` that the command whose work is counted in `work` has to wait: what it
    /// waited for until then was the core; or that it had to until then, for power.
    void begin_wait(const std::int64_t& work, sim_time t, latency_part until_then);
    /// How long a core takes for that much work.
    [[nodiscard]] sim_time time_of(std::int64_t units) const
    {
        return sim_time(static_cast<std::uint64_t>(units * m_ps_per_unit / fraction));
    }

    /// A core, at `desk`, hands something on to hardware at `t`: the command in `slot`, or its own
    /// (no_slot). `wait`: what the command has waited for if there was no work on it.
    void hand_on(std::uint16_t slot, unsigned desk, sim_time t,
                 latency_part wait = latency_part::wait_core)
    {
        if (m_marked) {
            hand_on_marked(slot, t, wait);
            return;
        }
        if (wait != latency_part::wait_core) {
            stamp_slot(slot, wait, t);
        }
        sim_time& last = m_handed_on[desk];
        stamp_slot(slot, latency_part::wait_core, last < t ? last : t);
        stamp_slot(slot, latency_part::firmware, t);
        last = last < t ? t : last;
    }
    /// As hand_on(), of a command that waited for the program `tag` of the flash: its time until
    /// that came to its channel, its time there, and its time since.
    void hand_on_programmed(std::uint16_t slot, unsigned desk, sim_time t, std::uint32_t tag);

    /// A program comes to its channel at `t`, its data having been held for `held`; it is something
    /// of its own to the core. It is many commands', or none's: what it went through is kept until
    /// its tag is used again.
    void begin_program(std::uint32_t tag, unsigned desk, sim_time t, latency_part held);
    /// Up to `t` it was `part`.
    void stamp_program(std::uint32_t tag, latency_part part, sim_time t);
    /// The firmware hears of it: from now on commands may name it.
    void end_program(std::uint32_t tag);

    static constexpr unsigned desks = 9;
    static constexpr std::uint16_t no_slot = 0xFFFF;
    // Of marks: what was counted is no work; the command marked last waits from here on; or it was
    // kept out until now.
    static constexpr std::uint32_t in_vain = 0xFFFFFFFF;
    static constexpr std::uint32_t waits = 0xFFFFFFFE;
    static constexpr std::uint32_t kept_out = 0xFFFFFFFD;

    [[nodiscard]] const latency_split& parts(std::size_t command) const
    {
        return m_records[command].parts;
    }

    [[nodiscard]] const latency_place& place(std::size_t command) const
    {
        return m_records[command].place;
    }

private:
    [[nodiscard]] bool bound(std::uint16_t slot) const
    {
        return slot < m_by_slot.size() && m_by_slot[slot].command != unbound;
    }
    void hand_on_marked(std::uint16_t slot, sim_time t, latency_part wait)
    {
        if (!bound(slot)) {
            return;
        }
        const record& r = m_records[m_by_slot[slot].command];
        const std::int64_t units = std::max<std::int64_t>(m_work[slot], 0);
        m_work[slot] = 0;
        if (t > r.last) {
            stamp_slot(slot, wait, t - std::min(time_of(units), t - r.last));
            stamp_slot(slot, latency_part::firmware, t);
        }
    }

    static constexpr std::int64_t fraction = 1 << 20; // of m_ps_per_unit; of work 34 s fit
    static constexpr std::uint32_t unbound = 0xFFFFFFFF;
    struct record {
        sim_time last;
        latency_split parts{};
        latency_place place;
    };
    std::vector<record> m_records;
    struct binding {
        std::uint32_t command = unbound;
        sim_time when;
    };
    std::vector<binding> m_by_slot;
    struct program {
        program_stamps latest, before; // of its tag
        bool ended = false;            // the latest
    };
    std::vector<program> m_programs;         // by tag
    std::array<sim_time, desks> m_handed_on; // when a core last handed something on
    std::vector<std::int64_t> m_work;        // by slot, and on no command
    std::int64_t m_ps_per_unit = 0;
    timeline* m_follower = nullptr;
    std::uint32_t m_commands = 0; // that had a slot
    bool m_marked = false;
};

} // namespace ssdvp
