// SPDX-License-Identifier: Apache-2.0
//
// What blocks tell of their work, where a timeline or waves of it are wanted: slices of time on
// tracks, and levels, which keep a value until the next. A block has tracks and levels that lead
// nowhere until somebody gives it others, and asks them before it tells.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/latency_ledger.h"
#include "models/common/time.h"

namespace ssdvp {

/// One piece of work. Names are literals.
struct timeline_slice {
    static constexpr std::uint8_t no_purpose = 0xFF;
    struct detail {
        const char* name = nullptr; // null: none
        std::uint64_t value = 0;
    };

    const char* name = nullptr;
    sim_time begin;
    sim_time end;
    std::uint16_t slot = latency_ledger::no_slot; // of the host's command that it is for
    std::uint8_t purpose = no_purpose;            // FLASH_PURPOSE_*
    bool cuts = false; // what came before it on its track ends where it begins
    std::array<detail, 4> details{};
};

/// What the value of a level is.
enum class level_form : std::uint8_t {
    bit,
    number,   // of 32 bits
    bus_phase // flash/bus/wire_phase.h
};

class timeline {
public:
    /// Number of a track or level that nobody looks at: nothing is told of it.
    static constexpr std::uint32_t unwanted = ~0u;

    timeline() = default;
    virtual ~timeline() = default;
    timeline(const timeline&) = delete;
    timeline& operator=(const timeline&) = delete;

    /// A track of its own: "channel 3", "LUN 2". A group may lie in another: "channel 3/LUN 2".
    virtual std::uint32_t add_track(const std::string& group, const std::string& name) = 0;
    /// Work that is known by now; it may lie ahead. Of one track in any order.
    virtual void add(std::uint32_t track, const timeline_slice& slice) = 0;

    /// From `when` on what is for `slot` is for the command of this number (latency_place).
    virtual void bound(std::uint16_t slot, std::uint32_t command, sim_time when)
    {
        (void)slot, (void)command, (void)when;
    }

    /// A level of its own.
    virtual std::uint32_t add_level(const std::string& group, const std::string& name,
                                    level_form form)
    {
        (void)group, (void)name, (void)form;
        return unwanted;
    }
    /// From `t` on it is `value`; `t` may lie ahead. What was told of it for `t` and later is void.
    virtual void set(std::uint32_t level, sim_time t, std::uint64_t value)
    {
        (void)level, (void)t, (void)value;
    }
};

class timeline_track {
public:
    timeline_track() = default;
    timeline_track(timeline& to, const std::string& group, const std::string& name)
        : m_to(&to), m_number(to.add_track(group, name))
    {
        m_to = m_number == timeline::unwanted ? nullptr : m_to;
    }
    /// Somebody listens.
    explicit operator bool() const { return m_to != nullptr; }
    void add(const timeline_slice& slice) const
    {
        if (m_to != nullptr) {
            m_to->add(m_number, slice);
        }
    }

private:
    timeline* m_to = nullptr;
    std::uint32_t m_number = 0;
};

class timeline_level {
public:
    timeline_level() = default;
    timeline_level(timeline& to, const std::string& group, const std::string& name, level_form form)
        : m_to(&to), m_number(to.add_level(group, name, form))
    {
        m_to = m_number == timeline::unwanted ? nullptr : m_to;
    }
    /// Somebody listens.
    explicit operator bool() const { return m_to != nullptr; }
    void set(sim_time t, std::uint64_t value) const
    {
        if (m_to != nullptr) {
            m_to->set(m_number, t, value);
        }
    }

private:
    timeline* m_to = nullptr;
    std::uint32_t m_number = 0;
};

} // namespace ssdvp
