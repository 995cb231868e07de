/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/blockmap_fold.h"

#include "firmware/blocks/blockmap_copy.h"
#include "firmware/blocks/blockmap_groups.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/buffer/merged.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/modes.h"
#include "firmware/space/pool.h"

/* ---- Asked for ---- */

bool fold_busy(const struct env* e, uint32_t lblock)
{
    const struct folds* f = &e->blockmap->folds;
    for (uint32_t n = 0; n < f->most && f->active != 0; ++n) {
        if (fold_of(e, n)->state != FOLD_IDLE && fold_of(e, n)->lblock == lblock) {
            return true;
        }
    }
    return false;
}

bool folds_idle(const struct env* e)
{
    return e->blockmap->folds.active == 0;
}

bool logs_merging(const struct env* e)
{
    return e->blockmap->folds.active != 0 || e->blockmap->victim != INDEX_NONE;
}

static struct fold* request(struct env* e, uint32_t lblock, uint32_t kind)
{
    struct folds* f = &e->blockmap->folds;
    for (uint32_t n = 0; n < f->most && !ftl_stops(e); ++n) {
        struct fold* j = fold_of(e, n);
        if (j->state == FOLD_IDLE) {
            j->state = FOLD_WAITS;
            j->kind = kind;
            j->lblock = lblock;
            j->target = INDEX_NONE;
            j->source = INDEX_NONE;
            j->buffered = INDEX_NONE;
            j->absorb = FTL_NONE;
            j->alone = 1;
            ++f->active;
            run_due(e, DUE_LEAVING); /* it begins; others may be merged beside it */
            return j;
        }
    }
    return NULL;
}

bool fold_begin(struct env* e, uint32_t lblock, uint64_t absorb)
{
    if (fold_busy(e, lblock)) {
        return true;
    }
    struct fold* j = request(e, lblock, FOLD_TO_FRESH);
    FW_ASSERT(e, absorb == FTL_NONE || unit_lblock(e, absorb) == lblock);
    if (j != NULL) {
        j->absorb = absorb;
    }
    return j != NULL;
}

bool fold_complete(struct env* e, uint32_t lblock)
{
    FW_ASSERT(e, second_of(e, lblock) != INDEX_NONE);
    return fold_busy(e, lblock) || request(e, lblock, FOLD_TO_SECOND) != NULL;
}

bool fold_out(struct env* e, uint32_t group, uint32_t block)
{
    if (fold_busy(e, group)) {
        return true;
    }
    struct fold* j = request(e, group, FOLD_OUT);
    if (j != NULL) {
        j->source = block;
    }
    return j != NULL;
}

/* ---- Begin ---- */

static uint32_t count_wanted(struct env* e, const struct fold* j)
{
    uint32_t count = 0;
    for (uint32_t offset = 0; offset < fold_extent(e, j); ++offset) {
        count += (uint32_t)fold_wants(e, j, offset);
    }
    return count;
}

/* true = what the completion has to copy finds its pages free. */
static bool completes(struct env* e, const struct fold* j)
{
    const uint32_t second = second_of(e, j->lblock);
    const struct block_slot* s = slot_at(e, slot_of(e, second));
    for (uint32_t page = 0; page < s->fill; ++page) {
        const uint64_t unit = page_unit(e, second, page);
        if (page_valid(e, second, page) && unit_offset(e, unit) != page) {
            return false;
        }
    }
    for (uint32_t offset = 0; offset < e->blockmap->span; ++offset) {
        if (fold_wants(e, j, offset) && page_free(e, second, offset, offset + 1) == INDEX_NONE) {
            return false;
        }
    }
    return true;
}

static void give_back(struct env* e, struct fold* j)
{
    if (j->buffered != INDEX_NONE) {
        cache_merge_failed(e, j->buffered);
        j->buffered = INDEX_NONE;
    }
    j->state = FOLD_IDLE;
    --e->blockmap->folds.active;
    FW_ASSERT(e, j->target == INDEX_NONE);
}

