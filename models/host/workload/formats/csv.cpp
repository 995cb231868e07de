// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/formats/line_parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace ssdvp::host {

namespace {

enum role : std::size_t { TIME, OPERATION, OFFSET, SIZE, DEVICE, ROLES };

constexpr const char* role_names[ROLES] = {"time", "operation", "offset", "size", "device"};

constexpr std::size_t none = SIZE_MAX; // a column that is not there
constexpr const char* no_column = "none";

/// A word of a list between blanks.
bool is_word_of(std::string_view text, const std::string& list)
{
    const line_fields words = split_spaces(list);
    return std::any_of(words.text.begin(), words.text.begin() + std::min(words.count, most_fields),
                       [text](std::string_view word) { return same_letters(text, word); });
}

/// Any columns, by name or number.
class csv_parser final : public line_parser {
public:
    std::string set_columns(const csv_columns& columns) override;

private:
    std::string parse_line(std::string_view line, trace_record& out) override;
    std::string parse_header(std::string_view line);
    std::string parse_place(trace_record& out);
    std::string parse_device(trace_record& out);
    std::string split(std::string_view line);
    [[nodiscard]] std::string_view next_field(std::string_view& line) const;
    [[nodiscard]] bool is_operation(const std::string& words) const
    {
        return is_word_of(m_field[OPERATION], words);
    }

    csv_columns m_columns;
    std::array<std::string, ROLES> m_given; // a name or a number
    std::array<std::size_t, ROLES> m_column{};
    std::array<std::string_view, ROLES> m_field{};
    bool m_begins = true; // no line was read
    bool m_header = false;
};

std::string csv_parser::set_columns(const csv_columns& columns)
{
    m_columns = columns;
    m_given = {columns.time, columns.operation, columns.offset, columns.size, columns.device};
    m_header = columns.header;
    for (std::size_t r = 0; r < ROLES; ++r) {
        std::uint64_t number = 0;
        const bool is_number = parse_number(m_given[r], number) && number != 0;
        if (m_given[r] == no_column && r != DEVICE) {
            return fmt::format("format csv needs workload.csv.{}, the name or number of its column",
                               role_names[r]);
        }
        m_column[r] = is_number ? static_cast<std::size_t>(number - 1) : none;
        m_header = m_header || (!is_number && m_given[r] != no_column);
    }
    return {};
}

/// The first of the fields in `line`, which it then no longer has; blanks around it are no part.
std::string_view csv_parser::next_field(std::string_view& line) const
{
    const char* const ends[] = {",", ";", "\t", " \t"};
    const char* const end = ends[static_cast<std::size_t>(m_columns.separator)];
    const std::size_t length = std::min(line.find_first_of(end), line.size());
    std::string_view field = line.substr(0, length);
    line.remove_prefix(std::min(length + 1, line.size()));
    if (m_columns.separator == csv_separator::blank) {
        line.remove_prefix(std::min(line.find_first_not_of(end), line.size()));
    }
    while (!field.empty() && (field.front() == ' ' || field.front() == '"')) {
        field.remove_prefix(1);
    }
    while (!field.empty() && (field.back() == ' ' || field.back() == '"')) {
        field.remove_suffix(1);
    }
    return field;
}

std::string csv_parser::parse_header(std::string_view line)
{
    std::string_view rest = line;
    for (std::size_t column = 0; !rest.empty(); ++column) {
        const std::string_view name = next_field(rest);
        for (std::size_t r = 0; r < ROLES; ++r) {
            if (m_column[r] == none && name == m_given[r]) {
                m_column[r] = column;
            }
        }
    }
    for (std::size_t r = 0; r < ROLES; ++r) {
        if (m_column[r] == none && m_given[r] != no_column) {
            return bad_at(line, fmt::format("no column \"{}\", which workload.csv.{} names",
                                            m_given[r], role_names[r]));
        }
    }
    return {};
}

std::string csv_parser::split(std::string_view line)
{
    std::size_t found = 0;
    const auto wanted = static_cast<std::size_t>(
        std::count_if(m_column.begin(), m_column.end(), [](std::size_t c) { return c != none; }));
    std::size_t column = 0;
    for (std::string_view rest = line; !rest.empty() && found < wanted; ++column) {
        const std::string_view field = next_field(rest);
        for (std::size_t r = 0; r < ROLES; ++r) {
            if (m_column[r] == column) {
                m_field[r] = field;
                ++found;
            }
        }
    }
    const std::size_t last =
        *std::max_element(m_column.begin(), m_column.end(),
                          [](std::size_t a, std::size_t b) { return a + 1 < b + 1; });
    return found == wanted ? std::string()
                           : bad_count(column, fmt::format("{} or more", last + 1).c_str());
}

/// In whole sectors.
std::string csv_parser::parse_place(trace_record& out)
{
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    if (!parse_number(m_field[OFFSET], offset) || offset > (1ull << 62) / m_columns.offset_unit) {
        return bad("offset", m_field[OFFSET], "a number of its unit");
    }
    if (!parse_number(m_field[SIZE], size) || size > (1ull << 62) / m_columns.size_unit) {
        return bad("size", m_field[SIZE], "a number of its unit");
    }
    return set_bytes(out, offset * m_columns.offset_unit, size * m_columns.size_unit,
                     m_field[SIZE]);
}

/// A number, or a name.
std::string csv_parser::parse_device(trace_record& out)
{
    constexpr std::uint64_t named = 1ull << 32; // so that names and numbers differ
    if (m_column[DEVICE] == none) {
        return {};
    }
    if (!parse_number(m_field[DEVICE], out.device)) {
        out.device = named | name_index(m_field[DEVICE]);
        return {};
    }
    return out.device <= 0xFFFFFFFF ? std::string()
                                    : bad("device", m_field[DEVICE], "a number below 2^32");
}

std::string csv_parser::parse_line(std::string_view line, trace_record& out)
{
    const bool first = m_begins;
    m_begins = false;
    if (first && m_header) {
        out.empty = true;
        return parse_header(line);
    }
    if (std::string why = split(line); !why.empty()) {
        return why;
    }
    if (!parse_decimal(m_field[TIME], static_cast<unsigned>(m_columns.time_unit), out.time)) {
        return bad("time", m_field[TIME], "a number of its unit");
    }
    if (is_operation(m_columns.read)) {
        out.kind = request_kind::read;
    } else if (is_operation(m_columns.write)) {
        out.kind = request_kind::write;
    } else if (is_operation(m_columns.trim)) {
        out.kind = request_kind::trim;
    } else {
        return bad("operation", m_field[OPERATION],
                   "a word of workload.csv.read, csv.write or csv.trim");
    }
    std::string why = parse_place(out);
    return why.empty() ? parse_device(out) : why;
}

} // namespace

std::unique_ptr<line_parser> make_csv()
{
    return std::make_unique<csv_parser>();
}

} // namespace ssdvp::host
