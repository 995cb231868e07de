/* SPDX-License-Identifier: Apache-2.0
 *
 * Merges of hybrid mapping.
 *
 * A page comes from the buffer if its newest data are there and at rest, else from the log or the
 * old data block; what was never written is zeroes. Pages are read ahead of the one that is being
 * programmed. A slot of the buffer that was taken stays as it is until the merge has ended: only
 * then does anything point to the new block. If a page of the block fails, all of it goes to
 * another one.
 */
#include "firmware/blocks/hybrid_merge.h"

#include "firmware/blocks/hybrid_log.h"
#include "firmware/blocks/logical.h"
#include "firmware/buffer/cache.h"
#include "firmware/buffer/merged.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/modes.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"
#include "firmware/space/spare.h"

enum merge_state {
    MERGE_IDLE = 0,
    MERGE_WAITS = 1, /* for pins to go, for the map, for a free block */
    MERGE_FILLS = 2, /* the target is being written */
    MERGE_ENDS = 3   /* a page of the target failed: once nothing is under way, another one */
};

enum page_state { PAGE_EMPTY = 0, PAGE_READS = 1, PAGE_READY = 2, PAGE_PROGRAMS = 3 };

enum merge_source { MERGE_ZEROES = 0, MERGE_COPY = 1, MERGE_HOST = 2 };

struct merge_page {    /* one of those that a merge has in work */
    uint32_t state;    /* enum page_state */
    uint32_t buffered; /* slot of the buffer that has the data, INDEX_NONE = none */
    uint32_t kind;     /* enum merge_source */
    uint32_t lost;
};

struct merge {
    uint32_t state;   /* enum merge_state */
    uint32_t target;  /* superblock, INDEX_NONE */
    uint64_t lblock;  /* logical block */
    uint32_t sourced; /* pages below have a source */
    uint32_t sent;    /* pages below are submitted */
    uint32_t done;    /* pages that are programmed */
    uint32_t flying;  /* reads and programs under way */
    uint32_t lost;    /* pages that are lost */
    uint32_t reserved;
    struct merge_page page[MERGE_DEPTH];
};

enum source_found { SOURCE_WAITS = 0, SOURCE_READY = 1, SOURCE_READS = 2 };

static struct merge* merge_of(struct env* e, uint32_t n)
{
    return env_dram_entry(e, e->hybrid->jobs, n, sizeof(struct merge));
}

static uint32_t* taken_of(struct env* e, uint32_t n)
{
    const struct hybrid* h = e->hybrid;
    return (uint32_t*)env_dram(e, h->taken) + (uint64_t)n * e->geo->pages;
}

static uint8_t* lost_of(struct env* e, uint32_t n)
{
    const struct hybrid* h = e->hybrid;
    return (uint8_t*)env_dram(e, h->lost_map) + (uint64_t)n * e->geo->pages;
}

static uint64_t buffer_of(const struct env* e, uint32_t n, uint32_t page)
{
    const struct hybrid* h = e->hybrid;
    FW_ASSERT(e, n < h->merges && page < e->geo->pages);
    return h->buffers + (((uint64_t)n * MERGE_DEPTH + page % MERGE_DEPTH) << e->geo->unit_shift);
}

void merges_take_memory(struct env* e)
{
    struct hybrid* h = e->hybrid;
    h->jobs = dram_take(e, h->merges * sizeof(struct merge));
    h->taken = dram_take(e, (uint64_t)h->merges * e->geo->pages * sizeof(uint32_t));
    h->lost_map = dram_take(e, (uint64_t)h->merges * e->geo->pages);
    h->buffers = dram_take_pages(e, ((uint64_t)h->merges * MERGE_DEPTH) << e->geo->unit_shift);
    for (uint32_t i = 0; i < h->merges * e->geo->pages && e->arenas->absent == 0; ++i) {
        ((uint32_t*)env_dram(e, h->taken))[i] = INDEX_NONE;
    }
}

