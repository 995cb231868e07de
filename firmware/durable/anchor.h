/* SPDX-License-Identifier: Apache-2.0
 *
 * The anchor record, which is where a power-up begins.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_ANCHOR_H
#define SSDVP_FIRMWARE_DURABLE_ANCHOR_H

#include <stdbool.h>

#include "firmware/durable/state.h"
#include "firmware/lib/env.h"
#include "firmware/space/slc.h"

/* The part and the drive that a record belongs to: all of it must be as it was. */
struct signature {
    uint32_t channels;
    uint32_t luns_per_channel;
    uint32_t planes;
    uint32_t blocks; /* per plane */
    uint32_t pages;
    uint32_t page_size;
    uint32_t unit_size;
    uint8_t scheme;
    uint8_t map_streams; /* beside the first */
    uint16_t stripe;
    uint64_t user_units;
};

struct anchor_record { /* at the start of a page */
    uint32_t magic;
    uint32_t version;
    uint32_t crc; /* CRC-32 of the record with this field 0 */
    uint32_t clean;
    uint64_t number;
    uint64_t sequence; /* of the last program submitted before it */
    uint64_t base;
    uint64_t top; /* address of the top map page, FTL_NONE = none */
    struct signature signature;
    uint32_t before_crc; /* CRC-32 of the pages in front of it: tables and journal */
    uint32_t journal;    /* number of the next journal unit */
    uint32_t slc_blocks; /* the first superblocks that are in SLC mode for good, and pages of a */
    uint32_t slc_pages;  /* ... block in it; as the signature they must be as they were */
};

int anchor_init(struct env* e);
uint64_t anchor_blocks(const struct env* e); /* that belong to no superblock, for its sake */
/* Begins the next record. */
void anchor_write(struct env* e, uint32_t clean, uint64_t base);
/* Writes the record found again, with the tables in memory and another `clean`. */
void anchor_renew(struct env* e, const struct anchor_record* record);
void anchor_done(struct env* e, const struct flash_result* result);
bool anchor_busy(const struct env* e);
const void* anchor_journal(const struct env* e); /* the page of the record for the journal */

/* ---- Where a record lies, for anchor_find.c ---- */

#define ANCHOR_MAGIC 0x41445353u /* "SSDA" */

struct signature anchor_signature(const struct env* e); /* of this drive */
uint32_t anchor_crc(struct anchor_record* r);
uint32_t anchor_before_crc(const struct env* e); /* of what is in memory */

uint32_t anchor_block_pages(const struct env* e); /* of a block: one per word line in SLC mode */
uint32_t anchor_room(const struct env* e);        /* of a block, or of those that make one */
uint64_t anchor_page(const struct env* e, uint32_t page); /* of the record, in memory */
/* Pages at the beginning of those that no record is in, of a copy. */
uint32_t anchor_shift(const struct env* e, uint32_t copy);
/* Page of a copy's block, or of those that make one. */
struct place anchor_place(const struct env* e, const struct anchor_copy* c, uint32_t turn,
                          uint32_t page);

/* ---- Tables in front of the record: what the drive knows of its superblocks ---- */

uint64_t tables_bytes(const struct env* e);
void tables_store(struct env* e, uint64_t base, void* to);
/* Erase counts and bad blocks; with states those of superblocks and streams too. */
void tables_load(struct env* e, const void* from, bool states);

#endif
