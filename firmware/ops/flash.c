/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/ops/flash.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/ops/flash_parts.h"
#include "firmware/ops/joined.h"
#include "firmware/ops/passes.h"
#include "firmware/ops/waits.h"
#include "firmware/space/blocks.h"
#include "firmware/space/reserve.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"

enum {
    MAP_READS = 2,         /* beside one per LUN */
    REQUESTS_MOST = 0xFFFF /* a tag has 16 bits */
};

static void init_limits(struct env* e, const struct flash_setup* setup)
{
    struct flash* f = e->flash;
    const uint32_t luns = e->geo->part.luns;
    FW_ASSERT(e, luns >= 1 && e->geo->part.planes >= 1);
    f->limit[OWNER_READ] = f->reads;
    f->limit[OWNER_FILL] = f->reads / 4;
    f->limit[OWNER_PROGRAM] = (1 + geometry_programs(e->geo)) * luns;
    f->limit[OWNER_GC_READ] = 2 * luns * e->geo->part.planes;
    /* One of all planes of a LUN, or each plane by itself. */
    f->limit[OWNER_GC_PROGRAM] = geometry_planes(e->geo) ? part_lanes(e->geo) : luns;
    f->erases_max = luns / 4 == 0 ? 1 : luns / 4;
    f->limit[OWNER_ERASE] = f->erases_max;
    f->limit[OWNER_SCAN] = 2 * luns;
    f->limit[OWNER_GC_COPY] = f->copyback != 0 ? 2 * luns : 0;
    f->limit[OWNER_MAP_READ] = MAP_READS + luns;
    f->limit[OWNER_MAP_PROGRAM] = e->geo->luns; /* of a superblock */
    f->limit[OWNER_MERGE_READ] = setup->merges * MERGE_DEPTH;
    f->limit[OWNER_MERGE_PROGRAM] = setup->merges * MERGE_DEPTH;
    f->limit[OWNER_FOLD_READ] = setup->folds;
    f->limit[OWNER_FOLD_PROGRAM] = setup->folds;
    f->limit[OWNER_ANCHOR] = 2;
    f->limit[OWNER_SEGMENT] = setup->segments != 0 ? SEGMENT_REQUESTS : 0;
    if (e->geo->word_line != 0) {
        const uint32_t held = geometry_programs(e->geo) * luns;
        f->limit[OWNER_GC_PROGRAM] = held;
        f->limit[OWNER_MAP_PROGRAM] = held;
        f->limit[OWNER_PAD] = passes_pads(e);
    }
    FW_ASSERT(e, f->limit[OWNER_FILL] != 0);
}

static void init_lists(struct env* e)
{
    struct flash* f = e->flash;
    const struct geometry* g = e->geo;
    uint32_t* links = flash_links(e);
    fifo_init(&f->free_reads);
    fifo_init(&f->free_background);
    fifo_init(&f->failed);
    for (uint32_t i = 0; i < f->total; ++i) {
        fifo_push(i < f->reads ? &f->free_reads : &f->free_background, links, i);
    }
    for (uint32_t i = 0; i < g->part.luns; ++i) {
        struct lun_queue* q = flash_lun(e, i);
        fifo_init(&q->host);
        fifo_init(&q->background);
        q->index = (uint8_t)(i / g->channels);
        q->channel = (uint8_t)(i - q->index * g->channels);
    }
    FW_ASSERT(e, f->free_reads.count == f->reads);
    FW_ASSERT(e, f->free_background.count == f->total - f->reads);
}

int flash_init(struct env* e, const struct flash_setup* setup)
{
    struct flash* f = e->flash;
    const struct geometry* g = e->geo;
    FW_ASSERT(e, setup->read_buffers >= 4);
    f->reads = setup->read_buffers;
    f->retry_levels = setup->retry_levels;
    f->metadata_tries = setup->metadata_tries;
    f->copyback = setup->copyback;
    f->host_mode = setup->host_mode;
    f->array_mode = setup->array_mode;
    init_limits(e, setup);
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
    f->luns = sram_take(e, (uint64_t)g->part.luns * sizeof(struct lun_queue));
    if (flash_joined_init(e) == 0 && e->arenas->absent == 0) {
        init_lists(e);
    }
    return passes_init(e);
}

