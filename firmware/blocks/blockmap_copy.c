/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/blockmap_copy.h"

#include "firmware/blocks/blockmap_groups.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/blocks/logical.h"
#include "firmware/buffer/cache.h"
#include "firmware/buffer/merged.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/modes.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/spare.h"

static uint64_t buffer_of(const struct env* e, uint32_t n)
{
    return e->blockmap->folds.buffers + ((uint64_t)n << e->geo->unit_shift);
}

void folds_take_memory(struct env* e)
{
    struct folds* f = &e->blockmap->folds;
    f->jobs = dram_take(e, f->most * sizeof(struct fold));
    f->buffers = dram_take_pages(e, (uint64_t)f->most << e->geo->unit_shift);
}

/* ---- Which pages ---- */

/* Offsets to look at, pages of the source. */
uint32_t fold_extent(const struct env* e, const struct fold* j)
{
    return j->kind == FOLD_OUT ? e->geo->pages : e->blockmap->span;
}

/* The unit in work. */
static uint64_t unit_of(struct env* e, const struct fold* j)
{
    FW_ASSERT(e, j->page < fold_extent(e, j));
    return j->kind == FOLD_OUT ? page_unit(e, j->source, j->page)
                               : (uint64_t)j->lblock * e->blockmap->span + j->page;
}

/* Of a completion: what is valid at home; with `collects` also what is newer and lies in a shared
 * block, where the second block still has its page. */
static bool completion_wants(struct env* e, const struct fold* j, uint32_t offset)
{
    const uint32_t home = home_of(e, j->lblock);
    const uint64_t unit = (uint64_t)j->lblock * e->blockmap->span + offset;
    if (home != INDEX_NONE && page_valid(e, home, offset)) {
        return true;
    }
    return e->blockmap->collects != 0 && unit_find(e, unit) != FTL_NONE &&
           page_free(e, second_of(e, j->lblock), offset, offset + 1) != INDEX_NONE;
}

/* Offsets that are to be programmed still: what is valid, or what a completion wants. */
bool fold_wants(struct env* e, const struct fold* j, uint32_t offset)
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

/* ---- Reads ---- */

static bool start_read(struct env* e, uint32_t n, uint64_t address, uint32_t purpose)
{
    const uint32_t i = merge_read_take(e, OWNER_FOLD_READ, address, buffer_of(e, n));
    if (i == INDEX_NONE) {
        return false;
    }
    struct flash_request* r = flash_request_of(e, i);
    r->purpose = (uint8_t)purpose;
    r->fold.job = n;
    ++*(purpose == FLASH_PURPOSE_SCAN ? &e->telemetry->scan_page_reads
                                      : &e->telemetry->copy_page_reads);
    fold_of(e, n)->state = FOLD_READS;
    flash_submit(e, i);
    return true;
}

void fold_read_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
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
    return true;
}

void copy_next(struct env* e, uint32_t n)
{
    struct fold* j = fold_of(e, n);
    if (j->search != 0 && next_searched(e, n)) {
        return;
    }
    while (j->page < fold_extent(e, j) && !fold_wants(e, j, j->page)) {
        ++j->page;
    }
    FW_ASSERT(e, j->page < fold_extent(e, j) && j->left != 0);
    read_unit(e, n);
}

/* ---- Programs ---- */

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

void copy_program(struct env* e, uint32_t n)
{
    struct fold* j = fold_of(e, n);
    const uint64_t unit = unit_of(e, j);
    const bool host = j->buffered != INDEX_NONE && unit == j->absorb;
    const uint32_t i = find_page(e, j) ? flash_take(e, OWNER_FOLD_PROGRAM) : INDEX_NONE;
    if (i == INDEX_NONE) {
        return;
    }
    struct flash_request* r = flash_request_of(e, i);
    const struct merge_program p = {
        .block = j->target,
        .page = j->to,
        .purpose = ftl_preconditions(e) ? FLASH_PURPOSE_PRECONDITION
                   : host               ? FLASH_PURPOSE_HOST
                                        : FLASH_PURPOSE_MERGE,
        .data = host           ? cache_data(e, j->buffered)
                : j->lost != 0 ? flash_zero(e)
                               : buffer_of(e, n),
        .word = word_of(e, j, unit),
    };
    r->fold.job = n;
    r->fold.host = host;
    page_take(e, j->target, j->to, unit);
    j->state = FOLD_PROGRAMS;
    merge_program_submit(e, i, &p);
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
    const struct flash_request* r = flash_request_of(e, result->request);
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
