/* SPDX-License-Identifier: Apache-2.0
 *
 * Copyback: pages of a victim that are valid throughout move to the next write unit of their own
 * LUN in the collection's stream, without the bus and the controller's memory.
 *
 * First the page's out-of-band bytes are read, for only they tell which units move; where the part
 * has bit errors the data too, through the ECC and to nowhere. The write unit is taken when they
 * are known, so that it never stays empty, and the LUN's queue keeps the order of its pages. What
 * cannot be copied is refused: it is read and programmed as if copyback did not exist. A copy
 * corrects nothing, so wrong bits add up from copy to copy: a page that shows more of them than
 * gc.copyback_bits, or needs a read retry level, is refused, and so is the rest of its victim.
 */
#include "firmware/gc/copy.h"

#include "firmware/gc/pace.h"
#include "firmware/gc/program.h"
#include "firmware/gc/read.h"
#include "firmware/gc/state.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"
#include "firmware/space/watch.h"
#include "models/regs/parts/gc.h"

static struct place place_of(const struct flash_request* r, uint32_t plane)
{
    const struct place p = {.block = r->block, .page = r->page, .lun = r->lun, .plane = plane};
    return p;
}

uint32_t gc_copyable(struct env* e, uint64_t address)
{
    const struct gc* c = e->gc;
    const struct geometry* g = e->geo;
    const uint32_t asked = c->kind == GC_GARBAGE ? FLASH_COPIES_GARBAGE
                           : c->kind == GC_FOLD  ? FLASH_COPIES_CACHE
                                                 : 0;
    if (!flash_copies(e, asked) || c->plain != 0 ||
        superblock_of(e, e->blocks, c->victim)->level != 0) {
        return 0;
    }
    const struct place p = address_place(g, address);
    uint32_t planes = blocks_next_planes(e, STREAM_GC, p.lun, p.plane);
    planes = g->multi_plane != 0 ? planes : planes & (1u << p.plane);
    if (planes == 0 || lowest_bit(planes) != p.plane ||
        planes != (uint32_t)ones(count_bits(planes)) << p.plane) {
        return 0;
    }
    const uint64_t* map = blocks_valid_map(e);
    for (uint32_t n = 0; n < count_bits(planes); ++n) {
        if (bitmap_field(map, address + ((uint64_t)n << g->unit_bits), g->page_units) !=
            ones(g->page_units)) {
            return 0;
        }
    }
    FW_ASSERT(e, (planes & ~g->plane_all) == 0 && p.block == c->victim);
    return planes;
}

static uint32_t units_of(const struct env* e, uint32_t planes)
{
    return count_bits(planes) * e->geo->page_units;
}

bool gc_copy(struct env* e, uint64_t address, uint32_t planes)
{
    struct gc* c = e->gc;
    const struct geometry* g = e->geo;
    const struct place p = address_place(g, address);
    const uint32_t i = flash_take(e, OWNER_GC_COPY);
    FW_ASSERT(e, planes != 0 && lowest_bit(planes) == p.plane);
    if (i == INDEX_NONE) {
        return false;
    }
    struct flash_request* r = flash_request_of(e, i);
    r->op = FLASH_OP_READ;
    r->purpose = gc_purpose(c->kind);
    r->priority = 2;
    r->plane_mask = (uint8_t)planes;
    r->lun = (uint16_t)p.lun;
    r->block = p.block;
    r->page = p.page;
    r->column = 0;
    r->length = e->told.gc->copyback_bits != 0 ? g->page_size : 0;
    r->sg = r->length != 0;
    r->oob = true;
    r->copy.planes = planes;
    for (uint32_t n = 0; n < units_of(e, planes) && r->sg; ++n) {
        flash_list(e, i)[n] = gc_buffer_data(e, c->units);
    }
    ++c->copies;
    gc_moves(e, units_of(e, planes));
    flash_submit(e, i);
    return true;
}

/* The planes of the request go through the controller. */
static void refuse(struct env* e, uint32_t request)
{
    const struct flash_request* r = flash_request_of(e, request);
    FW_ASSERT(e, r->block == e->gc->victim);
    gc_moves_back(e, units_of(e, r->plane_mask));
    fifo_push(&e->gc->refused, flash_links(e), request);
}

static void end_copy(struct env* e, uint32_t request)
{
    --e->gc->copies;
    flash_free(e, request);
}

void gc_read_refused(struct env* e)
{
    struct gc* c = e->gc;
    const uint32_t i = c->refused.head;
    FW_ASSERT(e, i != INDEX_NONE);
    struct flash_request* r = flash_request_of(e, i);
    const struct place p = place_of(r, lowest_bit(r->plane_mask));
    const uint64_t address = unit_address(e->geo, &p, 0);
    const uint32_t valid = blocks_valid_field(e, address, e->geo->page_units);
    FW_ASSERT(e, r->plane_mask != 0 && p.block == c->victim);
    if (valid != 0) {
        gc_read_page(e, address, valid);
    }
    r->plane_mask = (uint8_t)(r->plane_mask & (r->plane_mask - 1u));
    if (r->plane_mask == 0) {
        (void)fifo_pop(&c->refused, flash_links(e));
        end_copy(e, i);
    }
}

/* Whether the copy would carry few wrong bits. Those of all planes may be in one. */
static bool good_enough(struct env* e, const struct flash_request* r,
                        const struct flash_result* result)
{
    const uint32_t codeword = blocks_codeword(e);
    const uint32_t words = codeword != 0 && r->length > codeword ? r->length / codeword : 1;
    FW_ASSERT(e, e->told.gc->copyback_bits != 0 || r->length == 0);
    return result->status == FLASH_STATUS_OK && r->level == 0 &&
           result->corrected_bits <= (uint64_t)e->told.gc->copyback_bits * words;
}

