// SPDX-License-Identifier: Apache-2.0
//
// What fio reports of requests: latencies of submission and completion apart, by job or group.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/histogram.h"
#include "models/host/config.h"
#include "models/host/request.h"
#include "platform/report/fio_samples.h"

namespace ssdvp::platform {

struct fio_kind_statistics {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0; // of those that succeeded
    histogram submission;    // 225 KB each
    histogram completion;
    histogram total;

    void merge(const fio_kind_statistics& other);
};

/// One entry of fio's list `jobs`.
struct fio_row {
    std::array<fio_kind_statistics, host::request_kinds> kinds;
    std::vector<std::uint16_t> streams;
    std::uint32_t group = 0;
    fio_samples_by_kind bandwidth; // KiB/s, summed over the jobs
    fio_samples_by_kind iops;
    std::uint64_t errors = 0;
    bool any = false;
    sim_time first; // arrival
    sim_time last;  // completion
};

class fio_statistics final : public host::request_observer {
public:
    explicit fio_statistics(const host::workload_config& workload);
    /// The measured part begins.
    void measured_from(sim_time t);
    /// Allocates nothing.
    void on_complete(const host::request_result& result) override;
    /// With the samples so far.
    [[nodiscard]] const std::vector<fio_row>& rows();

private:
    struct stream final : fio_sample_listener {
        stream(std::size_t index, const host::fio_job* job) : row(index), ramp(job), rates(job) {}
        void bandwidth(std::size_t kind, std::uint64_t value, sim_time,
                       const host::request_result*) override
        {
            bandwidths[kind].add(value);
        }
        void iops(std::size_t kind, std::uint64_t value, sim_time,
                  const host::request_result*) override
        {
            requests[kind].add(value);
        }
        std::size_t row;
        fio_ramp ramp;
        fio_job_rates rates;
        fio_samples_by_kind bandwidths;
        fio_samples_by_kind requests;
    };
    std::vector<fio_row> m_rows;
    std::vector<stream> m_streams;
};

} // namespace ssdvp::platform
