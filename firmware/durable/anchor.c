/* SPDX-License-Identifier: Apache-2.0
 *
 * Anchor: where power-up begins. Three blocks on each of two LUNs take records in turns; they
 * belong to no superblock. A record is a run of pages, first the tables, last the record. The block
 * that holds the newest record is not erased before another one holds a newer record, so two would
 * do; the third is for one that fails. Where a record does not fit a block, several blocks are
 * written, and erased, as one.
 */
#include "firmware/durable/anchor.h"

#include "firmware/durable/drive_state.h"
#include "firmware/durable/journal.h"
#include "firmware/durable/tables.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/crc.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_saved.h"
#include "firmware/map/modes.h"
#include "firmware/space/blocks.h"
#include "firmware/space/lanes.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"

struct signature anchor_signature(const struct env* e)
{
    const struct geometry* g = e->geo;
    const struct signature s = {.channels = g->channels,
                                .luns_per_channel = g->luns_per_channel,
                                .planes = g->part.planes,
                                .blocks = g->part.blocks,
                                .pages = g->pages,
                                .page_size = g->page_size,
                                .unit_size = g->unit_size,
                                .scheme = (uint8_t)ftl_scheme(e),
                                .map_streams = (uint8_t)(blocks_streams(e) - STREAMS),
                                .stripe = (uint16_t)(g->stripe | lanes_superblocks(e) << 8),
                                .user_units = g->user_units};
    return s;
}

/* Of a block of the anchor: those in SLC mode have a page per word line. */
uint32_t anchor_block_pages(const struct env* e)
{
    return flash_records_slc(e) ? e->geo->pages / e->geo->word_line : e->geo->pages;
}

uint64_t anchor_page(const struct env* e, uint32_t page)
{
    return e->recovery->anchor.buffer + (uint64_t)page * e->geo->page_size;
}

/* Pages of a block, or of those that make one. */
uint32_t anchor_room(const struct env* e)
{
    return e->recovery->anchor.span * anchor_block_pages(e);
}

struct place anchor_place(const struct env* e, const struct anchor_copy* c, uint32_t turn,
                          uint32_t page)
{
    const uint32_t part = page / anchor_block_pages(e);
    const struct anchor_block* b = &c->block[turn * e->recovery->anchor.span + part];
    const uint32_t lun = geometry_narrow(e->geo) ? 0 : c->lun;
    const struct place p = {.block = b->block,
                            .page = page - part * anchor_block_pages(e),
                            .lun = lun,
                            .plane = b->plane};
    FW_ASSERT(e, part < e->recovery->anchor.span);
    return p;
}

uint32_t anchor_crc(struct anchor_record* r)
{
    const uint32_t stored = r->crc;
    r->crc = 0;
    const uint32_t crc = crc32(CRC32_START, r, sizeof *r);
    r->crc = stored;
    return crc;
}

uint32_t anchor_before_crc(const struct env* e)
{
    const struct anchor* a = &e->recovery->anchor;
    return crc32(CRC32_START, env_dram(e, a->buffer), (a->pages - 1) * e->geo->page_size);
}

/* Of the pages of a word line some err several times as often as others. Two copies that lie at the
 * same pages would be lost together: one begins that many pages later. */
enum { SHIFT = 2 };

uint32_t anchor_shift(const struct env* e, uint32_t copy)
{
    return copy != 0 && flash_errs(e) && !flash_records_slc(e) ? SHIFT : 0;
}

int anchor_init(struct env* e)
{
    struct anchor* a = &e->recovery->anchor;
    const struct geometry* g = e->geo;
    const uint64_t tables = tables_bytes(e);
    a->copies = g->part.luns > 1 ? ANCHOR_COPIES : 1;
    a->pages = (uint32_t)((tables + g->page_size - 1) / g->page_size) + 2;
    const uint32_t most = a->pages + anchor_shift(e, a->copies - 1);
    a->span = (most + anchor_block_pages(e) - 1) / anchor_block_pages(e);
    if (a->span > ANCHOR_SPAN || sizeof(struct anchor_record) > g->page_size) {
        hal_log(e->hal, HAL_LOG_ERROR,
                "blocks are too small for an anchor record: pages of it, of a block", a->pages,
                anchor_block_pages(e));
        return -1;
    }
    a->buffer = dram_take_pages(e, (uint64_t)a->pages * g->page_size);
    for (uint32_t c = 0; c < a->copies; ++c) {
        a->copy[c].lun = c == 0 ? 0 : g->part.luns - 1;
    }
    return arenas_result(e);
}

uint64_t anchor_blocks(const struct env* e)
{
    const struct geometry* g = e->geo;
    return (uint32_t)reserve_anchor(g->part.luns, g->part.planes, e->recovery->anchor.span,
                                    geometry_narrow(g));
}

bool anchor_busy(const struct env* e)
{
    const struct anchor* a = &e->recovery->anchor;
    return a->copy[0].left != 0 || a->copy[1].left != 0;
}

const void* anchor_journal(const struct env* e)
{
    return env_dram(e, anchor_page(e, e->recovery->anchor.pages - 2));
}

/* Goes to a block that neither holds the newest record nor has failed. false = there is none. */
static bool next_turn(struct env* e, struct anchor_copy* c)
{
    for (uint32_t n = 0; n < c->blocks; ++n) {
        c->turn = c->turn + 1 == c->blocks ? 0 : c->turn + 1;
        if (c->turn != c->newest && ((c->failed >> c->turn) & 1u) == 0) {
            c->page = 0;
            c->erases = e->recovery->anchor.span;
            return true;
        }
    }
    FW_ASSERT(e, c->failed != 0);
    return false;
}

