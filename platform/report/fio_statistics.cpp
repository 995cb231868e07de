// SPDX-License-Identifier: Apache-2.0
#include "platform/report/fio_statistics.h"

#include <algorithm>

#include "models/common/data_mode.h"

namespace ssdvp::platform {

void fio_kind_statistics::merge(const fio_kind_statistics& other)
{
    requests += other.requests;
    bytes += other.bytes;
    submission.merge(other.submission);
    completion.merge(other.completion);
    total.merge(other.total);
}

fio_statistics::fio_statistics(const host::workload_config& workload)
{
    const auto& jobs = workload.fio.jobs;
    const std::size_t streams =
        jobs.empty() ? std::max<std::size_t>(workload.streams.size(), 1) : jobs.size();
    for (std::size_t i = 0; i < streams; ++i) {
        const bool joins =
            i != 0 && !jobs.empty() && jobs[i].report_group && jobs[i].group == jobs[i - 1].group;
        if (!joins) {
            m_rows.emplace_back();
            m_rows.back().group = jobs.empty() ? 0 : jobs[i].group;
        }
        m_rows.back().streams.push_back(static_cast<std::uint16_t>(i));
        m_streams.emplace_back(m_rows.size() - 1, jobs.empty() ? nullptr : &jobs[i]);
    }
}

void fio_statistics::measured_from(sim_time t)
{
    for (stream& s : m_streams) {
        s.rates.measured_from(t);
    }
}

const std::vector<fio_row>& fio_statistics::rows()
{
    for (fio_row& row : m_rows) {
        row.bandwidth = {};
        row.iops = {};
    }
    for (const stream& s : m_streams) {
        for (std::size_t kind = 0; kind < host::fio_kinds; ++kind) {
            m_rows[s.row].bandwidth[kind].join(s.bandwidths[kind]);
            m_rows[s.row].iops[kind].join(s.requests[kind]);
        }
    }
    return m_rows;
}

void fio_statistics::on_complete(const host::request_result& result)
{
    stream& from = m_streams[std::min<std::size_t>(result.req.stream, m_streams.size() - 1)];
    if (!from.ramp.over(result)) {
        return;
    }
    from.rates.completed(result, from);
    fio_row& row = m_rows[from.row];
    fio_kind_statistics& k = row.kinds[static_cast<std::size_t>(result.req.kind)];
    ++k.requests;
    if (result.status == 0) {
        k.bytes += std::uint64_t{result.req.sectors} * sector_size;
    } else {
        ++row.errors;
    }
    k.submission.record(result.submitted - result.req.arrival);
    k.completion.record(result.completed - result.submitted);
    k.total.record(result.latency());
    row.first = row.any ? earlier(row.first, result.req.arrival) : result.req.arrival;
    row.last = later(row.last, result.completed);
    row.any = true;
}

} // namespace ssdvp::platform
