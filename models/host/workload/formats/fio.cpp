// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/formats/line_parser.h"

namespace ssdvp::host {

namespace {

class fio_parser final : public line_parser {
    std::string parse_line(std::string_view line, trace_record& out) override;
    std::string parse_header(std::string_view line, trace_record& out);
    std::string parse_action(std::string_view action, trace_record& out);

    unsigned m_version = 0;  // of the log
    trace_time m_waited = 0; // in version 2 of it
};

/// The first line tells the version.
std::string fio_parser::parse_header(std::string_view line, trace_record& out)
{
    out.empty = true;
    m_version = line == "fio version 2 iolog" ? 2 : line == "fio version 3 iolog" ? 3 : 0;
    return m_version != 0 ? std::string()
                          : bad("first line", line, "\"fio version 2 iolog\", or version 3");
}

std::string fio_parser::parse_action(std::string_view action, trace_record& out)
{
    if (action == "read") {
        out.kind = request_kind::read;
    } else if (action == "write") {
        out.kind = request_kind::write;
    } else if (action == "trim") {
        out.kind = request_kind::trim;
    } else if (action == "sync" || action == "datasync") {
        out.kind = request_kind::flush;
    } else if (action == "add" || action == "open" || action == "close" || action == "unlink" ||
               (action == "wait" && m_version == 2)) {
        out.empty = true;
    } else {
        return bad("action", action,
                   m_version == 2
                       ? "read, write, trim, sync, datasync, wait, add, open, close or unlink"
                       : "read, write, trim, sync, datasync, add, open, close or unlink");
    }
    return {};
}

/// [microseconds] file action [offset length], the time in version 3. In version 2 `wait` moves it
/// on by its offset, in microseconds.
std::string fio_parser::parse_line(std::string_view line, trace_record& out)
{
    if (m_version == 0) {
        return parse_header(line, out);
    }
    const std::size_t first = m_version - 2; // field of the file
    const line_fields f = split_spaces(line);
    if (f.count != first + 2 && f.count != first + 4) {
        return bad_count(f.count, m_version == 2 ? "2 or 4 separated by blanks"
                                                 : "3 or 5 separated by blanks");
    }
    out.time = m_waited;
    if (m_version == 3 && !parse_decimal(f.text[0], 6, out.time)) {
        return bad("time", f.text[0], "a number of microseconds");
    }
    const std::string_view action = f.text[first + 1];
    if (std::string why = parse_action(action, out); !why.empty()) {
        return why;
    }
    const bool short_line = f.count == first + 2;
    if (short_line && (out.empty ? action == "wait" : out.kind != request_kind::flush)) {
        return bad_count(f.count, "two more: offset and length");
    }
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    if (!short_line && !parse_number(f.text[first + 2], offset)) {
        return bad("offset", f.text[first + 2], "a number");
    }
    if (!short_line && !parse_number(f.text[first + 3], bytes)) {
        return bad("length", f.text[first + 3], "a number of bytes");
    }
    if (action == "wait") {
        if (offset > 1000000000000000) { // 30 years; keeps the sum within its type
            return bad("wait", f.text[first + 2], "a time below 10^15 microseconds");
        }
        m_waited += trace_time{offset} * 1000000;
    }
    if (out.empty || out.kind == request_kind::flush) {
        return {};
    }
    out.device = name_index(f.text[first]);
    return set_bytes(out, offset, bytes, f.text[first + 3]);
}

} // namespace

std::unique_ptr<line_parser> make_fio()
{
    return std::make_unique<fio_parser>();
}

} // namespace ssdvp::host
