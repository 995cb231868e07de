/* SPDX-License-Identifier: Apache-2.0
 *
 * Zoned namespaces (Zoned Namespace Command Set 1.1). A zone is so many blocks of 4 KiB; the table
 * has one entry for each zone's worth of the drive, whichever namespace has it, so that a zone is
 * found by where its sectors lie.
 *
 * Only whole, mapped units say where a write pointer was before power went (zones_find), so what a
 * zoned namespace is told to keep is mapped, zeroes too, and what it is told to forget is unmapped.
 */
#ifndef SSDVP_FIRMWARE_HOST_ZONES_ZONES_H
#define SSDVP_FIRMWARE_HOST_ZONES_ZONES_H

#include <stdbool.h>

#include "firmware/durable/drive_state.h"
#include "firmware/host/core/hil.h"

#define ZONE_BLOCK_SHIFT 12u /* log2 of the LBA size: format 1 of the drive */
#define ZONE_SECTORS_SHIFT (ZONE_BLOCK_SHIFT - SECTOR_SHIFT)
#define ZONE_BLOCK_SECTORS (1u << ZONE_SECTORS_SHIFT)

enum zone_state { /* ZS of a zone descriptor; section 2.1.1.1 */
                  ZONE_EMPTY = 0x1,
                  ZONE_IMPLICIT = 0x2, /* opened by a write */
                  ZONE_EXPLICIT = 0x3, /* opened by Zone Management Send */
                  ZONE_CLOSED = 0x4,
                  ZONE_READ_ONLY = 0xD,
                  ZONE_FULL = 0xE,
                  ZONE_OFFLINE = 0xF
};

enum { ZONE_FINISHED_BY_CONTROLLER = 1 }; /* ZA of a zone descriptor */

struct zone {
    uint32_t written; /* the write pointer, from the first block */
    uint16_t resets;  /* that are under way or wait: nothing is written meanwhile */
    uint8_t state;    /* enum zone_state, but READ_ONLY, which is the drive's: zone_state_of() */
    uint8_t attributes;
};

struct zones {
    uint64_t table;     /* struct zone */
    uint64_t links;     /* struct link, of zones that writes have opened */
    uint32_t count;     /* of the drive */
    uint32_t size;      /* blocks */
    uint32_t capacity;  /* blocks of a zone that can be written */
    uint32_t open_most; /* of a namespace, 0 = no limit */
    uint32_t active_most;
    uint32_t read_across; /* 1 = a read may cross the end of a zone */
    uint32_t found;       /* 1 = the states are known since power-up */
    uint32_t next;        /* zone whose write pointer is looked for */
    uint32_t below;       /* it is no higher */
    uint32_t open[DRIVE_NAMESPACES];
    uint32_t active[DRIVE_NAMESPACES];
    struct chain implicit[DRIVE_NAMESPACES]; /* the first was written longest ago */
};

static inline struct zones* zones_of(const struct env* e)
{
    return (struct zones*)env_dram(e, e->hil->zones);
}

static inline struct zone* zone_at(const struct env* e, uint32_t zone)
{
    FW_ASSERT(e, zone < zones_of(e)->count);
    return (struct zone*)env_dram_entry(e, zones_of(e)->table, zone, sizeof(struct zone));
}

/* Of the drive: the first zone of a namespace, and behind its last one. */
static inline uint32_t zones_first(const struct env* e, uint32_t ns)
{
    const uint64_t block = drive_namespace_at(e, ns)->start >> ZONE_SECTORS_SHIFT;
    return (uint32_t)block / zones_of(e)->size;
}

static inline uint32_t zones_end(const struct env* e, uint32_t ns)
{
    const uint64_t blocks = drive_namespace_at(e, ns)->sectors >> ZONE_SECTORS_SHIFT;
    return zones_first(e, ns) + (uint32_t)blocks / zones_of(e)->size;
}

static inline uint32_t is_zoned(const struct env* e, uint32_t ns)
{
    return drive_state_of(e)->command_set[ns] == NVME_CSI_ZONED;
}

static inline uint32_t zone_is_open(uint32_t state)
{
    return state == ZONE_IMPLICIT || state == ZONE_EXPLICIT;
}

static inline uint32_t zone_is_active(uint32_t state)
{
    return zone_is_open(state) || state == ZONE_CLOSED;
}

int zones_init(struct env* e);
void zones_boot(struct env* e);               /* a new drive's namespace is zoned */
bool zones_find(struct env* e);               /* true = states are known; else it is asked again */
void zones_reset(struct env* e);              /* commands are gone */
void zones_close(struct env* e);              /* the host shuts the drive down */
void zones_clear(struct env* e, uint32_t ns); /* all of them are empty */
uint32_t zone_state_of(const struct env* e, const struct zone* z);
void zone_set_state(struct env* e, uint32_t ns, uint32_t zone, uint32_t state);
/* Into an open state, or why not. */
uint32_t zone_open(struct env* e, uint32_t ns, uint32_t zone, uint32_t state);
/* Of what outlives power: it is saved by the caller. */
enum zone_kept { ZONE_KEPT_NOT = 0, ZONE_KEPT_FULL = 1, ZONE_KEPT_OFFLINE = 2 };
uint32_t zone_kept(const struct env* e, uint32_t zone);
void zone_keep(struct env* e, uint32_t zone, uint32_t kept);
/* What is wrong with a command on the sectors of one of these namespaces; one that writes moves the
 * write pointer. Zone Append: its sectors then are where they go. */
uint32_t zone_access(struct env* e, struct command* c, uint32_t opcode);
uint32_t zone_take(struct env* e, uint32_t ns, uint64_t sector, uint64_t sectors); /* to write */
/* A reset did not come to its end: states as what is left says. */
void zones_unreset(struct env* e, const struct command* c);

#endif
