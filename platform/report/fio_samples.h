// SPDX-License-Identifier: Apache-2.0
//
// Bandwidth and requests per second of a job as fio samples them: once per interval, or once for
// each request where a log without averages is wanted. An interval in which nothing of a kind
// completed gives no sample of that kind, and the last, unfinished one none at all.
#pragma once

#include <array>
#include <cstdint>

#include "models/host/request.h"
#include "models/host/workload/fio_job.h"

namespace ssdvp::platform {

/// What fio keeps of samples.
struct fio_samples {
    std::uint64_t count = 0;
    std::uint64_t min = 0;
    std::uint64_t max = 0;
    double mean = 0.0;
    double squares = 0.0; // sum of the squared differences to the mean

    void add(std::uint64_t value);
    /// Of another job of a group: its rates come on top, so all of these are summed.
    void join(const fio_samples& other);
    [[nodiscard]] double deviation() const; // of the sample: n - 1
};

/// Reads, writes, trims.
using fio_samples_by_kind = std::array<fio_samples, host::fio_kinds>;

/// A place where samples go.
class fio_sample_listener {
public:
    virtual ~fio_sample_listener() = default;
    /// `value`: KiB/s of an interval; of one request, bytes per ms of its completion latency.
    /// `at`: since the job's start. `of`: the request; null: an interval.
    virtual void bandwidth(std::size_t kind, std::uint64_t value, sim_time at,
                           const host::request_result* of) = 0;
    /// `value`: requests per second of an interval, or 1.
    virtual void iops(std::size_t kind, std::uint64_t value, sim_time at,
                      const host::request_result* of) = 0;
};

/// One quantity per interval.
class fio_interval {
public:
    using amounts = std::array<std::uint64_t, host::fio_kinds>;

    explicit fio_interval(std::uint64_t ms = 0) : m_ms(ms) {}
    [[nodiscard]] std::uint64_t ms() const { return m_ms; } // 0: there are no intervals
    void begin(sim_time t) { m_begin = t; }
    void add(std::size_t kind, std::uint64_t amount) { m_amounts[kind] += amount; }
    /// An interval has ended by `t`: what it had is in `of`. Those up to `t` that had nothing
    /// are passed over.
    [[nodiscard]] bool ended(sim_time t, amounts& of, sim_time& at);

private:
    std::uint64_t m_ms;
    sim_time m_begin;
    amounts m_amounts{};
};

/// The ramp_time of a job that starts after others, of which nothing is reported. That of the first
/// ones is the run's warm-up.
class fio_ramp {
public:
    explicit fio_ramp(const host::fio_job* job); // null: a stream
    /// The request completed after it.
    [[nodiscard]] bool over(const host::request_result& r);

private:
    sim_time m_length; // 0 = none
    sim_time m_end;    // 0 = not begun
};

/// The samples of one job.
class fio_job_rates {
public:
    explicit fio_job_rates(const host::fio_job* job); // null: a stream, which is sampled as usual

    /// The measured part begins. Without it, it does so with the first request.
    void measured_from(sim_time t) { m_measured = t; }
    /// Allocates nothing.
    void completed(const host::request_result& r, fio_sample_listener& to);
    /// For logs: since the first request of the measured part, which is where fio begins to count
    /// anew when a ramp is over.
    [[nodiscard]] sim_time elapsed(sim_time t) const
    {
        return t > m_start ? t - m_start : sim_time();
    }

private:
    void begin(const host::request_result& first);
    void advance(sim_time t, fio_sample_listener& to);

    fio_interval m_bandwidth;
    fio_interval m_iops;
    sim_time m_measured;
    sim_time m_start;
    bool m_begun = false;
};

} // namespace ssdvp::platform
