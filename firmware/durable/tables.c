/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables: per superblock its erases and its state, per block whether it is bad, per stream where it
 * writes. They lie in front of each anchor record, as they are when it is written, and tell besides
 * which superblocks may hold pages newer than the checkpoint's base.
 */
#include "firmware/durable/tables.h"

#include "firmware/durable/state.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_boot.h"
#include "firmware/space/bad.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"
#include "firmware/space/resume.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "firmware/space/valid.h"

enum saved_state {
    SAVED_FREE = 0,
    SAVED_FULL = 1,
    SAVED_OPEN = 2,
    SAVED_ERASE = 3,
    SAVED_DEAD = 4
};

/* It may hold pages newer than the base behind older ones; its data are to move; not even at the
 * time of the record was the count of its valid units more than a guess. */
#define SAVED_OPEN_AT_BASE 0x08u
#define SAVED_STALE 0x10u
#define SAVED_GUESSED 0x20u
#define SAVED_PLACED 0x20u /* the same bit with block mapping, which guesses nothing: of that */
#define SAVED_STATE_MASK 0x07u
#define SAVED_VALID_SHIFT 6u
#define SAVED_VALID_NONE                                                                           \
    (UINT32_MAX >> SAVED_VALID_SHIFT) /* more than can be said, or nobody knows */

struct saved_superblock {
    uint32_t erases;
    uint32_t word; /* enum saved_state, flags, units that are valid */
};

_Static_assert(sizeof(struct saved_superblock) == ANCHOR_SUPERBLOCK_BYTES, "docs/SPEC.md");
_Static_assert(STREAMS_MOST - STREAM_MAP == MAPS_LEVELS, "a stream per level");
_Static_assert(sizeof(struct saved_map_block) == MAP_BLOCK_BYTES, "docs/SPEC.md");

/* Where what is told of the map's segments and blocks begins: behind all else. */
static uint64_t segments_offset(const struct env* e)
{
    const struct geometry* g = e->geo;
    const uint64_t bytes = (uint64_t)g->blocks * sizeof(struct saved_superblock) +
                           (uint64_t)g->blocks * g->luns + streams_bytes(e);
    return (bytes + SEGMENT_NUMBER_BYTES - 1) / SEGMENT_NUMBER_BYTES * SEGMENT_NUMBER_BYTES;
}

static uint64_t before_log(const struct env* e)
{
    return segments_offset(e) + (uint64_t)segments_count(e) * SEGMENT_NUMBER_BYTES +
           (uint64_t)segments_blocks(e) * MAP_BLOCK_BYTES;
}

