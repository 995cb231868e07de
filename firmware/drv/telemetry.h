/* SPDX-License-Identifier: Apache-2.0
 *
 * The telemetry block in SRAM.
 */
#ifndef SSDVP_FIRMWARE_DRV_TELEMETRY_H
#define SSDVP_FIRMWARE_DRV_TELEMETRY_H

#include "firmware/lib/env.h"
#include "models/regs/boot_params.h"
#include "models/regs/telemetry_join.h"

static inline struct telemetry* telemetry_block(const struct env* e)
{
    return e->telemetry;
}

#endif