/* Which block it is shows when nothing is under way in the group: it may be none. */
static void begin_out(struct env* e, struct fold* j)
{
    j->source = j->source != INDEX_NONE ? j->source : group_victim(e, j->lblock);
    if (j->source == INDEX_NONE) {
        give_back(e, j);
        ftl_ask_again(e);
        return;
    }
    group_close(e, j->lblock, j->source);
    j->page = 0;
    j->copied = 0;
    j->left = count_wanted(e, j);
    j->state = FOLD_COPIES;
    FW_ASSERT(e, superblock_of(e, e->blocks, j->source)->pending == 0);
}

/* What RAM knows has to be found by reading, where the part is to say it. A second block that is
 * completed is in order: that tells it all. */
static bool searches(const struct env* e, const struct fold* j)
{
    return e->blockmap->searched != SEARCHED_NONE && j->kind == FOLD_TO_FRESH &&
           !ftl_preconditions(e);
}

static void begin(struct env* e, struct fold* j)
{
    if (lblock_at(e, j->lblock)->pins != 0) {
        return;
    }
    if (j->kind == FOLD_OUT) {
        begin_out(e, j);
        return;
    }
    if (j->kind == FOLD_TO_SECOND && !completes(e, j)) {
        j->kind = FOLD_TO_FRESH; /* a page of the second block failed */
    }
    if (j->kind == FOLD_TO_FRESH && j->buffered == INDEX_NONE && j->absorb != FTL_NONE) {
        (void)cache_merge_take(e, j->absorb, &j->buffered);
    }
    j->page = 0;
    j->copied = 0;
    j->search = searches(e, j) ? e->geo->pages + 1 : 0;
    j->left = count_wanted(e, j);
    if (j->kind == FOLD_TO_SECOND) {
        j->target = second_of(e, j->lblock);
    } else if (j->left != 0) {
        j->target = block_open(e, BLOCK_TARGET, j->lblock);
        if (j->target == INDEX_NONE) {
            return;
        }
    }
    j->state = FOLD_COPIES;
}

/* ---- End ---- */

static void drop_others(struct env* e, const struct fold* j)
{
    const uint32_t second = second_of(e, j->lblock);
    const uint32_t home = home_of(e, j->lblock);
    if (second != INDEX_NONE) {
        block_drop(e, second);
    }
    if (home != INDEX_NONE) {
        block_drop(e, home);
    }
}

/* All of the logical block lies in the target now. */
static void switch_over(struct env* e, struct fold* j)
{
    uint64_t* lost = env_dram(e, e->blockmap->lost);
    superblock_of(e, e->blocks, j->target)->role = BLOCK_PAGES;
    const uint32_t target = j->target;
    for (uint32_t offset = 0; offset < e->blockmap->span; ++offset) {
        const uint64_t unit = (uint64_t)j->lblock * e->blockmap->span + offset;
        if (page_taken(e, target, offset)) {
            (void)unit_leave(e, unit);
        }
    }
    drop_others(e, j);
    block_adopt(e, target, BLOCK_DATA, j->lblock);
    for (uint32_t offset = 0; offset < e->blockmap->span; ++offset) {
        const uint64_t unit = (uint64_t)j->lblock * e->blockmap->span + offset;
        const uint64_t address = page_address(e, target, offset);
        if (page_taken(e, target, offset)) {
            const uint32_t marked = (uint32_t)bitmap_get(lost, address);
            bitmap_clear(lost, address);
            unit_settle(e, unit, address, marked);
        }
    }
}

/* A merge of so many logical blocks for one log block ended. */
static void count_merged(struct env* e, uint32_t lblocks)
{
    struct telemetry* s = e->telemetry;
    ++s->merged_logs;
    s->merged_logical_blocks += lblocks;
    s->merged_logical_blocks_max =
        lblocks > s->merged_logical_blocks_max ? lblocks : s->merged_logical_blocks_max;
}