bool merge_busy(struct env* e, uint64_t lblock)
{
    for (uint32_t n = 0; n < e->hybrid->merges && e->hybrid->active != 0; ++n) {
        const struct merge* m = merge_of(e, n);
        if (m->state != MERGE_IDLE && m->lblock == lblock) {
            return true;
        }
    }
    return false;
}

bool merge_request(struct env* e, uint64_t lblock)
{
    struct hybrid* h = e->hybrid;
    if (merge_busy(e, lblock)) {
        return true;
    }
    for (uint32_t n = 0; n < h->merges && !ftl_stops(e); ++n) {
        struct merge* m = merge_of(e, n);
        if (m->state == MERGE_IDLE) {
            m->state = MERGE_WAITS;
            m->lblock = lblock;
            m->target = INDEX_NONE;
            ++h->active;
            run_due(e, DUE_LEAVING); /* it begins; others may be merged beside it */
            return true;
        }
    }
    return false;
}

bool hybrid_idle(const struct env* e)
{
    return e->hybrid->active == 0;
}

/* ---- Begin ---- */

static void restart(struct env* e, uint32_t n)
{
    struct merge* m = merge_of(e, n);
    FW_ASSERT(e, m->flying == 0);
    m->sourced = 0;
    m->sent = 0;
    m->done = 0;
    m->lost = 0;
    for (uint32_t i = 0; i < MERGE_DEPTH; ++i) {
        m->page[i].state = PAGE_EMPTY;
    }
}

static void begin(struct env* e, uint32_t n)
{
    struct merge* m = merge_of(e, n);
    const uint64_t old = data_block_of(e, m->lblock); /* asked for while there are pins, too */
    if (old == FTL_UNKNOWN || *pins_of(e, m->lblock) != 0) {
        return;
    }
    m->target = logical_take(e);
    if (m->target == INDEX_NONE) {
        return;
    }
    struct superblock* s = superblock_of(e, e->blocks, m->target);
    s->role = BLOCK_TARGET;
    s->owner = n;
    m->state = MERGE_FILLS;
    restart(e, n);
}

/* Power goes, or might: nothing that has not begun begins. */
static void give_up(struct env* e, uint32_t n)
{
    struct merge* m = merge_of(e, n);
    uint32_t* taken = taken_of(e, n);
    FW_ASSERT(e, m->flying == 0 && m->target == INDEX_NONE);
    for (uint32_t page = 0; page < e->geo->pages; ++page) {
        if (taken[page] != INDEX_NONE) {
            cache_merge_failed(e, taken[page]);
            taken[page] = INDEX_NONE;
        }
    }
    m->state = MERGE_IDLE;
    --e->hybrid->active;
}

static void begin_anew(struct env* e, uint32_t n)
{
    struct merge* m = merge_of(e, n);
    FW_ASSERT(e, m->flying == 0);
    blocks_filled_up(e, m->target);
    blocks_discard(e, m->target, FLASH_PURPOSE_GC);
    m->target = INDEX_NONE;
    m->state = MERGE_WAITS;
}

/* ---- Sources ---- */

static bool start_read(struct env* e, uint32_t n, uint32_t page, uint64_t address)
{
    const uint32_t i = merge_read_take(e, OWNER_MERGE_READ, address, buffer_of(e, n, page));
    if (i == INDEX_NONE) {
        return false;
    }
    struct flash_request* r = flash_request_of(e, i);
    r->merge.job = n;
    r->merge.page = page;
    ++merge_of(e, n)->flying;
    flash_submit(e, i);
    return true;
}

