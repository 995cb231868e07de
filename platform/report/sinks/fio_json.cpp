// SPDX-License-Identifier: Apache-2.0
//
// fio.json: the results in the layout of fio 3's `--output-format=json`, for tools that read it.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <memory>
#include <numeric>

#include "platform/report/fio_statistics.h"
#include "platform/report/json_numbers.h"
#include "platform/report/json_text.h"
#include "platform/report/output.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

using host::request_kind;

constexpr double default_percentiles[] = {1,  5,  10, 20, 30,   40,   50,    60,   70,
                                          80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

std::uint64_t whole_ns(sim_time t)
{
    return (t.ps() + 500) / 1000;
}

json::object latency(const histogram& h)
{
    return {{"min", whole_ns(h.min())},
            {"max", whole_ns(h.max())},
            {"mean", ns_of_ps(h.mean())},
            {"stddev", ns_of_ps(h.stdev())},
            {"N", h.count()}};
}

json::object latency_with_percentiles(const histogram& h, const std::vector<double>& wanted)
{
    json::object o = latency(h);
    if (h.count() != 0) {
        json::object list;
        for (const double p : wanted) {
            const auto ppm = static_cast<std::uint32_t>(std::llround(p * 1e4));
            list[fmt::format("{:f}", p)] = whole_ns(h.percentile(ppm));
        }
        o["percentile"] = std::move(list);
    }
    return o;
}

std::uint64_t whole_ms(sim_time t)
{
    return (t.ps() + 999999999) / 1000000000;
}

/// Bytes per second of all jobs of a group, as fio counts them: bytes by the longest runtime.
std::array<std::uint64_t, host::fio_kinds> group_rates(const std::vector<fio_row>& rows,
                                                       std::uint32_t group)
{
    std::array<std::uint64_t, host::fio_kinds> sums{};
    std::uint64_t longest = 0;
    for (const fio_row& row : rows) {
        if (row.group == group) {
            longest = std::max(longest, whole_ms(row.last - row.first));
            for (std::size_t kind = 0; kind < sums.size(); ++kind) {
                sums[kind] += row.kinds[kind].bytes;
            }
        }
    }
    for (std::uint64_t& s : sums) {
        s = longest == 0 ? 0 : s * 1000 / longest;
    }
    return sums;
}

/// `group`: bytes per second of the group, of which the mean is a share, in percent.
void add_samples(json::object& o, const fio_samples& bw, const fio_samples& iops,
                 std::uint64_t group)
{
    double share = bw.count == 0 ? 0.0 : 100.0;
    if (bw.count != 0 && group > 1024) {
        share =
            std::min(100.0, std::floor(bw.mean) * 100.0 / (static_cast<double>(group) / 1024.0));
    }
    o["bw_min"] = bw.min;
    o["bw_max"] = bw.max;
    o["bw_agg"] = millionths(share);
    o["bw_mean"] = millionths(bw.mean);
    o["bw_dev"] = millionths(bw.deviation());
    o["bw_samples"] = bw.count;
    o["iops_min"] = iops.min;
    o["iops_max"] = iops.max;
    o["iops_mean"] = millionths(iops.mean);
    o["iops_stddev"] = millionths(iops.deviation());
    o["iops_samples"] = iops.count;
}

json::object direction(const fio_kind_statistics& k, sim_time elapsed,
                       const std::vector<double>& wanted)
{
    const double bytes_per_s = millionths(per_second(static_cast<double>(k.bytes), elapsed));
    const std::uint64_t runtime_ms = k.requests == 0 ? 0 : whole_ms(elapsed);
    return {{"io_bytes", k.bytes},
            {"io_kbytes", k.bytes / 1024},
            {"bw_bytes", static_cast<std::uint64_t>(bytes_per_s)},
            {"bw", static_cast<std::uint64_t>(bytes_per_s / 1024.0)},
            {"iops", millionths(per_second(static_cast<double>(k.requests), elapsed))},
            {"runtime", runtime_ms},
            {"total_ios", k.requests},
            {"short_ios", 0},
            {"drop_ios", 0},
            {"slat_ns", latency(k.submission)},
            {"clat_ns", latency_with_percentiles(k.completion, wanted)},
            {"lat_ns", latency_with_percentiles(k.total, wanted)}};
}

double percent(std::uint64_t part, std::uint64_t whole)
{
    const double share =
        whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    return millionths(share);
}

/// Completion latencies by the buckets of fio: up to so many of the unit, above the one before.
class latency_buckets {
public:
    explicit latency_buckets(const fio_row& row)
    {
        for (const fio_kind_statistics& k : row.kinds) {
            if (&k == &row.kinds[static_cast<std::size_t>(request_kind::flush)]) {
                continue;
            }
            m_all += k.completion.count();
            for (const histogram::bucket& b : k.completion.occupied()) {
                m_found.push_back({b.from.ns(), b.count});
            }
        }
    }
    json::object unit(std::uint64_t ns, const std::vector<std::uint64_t>& ends)
    {
        json::object o;
        for (const std::uint64_t end : ends) {
            const std::uint64_t to = end == 0 ? UINT64_MAX : end * ns;
            std::uint64_t count = 0;
            for (const auto& [from, n] : m_found) {
                count += from >= m_begin && from < to ? n : 0;
            }
            m_begin = to;
            o[end == 0 ? ">=2000" : std::to_string(end)] = percent(count, m_all);
        }
        return o;
    }

private:
    std::vector<std::pair<std::uint64_t, std::uint64_t>> m_found;
    std::uint64_t m_all = 0;
    std::uint64_t m_begin = 0;
};

using depth_names = std::array<const char*, host::depth_levels>;
constexpr depth_names level_names = {"1", "2", "4", "8", "16", "32", ">=64"};
constexpr depth_names batch_names = {"0", "4", "8", "16", "32", "64", ">=64"};

json::object depth_section(const fio_row& row, const host::runner* runner,
                           host::depth_counts host::depth_statistics::*which,
                           const depth_names& names)
{
    host::depth_counts sum{};
    std::uint64_t all = 0;
    for (const std::uint16_t stream : row.streams) {
        if (runner == nullptr || stream >= runner->streams()) { // the workload never began
            break;
        }
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += (runner->depths(stream).*which)[i];
            all += (runner->depths(stream).*which)[i];
        }
    }
    json::object o;
    for (std::size_t i = 0; i < sum.size(); ++i) {
        o[names[i]] = percent(sum[i], all);
    }
    return o;
}