static void end(struct env* e, struct fold* j)
{
    struct telemetry* s = e->telemetry;
    const bool fresh = j->kind == FOLD_TO_FRESH;
    if (j->kind == FOLD_OUT) {
        block_drop(e, j->source);
    } else if (!fresh) {
        second_promote(e, j->lblock);
    } else if (j->target != INDEX_NONE) {
        switch_over(e, j);
    } else {
        drop_others(e, j);
    }
    *(fresh ? &s->merges_full : j->copied != 0 ? &s->merges_partial : &s->merges_switch) += 1;
    if (j->alone != 0) {
        count_merged(e, 1);
    }
    if (j->buffered != INDEX_NONE) {
        cache_unblocked(e, j->buffered);
        const uint64_t address = unit_find(e, j->absorb);
        FW_ASSERT(e, address != FTL_NONE);
        cache_merge_done(e, j->buffered, bitmap_get(env_dram(e, e->blockmap->lost), address));
    }
    j->buffered = INDEX_NONE;
    j->target = INDEX_NONE;
    j->state = FOLD_IDLE;
    --e->blockmap->folds.active;
    ftl_ask_again(e); /* who waits for it may go on */
}

/* ---- A shared block is emptied ---- */

void fold_empty(struct env* e, uint32_t slot)
{
    struct blockmap* b = e->blockmap;
    FW_ASSERT(e, slot >= b->seconds && slot_at(e, slot)->block != INDEX_NONE);
    if (b->victim == INDEX_NONE) {
        b->victim = slot;
        b->scan = 0;
        b->victim_lblocks = 0;
    }
}

/* One of those that empty it, of a logical block without a fold. */
static bool fold_join(struct env* e, uint32_t lblock)
{
    struct fold* j = request(e, lblock, FOLD_TO_FRESH);
    if (j != NULL) {
        j->alone = 0;
    }
    return j != NULL;
}

/* As many of its logical blocks as there may be folds. */
static void empties_step(struct env* e)
{
    struct blockmap* b = e->blockmap;
    const uint32_t block = slot_at(e, b->victim)->block;
    const struct superblock* s = superblock_of(e, e->blocks, block);
    for (; b->scan < e->geo->pages && s->valid != 0; ++b->scan) {
        if (!page_valid(e, block, b->scan)) {
            continue;
        }
        const uint32_t lblock = unit_lblock(e, page_unit(e, block, b->scan));
        if (fold_busy(e, lblock)) {
            continue;
        }
        if (!fold_join(e, lblock)) {
            return;
        }
        ++b->victim_lblocks;
    }
    if (s->pending == 0 && s->valid == 0) {
        if (b->victim_lblocks != 0) {
            count_merged(e, b->victim_lblocks);
        }
        block_drop(e, block);
        b->victim = INDEX_NONE;
        ftl_ask_again(e);
    } else if (b->scan == e->geo->pages) {
        b->scan = 0; /* one of them was being merged for another reason, which may end otherwise */
    }
}

/* ---- Main loop ---- */

void folds_step(struct env* e)
{
    struct folds* f = &e->blockmap->folds;
    const bool closed = !blocks_gate_open(e);
    if (closed && f->active != 0) {
        blocks_knock(e);
    }
    if (e->blockmap->victim != INDEX_NONE && !ftl_stops(e)) {
        empties_step(e);
    }
    for (uint32_t n = 0; n < f->most && f->active != 0; ++n) {
        struct fold* j = fold_of(e, n);
        if (j->state == FOLD_WAITS && ftl_stops(e)) {
            give_back(e, j);
        } else if (j->state == FOLD_WAITS && !closed) {
            begin(e, j);
        }
        if (j->state == FOLD_COPIES && j->left != 0) {
            copy_next(e, n);
        }
        if (j->state == FOLD_READY && !ftl_holds(e) && !closed) {
            copy_program(e, n);
        }
        if (j->state == FOLD_COPIES && j->left == 0) {
            end(e, j);
        }
    }
}
