/* SPDX-License-Identifier: Apache-2.0
 *
 * The drive as a set of copy-on-write logs (Min et al., 2011, 2.3), and what they tell each
 * other. D, log 0, holds the units of the host; M(n), log n, holds level n of the maps: where
 * each page of the log below lies. The place of the top page is C's, the anchor record. L knows of
 * every place on the flash whether it is valid, and how many are in each superblock.
 *
 * Every log only appends. A page of it that was programmed is told to the map above and to L: from
 * then on the old place is garbage, and collection may have it.
 */
#ifndef SSDVP_FIRMWARE_MAP_LOG_H
#define SSDVP_FIRMWARE_MAP_LOG_H

#include "firmware/lib/telemetry.h"
#include "firmware/map/maps.h"
#include "firmware/space/valid.h"

enum { LOG_D = 0, LOG_M1 = 1, LOG_M2 = 2 };

/* Where a page of the log lies, as a look-up tells it (ftl.h). The page of the map above that says
 * so is resident. */
static inline uint64_t log_read(struct env* e, uint32_t log, uint64_t index)
{
    return log == e->maps->levels ? e->maps->top : maps_entry(e, log + 1, index);
}

/* To the map above: it lies at the address from now on. */
static inline void log_write(struct env* e, uint32_t log, uint64_t index, uint64_t address)
{
    if (log == e->maps->levels) {
        e->maps->top = address;
    } else {
        maps_set(e, log + 1, index, address);
    }
}

/* To L: a page of the log lies at the address; what lies there is garbage. */
static inline void log_valid(struct env* e, uint32_t log, uint64_t address)
{
    blocks_validate(e, address & ~FTL_LOST);
    e->telemetry->valid -= log == LOG_D ? 0u : 1u;
    *(log == LOG_D ? &e->telemetry->mapped : &e->telemetry->map_units) += 1;
}
static inline void log_invalid(struct env* e, uint32_t log, uint64_t address)
{
    blocks_invalidate(e, address & ~FTL_LOST);
    e->telemetry->valid += log == LOG_D ? 0u : 1u;
    *(log == LOG_D ? &e->telemetry->mapped : &e->telemetry->map_units) -= 1;
}

/* log_valid for places one behind the other, of one superblock, whatever their order in the log. */
static inline void log_found(struct env* e, uint32_t log, uint64_t address, uint32_t count)
{
    blocks_validate_run(e, address, count);
    e->telemetry->valid -= log == LOG_D ? 0u : count;
    *(log == LOG_D ? &e->telemetry->mapped : &e->telemetry->map_units) += count;
}

/* A page of the log that lay at the first address lies at the second one now, FTL_NONE = nowhere.
 */
static inline void log_appended(struct env* e, uint32_t log, uint64_t index, uint64_t old,
                                uint64_t address)
{
    if (maps_placed(old)) {
        log_invalid(e, log, old);
    }
    log_write(e, log, index, address);
    if (maps_placed(address)) {
        log_valid(e, log, address);
    }
}

#endif
