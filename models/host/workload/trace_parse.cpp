// SPDX-License-Identifier: Apache-2.0
//
// The line formats, one parser for each family.
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "models/common/data_mode.h"
#include "models/host/workload/trace.h"

namespace ssdvp::host {

namespace {

constexpr std::size_t most_fields = 10;

struct fields {
    std::array<std::string_view, most_fields> text;
    std::size_t count = 0; // counts on beyond most_fields
};

void add(fields& f, std::string_view text)
{
    if (f.count < most_fields) {
        f.text[f.count] = text;
    }
    ++f.count;
}

std::string_view trim(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    return text;
}

fields split_commas(std::string_view line)
{
    fields f;
    for (;;) {
        const std::size_t comma = line.find(',');
        add(f, trim(line.substr(0, comma)));
        if (comma == std::string_view::npos) {
            return f;
        }
        line.remove_prefix(comma + 1);
    }
}

fields split_spaces(std::string_view line)
{
    fields f;
    while (!line.empty()) {
        const std::size_t end = line.find_first_of(" \t");
        add(f, line.substr(0, end));
        const std::size_t next =
            end == std::string_view::npos ? end : line.find_first_not_of(" \t", end);
        line.remove_prefix(next == std::string_view::npos ? line.size() : next);
    }
    return f;
}

bool parse_number(std::string_view text, std::uint64_t& out, int base = 10)
{
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, out, base);
    return result.ec == std::errc() && result.ptr == end && !text.empty();
}

bool same_letters(std::string_view text, std::string_view lower)
{
    if (text.size() != lower.size()) {
        return false;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) {
            return false;
        }
    }
    return true;
}

bool parse_operation(std::string_view text, request_kind& kind)
{
    const bool write = same_letters(text, "write") || same_letters(text, "w");
    kind = write ? request_kind::write : request_kind::read;
    return write || same_letters(text, "read") || same_letters(text, "r");
}

/// blkparse's letters: F for a Flush before it, then W, D (discard), R, F (a Flush alone) or N (no
/// request of ours), then F for Force Unit Access and others that do not matter here.
bool parse_rwbs(std::string_view text, trace_record& out)
{
    out.flush_first = text.size() > 1 && text[0] == 'F';
    text.remove_prefix(out.flush_first ? 1 : 0);
    if (text.empty()) {
        return false;
    }
    switch (text[0]) {
    case 'R':
        out.kind = request_kind::read;
        break;
    case 'W':
        out.kind = request_kind::write;
        break;
    case 'D':
        out.kind = request_kind::trim;
        break;
    case 'F':
        out.kind = request_kind::flush;
        break;
    case 'N':
        out.empty = true;
        break;
    default:
        return false;
    }
    out.fua = out.kind == request_kind::write && text.find('F') != std::string_view::npos;
    return text.find_first_not_of("RWDFNEASM") == std::string_view::npos;
}

/// major,minor as one number, as the kernel keeps it.
bool parse_block_device(std::string_view text, std::uint64_t& out)
{
    const std::size_t comma = text.find(',');
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    if (comma == std::string_view::npos || !parse_number(text.substr(0, comma), major) ||
        !parse_number(text.substr(comma + 1), minor) || major >= 1u << 11 || minor >= 1u << 20) {
        return false;
    }
    out = major << 20 | minor;
    return true;
}

} // namespace

bool parse_decimal(std::string_view text, unsigned exponent, trace_time& out)
{
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    std::uint64_t value = 0;
    if (!parse_number(whole, value)) {
        return false;
    }
    out = value;
    std::string_view fraction;
    if (point != std::string_view::npos) {
        fraction = text.substr(point + 1);
        if (fraction.empty() ||
            fraction.find_first_not_of("0123456789") != std::string_view::npos) {
            return false;
        }
    }
    for (unsigned i = 0; i < exponent; ++i) {
        out *= 10;
        if (i < fraction.size()) {
            out += static_cast<unsigned>(fraction[i] - '0');
        }
    }
    return true;
}

std::string trace_parser::bad_at(std::string_view text, std::string what)
{
    m_column = static_cast<std::size_t>(text.data() - m_line.data()) + 1;
    return what;
}

std::string trace_parser::bad(const char* field, std::string_view text, const char* expected)
{
    return bad_at(text, fmt::format("{} \"{}\" is not {}", field, text.substr(0, 40), expected));
}

