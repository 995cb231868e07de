/* SPDX-License-Identifier: Apache-2.0
 *
 * Merges: see fold.h. While one is under way nobody pins a unit of the logical block, so that what
 * is valid of it stays so, and nothing of it is programmed elsewhere. If a program fails all of it
 * begins anew with another block.
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/empty.h"
#include "firmware/blocks/logs.h"
#include "firmware/blocks/search.h"
#include "firmware/buffer/cache.h"
#include "firmware/buffer/merged.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/modes.h"
#include "firmware/space/reserve.h"
#include "firmware/space/spare.h"

static struct fold* fold_of(const struct env* e, uint32_t n)
{
    FW_ASSERT(e, n < e->blockmap->folds.most);
    return (struct fold*)env_dram(e, e->blockmap->folds.jobs) + n;
}

static uint64_t buffer_of(const struct env* e, uint32_t n)
{
    FW_ASSERT(e, n < e->blockmap->folds.most);
    return e->blockmap->folds.buffers + ((uint64_t)n << e->geo->unit_shift);
}

bool fold_busy(const struct env* e, uint32_t lblock)
{
    const struct folds* f = &e->blockmap->folds;
    for (uint32_t n = 0; n < f->most && f->active != 0; ++n) {
        if (fold_of(e, n)->state != FOLD_IDLE && fold_of(e, n)->lblock == lblock) {
            return true;
        }
    }
    FW_ASSERT(e, lblock < e->blockmap->lblocks);
    return false;
}

bool folds_idle(const struct env* e)
{
    return e->blockmap->folds.active == 0;
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
            return j;
        }
    }
    FW_ASSERT(e, f->active <= f->most);
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

bool fold_join(struct env* e, uint32_t lblock)
{
    struct fold* j = request(e, lblock, FOLD_TO_FRESH);
    FW_ASSERT(e, e->blockmap->victim != INDEX_NONE);
    if (j != NULL) {
        j->alone = 0;
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
    FW_ASSERT(e, e->blockmap->groups.blocks != 0);
    if (j != NULL) {
        j->source = block;
    }
    return j != NULL;
}

/* ---- Begin ---- */

/* Offsets to look at, pages of the source. */
static uint32_t extent(const struct env* e, const struct fold* j)
{
    return j->kind == FOLD_OUT ? e->blockmap->pages : e->blockmap->span;
}

/* The unit in work. */
static uint64_t unit_of(struct env* e, const struct fold* j)
{
    FW_ASSERT(e, j->page < extent(e, j));
    return j->kind == FOLD_OUT ? page_unit(e, j->source, j->page)
                               : (uint64_t)j->lblock * e->blockmap->span + j->page;
}

/* Of a completion: what is valid at home; with `collects` also what is newer and lies in a shared
 * block, where the second block still has its page. */
static bool completion_wants(struct env* e, const struct fold* j, uint32_t offset)
{
    const uint32_t home = home_of(e, j->lblock);
    const uint64_t unit = (uint64_t)j->lblock * e->blockmap->span + offset;
    FW_ASSERT(e, j->kind == FOLD_TO_SECOND);
    if (home != INDEX_NONE && page_valid(e, home, offset)) {
        return true;
    }
    return e->blockmap->collects != 0 && unit_find(e, unit) != FTL_NONE &&
           page_free(e, second_of(e, j->lblock), offset, offset + 1) != INDEX_NONE;
}

/* Offsets that are to be programmed still: what is valid, or what a completion wants. */
static bool wanted(struct env* e, const struct fold* j, uint32_t offset)
{
    const uint64_t unit = (uint64_t)j->lblock * e->blockmap->span + offset;
    if (j->kind == FOLD_OUT) {
        return page_valid(e, j->source, offset);
    }
    if (unit >= e->geo->user_units) {
        return false;
    }
    if (j->kind == FOLD_TO_SECOND) {
        return completion_wants(e, j, offset);
    }
    if (j->target != INDEX_NONE && page_taken(e, j->target, offset)) {
        return false;
    }
    return (j->buffered != INDEX_NONE && unit == j->absorb) || unit_find(e, unit) != FTL_NONE;
}

static uint32_t count_wanted(struct env* e, const struct fold* j)
{
    uint32_t count = 0;
    for (uint32_t offset = 0; offset < extent(e, j); ++offset) {
        count += (uint32_t)wanted(e, j, offset);
    }
    FW_ASSERT(e, count <= e->blockmap->pages);
    return count;
}

