/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of checkpoints, the journal, the anchor, and a power-up: the state of this folder,
 * and what others ask of it.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_STATE_H
#define SSDVP_FIRMWARE_DURABLE_STATE_H

#include <stdbool.h>

#include "firmware/lib/list.h"
#include "firmware/lib/run.h"
#include "firmware/map/maps.h"
#include "firmware/map/modes.h"
#include "firmware/ops/flash.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"

#define RECOVERY_VERSION 3u /* of the records that it puts on the flash */

enum checkpoint_phase {
    CHECKPOINT_IDLE = 0,
    CHECKPOINT_PUT = 1,   /* a level's dirty pages are put out */
    CHECKPOINT_DRAIN = 2, /* ... and awaited */
    CHECKPOINT_RECORD = 3 /* the anchor record is being programmed */
};

struct anchor_block {
    uint32_t block;
    uint32_t plane;
};

struct anchor_copy {
    uint32_t lun; /* of the part */
    struct anchor_block block[ANCHOR_BLOCKS * ANCHOR_SPAN];
    uint32_t blocks; /* how many there are, of `span` blocks each: two at least */
    uint32_t failed; /* mask of those that failed */
    uint32_t newest; /* which of them holds the newest record, INDEX_NONE = none does */
    uint32_t turn;   /* which of them is written */
    uint32_t page;   /* next page in it */
    uint32_t erases; /* of the blocks that make it, still to go */
    uint32_t left;   /* pages of the record that have still to go, 0 = it is not on its way */
    uint32_t dead;   /* 1 = it takes no more records */
};

struct anchor {
    uint32_t copies;
    uint32_t pages;   /* of a record: the tables, then the record itself */
    uint32_t span;    /* blocks that are written as one */
    uint32_t dead;    /* copies that cannot be written any more */
    uint32_t taken;   /* copies that took the record under way */
    uint32_t doubted; /* 1 = it says that the drive was shut down, but may not be the last one */
    uint32_t weak;    /* 1 = a page of it was hard to read: it goes to other blocks */
    uint64_t number;  /* of the last record */
    uint64_t buffer;  /* the record, all of its pages */
    struct anchor_copy copy[ANCHOR_COPIES];
};

struct journal_unit {
    uint64_t address; /* FTL_NONE = not on the flash */
    uint64_t last;    /* sequence of its last record */
    uint32_t moving;  /* 1 = on its way to another place */
    uint16_t missing; /* 1 = there is no such unit */
    uint16_t packed;  /* 1 = going into an anchor record, 2 = it is in one */
};

struct journal {
    uint64_t home;   /* `units` units */
    uint64_t units;  /* that may matter at once */
    uint64_t first;  /* oldest unit that still matters */
    uint64_t open;   /* unit that takes records */
    uint64_t put;    /* units below are on their way or there */
    uint32_t wanted; /* 1 = somebody waits for what is in the open unit */
    uint32_t found;  /* 1 = the scan of a power-up found some */
    struct journal_unit unit[JOURNAL_UNITS];
};

struct kept_state { /* drive_state.h */
    uint64_t address;
    uint32_t version; /* as it is; as the record on its way has it; as the flash has it */
    uint32_t taken;
    uint32_t saved;
    uint32_t reserved;
};

enum scan_flag {
    SCAN_NEWER = 0x01, /* a block has pages behind the base */
    SCAN_OLDER = 0x02,
    SCAN_MERGED = 0x04, /* a merge wrote it */
    SCAN_TORN = 0x08,   /* a block has nothing readable, and is not erased */
    SCAN_OPEN = 0x10,   /* pages behind the base may follow older ones */
    SCAN_WHOLE = 0x20,  /* written to its end, and no block of it is erased: scan_whole */
    SCAN_PROBE = 0x40,  /* a block's first page is unreadable */
    SCAN_FAILED = 0x80  /* a block that failed holds pages */
};

