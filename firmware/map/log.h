/* SPDX-License-Identifier: Apache-2.0
 *
 * The drive as a set of copy-on-write logs (Min et al., 2011, 2.3), and the one packet in which
 * they talk. D, log 0, holds the units of the host; M(n), log n, holds level n of the maps: where
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

enum log_op {
    LOG_READ = 0,   /* to the map above: where does the page lie? */
    LOG_WRITE = 1,  /* to the map above: it lies at the address from now on */
    LOG_VALID = 2,  /* to L: a page of the log lies at the address */
    LOG_INVALID = 3 /* to L: what lies there is garbage */
};

struct log_packet {
    enum log_op op;
    uint32_t log;     /* whose page it is */
    uint64_t index;   /* of the page in its log */
    uint64_t address; /* as a look-up tells it (ftl.h) */
};

/* Delivers a packet. The page of the map above is resident. The answer is the address. */
static inline uint64_t log_send(struct env* e, struct log_packet p)
{
    struct maps* m = e->maps;
    switch (p.op) {
    case LOG_READ:
        return p.log == m->levels ? m->top : maps_entry(e, p.log + 1, p.index);
    case LOG_WRITE:
        if (p.log == m->levels) {
            m->top = p.address;
        } else {
            maps_set(e, p.log + 1, p.index, p.address);
        }
        break;
    case LOG_VALID:
        blocks_validate(e, p.address & ~FTL_LOST);
        e->telemetry->valid -= p.log == LOG_D ? 0u : 1u;
        *(p.log == LOG_D ? &e->telemetry->mapped : &e->telemetry->map_units) += 1;
        break;
    case LOG_INVALID:
        blocks_invalidate(e, p.address & ~FTL_LOST);
        e->telemetry->valid += p.log == LOG_D ? 0u : 1u;
        *(p.log == LOG_D ? &e->telemetry->mapped : &e->telemetry->map_units) -= 1;
        break;
    }
    return p.address;
}

/* LOG_VALID for places one behind the other, of one superblock, whatever their order in the log. */
static inline void log_found(struct env* e, uint32_t log, uint64_t address, uint32_t count)
{
    blocks_validate_run(e, address, count);
    e->telemetry->valid -= log == LOG_D ? 0u : count;
    *(log == LOG_D ? &e->telemetry->mapped : &e->telemetry->map_units) += count;
}

static inline uint64_t log_read(struct env* e, uint32_t log, uint64_t index)
{
    const struct log_packet p = {LOG_READ, log, index, FTL_NONE};
    return log_send(e, p);
}

/* A page of the log lies at the address now, FTL_NONE = nowhere; what it replaces is garbage. */
static inline void log_appended(struct env* e, uint32_t log, uint64_t index, uint64_t address)
{
    const uint64_t old = log_read(e, log, index);
    const struct log_packet garbage = {LOG_INVALID, log, index, old};
    const struct log_packet place = {LOG_WRITE, log, index, address};
    const struct log_packet valid = {LOG_VALID, log, index, address};
    if (maps_placed(old)) {
        (void)log_send(e, garbage);
    }
    (void)log_send(e, place);
    if (maps_placed(address)) {
        (void)log_send(e, valid);
    }
}

#endif
