/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host made of the drive, and its life so far. It lies in the page of each anchor record,
 * behind the record proper (docs/SPEC.md, section 5), so a change of it is as atomic, and as safe
 * from a loss of power, as a checkpoint. A drive whose pages are too small for that forgets it.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_DRIVE_STATE_H
#define SSDVP_FIRMWARE_DURABLE_DRIVE_STATE_H

#include <stdbool.h>

#include "firmware/lib/env.h"

#define DRIVE_STATE_MAGIC 0x53445353u /* "SSDS" */
#define DRIVE_STATE_OFFSET 256u       /* in the record's page */
#define DRIVE_NAMESPACES 16u
#define DRIVE_SPOILT 32u
#define DRIVE_FEATURES 16u
#define DRIVE_SLOTS 3u /* of firmware */
#define DRIVE_ZONES 1024u

struct drive_namespace {
    uint64_t start;   /* sector of the drive */
    uint64_t sectors; /* 0 = there is no such namespace */
    uint8_t shift;    /* log2 of the LBA size */
    uint8_t metadata; /* bytes of a block */
    uint8_t flags;    /* NS_* */
    uint8_t reserved;
    uint16_t attached; /* to the controller */
    uint16_t made;     /* how often one of this number has been created */
};

#define NS_PROTECTION 0x07u /* type, as in DPS; 0 = none */
#define NS_FIRST 0x08u      /* protection information is the first bytes of the metadata; DPS */
#define NS_EXTENDED 0x10u   /* metadata follow the data of their block, not at MPTR; FLBAS */

/* log2 of the sectors that a block takes: with metadata as many again (docs/DESIGN.md). */
static inline uint32_t drive_ns_up(const struct drive_namespace* n)
{
    return n->shift - 9u + (n->metadata != 0 ? 1u : 0u);
}

struct drive_spoilt { /* by Write Uncorrectable, sectors of the drive */
    uint64_t lba;
    uint64_t sectors;
};

struct drive_life { /* until this power-up */
    uint64_t power_cycles;
    uint64_t unsafe_shutdowns;
    uint64_t power_on_ns;
    uint64_t busy_ns;
    uint64_t read_sectors;
    uint64_t write_sectors;
    uint64_t read_commands;
    uint64_t write_commands;
    uint64_t media_errors;
    uint64_t error_entries;
    uint64_t hot_ns[2];       /* above WCTEMP, CCTEMP */
    uint64_t throttled_ns[2]; /* because of heat: light, heavy */
    uint64_t throttled[2];    /* times that it began */
};

struct drive_image { /* a firmware slot */
    uint8_t revision[8];
    uint32_t crc;    /* of the image */
    uint32_t size;   /* 0 = none */
    uint32_t layout; /* of its state in memory */
    uint32_t area;   /* of the boot flash */
};

struct drive_state {
    uint32_t magic;
    uint32_t crc;     /* CRC-32 of all of it with this field 0 */
    uint32_t managed; /* 1 = the namespaces are not those of a new drive */
    uint32_t saved;   /* mask of features that have a saved value */
    uint32_t feature[DRIVE_FEATURES];
    struct drive_life life;
    struct drive_namespace ns[DRIVE_NAMESPACES];
    struct drive_image image[DRIVE_SLOTS]; /* the first one is built in */
    uint32_t slot;                         /* of the active image, 0-based */
    uint32_t next_slot;                    /* ... after the next reset */
    uint32_t progress;                     /* feature 80h */
    uint32_t spoilt_count;
    struct drive_spoilt spoilt[DRIVE_SPOILT];
    uint8_t command_set[DRIVE_NAMESPACES]; /* CSI */
    uint8_t zone[DRIVE_ZONES / 4];         /* two bits each: enum zone_kept */
};

struct drive_state* drive_state_of(const struct env* e);

static inline struct drive_namespace* drive_namespace_at(const struct env* e, uint32_t index)
{
    FW_ASSERT(e, index < DRIVE_NAMESPACES);
    return &drive_state_of(e)->ns[index];
}

int drive_state_init(struct env* e);
/* Once power-up knows how power went: counts it, unless power never went (again != 0). */
void drive_state_boot(struct env* e, uint32_t again);
bool drive_state_fits(const struct env* e); /* true = it outlives a loss of power */
/* Asks for a record with the state as it is now. A ticket for that. */
uint32_t drive_state_save(struct env* e);
bool drive_state_saved(const struct env* e, uint32_t ticket);
bool drive_state_stuck(const struct env* e); /* true = no more records are written */
/* Life until now. */
struct drive_life drive_life_now(const struct env* e);

/* For anchor.c: the page of a record, read or to be written; a copy of it is on the flash. */
void drive_state_load(struct env* e, const uint8_t* page);
void drive_state_store(struct env* e, uint8_t* page);
void drive_state_written(struct env* e);

#endif