std::string trace_parser::bad_count(std::size_t count, const char* expected)
{
    return bad_at(m_line.substr(m_line.size()),
                  fmt::format("{} fields, expected {}", count, expected));
}

/// Whole sectors that hold the bytes: the start rounded down, the end rounded up.
std::string trace_parser::set_bytes(trace_record& out, std::uint64_t offset, std::uint64_t bytes,
                                    std::string_view size)
{
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (bytes == 0) {
        return bad_at(size, "request of length 0");
    }
    if (offset > (1ull << 62) || bytes > most * sector_size - sector_size) {
        return bad_at(size,
                      fmt::format("request of {} bytes at byte {} is too large", bytes, offset));
    }
    const std::uint64_t end = (offset + bytes + sector_size - 1) / sector_size;
    out.sector = offset / sector_size;
    out.sectors = static_cast<std::uint32_t>(end - out.sector);
    return {};
}

std::string trace_parser::parse(std::string_view line, trace_record& out)
{
    out = trace_record();
    m_line = line;
    m_column = 1;
    switch (m_format) {
    case trace_format::msr:
        return parse_msr(line, out);
    case trace_format::spc:
        return parse_spc(line, out);
    case trace_format::disksim:
    case trace_format::ssdsim:
    case trace_format::mqsim:
        return parse_ascii(line, out);
    case trace_format::blkparse:
        return parse_blkparse(line, out);
    case trace_format::fio:
        return parse_fio(line, out);
    case trace_format::automatic:
        break;
    }
    return "format not known";
}

std::uint64_t trace_parser::name_index(std::string_view name)
{
    const auto known = m_names.find(name);
    return known != m_names.end() ? known->second
                                  : m_names.emplace(name, m_names.size()).first->second;
}

/// timestamp,host,disk,Read|Write,offset,size[,response]; timestamp in 100 ns
std::string trace_parser::parse_msr(std::string_view line, trace_record& out)
{
    const fields f = split_commas(line);
    if (f.count != 7 && f.count != 6) {
        return bad_count(f.count, "7 separated by commas");
    }
    std::uint64_t disk = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    if (!parse_decimal(f.text[0], 5, out.time)) {
        return bad("timestamp", f.text[0], "a number of 100 ns units");
    }
    if (!parse_number(f.text[2], disk) || disk > 0xFFFFFFFF) {
        return bad("disk", f.text[2], "a number");
    }
    if (!parse_operation(f.text[3], out.kind)) {
        return bad("operation", f.text[3], "Read or Write");
    }
    if (!parse_number(f.text[4], offset)) {
        return bad("offset", f.text[4], "a number of bytes");
    }
    if (!parse_number(f.text[5], bytes)) {
        return bad("size", f.text[5], "a number of bytes");
    }
    out.device = name_index(f.text[1]) << 32 | disk;
    return set_bytes(out, offset, bytes, f.text[5]);
}

/// asu,lba,size,r|w,time; lba in sectors, size in bytes, time in seconds
std::string trace_parser::parse_spc(std::string_view line, trace_record& out)
{
    const fields f = split_commas(line);
    if (f.count < 5) {
        return bad_count(f.count, "5 separated by commas");
    }
    std::uint64_t lba = 0;
    std::uint64_t bytes = 0;
    if (!parse_number(f.text[0], out.device) || out.device > 0xFFFFFFFF) {
        return bad("asu", f.text[0], "a number");
    }
    if (!parse_number(f.text[1], lba) || lba > (1ull << 53)) {
        return bad("lba", f.text[1], "a sector number");
    }
    if (!parse_number(f.text[2], bytes)) {
        return bad("size", f.text[2], "a number of bytes");
    }
    if (!parse_operation(f.text[3], out.kind)) {
        return bad("operation", f.text[3], "r or w");
    }
    if (!parse_decimal(f.text[4], 12, out.time)) {
        return bad("time", f.text[4], "a number of seconds");
    }
    return set_bytes(out, lba * sector_size, bytes, f.text[2]);
}

