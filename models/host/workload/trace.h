// SPDX-License-Identifier: Apache-2.0
//
// Block traces: one line is one record. A whole file is validated before a run starts; the run
// then reads it again, line by line, so that a trace may be larger than memory.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/common/time.h"
#include "models/host/config.h"
#include "models/host/workload/formats/line_parser.h"

namespace ssdvp::host {

/// A trace file that cannot be used: the text begins with file:line and ends with a remedy.
class trace_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The format that a file name tells (x.msr.csv, x.spc.gz, x.mqsim); throws trace_error when none.
trace_format format_of_name(const std::string& file);

struct trace_device {
    std::uint64_t device = 0; // as in the records
    std::uint64_t number = 0; // as in the file
    std::uint64_t records = 0;
    std::uint64_t first_sector = 0; // lowest touched
    std::uint64_t end_sector = 0;   // one past the highest touched
    std::uint64_t end_line = 0;     // of the record that touches it
    std::uint64_t base = 0;         // sector where the device's range starts
};

struct trace_summary {
    trace_format format = trace_format::automatic;
    std::uint64_t records = 0;
    std::uint64_t reads = 0;
    std::uint64_t trims = 0;
    std::uint64_t flushes = 0; // without those that precede a write
    std::uint64_t sectors_read = 0;
    std::uint64_t sectors_written = 0;
    std::uint64_t out_of_order = 0; // records earlier than the one before: moved to its time
    std::uint64_t folded = 0;       // records beyond the drive's end, which trace_fit::wrap folds
    sim_time duration;              // first to last arrival
    std::uint64_t span = 0;         // sectors of all ranges together
    std::vector<trace_device> devices; // replayed ones, in order of first use
};

/// Reads and checks the whole file. `capacity`: of the drive in sectors, which it has to fit; 0 =
/// not known yet. Throws trace_error.
trace_summary scan_trace(const trace_config& config, std::uint64_t capacity);

/// Counts what trace_fit::wrap folds on a drive of `capacity` sectors. Throws trace_error when it
/// would fold more than half of the trace, or trace_fit::error forbids the trace.
void fit_trace(const trace_config& config, trace_summary& summary, std::uint64_t capacity);

} // namespace ssdvp::host
