/* SPDX-License-Identifier: Apache-2.0
 *
 * The telemetry block in SRAM, in which firmware counts: env.telemetry.
 */
#ifndef SSDVP_FIRMWARE_LIB_TELEMETRY_H
#define SSDVP_FIRMWARE_LIB_TELEMETRY_H

#include "models/regs/telemetry_join.h"

#endif
