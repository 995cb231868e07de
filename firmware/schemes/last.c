/* SPDX-License-Identifier: Apache-2.0
 *
 * last (Lee, Shin, Kim, Kim, ACM SIGOPS OSR 42(6), 2008): hybrid mapping whose log blocks have
 * parts by locality. A unit that is written again by a long command goes to the sequential log
 * block of its logical block, at its own offset, so that a merge only copies what is missing there;
 * of these the one that was written least recently is merged. Units of short commands are appended
 * to random log blocks: to the hot part when they were written there not long ago, else to the cold
 * one. Of the random log blocks one of which nothing counts is erased, else a cold one of the
 * fewest logical blocks is merged.
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/buffer/cache.h"
#include "firmware/buffer/merged.h"
#include "firmware/map/ftl.h"
#include "firmware/space/state.h"
#include "models/regs/parts/map.h"

struct last {
    uint32_t hot_most; /* blocks of the hot part, as it is now */
    uint32_t writes;   /* to random log blocks, modulo 2^32 */
};

static struct last* own(const struct env* e)
{
    return ftl_own(e, sizeof(struct last));
}

enum log_part {
    PART_COLD = 0,
    PART_HOT = 1,
    PART_COOLED = 2
}; /* log_slot.mark; the last is cold */

/* ---- The sequential part ---- */

static void merge_oldest(struct env* e)
{
    const uint32_t slot = logs_oldest(e, BLOCK_SECOND);
    if (!logs_merging(e)) {
        (void)fold_complete(e, slot_at(e, slot)->lblock);
    }
}

static bool place_stream(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const enum second_place placed =
        place_at_offset(e, unit, e->told.map->placed.stream_blocks, to);
    if (placed == SECOND_FULL) {
        merge_oldest(e);
    }
    return placed == SECOND_PLACED;
}

/* ---- The random part ---- */

/* It was written to a random log block within the last so many writes to these, and has not been
 * merged since. */
static bool is_hot(struct env* e, uint64_t unit)
{
    const uint64_t address = unit_find(e, unit);
    if (address == FTL_NONE) {
        return false;
    }
    const struct place p = address_place(e->geo, address);
    const struct superblock* s = superblock_of(e, e->blocks, p.block);
    if (s->role != BLOCK_LOG) {
        return false;
    }
    const uint32_t when = slot_notes(e, s->owner)[p.page];
    FW_ASSERT(e, page_unit(e, p.block, p.page) == unit);
    return when != 0 && own(e)->writes + 1 - when <= e->told.map->placed.hot_window;
}

static bool append(struct env* e, uint64_t unit, uint32_t slot, struct ftl_place* to)
{
    struct last* h = own(e);
    FW_ASSERT(e, slot_open(e, slot));
    h->writes += h->writes == UINT32_MAX ? 2u : 1u; /* 0 says: not known */
    slot_notes(e, slot)[slot_at(e, slot)->fill] = h->writes;
    return place_next(e, unit, slot, to);
}

/* The block of a part that takes the next unit, INDEX_NONE. */
static uint32_t open_of(struct env* e, uint32_t part)
{
    uint32_t slot = logs_newest(e, BLOCK_LOG);
    while (slot != INDEX_NONE && (slot_at(e, slot)->mark != part || !slot_open(e, slot))) {
        slot = log_older(e, slot);
    }
    return slot;
}

/* Nothing in it counts, or will: its programs have ended. */
static bool is_dead(struct env* e, uint32_t slot)
{
    const struct superblock* s = superblock_of(e, e->blocks, slot_at(e, slot)->block);
    return s->valid == 0 && s->pending == 0 && !slot_open(e, slot);
}

static uint32_t find_dead(struct env* e)
{
    uint32_t slot = logs_oldest(e, BLOCK_LOG);
    while (slot != INDEX_NONE && !is_dead(e, slot)) {
        slot = log_newer(e, slot);
    }
    return slot;
}

/* The hot part keeps within its size: of what is too much the oldest is cold. */
static void cool(struct env* e, uint32_t most)
{
    uint32_t hot = 0;
    for (uint32_t slot = logs_newest(e, BLOCK_LOG); slot != INDEX_NONE; slot = log_older(e, slot)) {
        struct block_slot* s = slot_at(e, slot);
        hot += s->mark == PART_HOT ? 1u : 0u;
        if (s->mark == PART_HOT && hot > most && !slot_open(e, slot)) {
            s->mark = PART_COOLED;
        }
    }
}

