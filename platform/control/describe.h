// SPDX-License-Identifier: Apache-2.0
//
// What a report says of the drive itself, before anything is measured.
#pragma once

#include <optional>

#include "platform/config/config.h"
#include "platform/control/precondition.h"
#include "platform/report/measurement.h"

namespace ssdvp::platform {

/// `state`: where the preconditioned drive came from.
[[nodiscard]] measurement described(const ssd_config& c, const precondition_result& preconditioning,
                                    const std::optional<state_origin>& state);

} // namespace ssdvp::platform