/* The units of the planes, from the spare words, are no longer held: `count` of them were claimed.
 */
static void release(struct env* e, uint32_t request, uint32_t count)
{
    for (uint32_t n = 0; n < count; ++n) {
        const uint64_t word = flash_oob(e, request)[spare_word(e->geo, n)];
        ftl_ops_of(e)->unpin(e, spare_unpack(word).index);
    }
}

/* Claims the unit of a word if it still lies at the address and is not lost: a lost one must take
 * its mark along, which goes through the controller. */
static bool claim(struct env* e, uint64_t word, uint64_t address)
{
    const struct spare_unit u = spare_unpack(word);
    if (u.kind != SPARE_DATA || u.lost != 0 || u.index >= e->geo->user_units ||
        !blocks_valid(e, address) || gc_claim(e, u.index, address, false) != CLAIM_YES) {
        return false;
    }
    if (gc_may_be_lost(e) && ftl_lost(ftl_ops_of(e)->lookup(e, u.index))) {
        ftl_ops_of(e)->unpin(e, u.index);
        return false;
    }
    return true;
}

/* Claims every unit of the pages, or none. */
static bool claim_all(struct env* e, uint32_t request)
{
    const struct flash_request* r = flash_request_of(e, request);
    const uint64_t* words = flash_oob(e, request);
    uint64_t sequence = 0;
    uint32_t n = 0;
    FW_ASSERT(e, r->op == FLASH_OP_READ && r->plane_mask == r->copy.planes);
    for (uint32_t rest = r->plane_mask; rest != 0; rest &= rest - 1) {
        const struct place p = place_of(r, lowest_bit(rest));
        const uint64_t base = unit_address(e->geo, &p, 0);
        bool ok = spare_read(e, words, &sequence);
        for (uint32_t s = 0; s < e->geo->page_units && ok; ++s) {
            ok = claim(e, words[1 + s], base + s);
            n += ok ? 1u : 0u;
        }
        if (!ok) {
            release(e, request, n);
            return false;
        }
        words += spare_words(e->geo);
    }
    return true;
}

/* The pages are known: they are copied, with spare words of their own, for these tell the copy from
 * its source. */
static void looked(struct env* e, const struct flash_result* result)
{
    struct flash_request* r = flash_request_of(e, result->request);
    struct write_unit w;
    FW_ASSERT(e, r->block == e->gc->victim);
    if (!good_enough(e, r, result)) {
        e->gc->plain = 1;
        refuse(e, result->request);
        return;
    }
    if (!claim_all(e, result->request)) {
        refuse(e, result->request);
        return;
    }
    if (!blocks_place_on(e, STREAM_GC, r->lun, r->plane_mask, &w)) {
        release(e, result->request, units_of(e, r->plane_mask));
        refuse(e, result->request);
        return;
    }
    FW_ASSERT(e, w.lun == r->lun && w.plane_mask == r->plane_mask);
    r->op = FLASH_OP_COPYBACK;
    r->length = 0;
    r->sg = false;
    r->copy.to_block = w.block;
    r->copy.to_page = w.page;
    superblock_of(e, e->blocks, r->block)->pending += w.units;
    flash_submit(e, result->request);
}

/* Units of one plane, from the `first` of the operation on: they have moved, or not. */
static void plane_copied(struct env* e, uint32_t request, uint32_t plane, uint32_t first,
                         int failed)
{
    const struct flash_request* r = flash_request_of(e, request);
    const struct place from = place_of(r, plane);
    const struct place to = {
        .block = r->copy.to_block, .page = r->copy.to_page, .lun = r->lun, .plane = plane};
    for (uint32_t s = 0; s < e->geo->page_units; ++s) {
        const uint64_t word = flash_oob(e, request)[spare_word(e->geo, first + s)];
        const uint64_t unit = spare_unpack(word).index;
        if (!failed) {
            (void)ftl_ops_of(e)->move(e, unit, unit_address(e->geo, &from, s),
                                      unit_address(e->geo, &to, s));
        }
        ftl_ops_of(e)->unpin(e, unit);
        blocks_unpend(e, r->block);
    }
}

static void copied(struct env* e, const struct flash_result* result)
{
    struct flash_request* r = flash_request_of(e, result->request);
    const uint32_t masks[2] = {r->plane_mask, r->fail_mask};
    uint32_t n = 0;
    FW_ASSERT(e, result->status == FLASH_STATUS_OK || result->plane_fail != 0);
    if (result->plane_fail != 0) {
        const struct erase_piece failed = {r->copy.to_block, r->lun, result->plane_fail};
        blocks_retire(e, &failed, RETIRE_PROGRAM);
    }
    if (e->gc->kind == GC_FOLD) {
        e->telemetry->slc.folded += units_of(e, r->plane_mask);
    } else {
        e->telemetry->gc_units_moved += units_of(e, r->plane_mask);
        e->telemetry->gc_pages_moved += count_bits(r->plane_mask);
    }
    for (uint32_t m = 0; m < 2; ++m) {
        for (uint32_t rest = masks[m]; rest != 0; rest &= rest - 1, n += e->geo->page_units) {
            const uint32_t plane = lowest_bit(rest);
            const bool failed = ((result->plane_fail >> plane) & 1u) != 0;
            plane_copied(e, result->request, plane, n, failed);
        }
    }
    blocks_unpend(e, r->copy.to_block);
    r->plane_mask = (uint8_t)result->plane_fail;
    if (r->plane_mask != 0) {
        refuse(e, result->request);
    } else {
        end_copy(e, result->request);
    }
}

void gc_copy_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    if (r->op == FLASH_OP_READ) {
        looked(e, result);
    } else {
        copied(e, result);
    }
}
