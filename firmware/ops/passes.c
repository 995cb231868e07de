/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/ops/passes.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/bad.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/lanes.h"
#include "firmware/space/slc.h"

/* Requests of a word line: each page, of some planes. */
enum { JOB_MOST = 4 * 8 };

enum pass_state {
    PASS_NONE = 0,
    PASS_WAITS = 1,  /* for its coarse pass */
    PASS_COARSE = 2, /* in the hardware */
    PASS_ROUGH = 3,  /* waits for its fine pass */
    PASS_FINE = 4,
    PASS_ENDED = 5, /* the others of its word line have not */
    PASS_GHOST = 6  /* padding that waits for its fine pass, and whose owner is done with it */
};

static uint8_t* state_of(struct env* e, uint32_t request)
{
    FW_ASSERT(e, request < e->flash->total);
    return (uint8_t*)env_dram(e, e->flash->passes.state) + request;
}

int passes_init(struct env* e)
{
    struct passes* p = &e->flash->passes;
    const uint32_t word_line = e->geo->word_line;
    if (word_line == 0) {
        return arenas_result(e);
    }
    if (geometry_narrow(e->geo) || !lanes_striped(e) || word_line * e->geo->planes > JOB_MOST) {
        hal_log(e->hal, HAL_LOG_ERROR, "no such word lines; pages, planes", word_line,
                e->geo->planes);
        return -1;
    }
    p->state = dram_take(e, e->flash->total);
    p->luns = dram_take(e, (uint64_t)e->geo->part.luns * sizeof(struct lun_passes));
    if (e->arenas->absent == 0) {
        for (uint32_t lun = 0; lun < e->geo->part.luns; ++lun) {
            fifo_init(&passes_of(e, lun)->held);
        }
    }
    return arenas_result(e);
}

uint32_t passes_pads(const struct env* e)
{
    /* Two word lines of the superblock that a stream has open on a LUN, and as much of the one that
     * it had open before. */
    FW_ASSERT(e, blocks_streams(e) <= STREAMS_MOST);
    return 4 * e->geo->word_line * (blocks_streams(e) + blocks_directed(e)) * e->geo->part.luns;
}

bool passes_take(struct env* e, const struct flash_request* r)
{
    return e->geo->word_line != 0 && r->op == FLASH_OP_PROGRAM && !owner_has_blocks(r->owner) &&
           r->purpose != FLASH_PURPOSE_PRECONDITION && !slc_holds(e, r->block);
}

void passes_hold(struct env* e, uint32_t request)
{
    const struct flash_request* r = flash_request_of(e, request);
    FW_ASSERT(e, *state_of(e, request) == PASS_NONE && r->op == FLASH_OP_PROGRAM);
    *state_of(e, request) = PASS_WAITS;
    ++e->flash->passes.held;
    e->flash->passes.host += r->owner == OWNER_PROGRAM ? 1u : 0u;
    fifo_push(&passes_of(e, flash_lun_of(e, r))->held, flash_links(e), request);
}

/* ---- Which word line goes next ---- */

/* What a LUN holds of a superblock. */
struct lines {
    uint32_t oldest;  /* word line */
    uint32_t rough;   /* word lines from there on that have had their coarse pass */
    uint32_t planes;  /* of the last page of the word line behind those: they have it */
    uint32_t waiting; /* 1 = there are requests of that word line */
};

static bool ends_line(const struct env* e, uint32_t page)
{
    return (page + 1) % e->geo->word_line == 0 || page + 1 == e->geo->pages;
}

static struct lines lines_of(struct env* e, const struct lun_passes* l, uint32_t block)
{
    struct lines n = {.oldest = INDEX_NONE};
    for (uint32_t i = l->held.head; i != INDEX_NONE; i = flash_links(e)[i]) {
        const struct flash_request* r = flash_request_of(e, i);
        if (r->block != block) {
            continue;
        }
        const uint32_t line = passes_line(e, r);
        n.oldest = n.oldest == INDEX_NONE ? line : n.oldest;
        if (*state_of(e, i) != PASS_WAITS) {
            n.rough = line + 1 - n.oldest;
        } else if (line == n.oldest + n.rough) {
            n.waiting = 1;
            n.planes |= ends_line(e, r->page) ? (uint32_t)(r->plane_mask | r->fail_mask) : 0;
        }
    }
    return n;
}

/* Nothing more comes of the word line: whoever has it placed has submitted it. Pages that were
 * there before (preconditioning) are not among what a LUN holds. */
static bool is_whole(struct env* e, uint32_t lun, uint32_t block, uint32_t line)
{
    const uint32_t stream = blocks_writer(e, block);
    const uint32_t end = (line + 1) * e->geo->word_line;
    if (stream == INDEX_NONE) {
        return true;
    }
    return blocks_page_of(e, stream, lun) >= (end < e->geo->pages ? end : e->geo->pages);
}