void flash_take_zero(struct env* e)
{
    e->flash->zero = dram_take_pages(e, e->geo->page_size > 4096 ? e->geo->page_size : 4096);
}

uint32_t flash_in_flight_max(const struct env* e, uint32_t read_buffers)
{
    FW_ASSERT(e, read_buffers != 0 && e->geo->luns_per_channel != 0);
    const uint32_t line = e->geo->word_line; /* goes to its LUN at once */
    const uint32_t programs = line > e->geo->lun_programs ? line : e->geo->lun_programs;
    return read_buffers + MAP_READS + e->geo->part.luns + e->geo->luns_per_channel * programs;
}

uint32_t flash_take(struct env* e, uint32_t owner)
{
    struct flash* f = e->flash;
    struct fifo* pool = owner <= OWNER_FILL ? &f->free_reads : &f->free_background;
    FW_ASSERT(e, owner < OWNERS);
    if (f->owned[owner] >= f->limit[owner] || pool->head == INDEX_NONE) {
        f->wanted |= owner <= OWNER_FILL ? 1u : 0u;
        return INDEX_NONE;
    }
    const uint32_t i = fifo_pop(pool, flash_links(e));
    struct flash_request* r = flash_request_of(e, f, i);
    env_touch(e, r, sizeof *r, true);
    ++f->owned[owner];
    r->owner = (uint8_t)owner;
    r->fail_mask = 0;
    r->sg = false;
    r->oob = false;
    r->metadata = false;
    r->deep = false;
    r->sequence = 0;
    r->trace = FLASH_TRACE_NONE;
    r->buffer = 0;
    flash_read_restart(r);
    FW_ASSERT(e, i < f->total);
    return i;
}

void flash_free(struct env* e, uint32_t request)
{
    struct flash* f = e->flash;
    struct flash_request* r = flash_request_of(e, f, request);
    FW_ASSERT(e, request < f->total);
    FW_ASSERT(e, f->owned[r->owner] > 0);
    --f->owned[r->owner];
    if (f->wanted != 0 && request < f->reads) {
        f->wanted = 0;
        run_due(e, DUE_STEPS);
    }
    mem_poison(r, sizeof *r);
    r->sequence = 0; /* it is looked at in free ones too */
    fifo_push_front(request < f->reads ? &f->free_reads : &f->free_background, flash_links(e),
                    request);
}

void flash_reuse(struct env* e, uint32_t request)
{
    struct flash_request* r = flash_request_of(e, e->flash, request);
    FW_ASSERT(e, request < e->flash->reads);
    FW_ASSERT(e, r->owner == OWNER_READ && !r->sg && r->sequence == 0);
    env_touch(e, r, sizeof *r, true);
    flash_read_restart(r);
}

uint64_t flash_buffer(struct env* e, uint32_t request)
{
    FW_ASSERT(e, request < e->flash->reads);
    return e->flash->buffers + (uint64_t)request * e->geo->page_size;
}

static uint64_t list_address(struct env* e, uint32_t request)
{
    FW_ASSERT(e, request < e->flash->total);
    if (request < e->flash->reads) {
        return flash_buffer(e, request); /* which is free: the data go to the list's places */
    }
    return e->flash->lists +
           (uint64_t)(request - e->flash->reads) * e->geo->group * sizeof(uint64_t);
}

static uint64_t oob_address(struct env* e, uint32_t request)
{
    FW_ASSERT(e, request >= e->flash->reads);
    return e->flash->oobs +
           (uint64_t)(request - e->flash->reads) * e->geo->planes * e->geo->oob_bytes;
}

uint64_t* flash_list(struct env* e, uint32_t request)
{
    return (uint64_t*)env_dram(e, list_address(e, request));
}

uint64_t* flash_oob(struct env* e, uint32_t request)
{
    return (uint64_t*)env_dram(e, oob_address(e, request));
}

