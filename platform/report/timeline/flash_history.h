// SPDX-License-Identifier: Apache-2.0
//
// What LUNs and flash buses did lately: the newest pieces of work of each, in bounded memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/timeline.h"

namespace ssdvp::platform {

/// Work of a LUN, or cycles of a bus.
struct flash_piece {
    const char* name = nullptr; // a literal
    sim_time begin;
    sim_time end;
    std::uint32_t block = 0; // of a LUN's work
    std::uint32_t page = 0;
    std::uint16_t slot = latency_ledger::no_slot;
    std::uint16_t lun = 0;
    std::uint8_t plane = 0;
    std::uint8_t purpose = timeline_slice::no_purpose;
};

class flash_history final : public timeline {
public:
    static constexpr std::size_t kept = 512; // pieces of a LUN, and of a bus

    /// Only LUNs and buses are listened to.
    std::uint32_t add_track(const std::string& group, const std::string& name) override;
    void add(std::uint32_t track, const timeline_slice& slice) override;

    class place {
    public:
        place(std::uint16_t channel, std::uint16_t lun) : m_channel(channel), m_lun(lun) {}

        [[nodiscard]] bool is_lun() const { return m_lun != bus; }
        [[nodiscard]] bool is(std::uint16_t channel, std::uint16_t lun) const
        {
            return m_channel == channel && m_lun == lun;
        }
        /// Appends what overlaps [begin, end), in order of its beginnings; what was dropped ended,
        /// or began, at dropped_until() at the latest.
        void around(sim_time begin, sim_time end, std::vector<flash_piece>& found) const;
        [[nodiscard]] sim_time dropped_until() const { return m_dropped_until; }

    private:
        friend class flash_history;
        void add(const timeline_slice& slice);
        flash_piece& add_piece();
        void cut(sim_time t);

        std::uint16_t m_channel;
        std::uint16_t m_lun; // or bus
        std::size_t m_told = 0;
        sim_time m_dropped_until;
        flash_piece m_suspended; // without a name: nothing is
        std::unique_ptr<std::array<flash_piece, kept>> m_ring =
            std::make_unique<std::array<flash_piece, kept>>();
    };
    static constexpr std::uint16_t bus = 0xFFFF;

    [[nodiscard]] const std::vector<place>& places() const { return m_places; }

private:
    std::vector<place> m_places; // by track
};

} // namespace ssdvp::platform
