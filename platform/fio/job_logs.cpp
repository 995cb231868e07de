// SPDX-License-Identifier: Apache-2.0
//
// Options of fio's logs, and of the samples that its report sums up.
#include <algorithm>

#include "platform/fio/job_options.h"

namespace ssdvp::platform::fio {

namespace {

constexpr std::uint64_t longest_ms = 1000ull * 1000 * 1000;

std::uint64_t milliseconds(const value& v, std::uint64_t low = 0)
{
    return number(v, v.text(), low, longest_ms);
}

/// The last part of a name with folders: logs lie in the folder of results.
std::string file_part(const std::string& name)
{
    const std::size_t slash = name.rfind('/');
    return slash == std::string::npos ? name : name.substr(slash + 1);
}

void set_name(const value& v, std::optional<word>& to)
{
    if (v.from.has_value && file_part(v.text().text).empty()) {
        v.refuse(v.text(), "names no file", "write " + v.name() + "=NAME, or no value at all");
    }
    to = v.text();
}

std::string name_of(const std::optional<word>& w, const job_options& o)
{
    if (!w) {
        return "";
    }
    if (!w->text.empty()) {
        return file_part(w->text);
    }
    std::string name = o.job.name;
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}

/// The time of a sample, which of a job that logs its samples is the time of a line as well.
std::uint64_t sample_ms(bool logged, const std::optional<std::uint64_t>& given, std::uint64_t line)
{
    constexpr std::uint64_t usual = 500; // fio's
    if (!logged) {
        return given.value_or(usual);
    }
    return given && line != 0 ? *given : line;
}

} // namespace

const std::vector<option_row>& log_rows()
{
    static const std::vector<option_row> rows = {
        {"write_lat_log", [](const value& v, job_options& o) { set_name(v, o.logs.latency); }},
        {"write_bw_log", [](const value& v, job_options& o) { set_name(v, o.logs.bandwidth); }},
        {"write_iops_log", [](const value& v, job_options& o) { set_name(v, o.logs.iops); }},
        {"write_hist_log", [](const value& v, job_options& o) { set_name(v, o.logs.histogram); }},
        {"disable_lat", [](const value& v, job_options& o) { o.job.logging.lat = !flag(v); }},
        {"disable_clat", [](const value& v, job_options& o) { o.job.logging.clat = !flag(v); }},
        {"disable_slat", [](const value& v, job_options& o) { o.job.logging.slat = !flag(v); }},
        {"log_avg_msec",
         [](const value& v, job_options& o) { o.job.logging.average_ms = milliseconds(v); }},
        {"log_hist_msec",
         [](const value& v, job_options& o) { o.job.logging.histogram_ms = milliseconds(v); }},
        {"log_hist_coarseness",
         [](const value& v, job_options& o) {
             o.job.logging.coarseness = static_cast<std::uint32_t>(number(v, v.text(), 0, 6));
         }},
        {"log_max_value", [](const value& v, job_options& o) { o.job.logging.maximum = flag(v); }},
        {"log_offset", [](const value& v, job_options& o) { o.job.logging.offset = flag(v); }},
        {"log_prio", [](const value& v, job_options& o) { o.job.logging.priority = flag(v); }},
        {"per_job_logs", [](const value& v, job_options& o) { o.job.logging.per_job = flag(v); }},
        {"bwavgtime",
         [](const value& v, job_options& o) { o.logs.bandwidth_ms = milliseconds(v, 1); }},
        {"iopsavgtime",
         [](const value& v, job_options& o) { o.logs.iops_ms = milliseconds(v, 1); }},
    };
    return rows;
}

void settle_logs(job_options& o)
{
    host::fio_logging& l = o.job.logging;
    l.latency = name_of(o.logs.latency, o);
    l.bandwidth = name_of(o.logs.bandwidth, o);
    l.iops = name_of(o.logs.iops, o);
    l.histogram = name_of(o.logs.histogram, o);
    l.bandwidth_ms = sample_ms(!l.bandwidth.empty(), o.logs.bandwidth_ms, l.average_ms);
    l.iops_ms = sample_ms(!l.iops.empty(), o.logs.iops_ms, l.average_ms);
}

} // namespace ssdvp::platform::fio
