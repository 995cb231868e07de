// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/stream_source.h"

#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "models/common/data_mode.h"
#include "models/common/real_functions.h"

namespace ssdvp::host {

namespace {

/// Arrival of request k at a constant rate, without accumulated rounding.
sim_time nth_arrival(std::uint64_t k, std::uint64_t rate_millihertz)
{
    return time_for(k * 1000, rate(rate_millihertz));
}

} // namespace

stream_source::stream_source(const stream_config& config, std::uint16_t index,
                             std::uint64_t capacity, std::uint64_t seed)
    : m_config(config), m_index(index), m_random(seed, index + 1ull),
      m_rate_millihertz(static_cast<std::uint64_t>(std::llround(config.rate_iops * 1000.0)))
{
    const std::uint64_t size = capacity * sector_size;
    if (config.range_start >= size) {
        throw std::invalid_argument(
            fmt::format("stream {}: range starts at byte {}, the drive ends at {}", config.name,
                        config.range_start, size));
    }
    const std::uint64_t room = size - config.range_start;
    const std::uint64_t range = config.range_size == 0 ? room : config.range_size;
    if (range > room) {
        throw std::invalid_argument(fmt::format("stream {}: range ends at byte {}, the drive at {}",
                                                config.name, config.range_start + range, size));
    }
    if (config.block_size == 0 || config.block_size % sector_size != 0 ||
        config.range_start % sector_size != 0) {
        throw std::invalid_argument(
            fmt::format("stream {}: block size and range start must be multiples of {} bytes",
                        config.name, sector_size));
    }
    if (config.block_size > range) {
        throw std::invalid_argument(fmt::format("stream {}: blocks of {} bytes in a range of {}",
                                                config.name, config.block_size, range));
    }
    if (config.rate_iops == 0.0 && config.queue_depth == 0) {
        throw std::invalid_argument("stream " + config.name + ": needs a queue depth or a rate");
    }
    m_first = config.range_start / sector_size;
    m_block = static_cast<std::uint32_t>(config.block_size / sector_size);
    m_pattern = make_pattern(config, range / config.block_size);
    if (timed()) {
        step_arrival();
    }
}

bool stream_source::next(sim_time elapsed, request& out)
{
    const sim_time arrival = timed() ? m_arrival : elapsed;
    if ((m_config.requests != 0 && m_made == m_config.requests) ||
        (m_config.duration != sim_time() && arrival >= m_config.duration)) {
        return false;
    }
    ++m_made;
    out = {};
    out.stream = m_index;
    out.arrival = arrival;
    if (timed()) {
        step_arrival();
    }
    if (m_config.flush_every != 0 && m_writes_since == m_config.flush_every) {
        m_writes_since = 0;
        out.kind = request_kind::flush;
        return true;
    }
    out.kind = draw_kind();
    out.lba = m_first + m_pattern->next(m_random) * m_block;
    out.sectors = m_block;
    if (out.kind == request_kind::write) {
        out.fua = m_config.fua;
        ++m_writes_since;
    } else if (out.kind == request_kind::read) {
        out.fua = m_config.read_fua;
    }
    return true;
}

request_kind stream_source::draw_kind()
{
    const double u = m_random.real();
    const double trims = m_config.trim_fraction;
    if (u < trims) {
        return request_kind::trim;
    }
    return u < trims + (1.0 - trims) * m_config.read_fraction ? request_kind::read
                                                              : request_kind::write;
}

void stream_source::step_arrival()
{
    ++m_arrivals;
    if (m_config.poisson) {
        const double gap = -portable_log1p(-m_random.real()) * 1e15; // ps at 1 mHz
        m_arrival +=
            sim_time(static_cast<std::uint64_t>(gap / static_cast<double>(m_rate_millihertz)));
    } else {
        m_arrival = nth_arrival(m_arrivals - 1, m_rate_millihertz); // the first at the start
    }
}

} // namespace ssdvp::host