void name_row(json::object& o, const host::workload_config& workload, std::size_t stream)
{
    json::object options;
    if (!workload.fio.jobs.empty()) {
        const host::fio_job& job = workload.fio.jobs[stream];
        o["jobname"] = job.name;
        o["groupid"] = job.group;
        if (!job.description.empty()) {
            o["desc"] = job.description;
        }
        for (const auto& [key, value] : job.options) {
            options[key] = value;
        }
    } else {
        o["jobname"] = stream < workload.streams.size() ? workload.streams[stream].name : "trace";
        o["groupid"] = 0;
    }
    o["error"] = 0;
    o["eta"] = 0;
    o["job options"] = std::move(options);
}

/// Reads, writes and trims together.
json::object mixed(const fio_row& row, std::uint64_t group, const std::vector<double>& wanted)
{
    auto sum = std::make_unique<fio_kind_statistics>();
    fio_samples bandwidth;
    fio_samples iops;
    for (std::size_t kind = 0; kind < host::fio_kinds; ++kind) {
        sum->merge(row.kinds[kind]);
        bandwidth.join(row.bandwidth[kind]);
        iops.join(row.iops[kind]);
    }
    json::object d = direction(*sum, row.last - row.first, wanted);
    add_samples(d, bandwidth, iops, group);
    return d;
}

/// What the sections of all jobs have in common.
struct job_sections {
    const host::workload_config& workload;
    const std::vector<fio_row>& rows;
    const host::runner* runner;
    std::vector<double> wanted; // percentiles
};

