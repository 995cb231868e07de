/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of flash operations: static pools of them with their buffers, lists and spare words, how
 * many each owner has, what is under way, and the order of programs. Nothing here goes to the flash
 * (flash.h).
 */
#ifndef SSDVP_FIRMWARE_OPS_REQUESTS_H
#define SSDVP_FIRMWARE_OPS_REQUESTS_H

#include <stdbool.h>

#include "firmware/drv/channel.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/list.h"
#include "firmware/lib/request.h"
#include "firmware/lib/run.h"
#include "firmware/ops/read_pool.h"

typedef void (*flash_handler)(struct env* e, const struct flash_result* result);

#define FLASH_COPIES_GARBAGE 1u /* copyback: collection of garbage, folding of the SLC cache */
#define FLASH_COPIES_CACHE 2u
#define FLASH_MODE_OF_BLOCK 0xFFu /* what the superblock's is: with an SLC cache (slc.h) */

struct passes {     /* passes.h */
    uint32_t held;  /* requests that wait for a pass, but for padding that is done with ... */
    uint32_t host;  /* ... and of these the write buffer's */
    uint64_t state; /* uint8_t per request: enum pass_state */
    uint64_t luns;  /* struct lun_passes per LUN */
};

struct flash {
    uint64_t requests; /* struct flash_request */
    uint64_t links;    /* uint32_t per request */
    uint64_t lists;    /* scatter-gather lists of background requests, geo.group addresses each */
    uint64_t oobs;     /* OOB areas of background requests: the spare words of geo.planes pages */
    uint64_t buffers;  /* page buffers of reads */
    uint64_t zero;     /* a page of zeroes, never written: the buffer has taken it */
    uint64_t luns;     /* struct lun_queue */
    uint32_t reads;    /* requests 0 .. reads-1 are reads with a buffer */
    uint32_t total;
    uint32_t in_flight;  /* submitted, not handed back */
    uint32_t bystanders; /* of them, reads of the host and of the patrol */
    struct read_pool free_reads;
    struct fifo single_reads; /* free as well: they went alone, and go again first */
    struct fifo free_background;
    struct fifo failed;     /* every plane went bad while they waited */
    uint32_t owned[OWNERS]; /* requests per owner now ... */
    uint32_t limit[OWNERS]; /* ... and at most */
    uint32_t erases;
    uint32_t erases_max;
    uint16_t host_mode;  /* enum flash_program_mode of host programs, or FLASH_MODE_OF_BLOCK ... */
    uint16_t array_mode; /* ... and of every other page or block operation */
    uint32_t metadata_tries; /* beside the plain read; 0 = each level once */
    uint32_t copyback;       /* FLASH_COPIES_*: what may use it */
    bool reads_planes;       /* true = pages of several planes may be one read of the host */
    bool searching;          /* true = reads are of the anchor's blocks, or of what may be one */
    uint32_t ended;          /* its request is being handed back, + 1; 0 = none is */
    uint32_t wanted;         /* 1 = one of the first two owners waits for a request */
    uint64_t sequence;       /* of the latest program; spare.h */
    uint64_t reached;        /* ... that power-up would find */
    struct passes passes;
};

/* As many as the limits of the owners say. 0 = done, -1 = tags have fewer numbers. */
int requests_init(struct env* e);

/* How many there are; those below flash_reads are reads with a page buffer, ... */
static inline uint32_t flash_requests(const struct env* e)
{
    return e->flash->total;
}

static inline uint32_t flash_reads(const struct env* e)
{
    return e->flash->reads;
}

static inline uint32_t flash_free_reads(const struct env* e)
{
    return e->flash->free_reads.count + e->flash->single_reads.count;
}

/* ... of which half are in use. */
static inline bool flash_reads_scarce(const struct env* e)
{
    return flash_free_reads(e) <= e->flash->reads / 2;
}

/* Of an owner: how many it has, how many it may have, and whether it may have one more. */
static inline uint32_t flash_owned(const struct env* e, uint32_t owner)
{
    return e->flash->owned[owner];
}

static inline uint32_t flash_most(const struct env* e, uint32_t owner)
{
    return e->flash->limit[owner];
}

static inline bool flash_may_take(const struct env* e, uint32_t owner)
{
    return e->flash->owned[owner] < e->flash->limit[owner];
}

/* Of the host's programs there may be no more than that from here on. */
static inline void flash_throttle(struct env* e, uint32_t programs)
{
    if (programs > e->flash->limit[OWNER_PROGRAM]) {
        run_due(e, DUE_STEPS);
    }
    e->flash->limit[OWNER_PROGRAM] = programs;
}

/* For lists of requests, which have one link each. */
static inline uint32_t* flash_links(const struct env* e)
{
    return (uint32_t*)env_dram(e, e->flash->links);
}

static inline struct flash_request* flash_request_of(const struct env* e, uint32_t i)
{
    return (struct flash_request*)env_dram_entry(e, e->flash->requests, i,
                                                 sizeof(struct flash_request));
}

/* Makes it a read of one page; which bytes of it and where to is the owner's to say. */
static inline void flash_read_page(struct flash_request* r, const struct place* p, uint32_t purpose,
                                   uint32_t priority)
{
    r->op = FLASH_OP_READ;
    r->purpose = (uint8_t)purpose;
    r->priority = (uint8_t)priority;
    r->plane_mask = (uint8_t)(1u << p->plane);
    r->lun = (uint16_t)p->lun;
    r->block = p->block;
    r->page = p->page;
}

/* Makes it a program of whole pages with their spare words, of data that its list names; where to
 * is the owner's to say. */