/* A register of a LUN has no mode. */
static uint8_t program_mode_of(struct env* e, const struct flash_request* r)
{
    const struct flash* f = e->flash;
    const bool host = r->owner == OWNER_PROGRAM && !r->deep;
    if (e->geo->word_line != 0 &&
        (r->owner == OWNER_ANCHOR || (f->searching && r->owner == OWNER_SCAN))) {
        return FLASH_MODE_SLC;
    }
    const uint32_t mode = host ? f->host_mode : f->array_mode;
    if (mode == FLASH_MODE_OF_BLOCK) {
        return flash_mode_of(e, r);
    }
    return (uint8_t)(r->op == FLASH_OP_SET_FEATURES ? FLASH_MODE_NORMAL : mode);
}

/* Block and planes as the part counts them. Returns the queue of the LUN. */
static const struct lun_queue* locate(struct env* e, uint32_t lun, struct flash_desc* d)
{
    const uint32_t first = lowest_bit(d->plane_mask);
    const struct place p = {.block = d->block, .page = d->page, .lun = lun, .plane = first};
    const struct place at = part_place(e->geo, &p);
    FW_ASSERT(e, at.block < e->geo->part.blocks);
    FW_ASSERT(e, at.plane >= first && at.plane < e->geo->part.planes);
    d->block = at.block;
    d->plane_mask = (uint8_t)(d->plane_mask << (at.plane - first));
    return flash_lun(e, at.lun);
}

static uint32_t to_block_of(const struct env* e, const struct flash_request* r)
{
    const struct place from = {.block = r->block, .page = r->page, .lun = r->lun};
    const struct place to = {.block = r->copy.to_block, .page = r->copy.to_page, .lun = r->lun};
    const struct place source = part_place(e->geo, &from);
    const struct place at = part_place(e->geo, &to);
    FW_ASSERT(e, r->op == FLASH_OP_COPYBACK);
    FW_ASSERT(e, at.lun == source.lun && at.plane == source.plane);
    return at.block;
}

_Static_assert(FLASH_TRACE_NONE == HAL_NO_COMMAND, "a trace is what hal_mark() takes");

static void describe(struct env* e, uint32_t i, struct flash_desc* d)
{
    const struct flash_request* r = flash_request_of(e, e->flash, i);
    FW_ASSERT(e, r->plane_mask != 0);
    FW_ASSERT(e, r->block < e->geo->blocks && r->page < e->geo->pages);
    env_touch(e, r, sizeof *r, false);
    d->op = r->op;
    d->plane_mask = r->plane_mask;
    d->flags = (uint8_t)((r->sg ? FLASH_FLAG_SG : 0) | (r->metadata ? FLASH_FLAG_METADATA : 0));
    d->purpose = r->purpose;
    d->program_mode = program_mode_of(e, r);
    d->priority = r->priority;
    d->retry = r->level;
    d->tag = (uint16_t)i;
    d->trace = r->trace;
    d->block = r->block;
    d->page = r->page;
    d->lun = locate(e, r->lun, d)->index;
    d->column = r->column;
    d->length = r->length;
    d->sg_unit = r->sg ? e->geo->unit_size : 0;
    d->buffer = r->sg ? list_address(e, i) : r->buffer;
    d->oob = r->oob ? oob_address(e, i) : 0;
    d->oob_length = r->oob ? e->geo->oob_bytes : 0;
    d->to_block = r->op == FLASH_OP_COPYBACK ? to_block_of(e, r) : 0;
    d->to_page = r->op == FLASH_OP_COPYBACK ? r->copy.to_page : 0;
    d->flags |= r->op == FLASH_OP_COPYBACK && slc_holds(e, r->block) ? FLASH_FLAG_FOLD : 0;
    d->wait = flash_wait_of(r);
}

static void post(struct env* e, uint32_t i, uint32_t channel, uint32_t index)
{
    FW_ASSERT(e, i < e->flash->total);
    if (!flash_join(e, i, channel, index)) {
        describe(e, i, channel_next(e, channel));
        channel_push(e, channel);
    }
}

