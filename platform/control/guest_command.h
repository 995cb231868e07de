// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/control/cli.h"

namespace ssdvp::platform {

/// ssdvp guest: a drive under a guest's drivers, until the guest leaves. Returns the exit code.
int guest_command(const command_line& line);

} // namespace ssdvp::platform