/* A cold one of the fewest logical blocks, and of these the oldest; a hot one if none is cold. */
static uint32_t find_cheapest(struct env* e)
{
    const uint32_t* list = NULL;
    uint32_t best = logs_oldest(e, BLOCK_LOG);
    uint64_t fewest = UINT64_MAX;
    for (uint32_t slot = best; slot != INDEX_NONE; slot = log_newer(e, slot)) {
        const uint64_t hot = slot_at(e, slot)->mark == PART_HOT ? UINT32_MAX : 0;
        if (!slot_open(e, slot)) {
            const uint64_t count = hot + slot_lblocks(e, slot, &list);
            best = count < fewest ? slot : best;
            fewest = count < fewest ? count : fewest;
        }
    }
    FW_ASSERT(e, best != INDEX_NONE);
    return best;
}

/* The hot part has its size by what becomes of its blocks: one more when a block died, or was given
 * up to the cold part with less than half of its pages in use; one less when more than that has to
 * be merged. */
static void adapt(struct env* e, uint32_t slot)
{
    struct last* h = own(e);
    const struct block_slot* s = slot_at(e, slot);
    const uint32_t valid = superblock_of(e, e->blocks, s->block)->valid;
    if (e->told.map->placed.hot_adapts == 0 || s->mark == PART_COLD) {
        return;
    }
    if (2 * valid < e->geo->pages) {
        h->hot_most += h->hot_most + 1 < e->told.map->log_blocks ? 1u : 0u;
    } else {
        h->hot_most -= h->hot_most > 1 ? 1u : 0u;
    }
}

/* A random log block is given back, for a block of the part. */
static void make_room(struct env* e, uint32_t part)
{
    const uint32_t most = own(e)->hot_most;
    if (logs_merging(e)) {
        return;
    }
    uint32_t slot = find_dead(e);
    if (slot == INDEX_NONE) {
        cool(e, part == PART_HOT ? most - 1 : most);
        slot = find_cheapest(e);
    }
    adapt(e, slot);
    fold_empty(e, slot);
}

static bool place_random(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t part = is_hot(e, unit) ? PART_HOT : PART_COLD;
    const uint32_t slot = open_of(e, part);
    if (slot != INDEX_NONE) {
        return append(e, unit, slot, to);
    }
    if (logs_count(e, BLOCK_LOG) >= e->told.map->log_blocks) {
        make_room(e, part);
        return false;
    }
    const uint32_t block = block_open(e, BLOCK_LOG, INDEX_NONE);
    if (block == INDEX_NONE) {
        return false;
    }
    slot_at(e, slot_of(e, block))->mark = (uint8_t)part;
    return append(e, unit, slot_of(e, block), to);
}

static bool last_place(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const enum home_place at_home = place_at_home(e, unit, to);
    if (at_home != HOME_TAKEN) {
        return at_home == HOME_PLACED;
    }
    return cache_streams(e, unit) ? place_stream(e, unit, to) : place_random(e, unit, to);
}

static int last_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    const struct boot_placed* p = &how->placed;
    const struct blockmap_setup setup = {
        .seconds = p->stream_blocks,
        .shared = how->log_blocks,
        .notes = e->geo->pages,
        .any = 1,
    };
    if (setup.seconds == 0 || setup.shared < 2 || p->stream_bytes == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "one sequential log block at least, two random ones",
                setup.seconds, setup.shared);
        return -1;
    }
    if (p->hot_blocks == 0 || p->hot_blocks >= setup.shared) {
        hal_log(e->hal, HAL_LOG_ERROR, "hot log blocks, fewer than the random ones", p->hot_blocks,
                setup.shared);
        return -1;
    }
    *own(e) = (struct last){.hot_most = p->hot_blocks};
    return blockmap_init(e, &setup);
}

const struct ftl_ops ftl_last = {
    .init = last_init,
    BLOCKMAP_OPS,
    .trim = blockmap_trim,
    .place = last_place,
};
