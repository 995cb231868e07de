// SPDX-License-Identifier: Apache-2.0
//
// Serial ATA link: wires for both directions that carry a frame in one direction at a time. One
// list of bookings; frames of the device are timed when they are asked for, those of the host
// when no X_RDY of the device can overtake theirs any more. Page in docs/models/sata.md.
#pragma once

#include <array>

#include "models/common/block.h"
#include "models/common/busy_time.h"
#include "models/common/reservation.h"
#include "models/common/rng.h"
#include "models/common/timed_queue.h"
#include "models/common/timeline.h"
#include "models/protocols/sata.h"
#include "models/sata/config.h"

namespace ssdvp::sata {

/// Counters since construction; a copy is a snapshot.
struct link_stats {
    struct direction {
        std::uint64_t frames = 0;               // tried, those sent again included
        std::uint64_t bytes = 0;                // SOF, FIS, CRC, EOF
        std::uint64_t data = 0;                 // bytes of data in Data FIS
        sim_time busy;                          // with handshakes, until now
        std::array<std::uint64_t, 8> by_type{}; // see type_index()
    };
    direction to_device;
    direction to_host;
    std::uint64_t r_errs = 0;
    std::uint64_t crc_errors = 0;
    std::uint64_t collisions = 0; // the host's X_RDY gave way
    std::uint64_t comresets = 0;
};

/// Place of a FIS type in link_stats::by_type, in this order: 27h, 34h, 39h, 41h, 46h, 5Fh, A1h.
std::size_t type_index(std::uint8_t type);

/// Times of frames at one rate.
class frame_time {
public:
    static constexpr std::uint32_t overhead = 12; // bytes: SOF, CRC, EOF
    explicit frame_time(const link_config& config);
    /// SOF to EOF of a FIS of `bytes`, with the ALIGN pairs that fall into it.
    [[nodiscard]] sim_time wire(std::uint32_t bytes) const;
    [[nodiscard]] sim_time before() const { return m_before; } // X_RDY to SOF
    [[nodiscard]] sim_time flight() const { return m_flight; } // EOF sent to CRC checked
    [[nodiscard]] sim_time after() const { return m_after; }   // CRC checked to idle
    /// X_RDY to idle.
    [[nodiscard]] sim_time whole(std::uint32_t bytes) const
    {
        return m_before + wire(bytes) + m_flight + m_after;
    }

private:
    rate m_bits; // per second, 254/256 of which are not ALIGN, times 256
    sim_time m_before;
    sim_time m_flight;
    sim_time m_after;
};

class link final : public block, public link_if {
public:
    link(const sc_core::sc_module_name& name, const link_config& config);

    /// Before the simulation starts, both sides.
    void attach(side s, transport_if& transport) { m_sides[index(s)] = &transport; }
    /// The drive has power from now on, and sends COMINIT; or it has none any more, and what is
    /// under way is gone.
    void device_power(bool on);

    /// Frames are told to `to`.
    void follow(timeline& to)
    {
        m_tracks[index(side::device)] = timeline_track(to, "link", "to the host");
        m_tracks[index(side::host)] = timeline_track(to, "link", "to the drive");
    }
    bool send(side from, const frame& f, sim_time earliest) override;
    [[nodiscard]] bool up() const override { return m_up; }
    [[nodiscard]] std::uint32_t generation() const override { return m_config.generation; }
    void comreset(bool hold) override;
    void disable() override;

    [[nodiscard]] link_stats stats() const;
    [[nodiscard]] const link_config& config() const { return m_config; }
    [[nodiscard]] const frame_time& times() const { return m_times; }
    /// From the end of COMRESET to PhyRdy.
    [[nodiscard]] static sim_time oob_time();

private:
    enum class task : std::uint8_t { host_frame, phy_ready };

    static std::size_t index(side s) { return static_cast<std::size_t>(s); }
    void act();
    void transfer(side from, const frame& f, sim_time present, sim_time earliest);
    bool damages();
    void count(side from, const frame& f, reservation::interval wire);
    void go_down();
    void begin_oob(sim_time delay);

    link_config m_config;
    frame_time m_times;
    std::array<transport_if*, 2> m_sides{};
    reservation m_wire;
    timed_queue<task> m_agenda;
    rng m_errors;
    link_stats m_stats;
    std::array<busy_time, 2> m_busy; // by the sender
    std::array<timeline_track, 2> m_tracks;

    bool m_up = false;
    bool m_powered = false;
    bool m_held = false; // in reset or off, by the host
    bool m_waiting = false;
    frame m_waiting_frame; // of the host
    sim_time m_waiting_since;
    sim_time m_device_begin; // X_RDY of the device's last frame
    std::array<unsigned char, fis::HEADER_MAX> m_waiting_header{};
};

} // namespace ssdvp::sata