/* A word line of the superblock may begin a pass: l has it. */
static bool choose_of(struct env* e, struct lun_passes* l, uint32_t lun, uint32_t block)
{
    const struct lines n = lines_of(e, l, block);
    const uint32_t last = (e->geo->pages - 1) / e->geo->word_line;
    FW_ASSERT(e, n.oldest <= last && n.rough <= 2);
    l->block = block;
    const uint32_t good = blocks_good_planes(e, block, lun);
    /* Without a good plane nothing follows, and nothing is programmed: they only end. */
    if (n.rough == 2 || (n.rough == 1 && (n.oldest == last || good == 0))) {
        l->line = n.oldest;
        l->at = PASS_FINE;
        return true;
    }
    if (n.waiting != 0 &&
        ((good & ~n.planes) == 0 || is_whole(e, lun, block, n.oldest + n.rough))) {
        l->line = n.oldest + n.rough;
        l->at = PASS_COARSE;
        return true;
    }
    return false;
}

/* In the order in which superblocks have waited. */
static bool choose(struct env* e, struct lun_passes* l, uint32_t lun)
{
    uint32_t before = INDEX_NONE;
    for (uint32_t i = l->held.head; i != INDEX_NONE; i = flash_links(e)[i]) {
        const uint32_t block = flash_request_of(e, i)->block;
        if (block != before && choose_of(e, l, lun, block)) {
            return true;
        }
        before = block;
    }
    return false;
}

/* ---- A pass of a word line ---- */

static bool of_job(struct env* e, const struct lun_passes* l, uint32_t i)
{
    const struct flash_request* r = flash_request_of(e, i);
    return r->block == l->block && passes_line(e, r) == l->line;
}

/* Waits for the pass that its word line is at. */
static bool waits(struct env* e, const struct lun_passes* l, uint32_t i)
{
    const uint8_t state = *state_of(e, i);
    return of_job(e, l, i) && (l->at == PASS_COARSE ? state == PASS_WAITS
                                                    : state == PASS_ROUGH || state == PASS_GHOST);
}

static bool is_pad(struct env* e, uint32_t i)
{
    return flash_request_of(e, i)->owner == OWNER_PAD;
}

/* The requests of the word line leave the list. Returns how many there are. */
static uint32_t take_out(struct env* e, struct lun_passes* l, uint32_t* out)
{
    struct fifo rest;
    uint32_t count = 0;
    fifo_init(&rest);
    for (uint32_t n = l->held.count; n != 0; --n) {
        const uint32_t i = fifo_pop(&l->held, flash_links(e));
        if (of_job(e, l, i)) {
            FW_ASSERT(e, count < JOB_MOST);
            out[count++] = i;
        } else {
            fifo_push(&rest, flash_links(e), i);
        }
    }
    l->held = rest;
    return count;
}

static void unhold(struct env* e, const struct flash_request* r)
{
    struct passes* p = &e->flash->passes;
    FW_ASSERT(e, p->held != 0);
    --p->held;
    p->host -= r->owner == OWNER_PROGRAM ? 1u : 0u;
}

static void deliver(struct env* e, uint32_t i, uint32_t fail, const flash_handler* handlers)
{
    const struct flash_request* r = flash_request_of(e, i);
    const uint32_t planes = (fail & r->plane_mask) | r->fail_mask;
    const struct flash_result result = {.request = i,
                                        .status = planes != 0 ? FLASH_STATUS_PROGRAM_FAIL
                                                              : FLASH_STATUS_OK,
                                        .plane_fail = planes};
    unhold(e, r);
    ring_deliver(e, flash_lun(e, flash_lun_of(e, r)), &result, handlers);
}

static void end_coarse(struct env* e, struct lun_passes* l)
{
    static const flash_handler pads[OWNERS] = {[OWNER_PAD] = passes_pad_done};
    for (uint32_t i = l->held.head; i != INDEX_NONE; i = flash_links(e)[i]) {
        if (!of_job(e, l, i)) {
            continue;
        }
        *state_of(e, i) = is_pad(e, i) ? PASS_GHOST : PASS_ROUGH;
        if (is_pad(e, i)) {
            deliver(e, i, 0, pads);
            flash_request_of(e, i)->sequence = 0;
        }
    }
    if (l->fail != 0) {
        const struct flash_request* r = flash_request_of(e, l->held.head);
        const struct erase_piece failed = {l->block, r->lun, l->fail};
        blocks_retire(e, &failed, RETIRE_PROGRAM);
    }
}

