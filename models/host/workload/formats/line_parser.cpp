// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/formats/line_parser.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "models/common/data_mode.h"

namespace ssdvp::host {

namespace {

void add(line_fields& f, std::string_view text)
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

} // namespace

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

line_fields split_commas(std::string_view line)
{
    line_fields f;
    for (;;) {
        const std::size_t comma = line.find(',');
        add(f, trim(line.substr(0, comma)));
        if (comma == std::string_view::npos) {
            return f;
        }
        line.remove_prefix(comma + 1);
    }
}

line_fields split_spaces(std::string_view line)
{
    line_fields f;
    while (!line.empty()) {
        const std::size_t end = line.find_first_of(" \t");
        add(f, line.substr(0, end));
        const std::size_t next =
            end == std::string_view::npos ? end : line.find_first_not_of(" \t", end);
        line.remove_prefix(next == std::string_view::npos ? line.size() : next);
    }
    return f;
}

bool parse_number(std::string_view text, std::uint64_t& out, int base)
{
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, out, base);
    return result.ec == std::errc() && result.ptr == end && !text.empty();
}

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

bool parse_operation(std::string_view text, request_kind& kind)
{
    const bool write = same_letters(text, "write") || same_letters(text, "w");
    kind = write ? request_kind::write : request_kind::read;
    return write || same_letters(text, "read") || same_letters(text, "r");
}

std::string line_parser::parse(std::string_view line, trace_record& out)
{
    out = trace_record();
    m_line = line;
    m_column = 1;
    return parse_line(line, out);
}

std::string line_parser::bad_at(std::string_view text, std::string what)
{
    m_column = static_cast<std::size_t>(text.data() - m_line.data()) + 1;
    return what;
}

std::string line_parser::bad(const char* field, std::string_view text, const char* expected)
{
    return bad_at(text, fmt::format("{} \"{}\" is not {}", field, text.substr(0, 40), expected));
}

std::string line_parser::bad_count(std::size_t count, const char* expected)
{
    return bad_at(m_line.substr(m_line.size()),
                  fmt::format("{} fields, expected {}", count, expected));
}

std::string line_parser::set_bytes(trace_record& out, std::uint64_t offset, std::uint64_t bytes,
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

std::uint64_t line_parser::name_index(std::string_view name)
{
    const auto known = m_names.find(name);
    return known != m_names.end() ? known->second
                                  : m_names.emplace(name, m_names.size()).first->second;
}

std::unique_ptr<line_parser> make_line_parser(trace_format format)
{
#define SSDVP_PARSER_MAKER(id, fields, about) make_##id,
    static constexpr std::unique_ptr<line_parser> (*makers[])() = {
        HOST_TRACE_FORMATS(SSDVP_PARSER_MAKER)};
#undef SSDVP_PARSER_MAKER
    return makers[static_cast<std::size_t>(format)]();
}

} // namespace ssdvp::host