struct recovery {
    uint32_t phase; /* enum checkpoint_phase */
    uint32_t level;
    uint64_t walk;
    uint64_t drain;     /* what is to be on the flash before the next level */
    uint64_t base;      /* of the newest complete checkpoint */
    uint64_t next_base; /* of the one under way */
    uint64_t due;       /* programs after the base that start the next one */
    uint64_t limit;     /* programs that the replay table holds */
    uint64_t replay;    /* the table */
    uint64_t flags;     /* uint8_t per superblock: enum scan_flag */
    uint64_t erased;    /* uint8_t plane mask per superblock and LUN: erased, as the scan saw */
    uint64_t ends;      /* uint16_t per LUN and plane of the superblocks that are scanned */
    uint64_t batch;     /* uint32_t: these, geo->blocks = none */
    uint32_t batch_most;
    uint64_t highest;    /* sequence that was found */
    uint64_t applied;    /* replay: sequence of the program that is applied */
    uint64_t settled;    /* ... programs up to this one are in the segments on the flash */
    uint64_t base_found; /* of the checkpoint that power-up found */
    uint64_t window;     /* the table holds the programs behind this one */
    uint64_t trims_end;  /* journal units below are power-up's, where pages are derived */
    uint32_t beyond;     /* 1 = there are programs behind the window */
    uint32_t resumed;    /* 1 = the streams are where the scan found them */
    uint32_t broken;     /* pages whose spare words are damaged */
    uint32_t pass;       /* level whose units are applied */
    uint32_t waits;      /* enum boot_waits */
    uint32_t read_done;
    uint32_t read_ok;
    uint32_t read_tries; /* ... and how often it was repeated */
    uint64_t erase_ticket;
    uint64_t erase_covered; /* erases, of those ever queued, that the ticket is good for */
    uint32_t erase_head;    /* superblock whose erase waits for the ticket */
    uint32_t tail;          /* 1 = an anchor record is on its way for the journal's sake */
    uint32_t again;         /* 1 = a checkpoint has ended: what waited for it may go on, now */
    uint32_t starved;       /* times that a shutdown found no room for its checkpoint */
    uint32_t wanted;        /* 1 = a checkpoint is to be made now */
    uint32_t final;         /* 1 = the last one before power goes */
    uint32_t clean;         /* 1 = the newest record says that all is at rest */
    uint32_t kind;          /* enum recovery_kind of this power-up */
    struct anchor anchor;
    struct journal journal;
    struct kept_state state;
};

enum recovery_kind { RECOVERY_FRESH = 0, RECOVERY_CLEAN = 1, RECOVERY_REPLAY = 2 };

/* ---- What others want to know of it ---- */

/* A checkpoint is under way: in any phase; its dirty pages are put out; its record is written, and
 * not that of the journal's tail. */
static inline bool checkpoint_goes(const struct env* e)
{
    return e->recovery->phase != CHECKPOINT_IDLE;
}

static inline bool checkpoint_puts(const struct env* e)
{
    return e->recovery->phase == CHECKPOINT_PUT;
}

static inline bool checkpoint_records(const struct env* e)
{
    return e->recovery->phase == CHECKPOINT_RECORD;
}

/* true = as much has been programmed since the last one as makes one due. */
static inline bool checkpoint_is_due(const struct env* e)
{
    return flash_sequence(e) - e->recovery->base >= e->recovery->due;
}

/* true = the newest complete one does not know of the program with the sequence. */
static inline bool checkpoint_lacks(const struct env* e, uint64_t sequence)
{
    return sequence > e->recovery->base;
}

/* true = something of it has ended, and what waited may go on in another round. */
static inline bool recovery_again(const struct env* e)
{
    return e->recovery->again != 0;
}

/* true = there was nothing on the flash. */
static inline bool recovery_is_fresh(const struct env* e)
{
    return e->recovery->kind == RECOVERY_FRESH;
}

/* true = who waits for a checkpoint, for what the journal lets be erased then, or for the record
 * that lets a drive program which was shut down, waits in vain: no copy of the anchor takes a
 * record any more, or the map no change. Asked when nothing is under way. */
static inline bool recovery_in_vain(const struct env* e)
{
    const struct recovery* v = e->recovery;
    return ftl_spent(e) || (v->anchor.dead == v->anchor.copies &&
                            (v->wanted != 0 || blocks_erases_held(e) || !blocks_gate_open(e)));
}

/* true = a checkpoint is asked for that the next round begins. */
static inline bool checkpoint_waits(const struct env* e)
{
    return e->recovery->wanted != 0 && !checkpoint_goes(e) && !ftl_holds(e) && !recovery_in_vain(e);
}

/* The next step begins one. */
static inline void checkpoint_ask(struct env* e)
{
    if (e->recovery->wanted == 0) {
        e->recovery->wanted = 1;
        run_due(e, DUE_DURABLE);
    }
}

#endif