static void end_fine(struct env* e, struct lun_passes* l, const flash_handler* handlers)
{
    uint32_t list[JOB_MOST];
    const uint32_t count = take_out(e, l, list);
    const uint32_t fail = l->fail;
    l->at = PASS_ENDED;
    for (uint32_t n = 0; n < count; ++n) {
        const struct flash_request* r = flash_request_of(e, list[n]);
        *state_of(e, list[n]) = PASS_NONE;
        if (is_pad(e, list[n])) { /* counts as programmed now, like all else */
            e->telemetry->pad_units += count_bits(r->plane_mask) * e->geo->page_units;
            flash_free(e, list[n]);
        } else if (r->plane_mask == 0) {
            unhold(e, r);
            fifo_push(&e->flash->failed, flash_links(e), list[n]);
        } else {
            deliver(e, list[n], fail, handlers);
        }
    }
}

/* Its word line has ended the pass. */
static void end_pass(struct env* e, struct lun_passes* l, const flash_handler* handlers)
{
    if (l->at == PASS_COARSE) {
        end_coarse(e, l);
    } else {
        end_fine(e, l, handlers);
    }
    l->at = 0;
    l->turn = 1;
    l->fail = 0;
}

/* One request of the word line that has no good plane left is through with the pass. */
static void begin(struct env* e, struct lun_passes* l)
{
    l->left = 0;
    l->fail = 0;
    for (uint32_t i = l->held.head; i != INDEX_NONE; i = flash_links(e)[i]) {
        if (waits(e, l, i)) {
            if (ring_drop_bad_planes(e, i)) {
                ++l->left;
            } else {
                *state_of(e, i) = PASS_ENDED;
            }
        }
    }
}

static void issue(struct env* e, struct lun_passes* l, struct lun_queue* q)
{
    for (uint32_t i = l->held.head; i != INDEX_NONE; i = flash_links(e)[i]) {
        if (q->running == e->geo->word_line) {
            return;
        }
        if (waits(e, l, i)) {
            *state_of(e, i) = l->at;
            ring_issue(e, i, q);
        }
    }
    FW_ASSERT(e, q->running <= e->geo->word_line);
}

bool passes_dispatch(struct env* e, uint32_t lun)
{
    struct lun_passes* l = passes_of(e, lun);
    struct lun_queue* q = flash_lun(e, lun);
    while (l->at == 0) {
        const bool others = q->host.count != 0 || q->background.count != 0;
        if (q->running != 0 || (l->turn != 0 && others) || !choose(e, l, lun)) {
            l->turn = 0;
            return false;
        }
        begin(e, l);
        if (l->left == 0) { /* no plane of it is good */
            end_pass(e, l, NULL);
        }
    }
    if (l->at != PASS_ENDED) {
        issue(e, l, q);
    }
    return true;
}

void passes_ended(struct env* e, uint32_t request, uint32_t plane_fail,
                  const flash_handler* handlers)
{
    const uint32_t lun = flash_lun_of(e, flash_request_of(e, request));
    struct lun_passes* l = passes_of(e, lun);
    struct lun_queue* q = flash_lun(e, lun);
    FW_ASSERT(e, l->left != 0 && q->running != 0 && q->programs != 0);
    --q->running;
    --q->programs;
    l->fail = (uint8_t)(l->fail | plane_fail);
    *state_of(e, request) = PASS_ENDED;
    if (--l->left == 0) {
        end_pass(e, l, handlers);
    }
}

/* ---- Padding ---- */

void passes_pad_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    FW_ASSERT(e, r->owner == OWNER_PAD);
    blocks_unpend(e, r->block);
}

bool passes_alone(struct env* e)
{
    const struct flash* f = e->flash;
    const uint32_t waits = f->passes.held + f->owned[OWNER_ANCHOR];
    FW_ASSERT(e, f->bystanders <= f->in_flight);
    if (f->passes.held == 0 || f->in_flight - f->bystanders != waits) {
        return false;
    }
    for (uint32_t lun = 0; lun < e->geo->part.luns; ++lun) {
        if (passes_of(e, lun)->at != 0) {
            return false; /* a word line is at work */
        }
    }
    return true;
}

void passes_forget(struct env* e, uint32_t block)
{
    for (uint32_t lun = 0; lun < e->geo->part.luns && e->geo->word_line != 0; ++lun) {
        struct lun_passes* l = passes_of(e, lun);
        struct fifo rest;
        fifo_init(&rest);
        for (uint32_t n = l->held.count; n != 0; --n) {
            const uint32_t i = fifo_pop(&l->held, flash_links(e));
            if (flash_request_of(e, i)->block == block && *state_of(e, i) == PASS_GHOST) {
                *state_of(e, i) = PASS_NONE;
                flash_free(e, i);
            } else {
                fifo_push(&rest, flash_links(e), i);
            }
        }
        l->held = rest;
    }
}
