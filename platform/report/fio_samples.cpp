// SPDX-License-Identifier: Apache-2.0
#include "platform/report/fio_samples.h"

#include <algorithm>
#include <cmath>

#include "models/common/data_mode.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t ps_per_ms = 1000ull * 1000 * 1000;
constexpr std::size_t flush = host::fio_kinds; // of request_kind: no kind of samples

} // namespace

void fio_samples::add(std::uint64_t value)
{
    min = count == 0 ? value : std::min(min, value);
    max = std::max(max, value);
    const auto v = static_cast<double>(value);
    const double delta = v - mean;
    ++count;
    mean += delta / static_cast<double>(count);
    squares += delta * (v - mean);
}

void fio_samples::join(const fio_samples& other)
{
    count += other.count;
    min += other.min;
    max += other.max;
    mean += other.mean;
    squares += other.squares;
}

double fio_samples::deviation() const
{
    return count < 2 ? 0.0 : std::sqrt(squares / static_cast<double>(count - 1));
}

bool fio_interval::ended(sim_time t, amounts& of, sim_time& at)
{
    const std::uint64_t length = m_ms * ps_per_ms;
    if (t < m_begin + sim_time(length)) {
        return false;
    }
    of = m_amounts;
    at = m_begin + sim_time(length);
    m_amounts.fill(0);
    m_begin += sim_time((t - m_begin).ps() / length * length);
    return true;
}

fio_ramp::fio_ramp(const host::fio_job* job)
{
    if (job != nullptr && (job->phase != 0 || job->after.second != 0)) {
        m_length = job->ramp;
    }
}

bool fio_ramp::over(const host::request_result& r)
{
    if (m_length == sim_time()) {
        return true;
    }
    if (m_end == sim_time()) {
        m_end = r.req.arrival + m_length;
    }
    return r.completed >= m_end;
}

fio_job_rates::fio_job_rates(const host::fio_job* job)
    : m_bandwidth(job != nullptr ? job->logging.bandwidth_ms : host::fio_logging().bandwidth_ms),
      m_iops(job != nullptr ? job->logging.iops_ms : host::fio_logging().iops_ms)
{}

void fio_job_rates::begin(const host::request_result& first)
{
    m_begun = true;
    m_start = later(first.req.arrival, m_measured);
    m_bandwidth.begin(m_start);
    m_iops.begin(m_start);
}

void fio_job_rates::advance(sim_time t, fio_sample_listener& to)
{
    fio_interval::amounts of;
    sim_time at;
    if (m_bandwidth.ms() != 0 && m_bandwidth.ended(t, of, at)) {
        for (std::size_t kind = 0; kind < of.size(); ++kind) {
            if (of[kind] != 0) {
                to.bandwidth(kind, of[kind] * 1000 / m_bandwidth.ms() / 1024, elapsed(at), nullptr);
            }
        }
    }
    if (m_iops.ms() != 0 && m_iops.ended(t, of, at)) {
        for (std::size_t kind = 0; kind < of.size(); ++kind) {
            if (of[kind] != 0) {
                to.iops(kind, of[kind] * 1000 / m_iops.ms(), elapsed(at), nullptr);
            }
        }
    }
}

void fio_job_rates::completed(const host::request_result& r, fio_sample_listener& to)
{
    if (!m_begun) {
        begin(r);
    }
    advance(r.completed, to);
    const auto kind = static_cast<std::size_t>(r.req.kind);
    if (kind == flush) {
        return;
    }
    const std::uint64_t bytes = r.status == 0 ? std::uint64_t{r.req.sectors} * sector_size : 0;
    m_bandwidth.add(kind, bytes);
    m_iops.add(kind, 1);
    if (m_bandwidth.ms() == 0) {
        const std::uint64_t ns = (r.completed - r.submitted).ps() / 1000;
        to.bandwidth(kind, ns == 0 ? 0 : bytes * 1000000 / ns, elapsed(r.completed), &r);
    }
    if (m_iops.ms() == 0) {
        to.iops(kind, 1, elapsed(r.completed), &r);
    }
}

} // namespace ssdvp::platform
