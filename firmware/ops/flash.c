/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/ops/flash.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/ops/passes.h"
#include "firmware/ops/ring.h"
#include "firmware/space/erase.h"
#include "firmware/space/spare.h"
#include "firmware/space/watch.h"
#include "models/regs/parts/flash.h"

enum { MAP_READS = 2 /* beside one per LUN */ };

static void init_limits(struct env* e, const struct flash_setup* setup)
{
    struct flash* f = e->flash;
    const uint32_t luns = e->geo->part.luns;
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
}

int flash_init(struct env* e, const struct flash_setup* setup)
{
    struct flash* f = e->flash;
    FW_ASSERT(e, setup->read_buffers >= 4);
    f->reads = setup->read_buffers;
    f->metadata_tries = setup->metadata_tries;
    f->copyback = setup->copyback;
    f->host_mode = (uint16_t)e->told.flash->host_program_mode;
    f->array_mode = (uint16_t)e->told.flash->array_mode;
    init_limits(e, setup);
    /* A completion has the wrong bits of all its pages in one number, which a watch for weak blocks
     * cannot use. A superblock of one block has no planes. */
    f->reads_planes = e->geo->multi_plane != 0 && e->geo->planes > 1 && !blocks_watches_bits(e);
    if (requests_init(e) != 0) {
        return -1;
    }
    ring_init(e);
    return passes_init(e);
}

uint32_t flash_in_flight_max(const struct env* e, uint32_t read_buffers)
{
    const uint32_t line = e->geo->word_line; /* goes to its LUN at once */
    const uint32_t programs = line > e->geo->lun_programs ? line : e->geo->lun_programs;
    return read_buffers + MAP_READS + e->geo->part.luns + e->geo->luns_per_channel * programs;
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
        struct flash_request* r = flash_request_of(e, from->head);
        FW_ASSERT(e, flash_lun_of(e, r) == lun);
        if (!fits_beside(e, q, r)) {
            break;
        }
        const uint32_t i = fifo_pop(from, flash_links(e));
        q->turn = !background;
        if (r->op == FLASH_OP_PROGRAM || r->op == FLASH_OP_COPYBACK) {
            (void)ring_drop_bad_planes(e, i);
        }
        if (r->plane_mask == 0) {
            fifo_push(&f->failed, flash_links(e), i);
            run_due(e, DUE_FLASH);
            continue;
        }
        ring_issue(e, i, q);
    }
    FW_ASSERT(e, q->running != 0 || (q->host.count == 0 && q->background.count == 0));
}

/* Reads that the host waits for go past the queue of their LUN. */
static bool is_direct(uint32_t owner)
{
    return owner <= OWNER_FILL || owner == OWNER_MAP_READ;
}

