/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/hybrid_log.h"

#include "firmware/durable/scan.h"
#include "firmware/durable/scan_seen.h"
#include "firmware/durable/state.h"
#include "firmware/gc/gc.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/modes.h"
#include "firmware/space/blocks.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"
#include "firmware/space/spare.h"

#define STORED_THERE (UINT64_C(1) << 63)
#define STORED_OTHER (UINT64_C(1) << 62) /* of a page: lost; of a mark: a hole */
#define STORED_GONE (UINT64_C(1) << 61)  /* of a mark: a logical block's */
#define GONE_KEY (UINT64_C(1) << 48)     /* which in the hash is no unit */

static uint32_t* block_at(const struct env* e, uint32_t slot)
{
    FW_ASSERT(e, slot < e->hybrid->log_slots);
    return (uint32_t*)env_dram(e, e->hybrid->log_table) + slot;
}

static uint32_t pages_of(const struct env* e) /* of the log: entries with a page */
{
    return e->hybrid->log_slots * e->geo->pages;
}

static uint32_t* bucket_of(struct env* e, uint64_t unit)
{
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / golden ratio */
    const struct hybrid* h = e->hybrid;
    return (uint32_t*)env_dram(e, h->buckets) + ((unit * golden) >> (64 - h->bucket_bits));
}

static void count_hole(struct env* e, const struct log_entry* entry, int n)
{
    uint16_t* holes = env_dram(e, e->hybrid->holes);
    if (entry->mark == MARK_HOLE) {
        holes[lblock_of(e, entry->unit)] = (uint16_t)(holes[lblock_of(e, entry->unit)] + n);
    }
}

uint32_t log_find(struct env* e, uint64_t unit)
{
    uint32_t k = *bucket_of(e, unit);
    while (k != 0) {
        const struct log_entry* entry = log_entry_of(e, k - 1);
        if (entry->unit == unit) {
            return k - 1;
        }
        k = entry->next;
    }
    return INDEX_NONE;
}

uint64_t log_address(struct env* e, uint32_t k)
{
    const struct place p = {.block = *block_at(e, k / e->geo->pages), .page = k % e->geo->pages};
    FW_ASSERT(e, k < pages_of(e) && p.block != INDEX_NONE);
    return unit_address(e->geo, &p, 0);
}

/* Its pages are no entries any more. */
static void leave_slot(struct env* e, uint32_t slot)
{
    struct hybrid* h = e->hybrid;
    struct superblock* s = superblock_of(e, e->blocks, *block_at(e, slot));
    for (uint32_t k = slot * e->geo->pages; k < (slot + 1) * e->geo->pages; ++k) {
        if (log_entry_of(e, k)->mark != MARK_NONE) {
            log_drop(e, k);
        }
    }
    FW_ASSERT(e, h->loading != 0 && h->log_used > 0);
    *block_at(e, slot) = INDEX_NONE;
    s->role = BLOCK_PAGES;
    --h->log_used;
}

/* Power-up: blocks that cannot be read, and were perhaps erased and taken for something else since
 * the record, may have all slots that are left. */
static void make_room(struct env* e)
{
    const struct hybrid* h = e->hybrid;
    for (uint32_t slot = 0; slot < h->log_slots && h->log_used == h->log_slots; ++slot) {
        const uint32_t block = *block_at(e, slot);
        if (scan_torn(e, block)) {
            leave_slot(e, slot);
            blocks_erase_again(e, block);
        }
    }
}

uint32_t log_slot(struct env* e, uint32_t block)
{
    struct hybrid* h = e->hybrid;
    struct superblock* s = superblock_of(e, e->blocks, block);
    if (s->role == BLOCK_LOG) {
        return s->owner;
    }
    if (h->loading != 0 && h->log_used == h->log_slots) {
        make_room(e);
    }
    for (uint32_t slot = 0; slot < h->log_slots; ++slot) {
        if (*block_at(e, slot) == INDEX_NONE) {
            *block_at(e, slot) = block;
            s->role = BLOCK_LOG;
            s->owner = slot;
            ++h->log_used;
            return slot;
        }
    }
    FW_ASSERT(e, 0 && "as many log blocks as planned");
    return 0;
}

