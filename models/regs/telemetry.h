/* SPDX-License-Identifier: Apache-2.0
 *
 * Telemetry block: counters that firmware keeps in SRAM at BOOT_TELEMETRY_OFFSET and the platform
 * reads for its report, as a vendor's telemetry log would be. What each field means, and whether it
 * only grows, so that a measured part is a difference of two copies, is in counters.h.
 */
#ifndef SSDVP_REGS_TELEMETRY_H
#define SSDVP_REGS_TELEMETRY_H

#include <stdint.h>

#include "models/regs/counters.h"

#define TELEMETRY_MAGIC 0x4C544453u /* "SDTL" */

#define TELEMETRY_FIELD(field, ...) uint64_t field;
#define TELEMETRY_ARRAY(field, length, ...) uint64_t field[length];

struct telemetry_retention {
    COUNTERS_RETENTION(TELEMETRY_FIELD)
};

struct telemetry_slc {
    COUNTERS_SLC(TELEMETRY_FIELD)
};

struct telemetry_hmb {
    COUNTERS_HMB(TELEMETRY_FIELD)
};

struct telemetry_zones {
    COUNTERS_ZONES(TELEMETRY_FIELD)
};

struct telemetry {
    uint32_t magic;
    uint32_t ready; /* 1 once the boot table has run */
    COUNTERS_FIRST(TELEMETRY_FIELD, TELEMETRY_ARRAY)
    uint64_t reserved[8];
    COUNTERS_LATER(TELEMETRY_FIELD)
    struct telemetry_retention retention;
    struct telemetry_zones zones;
    struct telemetry_slc slc;
    struct telemetry_hmb hmb;
};

#undef TELEMETRY_FIELD
#undef TELEMETRY_ARRAY

#endif
