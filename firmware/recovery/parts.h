/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of this folder share.
 */
#ifndef SSDVP_FIRMWARE_RECOVERY_PARTS_H
#define SSDVP_FIRMWARE_RECOVERY_PARTS_H

#include <stdbool.h>

#include "firmware/flash/spare.h"
#include "firmware/recovery/recovery.h"
#include "firmware/recovery/scan.h"

#define ANCHOR_MAGIC 0x41445353u  /* "SSDA" */
#define JOURNAL_MAGIC 0x4A445353u /* "SSDJ" */
#define RECOVERY_VERSION 2u

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
};

/* Anchor (anchor.c). find: reads the newest record and its tables; 1 = found, 0 = there never was
 * one, -1 = it is not readable or not ours. write: begins the next record. */
int anchor_init(struct env* e);
int anchor_find(struct env* e, struct anchor_record* out);
void anchor_write(struct env* e, uint32_t clean, uint64_t base);
/* Writes the record found again, with the tables in memory and another `clean`. */
void anchor_renew(struct env* e, const struct anchor_record* record);
bool anchor_busy(const struct env* e);
const void* anchor_journal(const struct env* e); /* the page of the record for the journal */

/* Tables (tables.c): what the drive knows of its superblocks, in front of the anchor record. */
uint64_t tables_bytes(const struct env* e);
void tables_store(struct env* e, uint64_t base, void* to);
/* Erase counts and bad blocks; with states those of superblocks and streams too. */
void tables_load(struct env* e, const void* from, bool states);

/* Journal (journal.c). */
int journal_init(struct env* e);
void journal_step(struct env* e);
/* Numbers go on from a record's: units of before may still be found. */
void journal_resume(struct env* e, uint32_t number);
void journal_release(struct env* e, uint64_t base); /* what a checkpoint of that base knows */
void journal_found(struct env* e, uint64_t index, uint64_t address);
void journal_load(struct env* e); /* reads the units found */
/* Units that are not on the flash go along with an anchor record, as many as its page for them
 * takes; the record is written; what a record brought along. */
void journal_pack(struct env* e, void* page);
void journal_packed(struct env* e);
void journal_unpack(struct env* e, const void* page);
struct trim_record {
    uint64_t first;
    uint64_t count;
    uint64_t sequence; /* trimmed after the programs up to this one were submitted */
};
uint32_t journal_records(struct env* e, uint64_t index);
const struct trim_record* journal_record(struct env* e, uint64_t index, uint32_t n);

/* Checkpoints (recovery.c): one begins, of what the map is now; its record is written. */
void checkpoint_begin(struct env* e);
void checkpoint_write(struct env* e, uint32_t clean);
bool clear_ready(struct env* e); /* clear.c: nothing is under way that the map's end would harm */

/* Page 0 of every block: factory marks, and which superblocks were written after the base. */
void scan_superblocks(struct env* e, bool first_time);
/* The spare words of all pages with sequences in (from, from + limit] go into the replay table.
 * Returns 1 when there are pages beyond. */
int scan_window(struct env* e, uint64_t from);

/* Replay (replay.c). trim: the next record of a walk over the journal, NULL. */
int replay_run(struct env* e);
const struct trim_record* replay_trim(struct env* e, struct trims* t);

/* Where entries are cached without their pages (kept.c): the cache keeps all that the window and
 * the trims tell. false = it cannot, and has nothing of it. */
bool replay_kept(struct env* e, struct trims trims);

/* The same where level 1 is framed (paged.c): applies the window in memory, or with units = 0 the
 * trims behind the last one. end: only the frames of service are left. */
void replay_paged_begin(struct env* e);
int replay_paged(struct env* e, struct trims* trims, bool units);
int replay_paged_end(struct env* e);
/* Touched pages are all that the window and the trims tell of; 1 = the table holds all of the
 * window, and the pages of level 1 alone are framed: they can be derived; 1 = map pages wait for
 * room, and nothing is under way that would give it. */
void replay_paged_touch(struct env* e);
bool replay_derivable(const struct env* e);
bool replay_starves(struct env* e);

/* Derived pages (derived.c). There was no room for what changed: nothing is written before the
 * drive serves. false = not so, or the window is too large. step: what becomes of them. */
bool replay_derive(struct env* e);
void derived_step(struct env* e);

/* Commits one segment more of what was applied. -1 = power goes. */
int replay_paged_shorten(struct env* e);

#endif
