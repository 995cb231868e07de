// SPDX-License-Identifier: Apache-2.0
//
// The logs that jobs ask for with write_lat_log, write_bw_log, write_iops_log and write_hist_log,
// under fio's names, in the folder of results.
#include <exception>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <vector>

#include "models/common/data_mode.h"
#include "platform/report/fio_log.h"
#include "platform/report/fio_samples.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

namespace {

namespace fs = std::filesystem;
using host::request_result;

std::uint64_t ns_of(sim_time t)
{
    return (t.ps() + 500) / 1000;
}

/// fio's name; empty: there is no such log.
std::string log_name(const std::string& name, const char* what, const host::fio_logging& how,
                     std::size_t job)
{
    if (name.empty()) {
        return "";
    }
    return how.per_job ? fmt::format("{}_{}.{}.log", name, what, job + 1)
                       : fmt::format("{}_{}.log", name, what);
}

/// Names of one job's logs.
struct job_log_names {
    job_log_names(const host::fio_logging& l, std::size_t job)
        : lat(log_name(l.lat ? l.latency : "", "lat", l, job)),
          slat(log_name(l.slat ? l.latency : "", "slat", l, job)),
          clat(log_name(l.clat ? l.latency : "", "clat", l, job)),
          histogram(log_name(l.histogram, "clat_hist", l, job)),
          bandwidth(log_name(l.bandwidth, "bw", l, job)), iops(log_name(l.iops, "iops", l, job))
    {}
    std::string lat, slat, clat, histogram, bandwidth, iops;
    [[nodiscard]] std::array<const std::string*, 6> all() const
    {
        return {&lat, &slat, &clat, &histogram, &bandwidth, &iops};
    }
};

using open_files = std::map<std::string, std::unique_ptr<fio_log_file>>;

/// What one job writes.
class job_logs final : private fio_sample_listener {
public:
    job_logs(const host::fio_job& job, const job_log_names& names, const open_files& files)
        : m_how(job.logging), m_file_begin(job.file), m_ramp(&job), m_rates(&job)
    {
        const auto file = [&](const std::string& name) {
            return name.empty() ? nullptr : files.at(name).get();
        };
        const auto latency = [&](std::optional<fio_latency_log>& log, const std::string& name) {
            if (!name.empty()) {
                log.emplace(*file(name), m_how);
            }
        };
        latency(m_lat, names.lat);
        latency(m_slat, names.slat);
        latency(m_clat, names.clat);
        if (!names.histogram.empty()) {
            m_histogram.emplace(*file(names.histogram), m_how);
        }
        m_bandwidth = file(names.bandwidth);
        m_iops = file(names.iops);
    }
    job_logs(const job_logs&) = delete; // logs know where m_how is
    job_logs& operator=(const job_logs&) = delete;
    ~job_logs() override = default;

    void measured_from(sim_time t) { m_rates.measured_from(t); }

    void completed(const request_result& r)
    {
        if (!m_ramp.over(r)) {
            return;
        }
        m_rates.completed(r, *this);
        m_last_ms = ms_of(m_rates.elapsed(r.completed));
        if (r.req.kind == host::request_kind::flush) {
            return;
        }
        const fio_log_line line = line_of(r, m_last_ms);
        const auto add = [&line](auto& log, sim_time latency) {
            if (log) {
                log->add(line, ns_of(latency));
            }
        };
        add(m_slat, r.submitted - r.req.arrival);
        add(m_clat, r.completed - r.submitted);
        add(m_histogram, r.completed - r.submitted);
        add(m_lat, r.latency());
    }

    /// The job is over.
    void finish()
    {
        for (std::optional<fio_latency_log>* log : {&m_lat, &m_slat, &m_clat}) {
            if (*log) {
                (*log)->finish(m_last_ms);
            }
        }
    }

private:
    static std::uint64_t ms_of(sim_time t) { return t.ps() / 1000000000; }

