/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/ops/requests.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/space/slc.h"
#include "models/regs/parts/flash.h"

_Static_assert(sizeof(struct flash_request) == 72, "a drive has thousands of them in its memory");

enum { REQUESTS_MOST = 0xFFFF /* a tag has 16 bits */ };

static void init_lists(struct env* e)
{
    struct flash* f = e->flash;
    fifo_init(&f->single_reads);
    fifo_init(&f->free_background);
    fifo_init(&f->failed);
    for (uint32_t i = f->reads; i < f->total; ++i) {
        fifo_push(&f->free_background, flash_links(e), i);
    }
}

int requests_init(struct env* e)
{
    struct flash* f = e->flash;
    const struct geometry* g = e->geo;
    uint32_t background = 0;
    for (uint32_t o = OWNER_PROGRAM; o < OWNERS; ++o) {
        background += f->limit[o];
    }
    f->total = f->reads + background;
    if (f->total > REQUESTS_MOST) {
        hal_log(e->hal, HAL_LOG_ERROR, "more flash requests than tags have numbers", f->total,
                REQUESTS_MOST);
        return -1;
    }
    f->requests = dram_take(e, (uint64_t)f->total * sizeof(struct flash_request));
    f->links = dram_take(e, (uint64_t)f->total * sizeof(uint32_t));
    f->lists = dram_take(e, (uint64_t)background * g->group * sizeof(uint64_t));
    f->oobs = dram_take(e, (uint64_t)background * g->planes * g->oob_bytes);
    f->buffers = dram_take_pages(e, (uint64_t)f->reads * g->page_size);
    read_pool_init(e, &f->free_reads, f->reads, f->reads_planes ? g->planes : 1);
    if (e->arenas->absent == 0) {
        init_lists(e);
    }
    return 0;
}

void flash_take_zero(struct env* e)
{
    e->flash->zero = dram_take_pages(e, e->geo->page_size > 4096 ? e->geo->page_size : 4096);
}

static void begin(struct env* e, uint32_t request, uint32_t owner)
{
    struct flash_request* r = flash_request_of(e, request);
    env_touch(e, r, sizeof *r, true);
    r->owner = (uint8_t)owner;
    r->plane_mask = 1; /* a read has one page before it is told which */
    r->fail_mask = 0;
    r->sg = false;
    r->oob = false;
    r->metadata = false;
    r->deep = false;
    r->sequence = 0;
    r->trace = FLASH_TRACE_NONE;
    r->buffer = 0;
    flash_read_restart(r);
}

/* Most reads are of one page: a list costs them less than the pool. */
static uint32_t take_single(struct env* e)
{
    struct flash* f = e->flash;
    const uint32_t i = fifo_pop(&f->single_reads, flash_links(e));
    return i != INDEX_NONE ? i : read_pool_take(e, &f->free_reads, 1);
}

/* So many lie side by side, if need be with those that went alone. */
static uint32_t take_run(struct env* e, uint32_t pages)
{
    struct flash* f = e->flash;
    uint32_t i = read_pool_take(e, &f->free_reads, pages);
    while (i == INDEX_NONE && f->single_reads.count != 0) {
        read_pool_free(e, &f->free_reads, fifo_pop(&f->single_reads, flash_links(e)), 1);
        i = read_pool_take(e, &f->free_reads, pages);
    }
    return i;
}

uint32_t flash_take(struct env* e, uint32_t owner)
{
    struct flash* f = e->flash;
    const bool reads = owner <= OWNER_FILL;
    uint32_t i = INDEX_NONE;
    FW_ASSERT(e, owner < OWNERS);
    if (f->owned[owner] < f->limit[owner]) {
        i = reads ? take_single(e) : fifo_pop(&f->free_background, flash_links(e));
    }
    if (i == INDEX_NONE) {
        f->wanted |= reads ? 1u : 0u;
        return INDEX_NONE;
    }
    ++f->owned[owner];
    begin(e, i, owner);
    return i;
}

uint32_t flash_take_pages(struct env* e, uint32_t pages)
{
    struct flash* f = e->flash;
    const uint32_t i = take_run(e, pages);
    FW_ASSERT(e, f->limit[OWNER_READ] == f->reads);
    if (i != INDEX_NONE) {
        f->owned[OWNER_READ] += pages;
        begin(e, i, OWNER_READ);
    }
    return i;
}

/* With all its pages. */
static void free_read(struct env* e, uint32_t request, const struct flash_request* r)
{
    struct flash* f = e->flash;
    const uint32_t pages = flash_pages(r);
    FW_ASSERT(e, f->owned[r->owner] >= pages);
    f->owned[r->owner] -= pages;
    if (pages == 1) {
        fifo_push_front(&f->single_reads, flash_links(e), request);
    } else {
        read_pool_free(e, &f->free_reads, request, pages);
    }
    if (f->wanted != 0) {
        f->wanted = 0;
        run_due(e, DUE_HOST | DUE_LEAVING);
    }
}