void flash_submit(struct env* e, uint32_t request)
{
    struct flash* f = e->flash;
    struct flash_request* r = flash_request_of(e, request);
    FW_ASSERT(e, request < f->total);
    FW_ASSERT(e, r->plane_mask != 0 && (r->plane_mask & ~e->geo->plane_all) == 0);
#ifdef SSDVP_FW_POISON
    FW_ASSERT(e, e->run->checks == 0); /* nobody is due (run/steps.c) */
#endif
    const uint32_t lun = flash_lun_of(e, r);
    struct lun_queue* q = flash_lun(e, lun);
    ++f->in_flight;
    ++q->queued;
    run_submitted(e);
    f->bystanders += flash_is_bystander(r->owner);
    if (r->op == FLASH_OP_READ) {
        e->telemetry->host_page_reads += r->purpose == FLASH_PURPOSE_HOST ? flash_pages(r) : 0u;
        e->telemetry->map_page_reads += r->purpose == FLASH_PURPOSE_MAP ? 1u : 0u;
    }
    if (is_direct(r->owner)) {
        ring_post(e, request, q);
        return;
    }
    if ((r->op == FLASH_OP_PROGRAM || r->op == FLASH_OP_COPYBACK) && r->owner != OWNER_SEGMENT) {
        r->sequence = ++f->sequence;
        run_due(e, DUE_DURABLE); /* so many of them make a checkpoint due */
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
    const struct flash_request* r = flash_request_of(e, c->tag);
    const uint32_t lun = flash_lun_of(e, r);
    struct lun_queue* q = flash_lun(e, lun);
    const bool direct = is_direct(r->owner);
    struct flash_result result;
    env_touch(e, r, sizeof *r, true);
    result.request = c->tag;
    result.status = c->status;
    result.corrected_bits = c->corrected_bits;
    result.plane_fail = planes_of_part(e->geo, c->plane_fail) | r->fail_mask;
    if (result.status == FLASH_STATUS_OK && r->fail_mask != 0) {
        result.status = FLASH_STATUS_PROGRAM_FAIL;
    }
    e->telemetry->suspends += c->suspends;
    if (!direct) {
        FW_ASSERT(e, q->running > 0);
        --q->running;
        q->programs = (uint8_t)(q->programs - (r->op == FLASH_OP_PROGRAM ? 1 : 0));
    }
    /* The owner sees the failed planes first: what waits for this LUN may be one of them. */
    ring_deliver(e, q, &result, handlers);
    if (!direct) {
        dispatch(e, lun);
    }
}

/* ---- Read retry ---- */

/* A read that came back uncorrectable goes again with other read levels, each once at most. The
 * first of them is the one that was right last in the same superblock: its pages were programmed
 * within a short time, so that their levels have shifted alike.
 *
 * Metadata go again at all levels in turns, the plain one too: what the cells' noise adds to the
 * errors is another one with each read, and a page of a map that is lost costs a thousand units. */
static bool read_again(struct env* e, struct flash_request* r)
{
    const uint32_t levels = flash_retry_levels(e);
    const bool turns = r->metadata && e->flash->metadata_tries > levels;
    const uint32_t most = turns ? e->flash->metadata_tries : levels;
    const uint32_t known = superblock_of(e, e->blocks, r->block)->level;
    FW_ASSERT(e, r->tries <= most && r->level <= levels);
    if (r->tries == most) {
        return false;
    }
    if (r->tries == 0 && known != 0) {
        r->level = (uint8_t)known;
    } else if (r->level == levels) {
        r->level = turns ? 0 : 1;
    } else {
        ++r->level;
    }
    ++r->tries;
    const uint32_t last = TELEMETRY_RETRY_LEVELS;
    if (r->level != 0) {
        ++e->telemetry->retries[(r->level < last ? r->level : last) - 1];
    }
    return true;
}

/* true = it goes again, and its owner hears nothing yet. */
static bool retried(struct env* e, const struct flash_completion* c, struct flash_request* r)
{
    if (c->status == FLASH_STATUS_UNCORRECTABLE && read_again(e, r)) {
        blocks_sensed(e, r);
        ring_post(e, c->tag, flash_lun(e, flash_lun_of(e, r)));
        return true;
    }
    if (c->status == FLASH_STATUS_OK && r->level != 0) {
        FW_ASSERT(e, r->tries != 0);
        ++e->telemetry->recovered_reads;
        superblock_of(e, e->blocks, r->block)->level = r->level;
    }
    return false;
}

/* ---- Completions ---- */

/* Whose turn it is when an operation ends. Where it is the last one all look: nobody else will say
 * that what they wait for never comes. */
static uint32_t heeded_by(const struct env* e, const struct flash_request* r, uint32_t status)
{
    const struct flash* f = e->flash;
    const bool plain =
        r->owner == OWNER_GC_READ && status == FLASH_STATUS_OK && passes_held(e) == 0;
    return plain && f->in_flight - f->bystanders > 1 ? DUE_GC | DUE_TIMER | e->run->queues
                                                     : DUE_STEPS;
}

/* A read that failed may go again, else its owner hears of it. */
static void completed(struct env* e, const struct flash_completion* c,
                      const flash_handler* handlers)
{
    struct flash_request* r = flash_request_of(e, c->tag);
    if (c->status >= FLASH_STATUS_PHYSICS) {
        hal_log(e->hal, HAL_LOG_ERROR, "flash refused: block, page", r->block, r->page);
        HAL_PANIC(e->hal, "the flash refused an operation");
    }
    hal_mark(e->hal, r->trace);
    if ((c->status | r->level | r->owner) != OWNER_READ) {
        run_due(e, heeded_by(e, r, c->status));
        if (r->op == FLASH_OP_READ && retried(e, c, r)) {
            hal_mark(e->hal, HAL_NO_COMMAND);
            return;
        }
    } else { /* a read that found its data */
        run_read(e);
    }
    if (blocks_watched(e) && r->op == FLASH_OP_READ) {
        blocks_watch(e, r, c);
    }
    if (passes_has(e, c->tag)) {
        e->telemetry->suspends += c->suspends;
        const uint32_t lun = flash_lun_of(e, r);
        passes_ended(e, c->tag, planes_of_part(e->geo, c->plane_fail), handlers);
        dispatch(e, lun);
    } else {
        hand_back(e, c, handlers);
    }
    hal_mark(e->hal, HAL_NO_COMMAND);
}

/* A read of several planes that failed is looked at plane by plane. */
static void take(struct env* e, const struct flash_completion* c, const flash_handler* handlers)
{
    FW_ASSERT(e, c->tag < e->flash->total);
    if (c->status != FLASH_STATUS_UNCORRECTABLE || c->tag >= e->flash->reads ||
        flash_pages(flash_request_of(e, c->tag)) == 1) {
        completed(e, c, handlers);
        return;
    }
    const uint32_t pages = ring_split(e, c->tag);
    for (uint32_t n = 0; n < pages; ++n) {
        const struct flash_completion part = ring_part(e, c, c->tag + n);
        completed(e, &part, handlers);
    }
}

uint32_t flash_poll(struct env* e, uint32_t channel, const flash_handler* handlers)
{
    const struct flash_completion* c;
    uint32_t n = 0;
    FW_ASSERT(e, channel < e->geo->channels && e->flash_remote == 0);
    while ((c = channel_poll(e, channel)) != NULL) {
        take(e, c, handlers);
        ++n;
    }
    return n;
}

void flash_poll_raised(struct env* e, uint32_t raised, const flash_handler* handlers)
{
    for (; raised != 0; raised &= raised - 1) {
        for (uint32_t c = lowest_bit(raised); c < e->geo->channels; c += IRQ_CHANNEL_LINES) {
            (void)flash_poll(e, c, handlers);
        }
    }
}

void flash_poll_passed(struct env* e, const flash_handler* handlers)
{
    const struct flash_completion* c;
    while ((c = mailbox_first(e, cores_completions(e))) != NULL) {
        take(e, c, handlers);
        mailbox_take(e, cores_completions(e));
    }
}

/* What follows is work on the command that the request is part of. */
static void mark_request(struct env* e, uint32_t request)
{
    hal_mark(e->hal, flash_request_of(e, request)->trace);
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
        ring_describe(e, m->request, m->channel,
                      flash_lun(e, flash_lun_of(e, flash_request_of(e, m->request)))->index);
        mailbox_take(e, cores_operations(e));
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    channels_ring(e);
}

/* ---- Erases ---- */

static void submit_erase(struct env* e, uint32_t i, const struct erase_piece* piece)
{
    struct flash_request* r = flash_request_of(e, i);
    r->op = FLASH_OP_ERASE;
    r->purpose = superblock_of(e, e->blocks, piece->block)->purpose;
    r->priority = 2;
    r->plane_mask = (uint8_t)piece->plane_mask;
    r->lun = (uint16_t)piece->lun;
    r->block = piece->block;
    r->page = 0;
    r->column = 0;
    r->length = 0;
    flash_submit(e, i);
}

static void start_erases(struct env* e)
{
    struct erase_piece piece;
    while (blocks_erase_waits(e) && flash_may_erase(e) && blocks_next_erase(e, &piece)) {
        const uint32_t i = flash_take(e, OWNER_ERASE);
        FW_ASSERT(e, i != INDEX_NONE);
        flash_erase_begins(e);
        submit_erase(e, i, &piece);
    }
}

void flash_erase_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    FW_ASSERT(e, r->op == FLASH_OP_ERASE);
    flash_erase_ends(e);
    blocks_erased(e, r->block, r->lun, result->plane_fail);
    flash_free(e, result->request);
}

