// SPDX-License-Identifier: Apache-2.0
//
// From a fio job file to the jobs that run.
#pragma once

#include <string>
#include <string_view>

#include "models/common/data_mode.h"
#include "models/host/workload/fio_job.h"

namespace ssdvp::platform::fio {

/// What the jobs run on.
struct target {
    std::uint64_t bytes = 0; // of the drive
    data_mode data = data_mode::tag;
    std::uint64_t zone_bytes = 0; // that can be written, of each; 0 = it has none
    std::uint64_t zone_size = 0;
    bool reads_by_force = true; // its interface has reads with Force Unit Access
};

/// Every job with its clones, in the order of the file. Throws config_error, whose text begins with
/// file:line:column.
host::fio_config read_jobs(const std::string& file, const target& drive);
/// The same of a text in memory, named `file` in messages.
host::fio_config parse_jobs(std::string_view text, const std::string& file, const target& drive);

} // namespace ssdvp::platform::fio
