// SPDX-License-Identifier: Apache-2.0
//
// The options of a job as the file says them, before sizes are compared with a drive.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/host/workload/fio_job.h"
#include "platform/fio/job_values.h"

namespace ssdvp::platform::fio {

/// Share and size of a zone, as written.
struct zone_text {
    double share = 0.0;
    amount size;
    bool rest = false; // its size is what the others leave
};

/// Logs as written: an empty name is the job's.
struct log_options {
    std::optional<word> latency, bandwidth, iops, histogram;
    std::optional<std::uint64_t> bandwidth_ms, iops_ms; // of a sample
};

/// Which option gave the sizes of requests.
enum class sizes_by : std::uint8_t { one, range, split };

struct job_options {
    host::fio_job job; // what needs no drive
    origin section;
    std::optional<word> filename;
    bool names_devices = false; // the engine's files are devices, whatever their names
    std::array<std::vector<zone_text>, host::fio_kinds> zones;
    std::array<sizes_by, host::fio_kinds> sized_by{};
    std::array<bool, host::fio_kinds> aligned{}; // blockalign was given
    amount size, io_size, file_size, offset, offset_increment;
    std::uint64_t numjobs = 1;
    bool random = false;
    bool norandommap = false;
    bool sync = false;
    bool write_fua = false;
    std::optional<word> read_fua; // where it was asked for
    std::optional<std::uint64_t> percentage_random;
    bool synchronous = false; // the engine has one request in flight
    std::optional<word> wait_for;
    std::optional<word> rw;
    bool stonewall = false;
    bool new_group = false;
    bool verify_wanted = false;
    bool do_verify = true;
    std::optional<word> verify_at;
    std::optional<word> time_based_at;
    std::optional<word> trim_at;
    std::uint64_t iodepth_low = 0, batch = 1, batch_complete = 1;
    std::optional<word> ramp_at;
    std::optional<word> zoned_at;  // zonemode=zbd
    std::optional<word> zone_size; // as it is given, to be the drive's
    std::uint64_t zone_size_bytes = 0;
    log_options logs;
    unsigned kb_base = 1024;
    std::vector<double> percentiles;
    std::vector<std::pair<std::string, std::string>> written;
};

struct option_row {
    const char* name;
    void (*set)(const value&, job_options&);
};

/// The options of fio's logs and samples.
const std::vector<option_row>& log_rows();
/// What follows from them together, when the job has its name.
void settle_logs(job_options& job);

/// The options of zoned drives.
const std::vector<option_row>& zone_rows();

/// Sets one option, or notes that it makes no difference; throws config_error.
void apply(const entry& e, job_options& job, std::vector<host::fio_note>& notes);

/// Options that a drive makes no difference to; null when it is none of those.
const char* reason_to_pass_over(const std::string& name);
/// What to do instead of an option that cannot be honoured; null when it is not one of fio's.
const char* remedy_without(const std::string& name);

} // namespace ssdvp::platform::fio
