/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables: per superblock its erases and its state, per block whether it is bad, per stream where it
 * writes. They lie in front of each anchor record, as they are when it is written, and tell besides
 * which superblocks may hold pages newer than the checkpoint's base.
 */
#include "firmware/flash/blocks.h"
#include "firmware/flash/blocks_boot.h"
#include "firmware/ftl/segments.h"
#include "firmware/hybrid/hybrid.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/stats.h"
#include "firmware/recovery/parts.h"

enum saved_state {
    SAVED_FREE = 0,
    SAVED_FULL = 1,
    SAVED_OPEN = 2,
    SAVED_ERASE = 3,
    SAVED_DEAD = 4
};

/* It may hold pages newer than the base behind older ones; its data are to move. */
#define SAVED_OPEN_AT_BASE 0x1u
#define SAVED_STALE 0x2u

struct saved_superblock {
    uint32_t erases;
    uint8_t state; /* enum saved_state */
    uint8_t flags; /* SAVED_OPEN_AT_BASE, SAVED_STALE */
    uint16_t reserved;
};

struct saved_stream {
    uint32_t block;
    uint32_t cursor;
    uint32_t taken;
    uint32_t luns_left;
};

_Static_assert(sizeof(struct saved_superblock) == ANCHOR_SUPERBLOCK_BYTES, "docs/SPEC.md");
_Static_assert(sizeof(struct saved_stream) == ANCHOR_STREAM_BYTES, "docs/SPEC.md");
_Static_assert(sizeof(struct write_pointer) == ANCHOR_POINTER_BYTES, "docs/SPEC.md");
_Static_assert(STREAMS == ANCHOR_STREAMS, "docs/SPEC.md");
_Static_assert(sizeof(struct saved_map_block) == MAP_BLOCK_BYTES, "docs/SPEC.md");

/* Where what is told of the map's segments and blocks begins: behind all else. */
static uint64_t segments_offset(const struct env* e)
{
    const struct geometry* g = e->geo;
    const uint64_t bytes =
        (uint64_t)g->blocks * sizeof(struct saved_superblock) + (uint64_t)g->blocks * g->luns +
        STREAMS * (sizeof(struct saved_stream) + (uint64_t)g->luns * sizeof(struct write_pointer));
    return (bytes + SEGMENT_NUMBER_BYTES - 1) / SEGMENT_NUMBER_BYTES * SEGMENT_NUMBER_BYTES;
}

static uint64_t before_log(const struct env* e)
{
    return segments_offset(e) + (uint64_t)e->segments->count * SEGMENT_NUMBER_BYTES +
           (uint64_t)e->segments->blocks * MAP_BLOCK_BYTES;
}

