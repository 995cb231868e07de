// SPDX-License-Identifier: Apache-2.0
//
// The results in the layout of fio 3's `--output-format=json`, for tools that read it.
#pragma once

#include <ctime>
#include <string>

#include "models/host/config.h"
#include "models/host/workload/runner.h"
#include "platform/report/fio_statistics.h"

namespace ssdvp::platform {

/// `when`: the run ended, by the clock of this machine.
std::string fio_json(const host::workload_config& workload, const fio_statistics& statistics,
                     const host::runner& runner, std::time_t when);

} // namespace ssdvp::platform
