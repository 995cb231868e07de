// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/trace_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ssdvp::host {

namespace {

constexpr std::uint64_t page_sectors = 8; // 4 KiB: scaled positions keep their place within

} // namespace

trace_source::trace_source(const trace_config& config, trace_summary summary,
                           std::uint64_t capacity, std::uint16_t index)
    : m_config(config), m_summary(std::move(summary)), m_bases(m_summary.devices),
      m_capacity(capacity), m_index(index), m_left_over(config.repeat)
{
    const double scale = config.replay == trace_replay::scaled ? config.scale : 1.0;
    m_scale = static_cast<std::uint64_t>(std::llround(scale * 4294967296.0));
    begin();
}

/// From the file's first line: the time goes on where it was.
void trace_source::begin()
{
    --m_left_over;
    m_before += m_last - m_first;
    m_started = false;
    m_reader.emplace(m_config, m_summary.format, "; the file changed during the run");
}

sim_time trace_source::arrival_of(trace_time time)
{
    if (!m_started) {
        m_started = true;
        m_first = time;
        m_last = time;
    }
    m_last = std::max(m_last, time);
    return sim_time(static_cast<std::uint64_t>((m_before + m_last - m_first) * m_scale >> 32));
}

/// Where the record goes on the drive.
void trace_source::place(const trace_record& record)
{
    m_flush = record.flush_first || record.kind == request_kind::flush;
    m_piece.arrival = arrival_of(record.time);
    m_piece.stream = m_index;
    m_piece.kind = record.kind;
    m_piece.fua = record.fua;
    std::uint64_t position = record.sector;
    position += m_bases.of(record.device);
    m_left = record.sectors;
    if (m_config.fit == trace_fit::scale && m_summary.span > m_capacity) {
        const trace_time pages = m_capacity / page_sectors;
        const trace_time scaled = position / page_sectors * pages / (m_summary.span / page_sectors);
        position = static_cast<std::uint64_t>(scaled) * page_sectors + position % page_sectors;
        if (record.sectors <= m_capacity) {
            position = std::min(position, m_capacity - record.sectors);
        }
    }
    m_piece.lba = position % m_capacity;
}

bool trace_source::read_record()
{
    trace_record record;
    for (;;) {
        while (m_reader->next(record)) {
            if (trace_reader::is_wanted(m_config, record)) {
                place(record);
                return true;
            }
        }
        if (m_left_over == 0) {
            return false;
        }
        begin();
    }
}

bool trace_source::next(sim_time /*elapsed*/, request& out)
{
    try {
        if (m_left == 0 && !m_flush && !read_record()) {
            return false;
        }
    } catch (const trace_error& e) {
        m_error = e.what();
        return false;
    }
    if (m_flush) {
        m_flush = false;
        out = request();
        out.kind = request_kind::flush;
        out.stream = m_piece.stream;
        out.arrival = m_piece.arrival;
        return true;
    }
    // What passes the drive's end goes on at its start, as a request of its own.
    const std::uint64_t room = m_capacity - m_piece.lba;
    out = m_piece;
    out.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(m_left, room));
    m_left -= out.sectors;
    m_piece.lba = (m_piece.lba + out.sectors) % m_capacity;
    return true;
}

} // namespace ssdvp::host
