/* SPDX-License-Identifier: Apache-2.0
 *
 * Between requests and the channels' rings. Programs whose planes went bad while they waited leave
 * those out. A read of several planes that failed goes on as a read of each.
 */
#include "firmware/ops/ring.h"

#include "firmware/drv/cores.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/space/bad.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"

void ring_init(struct env* e)
{
    const struct geometry* g = e->geo;
    e->flash->luns = sram_take(e, (uint64_t)g->part.luns * sizeof(struct lun_queue));
    if (e->arenas->absent != 0) {
        return;
    }
    for (uint32_t i = 0; i < g->part.luns; ++i) {
        struct lun_queue* q = flash_lun(e, i);
        fifo_init(&q->host);
        fifo_init(&q->background);
        q->index = (uint8_t)(i / g->channels);
        q->channel = (uint8_t)(i - q->index * g->channels);
    }
}

/* ---- Planes that went bad ---- */

/* Good planes first, in order, then the dropped ones, in order too: data, which a copyback has not,
 * and spare words of each. Before, those that were dropped earlier came last. */
static void rotate_planes(struct env* e, uint32_t i, uint32_t bad)
{
    const struct flash_request* r = flash_request_of(e, i);
    const uint32_t slots = r->sg ? e->geo->page_units : 0;
    const uint32_t words = spare_words(e->geo);
    const uint32_t good = r->plane_mask & ~bad;
    const uint32_t dropped = r->fail_mask | bad;
    uint64_t list[GROUP_MAX];
    uint64_t oob[GROUP_MAX + 8];
    uint32_t from = 0;
    FW_ASSERT(e, r->oob && (r->sg || r->op == FLASH_OP_COPYBACK));
    FW_ASSERT(e, (bad & r->plane_mask) == bad);
    for (uint32_t part = 0; part < 2; ++part) {
        uint32_t rest = part == 0 ? r->plane_mask : r->fail_mask;
        for (; rest != 0; rest &= rest - 1, ++from) {
            const uint32_t plane = rest & (0u - rest);
            const uint32_t to = (good & plane) != 0
                                    ? count_bits(good & (plane - 1))
                                    : count_bits(good) + count_bits(dropped & (plane - 1));
            mem_copy(list + to * slots, flash_list(e, i) + from * slots, slots * sizeof *list);
            mem_copy(oob + to * words, flash_oob(e, i) + from * words, words * sizeof *oob);
        }
    }
    mem_copy(flash_list(e, i), list, from * slots * sizeof *list);
    mem_copy(flash_oob(e, i), oob, from * words * sizeof *oob);
}

bool ring_drop_bad_planes(struct env* e, uint32_t i)
{
    struct flash_request* r = flash_request_of(e, i);
    const bool copies = r->op == FLASH_OP_COPYBACK;
    const uint32_t bad =
        r->plane_mask & ~blocks_good_planes(e, copies ? r->copy.to_block : r->block, r->lun);
    if (bad != 0 && !owner_has_blocks(r->owner)) {
        rotate_planes(e, i, bad);
        r->plane_mask = (uint8_t)(r->plane_mask & ~bad);
        r->fail_mask = (uint8_t)(r->fail_mask | bad);
    }
    return r->plane_mask != 0;
}

/* ---- What a channel is told ---- */

/* Why the command of a request, or its data, were held before it. What a merge programs waited for
 * the merge. */
static uint8_t wait_of(const struct flash_request* r)
{
    if (r->trace != FLASH_TRACE_NONE) {
        return r->level == 0 ? r->host_read.wait : (uint8_t)FE_WAIT_FIRMWARE; /* not once more */
    }
    switch (r->owner) {
    case OWNER_PROGRAM:
        return r->host_program.wait;
    case OWNER_MERGE_PROGRAM:
    case OWNER_FOLD_PROGRAM:
        return FE_WAIT_GC;
    default:
        return FE_WAIT_FIRMWARE;
    }
}

/* What those wait for that come behind it: as the channel tells such waits apart. */
static uint8_t wait_behind(const struct flash_request* r)
{
    if (r->op == FLASH_OP_ERASE) {
        return FE_WAIT_ERASE;
    }
    switch (r->purpose) {
    case FLASH_PURPOSE_GC:
    case FLASH_PURPOSE_FOLD:
    case FLASH_PURPOSE_MERGE:
    case FLASH_PURPOSE_REFRESH:
    case FLASH_PURPOSE_WEAR:
        return FE_WAIT_GC;
    default:
        return r->op == FLASH_OP_READ ? FE_WAIT_READ : FE_WAIT_PROGRAM;
    }
}

