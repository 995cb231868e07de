// SPDX-License-Identifier: Apache-2.0
//
// A log as fio writes it, line by line: milliseconds, value, direction (0 read, 1 write, 2 trim),
// block size, offset where it is wanted, priority. Or of histograms: milliseconds, direction, block
// size, and the bins of fio's distribution of completion latencies.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "models/host/workload/fio_job.h"
#include "platform/report/fio_samples.h"
#include "platform/report/output_file.h"

namespace ssdvp::platform {

/// What stands in front of and behind the value of a line.
struct fio_log_line {
    std::uint64_t ms = 0;
    std::size_t kind = 0;
    std::uint64_t bytes = 0;  // 0: of several requests
    std::uint64_t offset = 0; // in the job's file
};

/// The file, which jobs may share.
class fio_log_file {
public:
    /// Throws output_error. `option`: where the name came from.
    fio_log_file(const std::filesystem::path& file, const char* option);

    /// Both allocate nothing; an error of writing is kept for finish().
    void write(const fio_log_line& line, std::uint64_t value, const host::fio_logging& how);
    /// `bins`: `joined` neighbours are one number.
    void write(const fio_log_line& line, const std::vector<std::uint64_t>& bins,
               std::size_t joined);
    /// Throws write_error.
    void finish();

private:
    void make_room(std::size_t bytes);
    void flush();

    output_file m_file;
    std::vector<char> m_buffer;
    std::size_t m_used = 0;
};

/// A log of latencies of one job: a line for each request, or for those of log_avg_msec.
class fio_latency_log {
public:
    fio_latency_log(fio_log_file& file, const host::fio_logging& how) : m_file(&file), m_how(&how)
    {}
    void add(const fio_log_line& line, std::uint64_t ns);
    /// The job is over: what has had no line yet.
    void finish(std::uint64_t ms);

private:
    struct window {
        std::uint64_t last = 0; // ms: where the open one begins
        fio_samples samples;
    };
    void close(std::size_t kind, std::uint64_t ms);

    fio_log_file* m_file;
    const host::fio_logging* m_how;
    std::array<window, host::fio_kinds> m_windows;
};

/// A log of histograms of one job: a line when log_hist_msec have passed since the last one.
class fio_histogram_log {
public:
    static constexpr std::size_t bins = 29 * 64;

    fio_histogram_log(fio_log_file& file, const host::fio_logging& how);
    void add(const fio_log_line& line, std::uint64_t ns);
    /// Of a latency: 64 bins for each power of two.
    [[nodiscard]] static std::size_t bin_of(std::uint64_t ns);

private:
    struct window {
        std::uint64_t last = 0; // ms; 0: none has begun
        std::vector<std::uint64_t> counts;
    };
    fio_log_file* m_file;
    const host::fio_logging* m_how;
    std::array<window, host::fio_kinds> m_windows;
};

} // namespace ssdvp::platform
