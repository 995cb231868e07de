// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <unordered_map>

#include "models/common/data_mode.h"
#include "models/host/workload/trace_bases.h"
#include "models/host/workload/trace_reader.h"

namespace ssdvp::host {

namespace {

struct format_row {
    const char* name;
    const char* fields;
};

#define SSDVP_FORMAT_ROW(id, fields, about) {#id, fields},
constexpr format_row formats[] = {HOST_TRACE_FORMATS(SSDVP_FORMAT_ROW)};
#undef SSDVP_FORMAT_ROW

const format_row& row_of(trace_format format)
{
    return formats[static_cast<std::size_t>(format)];
}

constexpr std::uint64_t range_unit = (1u << 20) / sector_size; // ranges are whole MiB

std::string take_ending(std::string& name)
{
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) {
        return {};
    }
    std::string ending = name.substr(dot + 1);
    std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    name.erase(dot);
    return ending;
}

/// First pass: one record after the other.
class scanner {
public:
    scanner(const trace_config& config, trace_summary& out)
        : m_config(config), m_out(out),
          m_reader(config, out.format,
                   fmt::format("; a line of format {} is: {}; correct or remove the line, or name "
                               "another format",
                               row_of(out.format).name, row_of(out.format).fields))
    {}

    void run()
    {
        trace_record record;
        while (m_reader.next(record)) {
            const std::uint64_t number = trace_reader::number_of(record);
            note_number(number);
            if (trace_reader::is_wanted(m_config, record)) {
                add(record, number);
            }
        }
        finish();
    }

private:
    void note_number(std::uint64_t number)
    {
        if (m_numbers.empty() || number != m_number) { // most lines are of the one before
            m_numbers.insert(number);
            m_number = number;
        }
    }
    void add(const trace_record& r, std::uint64_t number)
    {
        if (m_out.records == 0) {
            m_first = r.time;
            m_last = r.time;
        }
        if (r.time < m_last) {
            ++m_out.out_of_order;
        } else {
            m_last = r.time;
        }
        if (m_last - m_first > std::numeric_limits<std::int64_t>::max()) {
            throw trace_error(m_reader.text().at_column(
                1, "more than 106 days after the first request; replay the trace in parts"));
        }
        count(r);
        if (r.kind != request_kind::flush) { // which is of no place
            add_range(r, number);
        }
    }
    void count(const trace_record& r)
    {
        ++m_out.records;
        switch (r.kind) {
        case request_kind::read:
            ++m_out.reads;
            m_out.sectors_read += r.sectors;
            break;
        case request_kind::write:
            m_out.sectors_written += r.sectors;
            break;
        case request_kind::trim:
            ++m_out.trims;
            break;
        case request_kind::flush:
            ++m_out.flushes;
            break;
        }
    }
    void add_range(const trace_record& r, std::uint64_t number)
    {
        if (m_out.devices.empty() || m_out.devices[m_place].device != r.device) {
            const auto [at, fresh] = m_places.emplace(r.device, m_out.devices.size());
            if (fresh) {
                m_out.devices.push_back({r.device, number, 0, r.sector, 0, 0, 0});
            }
            m_place = at->second;
        }
        trace_device* const d = &m_out.devices[m_place];
        ++d->records;
        d->first_sector = std::min(d->first_sector, r.sector);
        if (r.sector + r.sectors > d->end_sector) {
            d->end_sector = r.sector + r.sectors;
            d->end_line = m_reader.text().line_number();
        }
    }
    void finish()
    {
        if (m_out.records == 0) {
            if (m_numbers.empty()) {
                throw trace_error(m_config.file + ": holds no request; give another file");
            }
            constexpr std::size_t told = 20;
            std::string list;
            std::size_t n = 0;
            for (auto at = m_numbers.begin(); at != m_numbers.end() && n < told; ++at, ++n) {
                list += fmt::format("{}{}", n == 0 ? "" : ", ", *at);
            }
            throw trace_error(fmt::format(
                "{}: no request of device {}; it has {}{}", m_config.file, m_config.device, list,
                n == m_numbers.size() ? std::string()
                                      : fmt::format(" and {} more", m_numbers.size() - n)));
        }
        m_out.duration = sim_time(static_cast<std::uint64_t>(m_last - m_first));
        if ((m_last - m_first) * m_config.repeat > std::numeric_limits<std::int64_t>::max()) {
            throw trace_error(
                fmt::format("{}: {} times as long as it is, more than 106 days; use a "
                            "smaller repeat",
                            m_config.file, m_config.repeat));
        }
        for (trace_device& d : m_out.devices) {
            const std::uint64_t range = (d.end_sector + range_unit - 1) / range_unit * range_unit;
            d.base = m_config.ranges == trace_ranges::one ? 0 : m_out.span;
            m_out.span = std::max(m_out.span, d.base + range);
        }
    }