static void hash_in(struct env* e, uint64_t unit, uint32_t k, uint32_t mark)
{
    struct log_entry* entry = log_entry_of(e, k);
    uint32_t* bucket = bucket_of(e, unit);
    FW_ASSERT(e, log_find(e, unit) == INDEX_NONE);
    entry->unit = unit;
    entry->mark = mark;
    entry->next = *bucket;
    *bucket = k + 1;
    count_hole(e, entry, 1);
}

void log_drop(struct env* e, uint32_t k)
{
    struct hybrid* h = e->hybrid;
    struct log_entry* entry = log_entry_of(e, k);
    uint32_t* at = bucket_of(e, entry->unit);
    FW_ASSERT(e, entry->mark != MARK_NONE);
    while (*at != k + 1) {
        FW_ASSERT(e, *at != 0);
        at = &log_entry_of(e, *at - 1)->next;
    }
    *at = entry->next;
    count_hole(e, entry, -1);
    if (k < pages_of(e)) {
        --h->log_pages;
        if (h->loading == 0) {
            log_invalid(e, LOG_D, log_address(e, k));
        }
    } else {
        entry->next = h->mark_list;
        h->mark_list = k + 1;
        ++h->marks_free;
    }
    if (h->loading == 0 && (entry->mark == MARK_LOST || entry->mark == MARK_LOST_PAGE)) {
        --e->telemetry->lost_units;
    }
    entry->mark = MARK_NONE;
}

void log_put(struct env* e, uint64_t unit, uint32_t k, uint32_t mark)
{
    FW_ASSERT(e, k < pages_of(e));
    hash_in(e, unit, k, mark);
    ++e->hybrid->log_pages;
    if (e->hybrid->loading == 0) {
        log_valid(e, LOG_D, log_address(e, k));
        e->telemetry->lost_units += mark == MARK_LOST_PAGE ? 1u : 0u;
    }
}

void log_mark(struct env* e, uint64_t unit, uint32_t mark)
{
    struct hybrid* h = e->hybrid;
    const uint32_t k = h->mark_list;
    FW_ASSERT(e, k != 0 && h->marks_free != 0);
    h->mark_list = log_entry_of(e, k - 1)->next;
    --h->marks_free;
    hash_in(e, unit, k - 1, mark);
    e->telemetry->lost_units += h->loading == 0 && mark == MARK_LOST ? 1u : 0u;
}

void log_gone(struct env* e, uint64_t lblock)
{
    log_not_gone(e, lblock);
    log_mark(e, GONE_KEY + lblock, MARK_GONE);
}

bool log_is_gone(struct env* e, uint64_t lblock)
{
    FW_ASSERT(e, lblock < e->hybrid->lblocks);
    return log_find(e, GONE_KEY + lblock) != INDEX_NONE;
}

void log_not_gone(struct env* e, uint64_t lblock)
{
    const uint32_t k = log_find(e, GONE_KEY + lblock);
    FW_ASSERT(e, lblock < e->hybrid->lblocks);
    if (k != INDEX_NONE) {
        log_drop(e, k);
    }
}

void log_checkpoint(struct env* e)
{
    const struct hybrid* h = e->hybrid;
    for (uint32_t k = pages_of(e); k < pages_of(e) + 2 * h->marks; ++k) {
        struct log_entry* entry = log_entry_of(e, k);
        entry->mark = entry->mark == MARK_GONE ? MARK_GONE_OLD : entry->mark;
    }
}

void log_checkpoint_done(struct env* e)
{
    const struct hybrid* h = e->hybrid;
    for (uint32_t k = pages_of(e); k < pages_of(e) + 2 * h->marks; ++k) {
        if (log_entry_of(e, k)->mark == MARK_GONE_OLD) {
            log_drop(e, k);
        }
    }
}

