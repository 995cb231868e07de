// SPDX-License-Identifier: Apache-2.0
//
// What a report says of the drive itself, before anything is measured.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "models/host/workload/trace.h"
#include "platform/config/config.h"
#include "platform/control/cli.h"
#include "platform/control/precondition.h"
#include "platform/report/measurement.h"
#include "platform/report/sinks/sink.h"

namespace ssdvp::platform {

/// `state`: where the preconditioned drive came from.
[[nodiscard]] measurement described(const ssd_config& c, const precondition_result& preconditioning,
                                    const std::optional<state_origin>& state);

/// A trace as it was read; null: the workload is none.
void describe_trace(measurement& m, const std::optional<host::trace_summary>& read,
                    const host::trace_config& asked);

/// What the reports of a drive are made for, as `line` wants them. `c` stays until they are.
[[nodiscard]] sink_subject subject_of(const ssd_config& c, const std::string& name,
                                      const std::filesystem::path& directory,
                                      const command_line& line);

} // namespace ssdvp::platform