    const trace_config& m_config;
    trace_summary& m_out;
    trace_reader m_reader;
    trace_time m_first = 0;
    trace_time m_last = 0;
    std::set<std::uint64_t> m_numbers;                       // of all devices in the file
    std::uint64_t m_number = 0;                              // of the line before
    std::unordered_map<std::uint64_t, std::size_t> m_places; // of devices in m_out, never iterated
    std::size_t m_place = 0;                                 // of the request before
};

/// Records that reach beyond the drive's end: their places are known once the file was read.
std::uint64_t count_beyond(const trace_config& config, const trace_summary& summary,
                           std::uint64_t capacity)
{
    trace_bases bases(summary.devices);
    trace_reader reader(config, summary.format, "; the file has changed since it was checked");
    trace_record record;
    std::uint64_t count = 0;
    while (reader.next(record)) {
        if (trace_reader::is_wanted(config, record) && record.kind != request_kind::flush) {
            const std::uint64_t end = bases.of(record.device) + record.sector + record.sectors;
            count += end > capacity ? 1 : 0;
        }
    }
    return count;
}

/// msr, spc, ...
std::string all_names()
{
    std::string names;
    for (const format_row& row : formats) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
    }
    return names;
}

} // namespace

trace_format format_of_name(const std::string& file)
{
    std::string name = file.substr(file.rfind('/') + 1);
    std::string ending = take_ending(name);
    if (ending == "gz" || ending == "zst") {
        ending = take_ending(name);
    }
    if (ending == "csv") {
        ending = take_ending(name);
    }
    for (std::size_t n = 0; n < std::size(formats); ++n) {
        if (ending == formats[n].name) {
            return static_cast<trace_format>(n);
        }
    }
    throw trace_error(fmt::format("{}: the name does not tell the trace's format; name it "
                                  "x.FORMAT, x.FORMAT.gz or x.FORMAT.zst, or say format=FORMAT, "
                                  "with FORMAT one of {}",
                                  file, all_names()));
}

trace_summary scan_trace(const trace_config& config, std::uint64_t capacity)
{
    trace_summary summary;
    summary.format =
        config.format == trace_format::automatic ? format_of_name(config.file) : config.format;
    scanner(config, summary).run();
    if (capacity != 0) {
        fit_trace(config, summary, capacity);
    }
    return summary;
}

void fit_trace(const trace_config& config, trace_summary& summary, std::uint64_t capacity)
{
    if (config.fit == trace_fit::wrap && summary.span > capacity) {
        summary.folded = count_beyond(config, summary, capacity);
        if (summary.folded > summary.records / 2) {
            throw trace_error(fmt::format(
                "{}: {} of {} requests lie beyond the drive's {} sectors, and fit wrap would fold "
                "them onto the others; use a larger drive, fit scale, a single device, or ranges "
                "one",
                config.file, summary.folded, summary.records, capacity));
        }
    }
    if (config.fit != trace_fit::error) {
        return;
    }
    for (const trace_device& d : summary.devices) {
        if (d.base + d.end_sector > capacity) {
            throw trace_error(fmt::format(
                "{}:{}: request of device {} ends at sector {} of the drive, which has {}; use a "
                "larger drive, fit wrap or scale, or a single device",
                config.file, d.end_line, d.number, d.base + d.end_sector, capacity));
        }
    }
}

} // namespace ssdvp::host
