// SPDX-License-Identifier: Apache-2.0
//
// Pieces of a record on their way to a trace: while the drive is simulated, a second thread writes
// them. Some are under way at a time; with more, the simulation waits. The bytes are the same
// however fast either is.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "platform/report/timeline/layout.h"
#include "platform/report/timeline/piece.h"

namespace ssdvp::platform {

class timeline_stream final : public piece_taker {
public:
    /// `to` is called on the second thread, and at last on the one that calls finish().
    timeline_stream(const std::vector<timeline_record::track_name>& tracks,
                    const perfetto_writer::taker& to);
    /// What was not finished is left.
    ~timeline_stream() override;
    timeline_stream(const timeline_stream&) = delete;
    timeline_stream& operator=(const timeline_stream&) = delete;

    timeline_piece take(timeline_piece piece) override;
    /// Waits for what was taken, throws what went wrong with it, and writes the rest, as
    /// timeline_layout::finish().
    void finish(sim_time until, const std::vector<series_piece>& pieces, sim_time zero);

private:
    static constexpr std::size_t most = 8; // pieces
    // To wake a thread takes as long as simulating some ten requests: it is woken for several.
    static constexpr std::size_t wakes_at = most / 2; // pieces

    void start();
    void run();
    void write(timeline_piece& piece);
    void stop();

    timeline_layout m_layout;
    std::thread m_thread;
    bool m_started = false;
    std::mutex m_mutex; // of what follows
    std::condition_variable m_changed;
    std::deque<timeline_piece> m_full;
    std::vector<timeline_piece> m_empty;
    std::size_t m_made = 1; // pieces; whoever fills them has the first
    bool m_ends = false;
    std::exception_ptr m_failure;
};

} // namespace ssdvp::platform