/* ---- Rounds ---- */

uint32_t flash_step(struct env* e, const flash_handler* handlers)
{
    struct flash* f = e->flash;
    uint32_t n = 0;
    while (f->failed.count != 0) {
        struct flash_result result;
        result.request = fifo_pop(&f->failed, flash_links(e));
        const struct flash_request* r = flash_request_of(e, result.request);
        result.status = FLASH_STATUS_PROGRAM_FAIL;
        result.plane_fail = r->fail_mask;
        result.corrected_bits = 0;
        FW_ASSERT(e, r->plane_mask == 0 && f->in_flight > 0);
        --f->in_flight;
        --flash_lun(e, flash_lun_of(e, r))->queued;
        handlers[r->owner](e, &result);
        ++n;
    }
    start_erases(e);
    return n;
}

uint32_t flash_execute(struct env* e, const struct flash_desc* desc, uint32_t lun,
                       uint32_t* plane_fail)
{
    struct flash_desc at = *desc;
    const struct lun_queue* q = ring_locate(e, lun, &at);
    struct flash_desc* d = channel_next(e, q->channel);
    *d = at;
    d->lun = q->index;
    channel_push(e, q->channel);
    channels_ring(e);
    const struct flash_completion* c = channel_poll(e, q->channel);
    FW_ASSERT(e, c != NULL && c->tag == desc->tag);
    *plane_fail = planes_of_part(e->geo, c->plane_fail);
    return c->status;
}

uint32_t flash_queued(struct env* e, uint32_t lun)
{
    return flash_lun(e, lun)->queued;
}

uint32_t flash_programs_wait(struct env* e, uint32_t lun)
{
    return flash_lun(e, lun)->host.count;
}