/* The copy keeps the newest record that it has, and takes no more. */
static void give_up(struct env* e, struct anchor_copy* c)
{
    struct anchor* a = &e->recovery->anchor;
    FW_ASSERT(e, c->dead == 0);
    hal_log(e->hal, HAL_LOG_WARN, "a copy of the anchor has failed; LUN, block", c->lun,
            anchor_place(e, c, c->turn, 0).block);
    c->dead = 1;
    c->left = 0;
    a->dead += 1;
    if (a->dead == a->copies) {
        e->telemetry->read_only = 1;
        e->telemetry->spare_percent = 0; /* what is left cannot be used */
    }
}

static void next_page(struct env* e, uint32_t copy, uint32_t request)
{
    struct anchor* a = &e->recovery->anchor;
    struct anchor_copy* c = &a->copy[copy];
    struct flash_request* r = flash_request_of(e, request);
    /* All copies have as many records in a block, so that they stay apart. */
    const uint32_t end = anchor_room(e) - anchor_shift(e, a->copies - 1) + anchor_shift(e, copy);
    if (c->left == a->pages && c->page + a->pages > end && !next_turn(e, c)) {
        give_up(e, c);
        flash_free(e, request);
        return;
    }
    const bool erase = c->erases != 0;
    const struct place p = anchor_place(
        e, c, c->turn, erase ? (a->span - c->erases) * anchor_block_pages(e) : c->page);
    r->op = erase ? FLASH_OP_ERASE : FLASH_OP_PROGRAM;
    r->purpose = (uint8_t)ftl_purpose(e, FLASH_PURPOSE_RECOVERY);
    r->priority = 1;
    r->plane_mask = (uint8_t)(1u << p.plane);
    r->lun = (uint16_t)p.lun;
    r->block = p.block;
    r->page = p.page;
    r->column = 0;
    r->length = erase ? 0 : e->geo->page_size;
    r->oob = !erase;
    r->metadata = true;
    r->sg = !erase;
    r->anchor.copy = copy;
    const bool pads = c->page < anchor_shift(e, copy);
    for (uint32_t s = 0; s < e->geo->page_units && !erase; ++s) {
        flash_list(e, request)[s] =
            pads ? flash_zero(e)
                 : anchor_page(e, a->pages - c->left) + ((uint64_t)s << e->geo->unit_shift);
        flash_oob(e, request)[1 + s] =
            pads ? spare_pack(SPARE_PAD, 0) : spare_pack(SPARE_ANCHOR, a->number);
    }
    flash_submit(e, request);
}

/* The record in memory goes to all copies. */
static void write_copies(struct env* e, struct anchor_record* r)
{
    struct anchor* a = &e->recovery->anchor;
    r->number = ++a->number;
    r->crc = anchor_crc(r);
    a->taken = 0;
    for (uint32_t c = 0; c < a->copies; ++c) {
        if (a->copy[c].dead != 0) {
            continue;
        }
        const uint32_t i = flash_take(e, OWNER_ANCHOR);
        FW_ASSERT(e, i != INDEX_NONE);
        a->copy[c].left = a->pages;
        next_page(e, c, i);
    }
}

void anchor_renew(struct env* e, const struct anchor_record* record)
{
    struct anchor_record* r = env_dram(e, anchor_page(e, e->recovery->anchor.pages - 1));
    FW_ASSERT(e, !anchor_busy(e));
    mem_zero(r, e->geo->page_size);
    *r = *record;
    drive_state_store(e, (uint8_t*)r);
    write_copies(e, r);
}

void anchor_write(struct env* e, uint32_t clean, uint64_t base)
{
    struct anchor* a = &e->recovery->anchor;
    struct anchor_record* r = env_dram(e, anchor_page(e, a->pages - 1));
    FW_ASSERT(e, !anchor_busy(e));
    tables_store(e, base, env_dram(e, a->buffer));
    journal_pack(e, env_dram(e, anchor_page(e, a->pages - 2)));
    mem_zero(r, sizeof *r);
    drive_state_store(e, (uint8_t*)r);
    r->magic = ANCHOR_MAGIC;
    r->version = RECOVERY_VERSION;
    r->clean = clean;
    r->sequence = flash_sequence(e);
    r->base = base;
    r->top = maps_top(e);
    r->signature = anchor_signature(e);
    r->journal = (uint32_t)e->recovery->journal.open;
    r->slc_blocks = slc_setup(e)->fixed;
    r->slc_pages = slc_setup(e)->pages;
    r->before_crc = anchor_before_crc(e);
    write_copies(e, r);
}

void anchor_done(struct env* e, const struct flash_result* result)
{
    struct anchor* a = &e->recovery->anchor;
    const struct flash_request* r = flash_request_of(e, result->request);
    const uint32_t copy = r->anchor.copy;
    struct anchor_copy* c = &a->copy[copy];
    FW_ASSERT(e, r->owner == OWNER_ANCHOR && c->left != 0);
    if (result->status != FLASH_STATUS_OK) {
        c->failed |= 1u << c->turn;
        c->left = a->pages; /* all of the record goes to another block */
        c->page = anchor_room(e);
        c->erases = 0;
    } else if (r->op == FLASH_OP_ERASE) {
        --c->erases;
    } else if (c->page < anchor_shift(e, copy)) {
        ++c->page;
    } else {
        ++c->page;
        --c->left;
        c->newest = c->left == 0 ? c->turn : c->newest;
        if (c->left == 0) {
            ++a->taken;
            drive_state_written(e);
        }
    }
    if (c->left != 0) {
        next_page(e, copy, result->request);
    } else {
        flash_free(e, result->request);
    }
}