/* From here to its completion the request is the flash role's. */
static void to_ring(struct env* e, uint32_t i, const struct lun_queue* q)
{
    const uint32_t channel = q->channel;
    FW_ASSERT(e, i < e->flash->total);
    if (e->flash_remote != 0) {
        struct flash_message* m = cores_message(e, cores_operations(e));
        m->request = i;
        m->channel = channel;
        return;
    }
    post(e, i, channel, q->index);
    FW_ASSERT(e, channel < e->geo->channels);
}

/* May the request go to the hardware beside what is there of its LUN? */
static bool fits_beside(const struct env* e, const struct lun_queue* q,
                        const struct flash_request* r)
{
    FW_ASSERT(e, q->programs <= q->running);
    return q->running == 0 || (r->op == FLASH_OP_PROGRAM && q->programs == q->running &&
                               q->running < e->geo->lun_programs);
}

static void dispatch(struct env* e, uint32_t lun)
{
    struct flash* f = e->flash;
    struct lun_queue* q = flash_lun(e, lun);
    if (e->geo->word_line != 0 && passes_dispatch(e, lun)) {
        return;
    }
    while (q->host.count != 0 || q->background.count != 0) {
        const bool background = q->background.count != 0 && (q->turn || q->host.count == 0);
        struct fifo* from = background ? &q->background : &q->host;
        struct flash_request* r = flash_request_of(e, f, from->head);
        FW_ASSERT(e, flash_lun_of(e, r) == lun);
        if (!fits_beside(e, q, r)) {
            break;
        }
        const uint32_t i = fifo_pop(from, flash_links(e));
        q->turn = !background;
        if (r->op == FLASH_OP_PROGRAM || r->op == FLASH_OP_COPYBACK) {
            (void)flash_drop_bad_planes(e, i);
        }
        if (r->plane_mask == 0) {
            fifo_push(&f->failed, flash_links(e), i);
            continue;
        }
        ++q->running;
        q->holds = flash_wait_behind(r);
        q->programs = (uint8_t)(q->programs + (r->op == FLASH_OP_PROGRAM ? 1 : 0));
        to_ring(e, i, q);
    }
    FW_ASSERT(e, q->running != 0 || (q->host.count == 0 && q->background.count == 0));
}

void flash_dispatch(struct env* e, uint32_t lun)
{
    dispatch(e, lun);
}

void flash_issue(struct env* e, uint32_t request)
{
    const struct flash_request* r = flash_request_of(e, e->flash, request);
    struct lun_queue* q = flash_lun(e, flash_lun_of(e, r));
    ++q->running;
    ++q->programs;
    q->holds = flash_wait_behind(r);
    to_ring(e, request, q);
}

static uint32_t is_bystander(uint32_t owner)
{
    return owner == OWNER_READ || owner == OWNER_SCAN ? 1 : 0;
}

/* Reads that the host waits for go past the queue of their LUN. */
static bool is_direct(uint32_t owner)
{
    return owner <= OWNER_FILL || owner == OWNER_MAP_READ;
}

void flash_submit(struct env* e, uint32_t request)
{
    struct flash* f = e->flash;
    struct flash_request* r = flash_request_of(e, f, request);
    FW_ASSERT(e, request < f->total);
    FW_ASSERT(e, r->plane_mask != 0 && (r->plane_mask & ~e->geo->plane_all) == 0);
    const uint32_t lun = flash_lun_of(e, r);
    struct lun_queue* q = flash_lun(e, lun);
    ++f->submitted;
    ++f->in_flight;
    ++q->queued;
    f->bystanders += is_bystander(r->owner);
    if (r->op == FLASH_OP_READ) {
        e->telemetry->host_page_reads += r->purpose == FLASH_PURPOSE_HOST ? 1u : 0u;
        e->telemetry->map_page_reads += r->purpose == FLASH_PURPOSE_MAP ? 1u : 0u;
    }
    if (is_direct(r->owner)) {
        to_ring(e, request, q);
        return;
    }
    if ((r->op == FLASH_OP_PROGRAM || r->op == FLASH_OP_COPYBACK) && r->owner != OWNER_SEGMENT) {
        r->sequence = ++f->sequence;
        if (r->owner != OWNER_ANCHOR) {
            const uint32_t to = r->op == FLASH_OP_COPYBACK ? r->copy.to_block : r->block;
            superblock_of(e, e->blocks, to)->newest = r->sequence;
        }
        spare_seal(e, flash_oob(e, request), count_bits(r->plane_mask), r->sequence);
    }
    if (r->owner == OWNER_PROGRAM && !fits_beside(e, q, r)) {
        r->host_program.wait = q->holds;
    }
    if (passes_take(e, r)) {
        passes_hold(e, request);
    } else {
        fifo_push(r->owner == OWNER_PROGRAM ? &q->host : &q->background, flash_links(e), request);
    }
    dispatch(e, lun);
}

