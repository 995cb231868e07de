// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ssdvp::platform {

class ssd;

/// Says on stderr what each core does, and where: for a user who wants to know what keeps a run.
void tell_cores(ssd& drive);

} // namespace ssdvp::platform
