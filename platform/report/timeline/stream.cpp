// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/stream.h"

#include <system_error>
#include <utility>

#include "platform/report/signals_blocked.h"

namespace ssdvp::platform {

timeline_stream::timeline_stream(const std::vector<timeline_record::track_name>& tracks,
                                 const perfetto_writer::taker& to)
    : m_layout(tracks, to)
{}

timeline_stream::~timeline_stream()
{
    stop();
}

/// Where no thread is to be had, each piece is written when it is taken.
void timeline_stream::start()
{
    m_started = true;
    const signals_blocked quiet;
    try {
        m_thread = std::thread([this] { run(); });
    } catch (const std::system_error&) {
        m_thread = {};
    }
}

void timeline_stream::run()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        if (m_full.empty()) {
            m_changed.wait(lock, [this] { return m_full.size() >= wakes_at || m_ends; });
        }
        if (m_full.empty()) {
            return;
        }
        timeline_piece piece = std::move(m_full.front());
        m_full.pop_front();
        lock.unlock();
        write(piece);
        lock.lock();
        m_empty.push_back(std::move(piece));
        m_changed.notify_all();
    }
}

/// After a failure nothing is written any more.
void timeline_stream::write(timeline_piece& piece)
{
    if (m_failure) {
        piece.clear();
        return;
    }
    try {
        for (const timeline_entry& e : piece.slices) {
            if (e.slice.end >= piece.from) {
                m_layout.add(e);
            }
        }
        for (const host::request_result& r : piece.requests) {
            m_layout.add(r);
        }
        m_layout.settle(piece.settled);
    } catch (...) {
        m_failure = std::current_exception();
    }
    piece.clear();
}

timeline_piece timeline_stream::take(timeline_piece piece)
{
    if (!m_started) {
        start();
    }
    if (!m_thread.joinable()) {
        write(piece);
        return piece;
    }
    std::unique_lock lock(m_mutex);
    m_full.push_back(std::move(piece));
    if (m_full.size() == wakes_at) {
        m_changed.notify_all();
    }
    if (m_empty.empty() && m_made < most) {
        ++m_made;
        lock.unlock();
        return timeline_piece::make();
    }
    m_changed.wait(lock, [this] { return !m_empty.empty(); });
    timeline_piece empty = std::move(m_empty.back());
    m_empty.pop_back();
    return empty;
}

void timeline_stream::stop()
{
    if (m_thread.joinable()) {
        {
            const std::lock_guard lock(m_mutex);
            m_ends = true;
        }
        m_changed.notify_all();
        m_thread.join();
    }
}

void timeline_stream::finish(sim_time until, const std::vector<series_piece>& pieces, sim_time zero)
{
    stop();
    if (m_failure) {
        std::rethrow_exception(m_failure);
    }
    m_layout.finish(until, pieces, zero);
}

} // namespace ssdvp::platform