/* The owner hears of it. One that is not a host read frees its LUN. */
static void hand_back(struct env* e, const struct flash_completion* c,
                      const flash_handler* handlers)
{
    struct flash* f = e->flash;
    const struct flash_request* r = flash_request_of(e, f, c->tag);
    const uint32_t owner = r->owner;
    struct flash_result result;
    FW_ASSERT(e, f->in_flight > 0);
    env_touch(e, r, sizeof *r, true);
    --f->in_flight;
    --flash_lun(e, flash_lun_of(e, r))->queued;
    f->bystanders -= is_bystander(owner);
    result.request = c->tag;
    result.status = c->status;
    result.corrected_bits = c->corrected_bits;
    result.plane_fail = planes_of_part(e->geo, c->plane_fail) | r->fail_mask;
    if (result.status == FLASH_STATUS_OK && r->fail_mask != 0) {
        result.status = FLASH_STATUS_PROGRAM_FAIL;
    }
    e->telemetry->suspends += c->suspends;
    if (r->sequence > f->reached && owner != OWNER_ANCHOR && result.status == FLASH_STATUS_OK) {
        f->reached = r->sequence;
    }
    f->ended = c->tag + 1u;
    if (!is_direct(owner)) {
        /* The owner sees the failed planes first: what waits for this LUN may be one of them.
         */
        const uint32_t lun = flash_lun_of(e, r);
        struct lun_queue* q = flash_lun(e, lun);
        FW_ASSERT(e, q->running > 0);
        --q->running;
        q->programs = (uint8_t)(q->programs - (r->op == FLASH_OP_PROGRAM ? 1 : 0));
        handlers[owner](e, &result);
        dispatch(e, lun);
    } else {
        handlers[owner](e, &result);
    }
    f->ended = 0;
    FW_ASSERT(e, owner < OWNERS);
}

/* The oldest completion of the channel, or of those that the flash role has passed on; NULL = none.
 * It stays until the next one is asked for. */
static const struct flash_completion* next_completion(struct env* e, uint32_t channel, uint32_t n)
{
    struct mailbox* box = cores_completions(e);
    FW_ASSERT(e, channel < e->geo->channels);
    if (e->flash_remote == 0) {
        return channel_poll(e, channel);
    }
    if (n != 0) {
        mailbox_take(e, box);
    }
    return mailbox_first(e, box);
}

/* A read that failed may go again, else its owner hears of it. */
static void completed(struct env* e, const struct flash_completion* c,
                      const flash_handler* handlers)
{
    struct flash* f = e->flash;
    struct flash_request* r = flash_request_of(e, f, c->tag);
    if (c->status >= FLASH_STATUS_PHYSICS) {
        hal_log(e->hal, HAL_LOG_ERROR, "flash refused: block, page", r->block, r->page);
        HAL_PANIC(e->hal, "the flash refused an operation");
    }
    hal_mark(e->hal, r->trace);
    if ((c->status | r->level | r->owner) != OWNER_READ) { /* else a read that found its data */
        run_due(e, DUE_STEPS);
    }
    if (r->op == FLASH_OP_READ) {
        if (c->status == FLASH_STATUS_UNCORRECTABLE && flash_read_again(e, r)) {
            blocks_sensed(e, r);
            to_ring(e, c->tag, flash_lun(e, flash_lun_of(e, r)));
            hal_mark(e->hal, HAL_NO_COMMAND);
            return;
        }
        flash_read_ended(e, r, c->status);
        if (blocks_watched(e)) {
            blocks_watch(e, r, c);
        }
    }
    if (passes_has(e, c->tag)) {
        e->telemetry->suspends += c->suspends;
        passes_ended(e, c->tag, planes_of_part(e->geo, c->plane_fail), handlers);
    } else {
        hand_back(e, c, handlers);
    }
    hal_mark(e->hal, HAL_NO_COMMAND);
}

