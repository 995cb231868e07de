// SPDX-License-Identifier: Apache-2.0
//
// What blocks tell of their work, where a timeline of it is wanted: slices of time on tracks. A
// block has a track that leads nowhere until somebody gives it one, and asks it before it tells.
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

class timeline {
public:
    timeline() = default;
    virtual ~timeline() = default;
    timeline(const timeline&) = delete;
    timeline& operator=(const timeline&) = delete;

    /// A track of its own: "channel 3", "LUN 2".
    virtual std::uint32_t add_track(const std::string& group, const std::string& name) = 0;
    /// Work that is known by now; it may lie ahead. Of one track in any order.
    virtual void add(std::uint32_t track, const timeline_slice& slice) = 0;
};

class timeline_track {
public:
    timeline_track() = default;
    timeline_track(timeline& to, const std::string& group, const std::string& name)
        : m_to(&to), m_number(to.add_track(group, name))
    {}
    /// Somebody listens.
    explicit operator bool() const { return m_to != nullptr; }
    void add(const timeline_slice& slice) const { m_to->add(m_number, slice); }

private:
    timeline* m_to = nullptr;
    std::uint32_t m_number = 0;
};

} // namespace ssdvp
