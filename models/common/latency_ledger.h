// SPDX-License-Identifier: Apache-2.0
//
// Where the time of each host command goes. Every block that moves a command forward says "up to
// now it was this part": the interval since the command's last stamp is added to that part. So
// the parts of a command always sum to its latency, to the picosecond, by construction.
//
// Firmware is told apart from waiting for it: a core works on one command at a time, so of the time
// until it hands a command on, only what came after it handed the last one on can have been spent
// on this one. The rest the command has waited for the core. Of commands that are handed on
// together (one doorbell) the first carries the work of all.
//
// A command's record is opened by the host driver under (queue, command id), bound to a hardware
// slot by the front end, and stamped through that slot by everything inside the drive.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/time.h"

namespace ssdvp {

enum class latency_part : std::uint8_t {
    link,
    front_end,
    firmware,
    queue,
    wait_read,
    wait_program,
    wait_erase,
    wait_gc,
    array,
    bus,
    ecc,
    dram,
    completion
};
constexpr std::size_t latency_parts = 13;
constexpr std::array<const char*, latency_parts> latency_part_names = {
    "link",    "front_end", "firmware", "queue", "wait_read", "wait_program", "wait_erase",
    "wait_gc", "array",     "bus",      "ecc",   "dram",      "completion"};

using latency_split = std::array<sim_time, latency_parts>;

class latency_ledger {
public:
    /// Room for `commands` host commands in flight and `slots` hardware slots.
    latency_ledger(std::size_t commands, std::size_t slots) : m_records(commands), m_by_slot(slots)
    {}

    void open(std::size_t command, sim_time t)
    {
        m_records[command].last = t;
        m_records[command].parts.fill(sim_time());
    }
    void bind(std::uint16_t slot, std::size_t command, sim_time when = sim_time())
    {
        m_by_slot[slot] = {static_cast<std::uint32_t>(command), when};
    }
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
        if (slot < m_by_slot.size() && m_by_slot[slot].command != unbound) {
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

    /// A core hands something on to hardware at `t`: the command in `slot`, or something of its own
    /// (no_slot). `desk` says which core it was, as far as that matters: 0 or 1.
    void hand_on(std::uint16_t slot, unsigned desk, sim_time t)
    {
        sim_time& last = m_handed_on[desk];
        stamp_slot(slot, latency_part::queue, last < t ? last : t);
        stamp_slot(slot, latency_part::firmware, t);
        last = last < t ? t : last;
    }
    static constexpr std::uint16_t no_slot = 0xFFFF;

    [[nodiscard]] const latency_split& parts(std::size_t command) const
    {
        return m_records[command].parts;
    }

private:
    static constexpr std::uint32_t unbound = 0xFFFFFFFF;
    struct record {
        sim_time last;
        latency_split parts{};
    };
    std::vector<record> m_records;
    struct binding {
        std::uint32_t command = unbound;
        sim_time when;
    };
    std::vector<binding> m_by_slot;
    std::array<sim_time, 2> m_handed_on; // when a core last handed something on
};

} // namespace ssdvp
