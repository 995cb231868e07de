// SPDX-License-Identifier: Apache-2.0
//
// Lines of a trace into records: one file per format, one line per format in formats.h. What the
// formats share is here: splitting a line, reading its fields, and saying what is wrong with one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "models/host/config.h"
#include "models/host/request.h"
#include "models/host/workload/formats/formats.h"

namespace ssdvp::host {

/// Picoseconds since the trace's own epoch, which may be the year 1601.
__extension__ typedef unsigned __int128 trace_time;

struct trace_record {
    trace_time time = 0;
    std::uint64_t device = 0; // the number in the low 32 bits; above it what tells hosts apart
    std::uint64_t sector = 0;
    std::uint32_t sectors = 0; // 0 for flush
    request_kind kind = request_kind::read;
    bool fua = false;
    bool flush_first = false; // a write that a Flush precedes
    bool empty = false;       // the line is well formed and holds no request
};

/// Reads the lines of one file into records, one after the other.
class line_parser {
public:
    virtual ~line_parser() = default;
    /// Of a format whose columns are given. Empty, or what they lack.
    virtual std::string set_columns(const csv_columns& /*columns*/) { return {}; }
    /// Empty, or what is wrong with the line. `line` is neither blank nor ends in CR or LF.
    std::string parse(std::string_view line, trace_record& out);
    /// Where in `line` the last parse() found what is wrong; from 1.
    [[nodiscard]] std::size_t column() const { return m_column; }

protected:
    /// As parse(); `out` is a record of nothing yet.
    virtual std::string parse_line(std::string_view line, trace_record& out) = 0;

    /// Notes the place of `text`, a part of the line, and says what is wrong with it.
    std::string bad(const char* field, std::string_view text, const char* expected);
    std::string bad_at(std::string_view text, std::string what);
    std::string bad_count(std::size_t count, const char* expected);
    /// The whole sectors that hold the bytes: the start rounded down, the end rounded up. `size` is
    /// the field to blame when they are none or too many.
    std::string set_bytes(trace_record& out, std::uint64_t offset, std::uint64_t bytes,
                          std::string_view size);
    /// Of a host or a file: its place in the order of first use.
    std::uint64_t name_index(std::string_view name);

private:
    std::string_view m_line;
    std::size_t m_column = 1;
    std::map<std::string, std::uint64_t, std::less<>> m_names;
};

constexpr std::size_t most_fields = 10;

struct line_fields {
    std::array<std::string_view, most_fields> text;
    std::size_t count = 0; // counts on beyond most_fields
};

/// Blanks around a field are no part of it.
line_fields split_commas(std::string_view line);
line_fields split_spaces(std::string_view line);

bool parse_number(std::string_view text, std::uint64_t& out, int base = 10);
/// Exact: `text` is a decimal number of units of 10^exponent ps. Digits below a picosecond are
/// dropped. False when it is not a non-negative decimal number.
bool parse_decimal(std::string_view text, unsigned exponent, trace_time& out);
/// Equal but for capital letters; `lower` has none.
bool same_letters(std::string_view text, std::string_view lower);
/// Read, Write, r or w, in small or capital letters.
bool parse_operation(std::string_view text, request_kind& kind);

/// Never null.
std::unique_ptr<line_parser> make_line_parser(trace_format format);

#define SSDVP_PARSER_OF(id, fields, about) std::unique_ptr<line_parser> make_##id();
HOST_TRACE_FORMATS(SSDVP_PARSER_OF)
#undef SSDVP_PARSER_OF

} // namespace ssdvp::host
