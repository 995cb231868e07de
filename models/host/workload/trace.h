// SPDX-License-Identifier: Apache-2.0
//
// Block traces: one line is one record. A whole file is validated before a run starts; the run
// then reads it again, line by line, so that a trace may be larger than memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/time.h"
#include "models/host/config.h"
#include "models/host/request.h"

namespace ssdvp::host {

/// A trace file that cannot be used: the text begins with file:line and ends with a remedy.
class trace_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Picoseconds since the trace's own epoch, which may be the year 1601.
__extension__ typedef unsigned __int128 trace_time;

struct trace_record {
    trace_time time = 0;
    std::uint64_t device = 0; // in msr: host (index << 32) and disk number
    std::uint64_t sector = 0;
    std::uint32_t sectors = 0; // 0 for flush
    request_kind kind = request_kind::read;
    bool fua = false;
    bool flush_first = false; // a write that a Flush precedes
    bool empty = false;       // the line is well formed and holds no request
};

/// Reads the lines of one format into records, one after the other.
class trace_parser {
public:
    explicit trace_parser(trace_format format) : m_format(format) {}
    /// Empty, or what is wrong with the line. `line` is neither blank nor ends in CR or LF.
    std::string parse(std::string_view line, trace_record& out);
    /// Where in `line` the last parse() found what is wrong; from 1.
    [[nodiscard]] std::size_t column() const { return m_column; }

private:
    std::string parse_msr(std::string_view line, trace_record& out);
    std::string parse_spc(std::string_view line, trace_record& out);
    std::string parse_ascii(std::string_view line, trace_record& out);
    std::string parse_blkparse(std::string_view line, trace_record& out);
    std::string parse_fio(std::string_view line, trace_record& out);
    std::string parse_fio_header(std::string_view line, trace_record& out);
    std::string parse_fio_action(std::string_view action, trace_record& out);
    std::string set_bytes(trace_record& out, std::uint64_t offset, std::uint64_t bytes,
                          std::string_view size);
    std::uint64_t name_index(std::string_view name);
    /// Notes the place of `text`, a part of the line, and says what is wrong with it.
    std::string bad(const char* field, std::string_view text, const char* expected);
    std::string bad_at(std::string_view text, std::string what);
    std::string bad_count(std::size_t count, const char* expected);

    trace_format m_format;
    std::string_view m_line;
    std::size_t m_column = 1;
    std::map<std::string, std::uint64_t, std::less<>> m_names; // hosts of msr, files of fio: their
                                                               // place in order of first use
    unsigned m_version = 0;                                    // of fio's log
    trace_time m_waited = 0;                                   // in version 2 of it
    bool m_ended = false;                                      // of blkparse: its totals have begun
};

/// The format that a file name tells (x.msr.csv, x.spc.gz, x.mqsim); throws trace_error when none.
trace_format format_of_name(const std::string& file);
const char* format_name(trace_format format);
/// The fields of a line, for messages.
const char* format_fields(trace_format format);

/// Exact: `text` is a decimal number of units of 10^exponent ps. Digits below a picosecond are
/// dropped. False when it is not a non-negative decimal number.
bool parse_decimal(std::string_view text, unsigned exponent, trace_time& out);

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
    std::uint64_t out_of_order = 0;    // records earlier than the one before: moved to its time
    sim_time duration;                 // first to last arrival
    std::uint64_t span = 0;            // sectors of all ranges together
    std::vector<trace_device> devices; // replayed ones, in order of first use
};

/// Reads and checks the whole file. `capacity`: of the drive in sectors, which trace_fit::error
/// compares with; 0 = not known yet. Throws trace_error.
trace_summary scan_trace(const trace_config& config, std::uint64_t capacity);

/// Throws trace_error when trace_fit::error forbids the trace on a drive of `capacity` sectors.
void check_fit(const trace_config& config, const trace_summary& summary, std::uint64_t capacity);

} // namespace ssdvp::host
