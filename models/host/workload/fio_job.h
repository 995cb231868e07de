// SPDX-License-Identifier: Apache-2.0
//
// One job of a fio job file, numbers resolved for one drive: what fio would run as one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/time.h"

namespace ssdvp::host {

/// What a request of a job may be, in the order of fio's lists of values.
enum class fio_kind : std::uint8_t { read, write, trim };
constexpr std::size_t fio_kinds = 3;

enum class fio_law : std::uint8_t { uniform, zipf, pareto, normal, zoned };

/// A size of requests: drawn when the number in [0, 1) is below `up_to`, and not a smaller one's.
struct fio_size {
    std::uint32_t sectors = 8;
    double up_to = 1.0;
};

/// A part of the range, from its start, that gets a share of the requests.
struct fio_zone {
    double up_to = 1.0; // share of the requests, this zone's and those before it
    std::uint64_t first = 0;
    std::uint64_t sectors = 0;
};

/// What fio lets differ between reads, writes and trims.
struct fio_direction {
    bool used = false;
    std::vector<fio_size> sizes = {{}}; // the smallest first
    std::uint32_t align = 8;   // sectors; positions are multiples of it, from the range's start
    double random_share = 0.0; // others are sequential
    fio_law law = fio_law::uniform;
    double parameter = 0.0; // zipf: theta; pareto: h; normal: deviation, in percent of the range
    double center = -1.0;   // where the law's middle lies, as a share of the range; < 0: anywhere
    std::vector<fio_zone> zones;
    std::uint64_t rate_bytes = 0; // per second; 0 = as fast as it goes
    double rate_iops = 0.0;       // the same in requests
    bool fua = false;             // Force Unit Access
};

/// The rows of a job's report: of reads, writes and trims, of all together, or both.
enum class fio_report : std::uint8_t { by_kind, together, both };

/// The next request goes to `add` bytes past the last one's end, or, in a random job, `each`
/// requests stay together before the next random place.
struct fio_sequence {
    std::int64_t add = 0; // sectors
    std::uint64_t each = 1;
    bool identical = false; // together: at the same place, not one behind the other
};

/// What a job samples and logs of itself, times in ms as its options give them.
struct fio_logging {
    std::string latency; // the logs' names up to _lat.1.log and so on; empty: not logged
    std::string bandwidth;
    std::string iops;
    std::string histogram;
    bool lat = true; // of the logs of `latency`
    bool clat = true;
    bool slat = true;
    std::uint64_t bandwidth_ms = 500; // of a sample; 0 = one for each request
    std::uint64_t iops_ms = 500;
    std::uint64_t average_ms = 0; // of a line of a latency log; 0 = one for each request
    bool maximum = false;         // of those, instead of their mean
    bool offset = false;          // a column with the byte of the file
    bool priority = false;        // priorities as fio prints classes and levels
    bool per_job = true;          // else jobs with one name share the file
    std::uint64_t histogram_ms = 0;
    std::uint32_t coarseness = 0; // 2^n bins of fio's histogram are one
    [[nodiscard]] bool any() const
    {
        return !latency.empty() || !bandwidth.empty() || !iops.empty() || !histogram.empty();
    }
};

struct fio_job {
    std::string name;
    std::string description;
    std::vector<std::pair<std::string, std::string>> options; // as written, without the global ones
    std::uint32_t group = 0;                                  // of the report
    bool report_group = false;
    fio_report report = fio_report::by_kind;
    fio_logging logging;

    // When it runs.
    std::uint32_t phase = 0; // starts when all jobs of lower phases have ended
    std::pair<std::uint32_t, std::uint32_t> after{0, 0}; // and these, from..to, if any
    sim_time delay;                                      // of its first request
    sim_time ramp;                                       // lengthens the run, and is not reported
    sim_time runtime;                                    // 0 = no limit
    bool time_based = false;                             // starts again until `runtime` is over
    std::uint64_t loops = 1;                             // passes over the range
    std::uint64_t number_ios = 0;                        // times the loops; 0 = no limit

    // Where.
    std::uint64_t file = 0;         // sector of the drive at which its file begins
    std::uint64_t first = 0;        // sector of the drive
    std::uint64_t sectors = 0;      // of the range
    std::uint64_t pass_bytes = 0;   // times the loops: what it does at most
    bool more_passes = false;       // until pass_bytes are done, however small the range
    std::uint64_t zone_sectors = 0; // > 0: random writes fill zones of so many, each from its start
    std::uint32_t open_zones = 0;   // so many at a time; 0 = any number

    // What.
    std::array<fio_direction, fio_kinds> kinds;
    bool trim_then_write = false;
    std::uint32_t read_percent = 50; // of reads and writes
    fio_sequence sequence;
    bool random_map = true;        // a pass touches each block once
    std::uint64_t flush_every = 0; // writes; 0 = never
    bool flush_at_end = false;
    bool verify = false;              // reads back what it wrote
    std::uint64_t verify_backlog = 0; // writes; 0 = at the end of the pass
    std::uint64_t trim_backlog = 0;
    double trim_share = 0.0; // of written blocks, trimmed after trim_backlog writes

    // How much of it at once.
    std::uint32_t depth = 1;
    std::uint32_t refill_at = 0; // requests in flight at which it goes on, once the depth is full
    sim_time think;
    std::uint64_t think_blocks = 1;
    sim_time think_io_time;           // 0 = by blocks
    bool poisson = false;             // gaps of the rates
    bool rate_skips_thinking = false; // what thinking has missed is not caught up
    std::uint64_t seed = 0;           // on top of the run's
};

/// An option that a drive makes no difference to, and why.
struct fio_note {
    std::string at; // file:line:column
    std::string text;
};

struct fio_config {
    std::string file;
    std::vector<fio_job> jobs; // with every clone of numjobs
    std::vector<fio_note> notes;
    std::vector<std::pair<std::string, std::string>> global_options;
    std::vector<double> percentiles; // of the report
    /// A job wants a log of its own requests.
    [[nodiscard]] bool logs() const
    {
        return std::any_of(jobs.begin(), jobs.end(),
                           [](const fio_job& j) { return j.logging.any(); });
    }
};

} // namespace ssdvp::host