static void free_background(struct env* e, uint32_t request, const struct flash_request* r)
{
    struct flash* f = e->flash;
    FW_ASSERT(e, f->owned[r->owner] > 0);
    --f->owned[r->owner];
    if (r->owner == OWNER_PROGRAM) {
        run_due(e, DUE_GC); /* it works where the host programs nothing */
    }
    fifo_push_front(&f->free_background, flash_links(e), request);
}

void flash_free(struct env* e, uint32_t request)
{
    struct flash_request* r = flash_request_of(e, request);
    FW_ASSERT(e, request < e->flash->total);
    if (request < e->flash->reads) {
        free_read(e, request, r);
    } else {
        free_background(e, request, r);
    }
    mem_poison(r, sizeof *r);
    r->sequence = 0; /* it is looked at in free ones too */
}

void flash_reuse(struct env* e, uint32_t request)
{
    struct flash_request* r = flash_request_of(e, request);
    FW_ASSERT(e, request < e->flash->reads);
    FW_ASSERT(e, r->owner == OWNER_READ && !r->sg && flash_pages(r) == 1);
    env_touch(e, r, sizeof *r, true);
    flash_read_restart(r);
}

uint64_t flash_buffer(struct env* e, uint32_t request)
{
    FW_ASSERT(e, request < e->flash->reads);
    return e->flash->buffers + (uint64_t)request * e->geo->page_size;
}

uint64_t flash_list_at(struct env* e, uint32_t request)
{
    FW_ASSERT(e, request < e->flash->total);
    if (request < e->flash->reads) {
        return flash_buffer(e, request); /* which is free: the data go to the list's places */
    }
    return e->flash->lists +
           (uint64_t)(request - e->flash->reads) * e->geo->group * sizeof(uint64_t);
}

uint64_t flash_oob_at(struct env* e, uint32_t request)
{
    FW_ASSERT(e, request >= e->flash->reads);
    return e->flash->oobs +
           (uint64_t)(request - e->flash->reads) * e->geo->planes * e->geo->oob_bytes;
}

_Static_assert(sizeof(struct flash_request) == 72, "a drive has thousands of them in its memory");

uint64_t flash_settled(struct env* e)
{
    uint64_t oldest = e->flash->sequence + 1;
    for (uint32_t i = e->flash->reads; i < e->flash->total; ++i) {
        const uint64_t sequence = flash_request_of(e, i)->sequence;
        oldest = sequence != 0 && sequence < oldest ? sequence : oldest;
    }
    return oldest - 1;
}

/* ---- Modes ---- */

uint32_t flash_retry_levels(const struct env* e)
{
    return e->told.flash->retry_levels;
}

void flash_modes_start(struct env* e)
{
    struct flash* f = e->flash;
    FW_ASSERT(e, f->in_flight == 0);
    if (slc_on(e)) {
        FW_ASSERT(e, f->array_mode == FLASH_MODE_NORMAL && f->host_mode == FLASH_MODE_NORMAL);
        f->array_mode = FLASH_MODE_OF_BLOCK;
        f->host_mode = FLASH_MODE_OF_BLOCK;
    }
}

uint8_t flash_block_mode(struct env* e, uint32_t block)
{
    const uint32_t mode = e->flash->array_mode;
    FW_ASSERT(e, block < e->geo->blocks);
    if (mode != FLASH_MODE_OF_BLOCK) {
        return (uint8_t)mode;
    }
    return slc_holds(e, block) ? FLASH_MODE_SLC : FLASH_MODE_NORMAL;
}

/* ---- Data of sectors ---- */

static void each_sector(struct env* e, uint64_t to, uint64_t from, uint64_t mask)
{
    const size_t bytes = e->geo->data_mode == DATA_FULL ? SECTOR_SIZE : sizeof(uint64_t);
    if (e->geo->data_mode == DATA_NONE) {
        return;
    }
    FW_ASSERT(e, to >= MAP_DRAM_BASE);
    for (uint32_t i = 0; mask != 0; ++i, mask >>= 1) {
        if ((mask & 1u) == 0) {
            continue;
        }
        if (from != 0) {
            mem_copy(env_dram(e, to + (uint64_t)i * SECTOR_SIZE),
                     env_dram(e, from + (uint64_t)i * SECTOR_SIZE), bytes);
        } else {
            mem_zero(env_dram(e, to + (uint64_t)i * SECTOR_SIZE), bytes);
        }
    }
}

void sectors_copy(struct env* e, uint64_t to, uint64_t from, uint64_t mask)
{
    FW_ASSERT(e, from != 0);
    each_sector(e, to, from, mask);
}

void sectors_zero(struct env* e, uint64_t to, uint64_t mask)
{
    each_sector(e, to, 0, mask);
}