    [[nodiscard]] fio_log_line line_of(const request_result& r, std::uint64_t ms) const
    {
        return {ms, static_cast<std::size_t>(r.req.kind),
                std::uint64_t{r.req.sectors} * sector_size,
                (r.req.lba - m_file_begin) * sector_size};
    }
    void sample(fio_log_file* log, std::size_t kind, std::uint64_t value,
                const fio_log_line& of) const
    {
        if (log != nullptr) {
            log->write({of.ms, kind, of.bytes, of.offset}, value, m_how);
        }
    }
    [[nodiscard]] fio_log_line place(const request_result* of, sim_time at) const
    {
        return of == nullptr ? fio_log_line{ms_of(at), 0, 0, 0} : line_of(*of, ms_of(at));
    }
    void bandwidth(std::size_t kind, std::uint64_t value, sim_time at,
                   const request_result* of) override
    {
        sample(m_bandwidth, kind, value, place(of, at));
    }
    void iops(std::size_t kind, std::uint64_t value, sim_time at, const request_result* of) override
    {
        sample(m_iops, kind, value, place(of, at));
    }

    const host::fio_logging m_how;
    std::uint64_t m_file_begin; // sector
    fio_ramp m_ramp;
    fio_job_rates m_rates;
    std::optional<fio_latency_log> m_lat, m_slat, m_clat;
    std::optional<fio_histogram_log> m_histogram;
    fio_log_file* m_bandwidth = nullptr;
    fio_log_file* m_iops = nullptr;
    std::uint64_t m_last_ms = 0;
};

class fio_logs_sink final : public report_sink, private host::request_observer {
public:
    explicit fio_logs_sink(const sink_subject& of)
        : m_directory(of.directory), m_config(of.workload.fio.jobs)
    {
        for (std::size_t i = 0; i < m_config.size(); ++i) {
            m_names.emplace_back(m_config[i].logging, i);
            for (const std::string* name : m_names.back().all()) {
                if (!name->empty()) {
                    m_files[*name] = nullptr; // jobs may share it
                }
            }
        }
    }
    [[nodiscard]] std::vector<fs::path> files() const override
    {
        std::vector<fs::path> paths;
        for (const auto& [name, file] : m_files) {
            paths.push_back(m_directory / name);
        }
        return paths;
    }
    void open() override
    {
        for (auto& [name, file] : m_files) {
            file = std::make_unique<fio_log_file>(m_directory / name, "--out");
        }
        for (std::size_t i = 0; i < m_config.size(); ++i) {
            m_jobs.push_back(std::make_unique<job_logs>(m_config[i], m_names[i], m_files));
        }
    }
    [[nodiscard]] host::request_observer* requests() override { return this; }
    void begin(const counters& now, const std::function<counters()>&) override
    {
        for (const auto& j : m_jobs) {
            j->measured_from(now.when);
        }
    }
    void finish(const sink_results&) override
    {
        for (const auto& j : m_jobs) {
            j->finish();
        }
        std::exception_ptr lost; // one log is no reason to lose the others
        for (const auto& [name, file] : m_files) {
            try {
                file->finish();
            } catch (const write_error&) {
                lost = lost ? lost : std::current_exception();
            }
        }
        if (lost) {
            std::rethrow_exception(lost);
        }
    }

private:
    void on_complete(const request_result& r) override
    {
        if (r.req.stream < m_jobs.size()) {
            m_jobs[r.req.stream]->completed(r);
        }
    }

    fs::path m_directory;
    std::vector<host::fio_job> m_config;
    std::vector<job_log_names> m_names;
    open_files m_files; // none is open before open()
    std::vector<std::unique_ptr<job_logs>> m_jobs;
};

} // namespace

std::unique_ptr<report_sink> make_fio_logs(const std::string&, const sink_subject& of)
{
    return std::make_unique<fio_logs_sink>(of);
}

} // namespace ssdvp::platform