/* Where the log of hybrid mapping is: behind them. */
static uint64_t log_offset(const struct env* e)
{
    return (before_log(e) + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

uint64_t tables_bytes(const struct env* e)
{
    const uint64_t log = ftl_layout_of(e)->bytes(e) + retention_bytes(e);
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

static uint32_t saved_word_of(const struct superblock* s, uint64_t base)
{
    const uint32_t valid = blocks_live(s);
    const bool told = (s->flags & BLOCK_UNTOLD) == 0 && valid < SAVED_VALID_NONE;
    return saved_state_of(s) |
           (s->state == BLOCK_OPEN || s->newest > base ? SAVED_OPEN_AT_BASE : 0) |
           ((s->flags & BLOCK_STALE) != 0 ? SAVED_STALE : 0) |
           ((s->flags & BLOCK_GUESSED) != 0 ? SAVED_GUESSED : 0) |
           (told ? valid : SAVED_VALID_NONE) << SAVED_VALID_SHIFT;
}

/* Where units of the journal lie, which the record makes void if its checkpoint knows them, is not
 * counted: nothing but the maps tells of what is counted. */
static void leave_out_journal(struct env* e, struct saved_superblock* block)
{
    const struct journal* j = &e->recovery->journal;
    for (uint64_t n = j->first; n < j->open; ++n) {
        const uint64_t address = j->unit[n % j->units].address;
        if (address != FTL_NONE) {
            uint32_t* word = &block[address_block(e->geo, address)].word;
            const uint32_t valid = *word >> SAVED_VALID_SHIFT;
            FW_ASSERT(e, valid != 0);
            *word -= valid != SAVED_VALID_NONE ? 1u << SAVED_VALID_SHIFT : 0;
        }
    }
}

/* No record tells where the stream writes: what it has open counts as full. */
static void close_stream(const struct env* e, uint32_t stream, struct saved_superblock* block)
{
    const uint32_t open = blocks_open_of(e, stream);
    if (open != INDEX_NONE) {
        FW_ASSERT(e, (block[open].word & SAVED_STATE_MASK) == SAVED_OPEN);
        block[open].word = (block[open].word & ~SAVED_STATE_MASK) | SAVED_FULL;
    }
    FW_ASSERT(e, stream >= STREAM_DIRECTED || e->geo->word_line != 0);
}

/* Whoever reads the record may have fewer streams by directive, or none. */
static void close_directed(const struct env* e, struct saved_superblock* block)
{
    for (uint32_t n = 0; n < blocks_directed(e); ++n) {
        close_stream(e, STREAM_DIRECTED + n, block);
    }
    if (slc_on(e)) {
        close_stream(e, STREAM_SLC, block);
    }
}

void tables_store(struct env* e, uint64_t base, void* to)
{
    const struct geometry* g = e->geo;
    const struct ftl_layout* layout = ftl_layout_of(e);
    struct saved_superblock* block = to;
    uint8_t* bad = (uint8_t*)(block + g->blocks);
    uint8_t* stream = bad + (uint64_t)g->blocks * g->luns;
    for (uint32_t i = 0; i < g->blocks; ++i) {
        const struct superblock* s = superblock_of(e, e->blocks, i);
        block[i].erases = s->erases | slc_saved_mode(e, i);
        block[i].word = saved_word_of(s, base);
        const uint32_t kept = layout->kept(e, i);
        block[i].word |= (kept & LAYOUT_PLACED) != 0 ? SAVED_PLACED : 0;
        block[i].word |= (kept & LAYOUT_FOLLOWS) != 0 ? SAVED_OPEN_AT_BASE : 0;
        for (uint32_t lun = 0; lun < g->luns; ++lun) {
            *bad++ = (uint8_t)(g->plane_all & ~blocks_good_planes(e, i, lun));
        }
    }
    leave_out_journal(e, block);
    close_directed(e, block);
    /* A word line between its passes has lost its data then. */
    for (uint32_t n = 0; n < blocks_streams(e) && e->geo->word_line != 0; ++n) {
        close_stream(e, n, block);
    }
    streams_store(e, stream);
    segments_store(e, (uint8_t*)to + segments_offset(e));
    layout->store(e, (uint8_t*)to + log_offset(e));
    retention_store(e, (uint8_t*)to + log_offset(e)); /* schemes with a log have none */
}

/* How many units are valid: of a clean shutdown all of them, and no others but what was trimmed
 * before the next record, if that reached the map (vm_map's segments). That nothing is may
 * then be believed without a look at the maps, through further cuts too: the drive is as that
 * record says until another one, which says that it is not clean, is written before the first
 * program. What is erased meanwhile is erased once more if the power goes. Any other record tells
 * what may have changed since. */
static void load_count(struct env* e, uint32_t i, const struct saved_superblock* saved, bool exact)
{
    struct superblock* s = superblock_of(e, e->blocks, i);
    const uint32_t state = saved->word & SAVED_STATE_MASK;
    const uint32_t valid = saved->word >> SAVED_VALID_SHIFT;
    FW_ASSERT(e, s->valid == 0);
    if ((state != SAVED_FULL && state != SAVED_OPEN) || ftl_layout_of(e)->logical_blocks != 0) {
        return; /* logical blocks: nothing is collected before all is known */
    }
    if (valid == SAVED_VALID_NONE) {
        s->flags |= BLOCK_UNTOLD;
        return;
    }
    s->unseen = valid;
    s->flags |= exact && (saved->word & SAVED_GUESSED) == 0 ? 0 : BLOCK_GUESSED;
}

static void load_state(struct env* e, uint32_t i, const struct saved_superblock* saved)
{
    struct superblock* s = superblock_of(e, e->blocks, i);
    const uint32_t state = saved->word & SAVED_STATE_MASK;
    s->state = state == SAVED_OPEN ? BLOCK_OPEN : BLOCK_FULL;
    s->kept = 1;
    if (state == SAVED_FREE) {
        s->state = s->good == 0 ? BLOCK_DEAD : BLOCK_FREE;
    } else if (state == SAVED_ERASE) {
        blocks_erase_again(e, i);
    } else if (state == SAVED_DEAD) {
        s->state = BLOCK_DEAD;
    } else if ((saved->word & SAVED_STALE) != 0) {
        blocks_make_stale(e, i, REFRESH_FAILED);
    }
}

void tables_load(struct env* e, const void* from, bool states)
{
    const struct geometry* g = e->geo;
    const struct ftl_layout* layout = ftl_layout_of(e);
    uint8_t* flags = env_dram(e, e->recovery->flags);
    const struct saved_superblock* block = from;
    const uint8_t* bad = (const uint8_t*)(block + g->blocks);
    const uint8_t* stream = bad + (uint64_t)g->blocks * g->luns;
    for (uint32_t i = 0; i < g->blocks; ++i) {
        superblock_of(e, e->blocks, i)->erases = block[i].erases & ~SLC_SAVED_MODE;
        superblock_of(e, e->blocks, i)->flags |=
            block[i].erases != superblock_of(e, e->blocks, i)->erases ? BLOCK_SLC : 0;
        superblock_of(e, e->blocks, i)->kept = (block[i].word & SAVED_STATE_MASK) != SAVED_FREE;
        load_count(e, i, &block[i], states);
        if ((block[i].word & SAVED_OPEN_AT_BASE) != 0) {
            flags[i] |= SCAN_OPEN;
        }
        if (layout->any_page != 0 && (block[i].word & SAVED_PLACED) != 0) {
            flags[i] |= SCAN_MERGED;
        }
        for (uint32_t lun = 0; lun < g->luns; ++lun, ++bad) {
            blocks_mark_bad(e, i, lun, *bad & ~blocks_hidden(e, i, lun));
        }
    }
    blocks_count(e);
    for (uint32_t i = 0; i < g->blocks && states; ++i) {
        load_state(e, i, &block[i]);
    }
    if (states) {
        streams_load(e, stream);
    }
    segments_expect(e, (const uint8_t*)from + segments_offset(e));
    layout->load(e, (const uint8_t*)from + log_offset(e));
    retention_load(e, (const uint8_t*)from + log_offset(e));
    blocks_count_free(e);
}
