/* SPDX-License-Identifier: Apache-2.0
 *
 * Map pages and journal units on their way to the flash. What goes to one stream of superblocks is
 * a queue with buffers of its own: all levels share one, or each level has one; the journal goes
 * with level 1.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_OUT_H
#define SSDVP_FIRMWARE_MAP_MAPS_OUT_H

#include <stdbool.h>

#include "firmware/lib/crc.h"
#include "firmware/lib/env.h"
#include "firmware/lib/list.h"
#include "firmware/lib/run.h"
#include "firmware/ops/flash.h"
#include "firmware/space/pool.h"

#define MAPS_LEVELS 6u
#define MAPS_ALL_QUEUES ((1u << MAPS_LEVELS) - 1u)

struct map_out {    /* a unit on its way to the flash */
    uint64_t word;  /* spare word: kind and index */
    uint64_t order; /* when it was put out, 0 = it is on the flash, or there is none */
    uint32_t lent;  /* 1 = it is also on its way to the host's memory (hmb.h) */
    uint32_t reserved;
};

struct map_queue {
    struct fifo free;  /* buffers */
    struct fifo ready; /* ... with what is to be programmed */
};

struct map_outs {
    uint64_t table; /* struct map_out per buffer */
    uint64_t buffers;
    uint64_t links;
    uint64_t order;
    uint32_t count;  /* buffers, of all queues and of frames */
    uint32_t queues; /* and streams: 1, or one per level */
    uint32_t ready;  /* in all queues */
    uint32_t urgent; /* mask of queues: what is ready is programmed, a whole write unit or not */
    uint32_t programs;
    uint32_t found; /* buffer that was outstanding when asked last */
    struct map_queue queue[MAPS_LEVELS];
};

int maps_out_init(struct env* e); /* memory; 0 = done */
uint32_t* maps_out_links(struct env* e);
struct map_out* maps_out_of(struct env* e, uint32_t i);
uint64_t maps_out_buffer(struct env* e, uint32_t i);

/* The queue of the unit of a spare word. */
uint32_t maps_queue_of(const struct env* e, uint64_t word);

/* Puts a copy of a unit out to the flash: the buffer that has it, INDEX_NONE = none is free. */
uint32_t maps_put_unit(struct env* e, uint64_t word, uint64_t from);
/* ... the buffer that has it, without a copy; its sums, NULL if nobody knows them. Another one for
 * the caller, who has seen to it that there is one. */
uint32_t maps_put_buffer(struct env* e, uint64_t word, uint32_t buffer,
                         const struct content_sums* known);
/* What is in it is also read by somebody else, who gives it back. */
void maps_lend_out(struct env* e, uint32_t i);
void maps_out_returned(struct env* e, uint32_t i);
/* It is on the flash, or comes to nothing. */
void maps_out_over(struct env* e, uint32_t i);
/* What is ready of the level, or of all queues, is programmed, a whole write unit or not. */
void maps_hurry(struct env* e, uint32_t level);
void maps_hurry_all(struct env* e);
/* true = something put out up to that order is not on the flash yet. */
bool maps_outstanding(struct env* e, uint64_t order);
/* The copy of a page that is on its way to the flash. */
uint64_t maps_copy_of(struct env* e, uint32_t level, uint64_t page);
bool maps_free_outs(const struct env* e, uint32_t level);
/* Copies of pages of level 1 that wait for room come to nothing; all that is put out and not on the
 * flash does, for nobody needs it there any more. */
void maps_recall(struct env* e);
void maps_drop_outs(struct env* e);
/* true = something is ready for a stream that finds no superblock. */
bool maps_no_room(struct env* e);
/* true = map pages wait for room on the flash, and none of them is being programmed. */
bool maps_starve(struct env* e);

/* Whether pages wait for room to go out has changed, as it may each time that somebody asks:
 * collection says who may take the last superblock, when what is under way ends. */
static inline void maps_pressed(struct env* e)
{
    if (!blocks_last(e->blocks)) {
        return;
    }
    run_later(e, DUE_GC);
    if (flash_in_flight(e) == 0) {
        run_due(e, DUE_GC);
    }
}

#endif