/// Reads, writes, trims and flushes, as unified_rw_reporting wants them.
void add_directions(json::object& o, const job_sections& of, const fio_row& row)
{
    const auto& jobs = of.workload.fio.jobs;
    const host::fio_report report =
        jobs.empty() ? host::fio_report::by_kind : jobs[row.streams.front()].report;
    const auto group = group_rates(of.rows, row.group);
    if (report != host::fio_report::together) {
        for (std::size_t kind = 0; kind < host::fio_kinds; ++kind) {
            json::object d = direction(row.kinds[kind], row.last - row.first, of.wanted);
            add_samples(d, row.bandwidth[kind], row.iops[kind], group[kind]);
            o[request_kind_names[kind]] = std::move(d);
        }
        const fio_kind_statistics& flush = row.kinds[static_cast<std::size_t>(request_kind::flush)];
        o["sync"] = {{"total_ios", flush.requests},
                     {"lat_ns", latency_with_percentiles(flush.total, of.wanted)}};
    }
    if (report != host::fio_report::by_kind) {
        o["mixed"] =
            mixed(row, std::accumulate(group.begin(), group.end(), std::uint64_t{0}), of.wanted);
    }
}

json::object job_section(const job_sections& of, const fio_row& row)
{
    const host::workload_config& workload = of.workload;
    const host::runner* runner = of.runner;
    const sim_time elapsed = row.last - row.first;
    json::object o;
    name_row(o, workload, row.streams.front());
    o["error"] = row.errors == 0 ? 0 : 5; // EIO
    o["total_err"] = row.errors;
    o["elapsed"] = (elapsed.ps() + 999999999999) / 1000000000000;
    add_directions(o, of, row);
    o["job_runtime"] = whole_ms(elapsed) * row.streams.size();
    for (const char* none : {"usr_cpu", "sys_cpu", "ctx", "majf", "minf"}) {
        o[none] = 0; // of a process, which there is none
    }
    using depths = host::depth_statistics;
    o["iodepth_level"] = depth_section(row, runner, &depths::in_flight, level_names);
    o["iodepth_submit"] = depth_section(row, runner, &depths::submitted, batch_names);
    o["iodepth_complete"] = depth_section(row, runner, &depths::completed, batch_names);
    latency_buckets buckets(row);
    o["latency_ns"] = buckets.unit(1, {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000});
    o["latency_us"] = buckets.unit(1000, {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000});
    o["latency_ms"] = buckets.unit(1000000, {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000, 0});
    o["latency_depth"] =
        workload.fio.jobs.empty() ? 0 : workload.fio.jobs[row.streams.front()].depth;
    o["latency_target"] = 0;
    o["latency_percentile"] = 100.0;
    o["latency_window"] = 0;
    return o;
}

/// `when`: the run ended, by the clock of this machine.
std::string fio_json(const host::workload_config& workload, fio_statistics& statistics,
                     const host::runner* runner, std::time_t when)
{
    std::vector<double> wanted = workload.fio.percentiles;
    if (wanted.empty()) {
        wanted.assign(std::begin(default_percentiles), std::end(default_percentiles));
    }
    char date[64];
    std::strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", std::localtime(&when));
    json::object root;
    root["fio version"] = "fio-3.33"; // whose layout this is
    root["timestamp"] = static_cast<std::int64_t>(when);
    root["timestamp_ms"] = static_cast<std::int64_t>(when) * 1000;
    root["time"] = date;
    json::object globals;
    for (const auto& [key, value] : workload.fio.global_options) {
        globals[key] = value;
    }
    root["global options"] = std::move(globals);
    json::array jobs;
    const job_sections of{workload, statistics.rows(), runner, wanted};
    for (const fio_row& row : of.rows) {
        jobs.push_back(job_section(of, row));
    }
    root["jobs"] = std::move(jobs);
    return to_text(root);
}

class fio_json_sink final : public report_sink {
public:
    explicit fio_json_sink(const sink_subject& of)
        : m_file(of.directory / "fio.json"), m_statistics(of.workload)
    {}
    [[nodiscard]] std::vector<std::filesystem::path> files() const override { return {m_file}; }
    [[nodiscard]] host::request_observer* requests() override { return &m_statistics; }
    void begin(const counters& now, const std::function<counters()>&) override
    {
        m_statistics.measured_from(now.when);
    }
    void finish(const sink_results& r) override
    {
        write_file_atomically(m_file, fio_json(r.workload, m_statistics, r.runner, r.when));
    }

private:
    std::filesystem::path m_file;
    fio_statistics m_statistics;
};

} // namespace

std::unique_ptr<report_sink> make_fio_json(const std::string&, const sink_subject& of)
{
    return std::make_unique<fio_json_sink>(of);
}

} // namespace ssdvp::platform