/* Where the log of hybrid mapping is: behind them. */
static uint64_t log_offset(const struct env* e)
{
    FW_ASSERT(e, e->geo->luns != 0);
    return (before_log(e) + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

uint64_t tables_bytes(const struct env* e)
{
    const uint64_t log = log_bytes(e);
    FW_ASSERT(e, e->geo->luns != 0);
    return log == 0 ? before_log(e) : log_offset(e) + log;
}

static uint8_t saved_state_of(const struct superblock* s)
{
    static const uint8_t states[] = {
        [BLOCK_FREE] = SAVED_FREE,   [BLOCK_OPEN] = SAVED_OPEN,       [BLOCK_FULL] = SAVED_FULL,
        [BLOCK_VICTIM] = SAVED_FULL, [BLOCK_COLLECTED] = SAVED_ERASE, [BLOCK_ERASING] = SAVED_ERASE,
        [BLOCK_DEAD] = SAVED_DEAD,
    };
    /* What was to leave a victim and has not is still there. */
    return s->state == BLOCK_COLLECTED && s->valid != 0 ? SAVED_FULL : states[s->state];
}

void tables_store(struct env* e, uint64_t base, void* to)
{
    const struct geometry* g = e->geo;
    struct blocks* b = e->blocks;
    struct saved_superblock* block = to;
    uint8_t* bad = (uint8_t*)(block + g->blocks);
    uint8_t* stream = bad + (uint64_t)g->blocks * g->luns;
    for (uint32_t i = 0; i < g->blocks; ++i) {
        const struct superblock* s = superblock_of(e, b, i);
        block[i].erases = s->erases;
        block[i].state = saved_state_of(s);
        block[i].flags =
            (uint8_t)((s->state == BLOCK_OPEN || s->newest > base ? SAVED_OPEN_AT_BASE : 0) |
                      ((s->flags & BLOCK_STALE) != 0 ? SAVED_STALE : 0));
        block[i].reserved = 0;
        for (uint32_t lun = 0; lun < g->luns; ++lun) {
            *bad++ = (uint8_t)(g->plane_all & ~blocks_good_planes(e, i, lun));
        }
    }
    for (uint32_t n = 0; n < STREAMS; ++n) {
        const struct stream* st = &b->stream[n];
        const struct saved_stream saved = {st->block, st->cursor, st->taken, st->luns_left};
        mem_copy(stream, &saved, sizeof saved);
        stream += sizeof saved;
        mem_copy(stream, env_dram(e, st->pointers), g->luns * sizeof(struct write_pointer));
        stream += g->luns * sizeof(struct write_pointer);
    }
    segments_store(e, (uint8_t*)to + segments_offset(e));
    log_store(e, (uint8_t*)to + log_offset(e));
}

static void load_state(struct env* e, uint32_t i, const struct saved_superblock* saved)
{
    struct superblock* s = superblock_of(e, e->blocks, i);
    FW_ASSERT(e, saved->state <= SAVED_DEAD);
    s->state = saved->state == SAVED_OPEN ? BLOCK_OPEN : BLOCK_FULL;
    s->kept = 1;
    if (saved->state == SAVED_FREE) {
        s->state = s->good == 0 ? BLOCK_DEAD : BLOCK_FREE;
    } else if (saved->state == SAVED_ERASE) {
        blocks_erase_again(e, i);
    } else if (saved->state == SAVED_DEAD) {
        s->state = BLOCK_DEAD;
    } else if ((saved->flags & SAVED_STALE) != 0) {
        blocks_make_stale(e, i, REFRESH_FAILED);
    }
}

void tables_load(struct env* e, const void* from, int states)
{
    const struct geometry* g = e->geo;
    struct blocks* b = e->blocks;
    uint8_t* flags = env_dram(e, e->recovery->flags);
    const struct saved_superblock* block = from;
    const uint8_t* bad = (const uint8_t*)(block + g->blocks);
    const uint8_t* stream = bad + (uint64_t)g->blocks * g->luns;
    for (uint32_t i = 0; i < g->blocks; ++i) {
        superblock_of(e, b, i)->erases = block[i].erases;
        superblock_of(e, b, i)->kept = block[i].state != SAVED_FREE;
        if ((block[i].flags & SAVED_OPEN_AT_BASE) != 0) {
            flags[i] |= SCAN_OPEN;
        }
        for (uint32_t lun = 0; lun < g->luns; ++lun, ++bad) {
            blocks_mark_factory_bad(e, i, lun, *bad & ~blocks_hidden(e, i, lun));
        }
    }
    blocks_count(e);
    for (uint32_t i = 0; i < g->blocks && states; ++i) {
        load_state(e, i, &block[i]);
    }
    for (uint32_t n = 0; n < STREAMS && states; ++n) {
        struct stream* st = &b->stream[n];
        struct saved_stream saved;
        mem_copy(&saved, stream, sizeof saved);
        st->block = saved.block;
        st->cursor = saved.cursor;
        st->taken = saved.taken;
        st->luns_left = saved.luns_left;
        stream += sizeof saved;
        mem_copy(env_dram(e, st->pointers), stream, g->luns * sizeof(struct write_pointer));
        stream += g->luns * sizeof(struct write_pointer);
    }
    segments_expect(e, (const uint8_t*)from + segments_offset(e));
    log_load(e, (const uint8_t*)from + log_offset(e));
    blocks_count_free(e);
}