/* ---- How a log block becomes free ---- */

/* Preconditioning goes through the log, where there is none too. */
static uint32_t blocks_most(const struct env* e)
{
    const struct hybrid* h = e->hybrid;
    return ftl_preconditions(e) && h->log_most < HYBRID_LOG_LEAST ? HYBRID_LOG_LEAST : h->log_most;
}

bool log_has_room(struct env* e)
{
    const uint32_t most = blocks_most(e);
    return most != 0 &&
           (blocks_open_of(e, STREAM_HOST) != INDEX_NONE || e->hybrid->log_used < most);
}

static void give_back(struct env* e, uint32_t slot)
{
    const uint32_t block = *block_at(e, slot);
    FW_ASSERT(e, e->hybrid->log_used > 0);
    *block_at(e, slot) = INDEX_NONE;
    --e->hybrid->log_used;
    blocks_discard(e, block, FLASH_PURPOSE_GC);
    ftl_ask_again(e); /* the buffer had no room; of a block that is bad no erase announces any */
}

/* true = all that is written of the log block can be merged away. */
static bool ended(const struct env* e, const struct superblock* s)
{
    return s->pending == 0 &&
           (s->state == BLOCK_FULL || (s->state == BLOCK_OPEN && e->hybrid->settling != 0));
}

/* The log block with the fewest valid pages (L counts them), or that is stale. Empty ones go. */
static uint32_t emptiest(struct env* e, uint32_t* valid)
{
    uint32_t best = INDEX_NONE;
    *valid = UINT32_MAX;
    for (uint32_t slot = 0; slot < e->hybrid->log_slots; ++slot) {
        const uint32_t block = *block_at(e, slot);
        if (block == INDEX_NONE || !ended(e, superblock_of(e, e->blocks, block))) {
            continue;
        }
        const struct superblock* s = superblock_of(e, e->blocks, block);
        const uint32_t count = (s->flags & BLOCK_STALE) != 0 ? 0 : s->valid;
        if (s->valid == 0 && s->state == BLOCK_FULL) {
            give_back(e, slot);
        } else if (s->valid != 0 && count < *valid) {
            *valid = count;
            best = block;
        }
    }
    return best;
}

uint32_t log_victim(struct env* e)
{
    const struct hybrid* h = e->hybrid;
    uint32_t valid = 0;
    const uint32_t best = emptiest(e, &valid);
    /* The last block is half full, and all others are: what its first half writes anew is not
     * copied any more. */
    const bool full =
        h->log_used >= blocks_most(e) && blocks_room(e, STREAM_HOST) <= e->geo->pages / 2;
    if (best == INDEX_NONE || valid == 0 || h->settling != 0 || full) {
        return best;
    }
    return gc_watches_for(e, e->geo->pages - valid, e->geo->pages) ? best : INDEX_NONE;
}

/* ---- In front of an anchor record ---- */

uint64_t log_bytes(const struct env* e)
{
    const struct hybrid* h = e->hybrid;
    return HYBRID_TABLE_BYTES(h->log_slots, e->geo->pages);
}

static uint64_t stored(const struct log_entry* entry)
{
    switch (entry->mark) {
    case MARK_PAGE:
    case MARK_LOST:
        return entry->unit | STORED_THERE;
    case MARK_LOST_PAGE:
    case MARK_HOLE:
        return entry->unit | STORED_THERE | STORED_OTHER;
    case MARK_GONE:
    case MARK_GONE_OLD:
        return (entry->unit - GONE_KEY) | STORED_THERE | STORED_GONE;
    default:
        return 0;
    }
}

