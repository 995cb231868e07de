// SPDX-License-Identifier: Apache-2.0
//
// What an environment without a boot is told.
#pragma once

#include "models/regs/boot_params.h"

extern "C" {
#include "firmware/lib/env.h"
}

namespace ssdvp::test {

inline void tell(env& e, const boot_params& p)
{
#define SSDVP_TOLD(id) e.told.id = &p.id;
    BOOT_PARTS(SSDVP_TOLD)
#undef SSDVP_TOLD
}

} // namespace ssdvp::test