/* Where the page of a merge is to come from; what has to be read begins to be. */
static enum source_found find_source(struct env* e, uint32_t n, uint32_t page)
{
    struct merge* m = merge_of(e, n);
    struct merge_page* p = &m->page[page % MERGE_DEPTH];
    const uint64_t unit = m->lblock * e->geo->pages + page;
    uint32_t* buffered = taken_of(e, n) + page;
    p->buffered = INDEX_NONE;
    p->kind = MERGE_ZEROES;
    p->lost = 0;
    if (unit >= e->geo->user_units) {
        return SOURCE_READY;
    }
    if (*buffered == INDEX_NONE && !cache_merge_take(e, unit, buffered)) {
        return SOURCE_WAITS;
    }
    if (*buffered != INDEX_NONE) {
        p->buffered = *buffered;
        p->kind = MERGE_HOST;
        p->lost = (uint32_t)cache_merge_lost(e, *buffered);
        return SOURCE_READY;
    }
    const uint64_t address = ftl_ops_of(e)->lookup(e, unit);
    FW_ASSERT(e, address != FTL_UNKNOWN);
    if (address == FTL_NONE || ftl_lost(address)) {
        p->lost = address == FTL_NONE ? 0 : 1;
        return SOURCE_READY;
    }
    p->kind = MERGE_COPY;
    return start_read(e, n, page, address) ? SOURCE_READS : SOURCE_WAITS;
}

static void find_sources(struct env* e, uint32_t n)
{
    struct merge* m = merge_of(e, n);
    while (m->sourced < e->geo->pages && m->sourced < m->done + MERGE_DEPTH) {
        struct merge_page* p = &m->page[m->sourced % MERGE_DEPTH];
        const enum source_found found = find_source(e, n, m->sourced);
        if (found == SOURCE_WAITS) {
            break;
        }
        p->state = found == SOURCE_READS ? PAGE_READS : PAGE_READY;
        ++m->sourced;
    }
}

void merge_read_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    struct merge* m = merge_of(e, r->merge.job);
    struct merge_page* p = &m->page[r->merge.page % MERGE_DEPTH];
    FW_ASSERT(e, p->state == PAGE_READS && m->flying > 0);
    --m->flying;
    p->state = PAGE_READY;
    if (result->status != FLASH_STATUS_OK) {
        ++e->telemetry->media_errors;
        ++e->telemetry->units_lost;
        p->lost = 1;
        p->kind = MERGE_ZEROES;
    }
    blocks_unread(e, r->block);
    flash_free(e, result->request);
}

/* ---- Programs ---- */

/* The last page tells how many of the block are lost: power-up looks for them then. */
static uint64_t word_of(struct env* e, uint32_t n, uint32_t page)
{
    const struct merge* m = merge_of(e, n);
    const uint64_t unit = m->lblock * e->geo->pages + page;
    const uint64_t word =
        spare_pack(SPARE_BLOCK, unit) | (lost_of(e, n)[page] != 0 ? SPARE_LOST : 0);
    return page + 1 < e->geo->pages ? word : word | ((uint64_t)m->lost << SPARE_CHECK_SHIFT);
}

static void start_program(struct env* e, uint32_t n, uint32_t i)
{
    struct merge* m = merge_of(e, n);
    const uint32_t page = m->sent++;
    struct merge_page* p = &m->page[page % MERGE_DEPTH];
    struct flash_request* r = flash_request_of(e, i);
    FW_ASSERT(e, p->state == PAGE_READY);
    lost_of(e, n)[page] = (uint8_t)p->lost;
    m->lost += p->lost;
    const struct merge_program program = {
        .block = m->target,
        .page = page,
        .purpose = p->kind == MERGE_HOST ? FLASH_PURPOSE_HOST : FLASH_PURPOSE_GC,
        .data = p->kind == MERGE_HOST   ? cache_data(e, p->buffered)
                : p->kind == MERGE_COPY ? buffer_of(e, n, page)
                                        : flash_zero(e),
        .word = word_of(e, n, page),
    };
    r->merge.job = n;
    r->merge.page = page;
    p->state = PAGE_PROGRAMS;
    ++m->flying;
    merge_program_submit(e, i, &program);
}

static void send_pages(struct env* e, uint32_t n)
{
    struct merge* m = merge_of(e, n);
    while (m->sent < m->sourced && m->page[m->sent % MERGE_DEPTH].state == PAGE_READY) {
        const uint32_t i = flash_take(e, OWNER_MERGE_PROGRAM);
        if (i == INDEX_NONE) {
            break;
        }
        start_program(e, n, i);
    }
}