void log_store(struct env* e, void* to)
{
    const struct hybrid* h = e->hybrid;
    uint64_t* word = to;
    for (uint32_t slot = 0; slot < h->log_slots; ++slot) {
        *word++ = *block_at(e, slot);
    }
    for (uint32_t k = 0; k < pages_of(e) + 2 * h->marks; ++k) {
        *word++ = stored(log_entry_of(e, k));
    }
    FW_ASSERT(e, (uint64_t)((uint8_t*)word - (uint8_t*)to) == log_bytes(e));
}

void log_load(struct env* e, const void* from)
{
    const struct hybrid* h = e->hybrid;
    const uint64_t* word = from;
    FW_ASSERT(e, h->loading != 0 && h->log_used == 0);
    for (uint32_t slot = 0; slot < h->log_slots; ++slot, ++word) {
        if (*word < e->geo->blocks && log_slot(e, (uint32_t)*word) != slot) {
            /* Slots are given in order: move it to its own. */
            struct superblock* s = superblock_of(e, e->blocks, (uint32_t)*word);
            *block_at(e, s->owner) = INDEX_NONE;
            *block_at(e, slot) = (uint32_t)*word;
            s->owner = slot;
        }
    }
    for (uint32_t k = 0; k < pages_of(e) + 2 * h->marks; ++k, ++word) {
        const uint64_t unit = *word & ~(STORED_THERE | STORED_OTHER | STORED_GONE);
        const bool other = (*word & STORED_OTHER) != 0;
        if ((*word & STORED_GONE) != 0) {
            if (unit < h->lblocks && k >= pages_of(e)) {
                log_gone(e, unit);
            }
            continue;
        }
        if ((*word & STORED_THERE) == 0 || unit >= e->geo->user_units ||
            log_find(e, unit) != INDEX_NONE) {
            continue;
        }
        if (k >= pages_of(e)) {
            log_mark(e, unit, other ? MARK_HOLE : MARK_LOST);
        } else if (*block_at(e, k / e->geo->pages) != INDEX_NONE) {
            log_put(e, unit, k, other ? MARK_LOST_PAGE : MARK_PAGE);
        }
    }
}

/* ---- Power-up ---- */

/* Of a log block of the record the entries stay. When its erase was cut, then all of them have been
 * written anew, merged or trimmed behind the base, and replay ends them; what is left then can not
 * be read. */
void log_torn(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->state == BLOCK_FULL && s->kept == 0);
    if (s->role != BLOCK_LOG) {
        blocks_erase_again(e, block);
        return;
    }
    s->kept = 1;
    scan_no_more(e, block);
}

/* 1 = nobody knows whether the block was opened since the record. */
static int starts_torn(struct env* e, uint32_t block)
{
    const struct place p = {block, 0, 0, 0};
    uint64_t sequence = 0;
    const uint64_t* words = boot_read(e, &p, 0);
    return words == NULL || (words[0] != UINT64_MAX && !spare_read(e, words, &sequence));
}

void log_check(struct env* e)
{
    const struct hybrid* h = e->hybrid;
    for (uint32_t slot = 0; slot < h->log_slots; ++slot) {
        const uint32_t block = *block_at(e, slot);
        struct superblock* s = superblock_of(e, e->blocks, block != INDEX_NONE ? block : 0);
        if (block == INDEX_NONE || (blocks_filled(s) && (s->kept != 0 || starts_torn(e, block)))) {
            continue;
        }
        /* Erased since, or opened behind the base: then its pages are told of again. */
        leave_slot(e, slot);
    }
}

void log_count(struct env* e)
{
    struct hybrid* h = e->hybrid;
    for (uint32_t slot = 0; slot < h->log_slots; ++slot) {
        const uint32_t block = *block_at(e, slot);
        const struct superblock* s = superblock_of(e, e->blocks, block != INDEX_NONE ? block : 0);
        if (block != INDEX_NONE && (s->role != BLOCK_LOG || s->maps != 0)) {
            leave_slot(e, slot); /* something else was written to it since the record */
        }
    }
    h->loading = 0;
    for (uint32_t k = 0; k < pages_of(e) + 2 * h->marks; ++k) {
        const struct log_entry* entry = log_entry_of(e, k);
        if (entry->mark == MARK_NONE) {
            continue;
        }
        if (k < pages_of(e)) {
            log_valid(e, LOG_D, log_address(e, k));
        }
        const bool lost = entry->mark == MARK_LOST || entry->mark == MARK_LOST_PAGE;
        e->telemetry->lost_units += lost ? 1u : 0u;
    }
}

