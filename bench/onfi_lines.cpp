// SPDX-License-Identifier: Apache-2.0
#include "bench/onfi_lines.h"

#include <charconv>
#include <iterator>

namespace ssdvp::bench {

namespace {

constexpr const char* kinds[] = {"cycles", "rb_low", "rb_high", "plane_ready", "power_off"};

} // namespace

onfi_lines::onfi_lines(const std::string& file) : m_text(file)
{
    std::string_view line;
    if (!m_text.next(line)) {
        throw std::runtime_error(file + ": is empty; give what --onfi-trace has written");
    }
    split(line);
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        m_columns[m_fields[i]] = i;
    }
    for (const char* needed : {"time_ns", "end_ns", "event", "channel", "lun", "first", "second"}) {
        if (m_columns.count(needed) == 0) {
            throw std::runtime_error(at(std::string("there is no column ") + needed +
                                        "; give what --onfi-trace has written"));
        }
    }
}

void onfi_lines::split(std::string_view line)
{
    m_fields.clear();
    for (std::size_t comma = 0; comma != std::string_view::npos;) {
        comma = line.find(',');
        m_fields.emplace_back(line.substr(0, comma));
        line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
    }
}

const std::string& onfi_lines::text(const char* column) const
{
    const auto found = m_columns.find(column);
    if (found == m_columns.end() || found->second >= m_fields.size()) {
        throw std::runtime_error(at(std::string("there is no ") + column));
    }
    return m_fields[found->second];
}

std::uint64_t onfi_lines::number(const char* column) const
{
    const std::string& t = text(column);
    std::uint64_t n = 0;
    const auto r = std::from_chars(t.data(), t.data() + t.size(), n);
    if (!t.empty() && (r.ec != std::errc{} || r.ptr != t.data() + t.size())) {
        throw std::runtime_error(at("'" + t + "' is no number, in " + column));
    }
    return n;
}

/// ns with three decimals: ps when the point is left out.
sim_time onfi_lines::time(const char* column) const
{
    std::string t = text(column);
    if (t.empty()) {
        return {};
    }
    const std::size_t point = t.find('.');
    std::uint64_t ps = 0;
    if (point != std::string::npos && t.size() - point == 4) {
        t.erase(point, 1);
        const auto r = std::from_chars(t.data(), t.data() + t.size(), ps);
        if (r.ec == std::errc{} && r.ptr == t.data() + t.size()) {
            return sim_time(ps);
        }
    }
    throw std::runtime_error(at("'" + text(column) + "' is no time, in " + column));
}

/// "30h"; empty: none.
onfi::opcode onfi_lines::code(const char* column) const
{
    const std::string& t = text(column);
    unsigned n = onfi::NO_COMMAND;
    const auto r = std::from_chars(t.data(), t.data() + t.size(), n, 16);
    if (!t.empty() && (r.ec != std::errc{} || t.substr(2) != "h")) {
        throw std::runtime_error(at("'" + t + "' is no command, in " + column));
    }
    return static_cast<onfi::opcode>(n);
}

void onfi_lines::read_group(onfi_line& line) const
{
    onfi::extension& g = line.group;
    g.first = code("first");
    g.second = code("second");
    g.column_cycles = static_cast<std::uint8_t>(number("column_cycles"));
    g.row_cycles = static_cast<std::uint8_t>(number("row_cycles"));
    g.block = flash::block_index(static_cast<std::uint32_t>(number("block")));
    g.page = flash::page_index(static_cast<std::uint32_t>(number("page")));
    g.column = static_cast<std::uint32_t>(number("column"));
    g.data_in = text("direction") == "in";
    g.data_out = text("direction") == "out";
    g.retry = static_cast<std::uint8_t>(number("retry"));
    line.bytes = static_cast<std::uint32_t>(number("bytes"));
    line.data = time("data_ns");
    line.taken = number("taken") != 0;
}

bool onfi_lines::next(onfi_line& line)
{
    std::string_view text_of_line;
    if (!m_text.next(text_of_line)) {
        return false;
    }
    split(text_of_line);
    line = {};
    std::size_t kind = 0;
    while (kind < std::size(kinds) && text("event") != kinds[kind]) {
        ++kind;
    }
    if (kind == std::size(kinds)) {
        throw std::runtime_error(at("'" + text("event") + "' is no event"));
    }
    line.kind = static_cast<line_kind>(kind);
    line.when = time("time_ns");
    line.end = time("end_ns");
    line.channel = flash::channel_index(static_cast<std::uint32_t>(number("channel")));
    line.group.lun = flash::lun_index(static_cast<std::uint32_t>(number("lun")));
    line.group.plane = flash::plane_index(static_cast<std::uint32_t>(number("plane")));
    line.ready = number("rb") != 0;
    if (line.kind == line_kind::cycles) {
        read_group(line);
    }
    return true;
}

} // namespace ssdvp::bench