static void account(struct env* e, const struct merge_page* p)
{
    struct telemetry* s = e->telemetry;
    s->host_units_written += p->kind == MERGE_HOST ? 1u : 0u;
    s->gc_units_moved += p->kind == MERGE_COPY ? 1u : 0u;
    s->gc_pages_moved += p->kind == MERGE_COPY ? 1u : 0u;
    s->pad_units += p->kind == MERGE_ZEROES ? 1u : 0u;
}

/* The whole logical block is programmed. */
static void end(struct env* e, uint32_t n)
{
    struct merge* m = merge_of(e, n);
    uint32_t* taken = taken_of(e, n);
    const uint8_t* lost = lost_of(e, n);
    blocks_filled_up(e, m->target);
    data_block_switch(e, m->lblock, m->target, lost);
    for (uint32_t page = 0; page < e->geo->pages; ++page) {
        if (taken[page] != INDEX_NONE) {
            cache_merge_done(e, taken[page], lost[page]);
            taken[page] = INDEX_NONE;
        }
    }
    ++e->telemetry->gc_runs;
    m->state = MERGE_IDLE;
    m->target = INDEX_NONE;
    --e->hybrid->active;
    FW_ASSERT(e, m->flying == 0);
}

void merge_program_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    const uint32_t n = r->merge.job;
    struct merge* m = merge_of(e, n);
    struct merge_page* p = &m->page[r->merge.page % MERGE_DEPTH];
    const uint32_t block = r->block;
    FW_ASSERT(e, p->state == PAGE_PROGRAMS && m->flying > 0);
    --m->flying;
    p->state = PAGE_EMPTY;
    if (r->plane_mask != 0) { /* else its block went bad before its turn came */
        account(e, p);
    }
    if (result->plane_fail != 0) {
        const struct erase_piece failed = {block, r->lun, result->plane_fail};
        blocks_retire(e, &failed, RETIRE_PROGRAM);
        m->state = MERGE_ENDS;
    } else {
        ++m->done;
    }
    flash_free(e, result->request);
    blocks_unpend(e, block);
    if (m->state == MERGE_FILLS && m->done == e->geo->pages) {
        end(e, n);
    }
}

/* ---- A log block is emptied ---- */

/* Merges the logical blocks of the victim's pages, as many at a time as there may be. */
static void empty_victim(struct env* e)
{
    struct hybrid* h = e->hybrid;
    const struct superblock* s = superblock_of(e, e->blocks, h->victim);
    FW_ASSERT(e, s->role == BLOCK_LOG && s->owner < h->log_slots);
    for (uint32_t n = 0; n < e->geo->pages; ++n) {
        const uint32_t k = s->owner * e->geo->pages + (h->scan + n) % e->geo->pages;
        const struct log_entry* entry = log_entry_of(e, k);
        if (entry->mark != MARK_NONE && !merge_request(e, lblock_of(e, entry->unit))) {
            h->scan = (h->scan + n) % e->geo->pages;
            return;
        }
    }
}

static void log_blocks_step(struct env* e)
{
    struct hybrid* h = e->hybrid;
    if (ftl_stops(e) || blocks_leaving(e) >= HYBRID_LEAVING - 1) {
        return;
    }
    if (h->victim != INDEX_NONE && superblock_of(e, e->blocks, h->victim)->valid == 0) {
        h->victim = INDEX_NONE;
    }
    if (h->victim == INDEX_NONE) {
        h->victim = log_victim(e);
        h->scan = 0;
    }
    if (h->victim != INDEX_NONE) {
        empty_victim(e);
    }
}

/* ---- Main loop ---- */

void merge_step(struct env* e)
{
    struct hybrid* h = e->hybrid;
    log_blocks_step(e);
    for (uint32_t n = 0; n < h->merges && h->active != 0; ++n) {
        struct merge* m = merge_of(e, n);
        if (m->state == MERGE_ENDS && m->flying == 0) {
            begin_anew(e, n);
        }
        if (m->state == MERGE_WAITS) {
            begin(e, n);
        }
        if (m->state == MERGE_WAITS && ftl_stops(e)) {
            give_up(e, n);
        }
        if (m->state == MERGE_FILLS) {
            find_sources(e, n);
            send_pages(e, n);
        }
    }
}