/// time device sector sectors operation
std::string trace_parser::parse_ascii(std::string_view line, trace_record& out)
{
    const bool disksim = m_format == trace_format::disksim;
    const fields f = split_spaces(line);
    if (f.count != 5) {
        return bad_count(f.count, "5 separated by blanks");
    }
    std::uint64_t sectors = 0;
    std::uint64_t operation = 0;
    if (!parse_decimal(f.text[0], disksim ? 9 : 3, out.time)) {
        return bad("time", f.text[0],
                   disksim ? "a number of milliseconds" : "a number of nanoseconds");
    }
    if (!parse_number(f.text[1], out.device) || out.device > 0xFFFFFFFF) {
        return bad("device", f.text[1], "a number");
    }
    if (!parse_number(f.text[2], out.sector) || out.sector > (1ull << 53)) {
        return bad("sector", f.text[2], "a sector number");
    }
    if (!parse_number(f.text[3], sectors) || sectors > 0xFFFFFFFF) {
        return bad("length", f.text[3], "a number of sectors");
    }
    if (sectors == 0) {
        return bad_at(f.text[3], "request of length 0");
    }
    out.sectors = static_cast<std::uint32_t>(sectors);
    if (disksim) { // flags in hexadecimal, bit 0 = read
        if (!parse_number(f.text[4], operation, 16)) {
            return bad("flags", f.text[4], "a hexadecimal number");
        }
        out.kind = (operation & 1) == 0 ? request_kind::write : request_kind::read;
        return {};
    }
    if (!parse_number(f.text[4], operation) || operation > 1) {
        return bad("operation", f.text[4], "0 (write) or 1 (read)");
    }
    out.kind = operation == 0 ? request_kind::write : request_kind::read;
    return {};
}

/// major,minor cpu number seconds pid action rwbs [sector + sectors] [process]. Requests are the
/// records with action Q (queued); others tell what the kernel then did with them. After the
/// records blkparse prints totals.
std::string trace_parser::parse_blkparse(std::string_view line, trace_record& out)
{
    const fields f = split_spaces(line);
    m_ended = m_ended || f.text[0].substr(0, 3) == "CPU" || f.text[0] == "Total";
    out.empty = m_ended || (f.count > 5 && f.text[5] != "Q");
    if (out.empty) {
        return {};
    }
    if (f.count < 7) {
        return bad_count(f.count, "7 or more separated by blanks");
    }
    if (!parse_block_device(f.text[0], out.device)) {
        return bad("device", f.text[0], "major,minor");
    }
    if (!parse_decimal(f.text[3], 12, out.time)) {
        return bad("time", f.text[3], "a number of seconds");
    }
    if (!parse_rwbs(f.text[6], out)) {
        return bad("operation", f.text[6], "R, W, D or F with blkparse's letters around it");
    }
    if (f.count < 10 || f.text[8] != "+") { // a Flush alone is an empty write
        const bool flush = out.flush_first || out.kind == request_kind::flush;
        out.kind = request_kind::flush;
        return flush || out.empty ? std::string()
                                  : bad_at(line.substr(line.size()), "no \"sector + sectors\"");
    }
    if (out.kind == request_kind::flush) {
        return {};
    }
    std::uint64_t sectors = 0;
    if (!parse_number(f.text[7], out.sector) || out.sector > (1ull << 53)) {
        return bad("sector", f.text[7], "a sector number");
    }
    if (!parse_number(f.text[9], sectors) || sectors > 0xFFFFFFFF) {
        return bad("length", f.text[9], "a number of sectors");
    }
    out.sectors = static_cast<std::uint32_t>(sectors);
    return sectors != 0 || out.empty ? std::string() : bad_at(f.text[9], "request of length 0");
}

/// The first line tells the version.
std::string trace_parser::parse_fio_header(std::string_view line, trace_record& out)
{
    out.empty = true;
    m_version = line == "fio version 2 iolog" ? 2 : line == "fio version 3 iolog" ? 3 : 0;
    return m_version != 0 ? std::string()
                          : bad("first line", line, "\"fio version 2 iolog\", or version 3");
}

std::string trace_parser::parse_fio_action(std::string_view action, trace_record& out)
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
std::string trace_parser::parse_fio(std::string_view line, trace_record& out)
{
    if (m_version == 0) {
        return parse_fio_header(line, out);
    }
    const std::size_t first = m_version - 2; // field of the file
    const fields f = split_spaces(line);
    if (f.count != first + 2 && f.count != first + 4) {
        return bad_count(f.count, m_version == 2 ? "2 or 4 separated by blanks"
                                                 : "3 or 5 separated by blanks");
    }
    out.time = m_waited;
    if (m_version == 3 && !parse_decimal(f.text[0], 6, out.time)) {
        return bad("time", f.text[0], "a number of microseconds");
    }
    const std::string_view action = f.text[first + 1];
    if (std::string why = parse_fio_action(action, out); !why.empty()) {
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

} // namespace ssdvp::host