/* ---- Units: where they lie ---- */

uint64_t data_block_of(struct env* e, uint64_t lblock)
{
    return maps_load(e, 1, maps_page(e, lblock), false) ? maps_entry(e, 1, lblock) : FTL_UNKNOWN;
}

/* The page of the data block is garbage, if there is one. */
static void leave_data_block(struct env* e, uint64_t unit)
{
    const uint64_t block = maps_entry(e, 1, lblock_of(e, unit));
    FW_ASSERT(e, lblock_resident(e, lblock_of(e, unit)));
    if (e->hybrid->loading == 0 && maps_placed(block)) {
        log_invalid(e, LOG_D, data_page(e, block, unit));
    }
}

uint32_t hybrid_leave(struct env* e, uint64_t unit)
{
    const uint32_t k = log_find(e, unit);
    const uint32_t mark = k != INDEX_NONE ? log_entry_of(e, k)->mark : MARK_NONE;
    if (k != INDEX_NONE) {
        log_drop(e, k);
    }
    if (mark == MARK_NONE || mark == MARK_LOST) {
        leave_data_block(e, unit);
    }
    return mark;
}

void data_block_leave(struct env* e, uint64_t block)
{
    if (e->hybrid->loading != 0) {
        return;
    }
    e->telemetry->lost_units -= ftl_lost(block) ? 1u : 0u;
    if (maps_placed(block)) {
        blocks_discard(e, address_block(e->geo, block & ~FTL_LOST), FLASH_PURPOSE_GC);
    }
}

/* ---- The end of a merge ---- */

static uint32_t lost_among(const uint8_t* lost, uint64_t count)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i < count; ++i) {
        n += lost[i];
    }
    return n;
}

/* More units are lost than can be marked: nobody could tell which of them are, so that all of the
 * logical block is. It stays in its data block, whose last page says so to power-up. */
static void lose_block(struct env* e, uint64_t lblock)
{
    hal_log(e->hal, HAL_LOG_ERROR, "too many units are lost: read only; logical block", lblock, 0);
    e->telemetry->read_only = 1;
    ++e->telemetry->lost_units;
}

void data_block_switch(struct env* e, uint64_t lblock, uint32_t target, const uint8_t* lost)
{
    const struct hybrid* h = e->hybrid;
    const struct place p = {.block = target};
    const uint64_t to = unit_address(e->geo, &p, 0);
    const uint64_t old = maps_entry(e, 1, lblock);
    struct superblock* s = superblock_of(e, e->blocks, target);
    const uint64_t first = lblock * e->geo->pages;
    const uint64_t end = lblock_end(e, lblock);
    FW_ASSERT(e, lblock_resident(e, lblock) && *pins_of(e, lblock) == 0);
    for (uint64_t unit = first; unit < end; ++unit) {
        (void)hybrid_leave(e, unit);
    }
    data_block_leave(e, old);
    log_not_gone(e, lblock);
    const uint32_t marks = lost_among(lost, end - first);
    const bool all = marks != 0 && h->marks_free < h->marks_held + h->marks + marks;
    if (all) {
        lose_block(e, lblock);
    }
    s->role = BLOCK_DATA;
    s->owner = (uint32_t)lblock;
    maps_set(e, 1, lblock, to | (all ? FTL_LOST : 0));
    for (uint64_t unit = first; unit < end; ++unit) {
        log_valid(e, LOG_D, data_page(e, to, unit));
        if (lost[unit - first] != 0 && !all) {
            log_mark(e, unit, MARK_LOST);
        }
    }
}