uint32_t flash_poll(struct env* e, uint32_t channel, const flash_handler* handlers)
{
    struct flash* f = e->flash;
    const struct flash_completion* c;
    uint32_t n = 0;
    FW_ASSERT(e, channel < e->geo->channels);
    while ((c = next_completion(e, channel, n)) != NULL) {
        FW_ASSERT(e, c->tag < f->total);
        ++n;
        if (c->tag >= f->reads || flash_request_of(e, f, c->tag)->joined == 0) {
            completed(e, c, handlers);
            continue;
        }
        for (uint32_t i = c->tag; i != INDEX_NONE;) {
            struct flash_completion part;
            i = flash_part(e, c, i, &part);
            completed(e, &part, handlers);
        }
    }
    return n;
}

/* What follows is work on the command that the request is part of. */
static void mark_request(struct env* e, uint32_t request)
{
    FW_ASSERT(e, request < e->flash->total);
    hal_mark(e->hal, flash_request_of(e, e->flash, request)->trace);
}

void flash_serve(struct env* e, uint32_t raised)
{
    const struct flash_completion* c;
    const struct flash_message* m;
    for (; raised != 0; raised &= raised - 1) {
        for (uint32_t i = lowest_bit(raised); i < e->geo->channels; i += IRQ_CHANNEL_LINES) {
            while ((c = channel_poll(e, i)) != NULL) {
                mark_request(e, c->tag);
                *(struct flash_completion*)cores_message(e, cores_completions(e)) = *c;
                hal_mark(e->hal, HAL_NO_COMMAND);
            }
        }
    }
    while ((m = mailbox_first(e, cores_operations(e))) != NULL) {
        FW_ASSERT(e, m->request < e->flash->total && m->channel < e->geo->channels);
        mark_request(e, m->request);
        post(e, m->request, m->channel,
             flash_lun(e, flash_lun_of(e, flash_request_of(e, e->flash, m->request)))->index);
        mailbox_take(e, cores_operations(e));
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    channels_ring(e);
}

uint32_t flash_step(struct env* e, const flash_handler* handlers)
{
    struct flash* f = e->flash;
    uint32_t n = 0;
    while (f->failed.count != 0) {
        struct flash_result result;
        result.request = fifo_pop(&f->failed, flash_links(e));
        const struct flash_request* r = flash_request_of(e, f, result.request);
        result.status = FLASH_STATUS_PROGRAM_FAIL;
        result.plane_fail = r->fail_mask;
        result.corrected_bits = 0;
        FW_ASSERT(e, r->plane_mask == 0 && f->in_flight > 0);
        --f->in_flight;
        --flash_lun(e, flash_lun_of(e, r))->queued;
        handlers[r->owner](e, &result);
        ++n;
    }
    flash_start_erases(e);
    return n;
}

uint32_t flash_execute(struct env* e, const struct flash_desc* desc, uint32_t lun,
                       uint32_t* plane_fail)
{
    struct flash_desc at = *desc;
    const struct lun_queue* q = locate(e, lun, &at);
    struct flash_desc* d = channel_next(e, q->channel);
    FW_ASSERT(e, lun < e->geo->luns);
    *d = at;
    d->lun = q->index;
    channel_push(e, q->channel);
    channels_ring(e);
    const struct flash_completion* c = channel_poll(e, q->channel);
    FW_ASSERT(e, c != NULL && c->tag == desc->tag);
    *plane_fail = planes_of_part(e->geo, c->plane_fail);
    return c->status;
}
