// SPDX-License-Identifier: Apache-2.0
#include "platform/report/fio_log.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace ssdvp::platform {

namespace {

constexpr std::size_t fio_log_buffer = 1u << 17;
constexpr std::size_t longest_number = 22; // with what stands behind it
constexpr std::size_t longest_sample = 6 * longest_number;
static_assert(fio_log_buffer > (fio_histogram_log::bins + 3) * longest_number);

} // namespace

fio_log_file::fio_log_file(const std::filesystem::path& file, const char* option)
    : m_file(file, option), m_buffer(fio_log_buffer)
{}

void fio_log_file::make_room(std::size_t bytes)
{
    if (m_buffer.size() - m_used < bytes) {
        flush();
    }
}

void fio_log_file::flush()
{
    m_file.write({m_buffer.data(), m_used});
    m_used = 0;
}

void fio_log_file::write(const fio_log_line& line, std::uint64_t value,
                         const host::fio_logging& how)
{
    make_room(longest_sample);
    char* at = m_buffer.data() + m_used;
    at = fmt::format_to(at, "{}, {}, {}, {}", line.ms, value, line.kind, line.bytes);
    if (how.offset) {
        at = fmt::format_to(at, ", {}", line.offset);
    }
    // No request has a priority: class and level 0, or "not of the class of real time".
    const std::string_view priority = how.priority ? ", 0x0000\n" : ", 0\n";
    at = std::copy(priority.begin(), priority.end(), at);
    m_used = static_cast<std::size_t>(at - m_buffer.data());
}

void fio_log_file::write(const fio_log_line& line, const std::vector<std::uint64_t>& bins,
                         std::size_t joined)
{
    make_room((bins.size() + 3) * longest_number);
    char* at = m_buffer.data() + m_used;
    at = fmt::format_to(at, "{}, {}, {}", line.ms, line.kind, line.bytes);
    for (std::size_t i = 0; i < bins.size(); i += joined) {
        std::uint64_t sum = 0;
        for (std::size_t j = i; j < i + joined; ++j) {
            sum += bins[j];
        }
        at = fmt::format_to(at, ", {}", sum);
    }
    *at++ = '\n';
    m_used = static_cast<std::size_t>(at - m_buffer.data());
}

void fio_log_file::finish()
{
    flush();
    m_file.finish();
}

void fio_latency_log::add(const fio_log_line& line, std::uint64_t ns)
{
    if (m_how->average_ms == 0) {
        m_file->write(line, ns, *m_how);
        return;
    }
    window& w = m_windows[line.kind];
    w.samples.add(ns);
    if (line.ms >= w.last + m_how->average_ms) {
        close(line.kind, line.ms);
        w.last = line.ms - line.ms % m_how->average_ms;
    }
}

void fio_latency_log::close(std::size_t kind, std::uint64_t ms)
{
    fio_samples& s = m_windows[kind].samples;
    if (s.count != 0) {
        const std::uint64_t mean = static_cast<std::uint64_t>(std::llround(s.mean));
        m_file->write({ms, kind, 0, 0}, m_how->maximum ? s.max : mean, *m_how);
    }
    s = {};
}

void fio_latency_log::finish(std::uint64_t ms)
{
    for (std::size_t kind = 0; kind < m_windows.size(); ++kind) {
        close(kind, ms);
    }
}

fio_histogram_log::fio_histogram_log(fio_log_file& file, const host::fio_logging& how)
    : m_file(&file), m_how(&how)
{
    for (window& w : m_windows) {
        w.counts.resize(bins);
    }
}

std::size_t fio_histogram_log::bin_of(std::uint64_t ns)
{
    constexpr unsigned bits = 6;
    const unsigned top = 63u - static_cast<unsigned>(__builtin_clzll(ns | 1u));
    if (top <= bits) {
        return ns;
    }
    const unsigned dropped = top - bits;
    const std::size_t base = (std::size_t{dropped} + 1) << bits;
    return std::min(base + (ns >> dropped) % (1u << bits), bins - 1);
}

void fio_histogram_log::add(const fio_log_line& line, std::uint64_t ns)
{
    window& w = m_windows[line.kind];
    ++w.counts[bin_of(ns)];
    if (m_how->histogram_ms == 0) {
        return; // as in fio, no line is ever due
    }
    w.last = w.last == 0 ? line.ms : w.last;
    if (line.ms >= w.last + m_how->histogram_ms) {
        m_file->write(line, w.counts, std::size_t{1} << m_how->coarseness);
        std::fill(w.counts.begin(), w.counts.end(), 0);
        w.last += m_how->histogram_ms;
    }
}

} // namespace ssdvp::platform