static inline void flash_program_pages(const struct env* e, struct flash_request* r,
                                       uint32_t purpose, uint32_t priority)
{
    r->op = FLASH_OP_PROGRAM;
    r->purpose = (uint8_t)purpose;
    r->priority = (uint8_t)priority;
    r->column = 0;
    r->length = e->geo->page_size;
    r->sg = true;
    r->oob = true;
}

/* A page of zeroes, from when it is the turn of the buffer's memory. */
void flash_take_zero(struct env* e);
/* Its address, which stands for padding, and for what was never written. */
static inline uint64_t flash_zero(const struct env* e)
{
    return e->flash->zero;
}

/* A request of the owner, INDEX_NONE when it has as many as it may. flash_free gives it back. */
uint32_t flash_take(struct env* e, uint32_t owner);
void flash_free(struct env* e, uint32_t request);
/* A read of the host with the buffers of so many pages, which lie side by side: of whole pages with
 * the same number on so many planes of a LUN. INDEX_NONE when there is none: each by itself, then.
 * One that fails becomes a read of each plane. */
uint32_t flash_take_pages(struct env* e, uint32_t pages);
static inline bool flash_reads_planes(const struct env* e)
{
    return e->flash->reads_planes;
}
/* Of a read of whole pages. */
static inline uint32_t flash_pages(const struct flash_request* r)
{
    const uint32_t planes = r->plane_mask;
    return (planes & (planes - 1u)) == 0 ? 1 : count_bits(planes);
}
/* A read with a page buffer that was never given back becomes another one. */
void flash_reuse(struct env* e, uint32_t request);
uint64_t flash_buffer(struct env* e, uint32_t request); /* page buffer of a read */
/* Scatter-gather list; that of a read with a page buffer lies in there. */
uint64_t flash_list_at(struct env* e, uint32_t request);
static inline uint64_t* flash_list(struct env* e, uint32_t request)
{
    return (uint64_t*)env_dram(e, flash_list_at(e, request));
}
/* Spare words in plane order, spare_words of each page: the n-th unit's is at spare_word(n). Those
 * of a program get their headers when it is submitted. */
uint64_t flash_oob_at(struct env* e, uint32_t request);
static inline uint64_t* flash_oob(struct env* e, uint32_t request)
{
    return (uint64_t*)env_dram(e, flash_oob_at(e, request));
}

/* ---- What is under way ---- */

static inline uint32_t flash_in_flight(const struct env* e) /* submitted and not handed back */
{
    return e->flash->in_flight;
}
/* Of them reads of the host and of the patrol, whose ends free nothing; any others. */
static inline uint32_t flash_bystanders(const struct env* e)
{
    return e->flash->bystanders;
}
static inline bool flash_at_work(const struct env* e)
{
    return e->flash->in_flight != e->flash->bystanders;
}
/* Whose end its owner hears of just now, + 1; 0 = none. */
static inline uint32_t flash_ending(const struct env* e)
{
    return e->flash->ended;
}

/* ---- Order of programs ---- */

/* The latest one; the next one gets its number; power-up would find all up to that. */
static inline uint64_t flash_sequence(const struct env* e)
{
    return e->flash->sequence;
}
static inline uint64_t flash_next_sequence(struct env* e)
{
    return ++e->flash->sequence;
}
static inline uint64_t flash_reached(const struct env* e)
{
    return e->flash->reached;
}
static inline void flash_reaches_all(struct env* e)
{
    e->flash->reached = e->flash->sequence;
}
/* Power-up has found one on the flash. */
static inline void flash_raise_sequence(struct env* e, uint64_t found)
{
    e->flash->sequence = found > e->flash->sequence ? found : e->flash->sequence;
}
/* Every program up to this sequence has ended. Power-up goes on behind the highest sequence that it
 * finds: one that is not on the flash comes again. */
uint64_t flash_settled(struct env* e);

/* With an SLC cache (space/slc.h). From modes_start on operations are in the mode of their
 * superblock; what power-up has read before is the anchor's, which is in none. */
void flash_modes_start(struct env* e);
/* Of all superblocks, where there is no such cache. */
static inline uint32_t flash_array_mode(const struct env* e)
{
    return e->flash->array_mode;
}
/* The enum flash_program_mode of a superblock's blocks. */
uint8_t flash_block_mode(struct env* e, uint32_t block);

/* ---- Reads that fail, and copyback ---- */

/* The request is going to be another read. */
static inline void flash_read_restart(struct flash_request* r)
{
    r->level = 0;
    r->tries = 0;
}
uint32_t flash_retry_levels(const struct env* e);  /* of the part */
static inline bool flash_errs(const struct env* e) /* reads may find bit errors */
{
    return e->flash->metadata_tries != 0;
}
/* Where word lines take two passes, records of the anchor do not: their blocks are in SLC mode, and
 * so is what reads look for while they search for one. */
static inline bool flash_records_slc(const struct env* e)
{
    return e->geo->word_line != 0;
}
static inline void flash_search_records(struct env* e, bool on)
{
    e->flash->searching = on;
}

/* What the data of a copyback are: garbage collected, or the SLC cache folded; may it be one. */
static inline bool flash_copies(const struct env* e, uint32_t what)
{
    return (e->flash->copyback & what) != 0;
}

/* ---- Data of sectors in buffers of the flash, as the data mode keeps them ---- */

/* Those of a mask, bit n = the n-th one behind the addresses. */
void sectors_copy(struct env* e, uint64_t to, uint64_t from, uint64_t mask);
void sectors_zero(struct env* e, uint64_t to, uint64_t mask);

#endif