static uint8_t mode_of_block(struct env* e, const struct flash_request* r)
{
    /* Blocks of the anchor and of map segments are in no superblock's mode. */
    const bool own = owner_has_blocks(r->owner) || r->op == FLASH_OP_SET_FEATURES ||
                     (blocks_hidden(e, r->block, r->lun) & r->plane_mask) != 0;
    return own ? FLASH_MODE_NORMAL : flash_block_mode(e, r->block);
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
        return mode_of_block(e, r);
    }
    return (uint8_t)(r->op == FLASH_OP_SET_FEATURES ? FLASH_MODE_NORMAL : mode);
}

const struct lun_queue* ring_locate(struct env* e, uint32_t lun, struct flash_desc* d)
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
    FW_ASSERT(e, at.lun == source.lun && at.plane == source.plane);
    return at.block;
}

_Static_assert(FLASH_TRACE_NONE == HAL_NO_COMMAND, "a trace is what hal_mark() takes");

/* index: of the LUN on its channel. */
static void describe(struct env* e, uint32_t i, uint32_t index, struct flash_desc* d)
{
    const struct flash_request* r = flash_request_of(e, i);
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
    d->lun = (uint8_t)index;
    if (geometry_narrow(e->geo)) {
        (void)ring_locate(e, r->lun, d);
    }
    d->column = r->column;
    d->length = r->length;
    d->sg_unit = r->sg ? e->geo->unit_size : 0;
    d->buffer = r->sg ? flash_list_at(e, i) : r->buffer;
    d->oob = r->oob ? flash_oob_at(e, i) : 0;
    d->oob_length = r->oob ? e->geo->oob_bytes : 0;
    d->to_block = 0;
    d->to_page = 0;
    d->wait = wait_of(r);
    if (r->op == FLASH_OP_COPYBACK) {
        d->to_block = to_block_of(e, r);
        d->to_page = r->copy.to_page;
        d->flags |= slc_holds(e, r->block) ? FLASH_FLAG_FOLD : 0;
    }
}

/* ---- Reads of several planes ---- */

uint32_t ring_split(struct env* e, uint32_t request)
{
    struct flash* f = e->flash;
    const struct flash_request whole = *flash_request_of(e, request);
    const uint32_t pages = flash_pages(&whole);
    struct lun_queue* q = flash_lun(e, flash_lun_of(e, &whole));
    uint32_t left = whole.plane_mask;
    FW_ASSERT(e, whole.owner == OWNER_READ && request + pages <= f->reads);
    for (uint32_t n = 0; n < pages; ++n, left &= left - 1) {
        struct flash_request* r = flash_request_of(e, request + n);
        *r = whole;
        r->plane_mask = (uint8_t)(left & (0u - left));
        r->buffer += (uint64_t)n * whole.length;
        r->host_read.offset += n * whole.length;
        env_touch(e, r, sizeof *r, true);
    }
    f->in_flight += pages - 1;
    f->bystanders += pages - 1;
    q->queued = (uint16_t)(q->queued + pages - 1);
    superblock_of(e, e->blocks, whole.block)->readers += pages - 1;
    return pages;
}

struct flash_completion ring_part(struct env* e, const struct flash_completion* whole,
                                  uint32_t request)
{
    const struct flash_request* r = flash_request_of(e, request);
    struct flash_completion part = *whole;
    FW_ASSERT(e, whole->status == FLASH_STATUS_UNCORRECTABLE && whole->plane_fail != 0);
    part.tag = (uint16_t)request;
    part.plane_fail = (uint8_t)(whole->plane_fail & r->plane_mask);
    part.status = part.plane_fail != 0 ? FLASH_STATUS_UNCORRECTABLE : FLASH_STATUS_OK;
    return part;
}

/* ---- To the ring, and back to the owner ---- */

void ring_describe(struct env* e, uint32_t i, uint32_t channel, uint32_t index)
{
    describe(e, i, index, channel_next(e, channel));
    channel_push(e, channel);
}

void ring_post(struct env* e, uint32_t i, const struct lun_queue* q)
{
    const uint32_t channel = q->channel;
    FW_ASSERT(e, i < e->flash->total);
    if (e->flash_remote != 0) {
        struct flash_message* m = cores_message(e, cores_operations(e));
        m->request = i;
        m->channel = channel;
        return;
    }
    ring_describe(e, i, channel, q->index);
}

void ring_issue(struct env* e, uint32_t i, struct lun_queue* q)
{
    const struct flash_request* r = flash_request_of(e, i);
    ++q->running;
    q->programs = (uint8_t)(q->programs + (r->op == FLASH_OP_PROGRAM ? 1 : 0));
    q->holds = wait_behind(r);
    ring_post(e, i, q);
}