/* true = what the completion has to copy finds its pages free. */
static bool completes(struct env* e, const struct fold* j)
{
    const uint32_t second = second_of(e, j->lblock);
    const struct block_slot* s = slot_at(e, slot_of(e, second));
    FW_ASSERT(e, j->kind == FOLD_TO_SECOND);
    for (uint32_t page = 0; page < s->fill; ++page) {
        const uint64_t unit = page_unit(e, second, page);
        if (page_valid(e, second, page) && unit_offset(e, unit) != page) {
            return false;
        }
    }
    for (uint32_t offset = 0; offset < e->blockmap->span; ++offset) {
        if (wanted(e, j, offset) && page_free(e, second, offset, offset + 1) == INDEX_NONE) {
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
    FW_ASSERT(e, j->kind != FOLD_OUT);
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
    if (j->kind == FOLD_TO_FRESH && j->buffered == INDEX_NONE && j->absorb != FTL_NONE &&
        cache_merge_take(e, j->absorb, &j->buffered) && j->buffered != INDEX_NONE) {
        FW_ASSERT(e, cache_slot_of(e, e->cache, j->buffered)->unit == j->absorb);
    }
    j->page = 0;
    j->copied = 0;
    j->search = searches(e, j) ? e->blockmap->pages + 1 : 0;
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
    FW_ASSERT(e, j->kind == FOLD_TO_FRESH);
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
        blockmap_merged(e, 1);
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

/* ---- One page after the other ---- */

static bool start_read(struct env* e, uint32_t n, uint64_t address, uint32_t purpose)
{
    struct fold* j = fold_of(e, n);
    const struct place p = address_place(e->geo, address);
    const uint32_t i = flash_take(e, OWNER_FOLD_READ);
    if (i == INDEX_NONE) {
        return false;
    }
    struct flash_request* r = flash_request_of(e, e->flash, i);
    flash_read_page(r, &p, purpose, 2);
    r->column = 0;
    r->length = e->geo->unit_size;
    r->sg = true;
    r->fold.job = n;
    flash_list(e, i)[0] = buffer_of(e, n);
    ++superblock_of(e, e->blocks, p.block)->readers;
    ++*(purpose == FLASH_PURPOSE_SCAN ? &e->telemetry->scan_page_reads
                                      : &e->telemetry->copy_page_reads);
    j->state = FOLD_READS;
    flash_submit(e, i);
    return true;
}

void fold_read_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, e->flash, result->request);
    struct fold* j = fold_of(e, r->fold.job);
    const bool searched = r->purpose == FLASH_PURPOSE_SCAN;
    FW_ASSERT(e, j->state == FOLD_READS);
    j->state = searched ? FOLD_COPIES : FOLD_READY;
    if (result->status != FLASH_STATUS_OK && !searched) {
        ++e->telemetry->media_errors;
        ++e->telemetry->units_lost;
        j->lost = 1;
    }
    blocks_unread(e, r->block);
    flash_free(e, result->request);
}

/* Begins to read the unit in work, unless the buffer has it or nobody can. */
static void read_unit(struct env* e, uint32_t n)
{
    struct fold* j = fold_of(e, n);
    const uint64_t unit = unit_of(e, j);
    j->lost = 0;
    if (j->buffered != INDEX_NONE && unit == j->absorb) {
        j->lost = (uint32_t)cache_merge_lost(e, j->buffered);
        j->state = FOLD_READY;
        return;
    }
    const uint64_t address = unit_find(e, unit);
    FW_ASSERT(e, address != FTL_NONE);
    if (bitmap_get(env_dram(e, e->blockmap->lost), address)) {
        j->lost = 1;
        j->state = FOLD_READY;
        return;
    }
    (void)start_read(e, n, address, ftl_purpose(e, FLASH_PURPOSE_MERGE));
}

/* The searched block first, each of its used pages once: one that counts is copied, of another
 * one the read has been in vain. false = it has come by all of them. */
static bool next_searched(struct env* e, uint32_t n)
{
    struct fold* j = fold_of(e, n);
    uint32_t first = 0;
    const uint32_t block = searched_block(e, j->lblock, &first);
    const uint32_t page =
        block != INDEX_NONE ? page_used(e, block, j->search - 1, first) : INDEX_NONE;
    if (page == INDEX_NONE) {
        j->search = 0;
        j->page = 0;
        return false;
    }
    const uint64_t unit = page_valid(e, block, page) ? page_unit(e, block, page) : FTL_NONE;
    if (unit == FTL_NONE || (j->buffered != INDEX_NONE && unit == j->absorb)) {
        (void)start_read(e, n, page_address(e, block, page), FLASH_PURPOSE_SCAN);
    } else {
        j->page = unit_offset(e, unit);
        read_unit(e, n);
    }
    j->search = j->state != FOLD_COPIES ? page + 1 : j->search;
    FW_ASSERT(e, j->kind == FOLD_TO_FRESH);
    return true;
}

/* Finds the next page that is to be copied, and begins to read it. */
static void next_page(struct env* e, uint32_t n)
{
    struct fold* j = fold_of(e, n);
    if (j->search != 0 && next_searched(e, n)) {
        return;
    }
    while (j->page < extent(e, j) && !wanted(e, j, j->page)) {
        ++j->page;
    }
    FW_ASSERT(e, j->page < extent(e, j) && j->left != 0);
    read_unit(e, n);
}

static uint64_t word_of(const struct env* e, const struct fold* j, uint64_t unit)
{
    const uint32_t kind = j->kind == FOLD_TO_FRESH    ? SPARE_COPY
                          : j->kind == FOLD_TO_SECOND ? SPARE_SECOND
                                                      : SPARE_SHARED;
    const uint64_t last = j->kind == FOLD_TO_FRESH && j->left == 1 ? 1 : 0;
    FW_ASSERT(e, j->left != 0);
    return spare_pack(kind, unit) | (j->lost != 0 ? SPARE_LOST : 0) | (last << SPARE_CHECK_SHIFT);
}

/* The page that is programmed next. Of a group that is the next one of the block that it writes,
 * for which one is opened whatever the pool has: another one leaves soon. false = not yet. */
static bool find_page(struct env* e, struct fold* j)
{
    j->to = j->page;
    if (j->kind != FOLD_OUT) {
        FW_ASSERT(e, j->target != INDEX_NONE);
        return true;
    }
    j->target = group_current(e, j->lblock, &j->to);
    if (j->target == INDEX_NONE) {
        j->target = block_open(e, BLOCK_LOG, j->lblock);
        j->to = 0;
    }
    FW_ASSERT(e, j->target != j->source);
    return j->target != INDEX_NONE;
}

static void start_program(struct env* e, uint32_t n)
{
    struct fold* j = fold_of(e, n);
    const uint64_t unit = unit_of(e, j);
    const bool host = j->buffered != INDEX_NONE && unit == j->absorb;
    const uint32_t i = find_page(e, j) ? flash_take(e, OWNER_FOLD_PROGRAM) : INDEX_NONE;
    if (i == INDEX_NONE) {
        return;
    }
    struct flash_request* r = flash_request_of(e, e->flash, i);
    flash_program_pages(e, r,
                        ftl_preconditions(e) ? FLASH_PURPOSE_PRECONDITION
                        : host               ? FLASH_PURPOSE_HOST
                                             : FLASH_PURPOSE_MERGE,
                        2);
    r->plane_mask = 1;
    r->lun = 0;
    r->block = j->target;
    r->page = j->to;
    r->fold.job = n;
    r->fold.host = host;
    flash_list(e, i)[0] = host           ? cache_data(e, j->buffered)
                          : j->lost != 0 ? flash_zero(e)
                                         : buffer_of(e, n);
    flash_oob(e, i)[spare_word(e->geo, 0)] = word_of(e, j, unit);
    page_take(e, j->target, j->to, unit);
    ++superblock_of(e, e->blocks, j->target)->pending;
    j->state = FOLD_PROGRAMS;
    flash_submit(e, i);
}

/* The block failed: another one takes all of it. What a completion has copied counts. */
static void begin_anew(struct env* e, struct fold* j)
{
    uint64_t* lost = env_dram(e, e->blockmap->lost);
    FW_ASSERT(e, j->target != INDEX_NONE);
    if (j->kind == FOLD_TO_FRESH) {
        for (uint32_t page = 0; page < e->blockmap->span; ++page) {
            bitmap_clear(lost, page_address(e, j->target, page));
        }
        block_drop(e, j->target);
    }
    j->kind = j->kind != FOLD_OUT ? FOLD_TO_FRESH : FOLD_OUT;
    j->target = INDEX_NONE;
    j->state = FOLD_WAITS;
}

static void page_done(struct env* e, struct fold* j)
{
    const uint64_t address = page_address(e, j->target, j->to);
    const uint64_t unit = unit_of(e, j);
    if (j->kind != FOLD_TO_FRESH) {
        unit_settle(e, unit, address, j->lost);
    } else if (j->lost != 0) {
        bitmap_set(env_dram(e, e->blockmap->lost), address);
    }
    FW_ASSERT(e, j->left != 0);
    --j->left;
    ++j->copied;
    j->state = FOLD_COPIES;
}

void fold_program_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, e->flash, result->request);
    struct fold* j = fold_of(e, r->fold.job);
    const uint32_t block = r->block;
    FW_ASSERT(e, j->state == FOLD_PROGRAMS && block == j->target);
    ftl_ended(e, r->sequence);
    if (r->plane_mask != 0) { /* else its block went bad before its turn came */
        *(r->fold.host ? &e->telemetry->host_units_written : &e->telemetry->copy_page_writes) += 1;
    }
    if (result->plane_fail != 0) {
        const struct erase_piece failed = {block, r->lun, result->plane_fail};
        blocks_retire(e, &failed, RETIRE_PROGRAM);
        flash_free(e, result->request);
        blocks_unpend(e, block);
        begin_anew(e, j);
        return;
    }
    flash_free(e, result->request);
    blocks_unpend(e, block);
    page_done(e, j);
}

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
            next_page(e, n);
        }
        if (j->state == FOLD_READY && !ftl_holds(e) && !closed) {
            start_program(e, n);
        }
        if (j->state == FOLD_COPIES && j->left == 0) {
            end(e, j);
        }
    }
    FW_ASSERT(e, f->active <= f->most);
}
