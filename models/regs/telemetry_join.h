/* SPDX-License-Identifier: Apache-2.0
 *
 * The telemetry of two parts of a drive as that of one: by the kind of each counter (counters.h).
 */
#ifndef SSDVP_REGS_TELEMETRY_JOIN_H
#define SSDVP_REGS_TELEMETRY_JOIN_H

#include "models/regs/telemetry.h"

static inline uint64_t telemetry_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t telemetry_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* From sums of all: what is none is worked out of the sum and one part. */
#define JOIN_COUNTER(field)
#define JOIN_GAUGE(field)
#define JOIN_LEAST(field) to->field = telemetry_least(to->field - from->field, from->field);
#define JOIN_MOST(field) to->field = telemetry_most(to->field - from->field, from->field);
#define JOIN_FLAG(field) to->field = to->field != 0 ? 1 : 0;
#define JOIN_MAXIMUM(field) JOIN_MOST(field)
#define JOIN(field, kind, ...) JOIN_##kind(field)
#define JOIN_OF_RETENTION(field, kind, ...) JOIN_##kind(retention.field)
#define JOIN_OF_ZONES(field, kind, ...) JOIN_##kind(zones.field)
#define JOIN_OF_SLC(field, kind, ...) JOIN_##kind(slc.field)
#define JOIN_OF_HMB(field, kind, ...) JOIN_##kind(hmb.field)
#define JOIN_OF_ARRAY(field, length, kind, ...)                                                    \
    for (uint32_t i = 0; i < (length); ++i) {                                                      \
        JOIN_##kind(field[i])                                                                      \
    }

/* Both are there (magic). */
static inline void telemetry_join(struct telemetry* to, const struct telemetry* from)
{
    uint64_t* sums = (uint64_t*)(void*)to;
    const uint64_t* parts = (const uint64_t*)(const void*)from;
    for (uint32_t i = 1; i < sizeof *to / sizeof *sums; ++i) { /* behind magic and ready */
        sums[i] += parts[i];
    }
    to->ready = to->ready != 0 && from->ready != 0 ? 1 : 0;
    COUNTERS_FIRST(JOIN, JOIN_OF_ARRAY)
    COUNTERS_LATER(JOIN)
    COUNTERS_RETENTION(JOIN_OF_RETENTION)
    COUNTERS_ZONES(JOIN_OF_ZONES)
    COUNTERS_SLC(JOIN_OF_SLC)
    COUNTERS_HMB(JOIN_OF_HMB)
}

#undef JOIN_COUNTER
#undef JOIN_GAUGE
#undef JOIN_LEAST
#undef JOIN_MOST
#undef JOIN_FLAG
#undef JOIN_MAXIMUM
#undef JOIN
#undef JOIN_OF_RETENTION
#undef JOIN_OF_ZONES
#undef JOIN_OF_SLC
#undef JOIN_OF_HMB
#undef JOIN_OF_ARRAY

#endif
