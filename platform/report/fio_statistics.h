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

namespace ssdvp::platform {

struct fio_kind_statistics {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0; // of those that succeeded
    histogram submission;    // 225 KB each
    histogram completion;
    histogram total;
};

/// One entry of fio's list `jobs`.
struct fio_row {
    std::array<fio_kind_statistics, host::request_kinds> kinds;
    std::vector<std::uint16_t> streams;
    std::uint64_t errors = 0;
    bool any = false;
    sim_time first; // arrival
    sim_time last;  // completion
};

class fio_statistics final : public host::request_observer {
public:
    explicit fio_statistics(const host::workload_config& workload);
    /// Allocates nothing.
    void on_complete(const host::request_result& result) override;
    [[nodiscard]] const std::vector<fio_row>& rows() const { return m_rows; }

private:
    std::vector<fio_row> m_rows;
    std::vector<std::size_t> m_row_of; // by stream
};

} // namespace ssdvp::platform
