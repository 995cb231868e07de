// SPDX-License-Identifier: Apache-2.0
//
// What blocks tell, kept for the window of a timeline or of waves, with the requests that completed
// in it. In bounded memory: of the time before a window only the newest slices are kept, and after
// so many the record is full and ends there. Of levels, what holds when the window begins is known.
//
// Or it is handed on piece by piece as soon as it is known to be in the window, and not kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/timeline.h"
#include "models/host/request.h"
#include "platform/report/timeline/entry_store.h"
#include "platform/report/timeline/piece.h"
#include "platform/report/timeline/window.h"

namespace ssdvp::platform {

class timeline_record final : public timeline {
public:
    struct track_name {
        std::string group;
        std::string name;
    };
    using entry = timeline_entry;
    struct interval {
        sim_time begin;
        sim_time end;
    };

    static constexpr std::size_t most_before = 1u << 17; // slices kept while the window waits
    static constexpr std::size_t most_kept = 1u << 21;

    explicit timeline_record(const timeline_window& window, std::size_t most = most_kept)
        : m_window(window), m_most(most)
    {}

    /// Levels are not asked for; who wants them adds them as tracks.
    std::uint32_t add_track(const std::string& group, const std::string& name) override;
    void add(std::uint32_t track, const timeline_slice& slice) override;
    void bound(std::uint16_t slot, std::uint32_t command, sim_time when) override;
    void set(std::uint32_t track, sim_time t, std::uint64_t value) override;

    /// Before anything is told; there are no levels then. The slowest requests are known at the
    /// end: what went on around them is handed on there.
    void hand_to(piece_taker& to)
    {
        m_to = &to;
        m_piece = timeline_piece::make();
    }

    /// The measured part begins.
    void begin(sim_time t);
    void completed(const host::request_result& result);
    /// What is kept is all: the window's slices, in order of their beginnings, and its requests, in
    /// order of their arrivals. They stay where they are from then on; or they are handed on.
    void end(sim_time t);

    [[nodiscard]] const std::vector<track_name>& tracks() const { return m_tracks; }
    /// And levels.
    [[nodiscard]] const std::vector<entry*>& slices() const { return m_kept; }
    /// What the window was, in order.
    [[nodiscard]] std::vector<interval> shown() const;
    /// What begins later is not in it; from end() on.
    [[nodiscard]] sim_time until() const { return m_until; }
    [[nodiscard]] const std::vector<host::request_result>& requests() const { return m_requests; }
    /// The record was full before the window's end.
    [[nodiscard]] bool full() const { return m_full; }
    /// Why the run has nothing of the window; empty: it has.
    [[nodiscard]] std::string missed() const;

private:
    struct numbered {
        std::uint64_t number; // of being told
        entry what;
    };
    struct slow {
        host::request_result request;
        std::vector<numbered> around;
    };
    struct holder {
        std::uint32_t command = 0;
        std::uint32_t before = 0; // had the slot until `since`
        sim_time since;
    };
    void put(std::uint32_t track, const timeline_slice& slice);
    [[nodiscard]] std::uint32_t command_of(const timeline_slice& s) const
    {
        if (s.slot >= m_holders.size()) {
            return 0;
        }
        const holder& h = m_holders[s.slot];
        return s.begin >= h.since ? h.command : h.before;
    }
    void open();
    void keep(const host::request_result& r);
    void hand_on_slice(const entry& e);
    void hand_on_request(const host::request_result& r);
    void hand_on();
    void hand_on_kept();
    void drop_oldest();
    void keep_slowest(const host::request_result& result);
    void keep_around();
    void keep_window();
    void void_later();
    void sort_kept();
    void sort_requests();
    void cut_suspended();

    timeline_window m_window;
    std::size_t m_most;
    std::vector<track_name> m_tracks;
    std::vector<std::optional<numbered>> m_before; // by track: a level's value before m_recent
    entry_store<entry> m_recent;                   // told as number m_dropped, ...
    std::vector<entry> m_apart;                    // from end() on: what does not lie in m_recent
    std::vector<entry*> m_kept;                    // from end() on
    std::vector<host::request_result> m_requests;
    std::vector<holder> m_holders; // by slot
    piece_taker* m_to = nullptr;
    timeline_piece m_piece;         // not yet handed on
    std::size_t m_told = 0;         // slices since the window began, and those of before it
    sim_time m_now;                 // the latest request completed
    std::array<sim_time, 4> m_ends; // ... when each of the latest pieces was handed on
    std::vector<slow> m_slowest;    // a heap: the fastest of them first
    std::uint64_t m_dropped = 0;
    std::uint64_t m_completed = 0;
    sim_time m_from; // of what is kept
    sim_time m_until{~std::uint64_t{0}};
    sim_time m_zero;      // the measured part began
    bool m_on = false;    // from then until the window ends
    bool m_ended = false; // the window has
    bool m_open = false;  // the window has begun
    bool m_full = false;
    bool m_cuts = false; // a slice ends what came before it
};

} // namespace ssdvp::platform
