/* SPDX-License-Identifier: Apache-2.0
 *
 * Scan: spare words tell which superblocks were written after the checkpoint's base, and what is in
 * them. A superblock is told from page 0 of its blocks, or another page where that one is torn:
 *
 *   a page newer than the base     scanned; if it has only such pages it was opened since
 *   older pages only               as it was; scanned if pages may have followed since the base
 *   none readable                  free, or erased again if something is torn
 *
 * Of the target of a merge only the last page is read: it is whole, or of no use.
 *
 * A superblock whose erase was broken off may pass for a full one. That does no harm: collection
 * had moved all of it before, and the journal of what was trimmed was on the flash (recovery.c), so
 * that nothing points into it once all is replayed. It is empty, and the next one to be collected.
 */
#include "firmware/durable/scan.h"

#include "firmware/durable/anchor.h"
#include "firmware/durable/scan_seen.h"
#include "firmware/durable/window.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_program.h"
#include "firmware/map/maps_reads.h"
#include "firmware/map/maps_saved.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_boot.h"
#include "firmware/map/segments_commit.h"
#include "firmware/ops/padding.h"
#include "firmware/ops/passes.h"
#include "firmware/space/bad.h"
#include "firmware/space/capacity.h"
#include "firmware/space/pool.h"
#include "firmware/space/resume.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"

/* Planes that may hold something. What was written to a block before it failed counts too. */
static uint32_t planes_of(struct env* e, uint32_t block, uint32_t lun)
{
    return e->geo->plane_all & ~blocks_hidden(e, block, lun);
}

static uint32_t* batch_of(struct env* e, uint32_t at)
{
    FW_ASSERT(e, at < e->recovery->batch_most);
    return (uint32_t*)env_dram(e, e->recovery->batch) + at;
}

/* ---- Page 0 of everything ---- */

/* A page behind the torn page 0 of a block tells what it is. */
static uint32_t probe(struct env* e, const struct place* first)
{
    const struct ftl_layout* layout = ftl_layout_of(e);
    struct place p = *first;
    for (; p.page < slc_pages(e, p.block) && !hal_stopping(e->hal); ++p.page) {
        uint64_t sequence = 0;
        const uint64_t* words = boot_read(e, &p, 0);
        if (words != NULL && words[0] == UINT64_MAX) {
            if (layout->any_page != 0) {
                continue; /* pages of logical blocks are programmed in any order */
            }
            break;
        }
        if (words != NULL && spare_read(e, words, &sequence)) {
            const bool placed =
                layout->any_page != 0 && layout->merged(spare_unpack(words[1]).kind);
            return (sequence > e->recovery->base ? SCAN_NEWER : SCAN_OLDER) |
                   (placed ? SCAN_MERGED : 0);
        }
    }
    return p.page == 0 ? 0 : SCAN_TORN;
}

static void probe_superblock(struct env* e, uint32_t block)
{
    for (uint32_t lun = 0; lun < e->geo->luns; ++lun) {
        for (uint32_t rest = blocks_good_planes(e, block, lun); rest != 0; rest &= rest - 1) {
            const struct place p = {.block = block, .lun = lun, .plane = lowest_bit(rest)};
            *scan_flags(e, block) = (uint8_t)(*scan_flags(e, block) | probe(e, &p));
        }
    }
    *scan_flags(e, block) = (uint8_t)(*scan_flags(e, block) & ~SCAN_PROBE);
}

/* What page 0 of its blocks tells of a superblock. */
static void classify(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    const uint32_t flags = *scan_flags(e, block);
    const int used = s->kept; /* at the record, whose sequence is the highest one known so far */
    s->kept = (flags & SCAN_OLDER) != 0;
    s->opened = UINT64_MAX;
    if ((flags & (SCAN_NEWER | SCAN_OLDER)) != 0) {
        s->state = BLOCK_FULL;
        s->erases += used && s->kept == 0 && s->newest > e->recovery->highest ? 1u : 0u;
    } else if (ftl_layout_of(e)->any_page != 0 && (flags & SCAN_MERGED) != 0) {
        s->state = BLOCK_FULL; /* its other pages tell */
    } else if (s->good == 0) {
        s->state = BLOCK_DEAD;
    } else if ((flags & SCAN_TORN) != 0) {
        s->state = BLOCK_FULL;
        ftl_layout_of(e)->torn(e, block);
    } else {
        s->state = BLOCK_FREE;
        s->erases += used ? 1u : 0u;
    }
    FW_ASSERT(e, s->valid == 0);
}

static int read_each(struct env* e, enum boot_waits what, uint32_t total, uint32_t page,
                     scan_place place_of)
{
    uint32_t next = 0;
    e->recovery->waits = what;
    while (next < total || flash_in_flight(e) != 0) {
        for (; next < total; ++next) {
            struct place p = {.page = page};
            const uint32_t planes = place_of(e, next, &p);
            const uint32_t i = planes != 0 ? boot_take_read(e, &p, planes) : 0;
            if (i == INDEX_NONE) {
                break;
            }
            if (planes != 0) {
                flash_request_of(e, i)->scan.number = next;
                flash_submit(e, i);
            }
        }
        if (flash_in_flight(e) != 0 && !boot_poll(e)) {
            return -1;
        }
    }
    return 0;
}

int scan_each(struct env* e, uint32_t total, uint32_t page, scan_place place_of)
{
    return read_each(e, WAITS_LAYOUT, total, page, place_of);
}

static uint32_t place_of_row(struct env* e, uint32_t n, struct place* out)
{
    out->block = n / e->geo->luns;
    out->lun = n % e->geo->luns;
    return planes_of(e, out->block, out->lun);
}

static uint32_t place_of_map_block(struct env* e, uint32_t n, struct place* out)
{
    const struct map_block* b = map_block_of(e, n);
    out->block = b->block;
    out->lun = b->lun;
    out->plane = b->plane;
    return b->segment == INDEX_NONE ? 1u << b->plane : 0;
}

int scan_map_blocks(struct env* e, uint32_t page)
{
    return read_each(e, WAITS_SEGMENTS, segments_blocks(e), page, place_of_map_block);
}

void scan_superblocks(struct env* e, bool first_time)
{
    const struct geometry* g = e->geo;
    if (read_each(e, WAITS_PAGE_0, g->blocks * g->luns, 0, place_of_row) != 0) {
        return;
    }
    if (first_time) {
        blocks_count(e);
    }
    for (uint32_t block = 0; block < g->blocks; ++block) {
        if ((*scan_flags(e, block) & SCAN_PROBE) != 0) {
            probe_superblock(e, block);
        }
        classify(e, block);
        if ((*scan_flags(e, block) & SCAN_FAILED) != 0) {
            blocks_make_stale(e, block, REFRESH_FAILED);
        }
    }
    blocks_count_free(e);
}

/* ---- All pages of some ---- */

/* true = no plane of the LUN has anything at this page or behind it. */
static bool ended(struct env* e, uint32_t at, const struct place* p)
{
    for (uint32_t rest = planes_of(e, p->block, p->lun); rest != 0; rest &= rest - 1) {
        if (p->page <= *scan_end(e, at, p->lun, lowest_bit(rest))) {
            return false;
        }
    }
    return true;
}

/* A page of each LUN of a superblock. Returns how many are read, -1 = power goes. */
static int scan_page(struct env* e, uint32_t at, uint32_t page)
{
    const uint32_t block = *batch_of(e, at);
    const bool has = block < e->geo->blocks && page < slc_pages(e, block);
    const uint32_t luns = has ? e->geo->luns : 0;
    int live = 0;
    for (uint32_t lun = 0; lun < luns; ++lun) {
        const struct place p = {.block = block, .page = page, .lun = lun};
        const uint32_t planes = planes_of(e, p.block, lun);
        uint32_t i = INDEX_NONE;
        if (planes == 0 || ended(e, at, &p)) {
            continue;
        }
        while ((i = boot_take_read(e, &p, planes)) == INDEX_NONE) {
            if (!boot_poll(e)) {
                return -1;
            }
        }
        flash_request_of(e, i)->scan.number = at;
        flash_submit(e, i);
        ++live;
    }
    return live;
}

/* All that is known of a superblock is known. */
static void scanned(struct env* e, uint32_t at)
{
    const uint32_t block = *batch_of(e, at);
    struct superblock* s = superblock_of(e, e->blocks, block);
    const bool merged = s->role == BLOCK_TARGET;
    s->role = merged ? BLOCK_PAGES : s->role;
    if (e->recovery->resumed != 0) {
        return;
    }
    if (merged) {
        s->state = BLOCK_FULL;
    } else {
        blocks_resume(e, block, scan_ends(e, at));
    }
    FW_ASSERT(e, s->state == BLOCK_FULL || s->state == BLOCK_OPEN);
}

/* One superblock of each LUN, where it lies on one, and the next ones in the same order: so all
 * LUNs are at work as long as can be. false = there are no more. */
static bool next_batch(struct env* e)
{
    const uint32_t most = e->recovery->batch_most;
    bool found = false;
    for (uint32_t at = 0; at < most; ++at) {
        uint32_t* block = batch_of(e, at);
        *block = *block == INDEX_NONE ? at : *block + most;
        while (*block < e->geo->blocks && (!scan_wants(e, *block) || scan_merged(e, *block))) {
            *block += most;
        }
        *block = *block < e->geo->blocks ? *block : e->geo->blocks;
        found |= *block < e->geo->blocks;
    }
    return found;
}

static void scan_batch(struct env* e)
{
    struct recovery* v = e->recovery;
    const uint32_t ends = v->batch_most * e->geo->luns * e->geo->planes;
    int live = 1;
    for (uint32_t n = 0; n < ends; ++n) {
        scan_ends(e, 0)[n] = (uint16_t)e->geo->pages;
    }
    for (uint32_t page = 0; page < e->geo->pages && live != 0; ++page) {
        live = 0;
        for (uint32_t at = 0; at < v->batch_most; ++at) {
            const int more = scan_page(e, at, page);
            if (more < 0) {
                return;
            }
            live += more;
        }
    }
    boot_drain(e);
    for (uint32_t at = 0; at < v->batch_most; ++at) {
        if (*batch_of(e, at) < e->geo->blocks) {
            scanned(e, at);
        }
    }
}

int scan_window(struct env* e, uint64_t from)
{
    struct recovery* v = e->recovery;
    window_begin(e, from);
    ftl_layout_of(e)->scan(e);
    for (uint32_t at = 0; at < v->batch_most; ++at) {
        *batch_of(e, at) = INDEX_NONE;
    }
    v->waits = WAITS_PAGES;
    while (!hal_stopping(e->hal) && next_batch(e)) {
        scan_batch(e);
    }
    v->resumed = 1;
    return (int)v->beyond;
}

/* ---- Reads of power-up ----
 *
 * Reads of power-up, and what else ends meanwhile.
 */

uint32_t boot_take_read(struct env* e, const struct place* p, uint32_t planes)
{
    const uint32_t i = flash_take(e, OWNER_SCAN);
    if (i == INDEX_NONE) {
        return i;
    }
    struct flash_request* r = flash_request_of(e, i);
    r->op = FLASH_OP_READ;
    r->purpose = FLASH_PURPOSE_RECOVERY;
    r->priority = 0;
    r->plane_mask = (uint8_t)planes;
    r->lun = (uint16_t)p->lun;
    r->block = p->block;
    r->page = p->page;
    r->column = 0;
    r->length = 0;
    r->oob = true;
    r->scan.again = 0;
    ++e->telemetry->recovery_pages;
    FW_ASSERT(e, planes != 0);
    return i;
}

/* The page of one plane; words = NULL when it is unreadable. */
static void plane_read(struct env* e, const struct flash_request* r, uint32_t plane,
                       const uint64_t* words)
{
    switch (e->recovery->waits) {
    case WAITS_ONE:
        e->recovery->read_ok = words != NULL;
        e->recovery->read_tries = r->tries;
        e->recovery->read_done = 1;
        break;
    case WAITS_PAGE_0:
        scan_page_0_read(e, r, plane, words);
        break;
    case WAITS_SEGMENTS:
        segments_seen(e, r, words);
        break;
    case WAITS_LAYOUT:
        ftl_layout_of(e)->read(e, r, words);
        break;
    default:
        scan_page_read(e, r, plane, words);
        break;
    }
}

/* Planes that could not be read together with others are read alone: the read retry level that
 * suits one may not suit the other. */
static void page_read(struct env* e, const struct flash_result* result)
{
    struct flash_request* r = flash_request_of(e, result->request);
    const uint64_t* words = flash_oob(e, result->request);
    const bool alone = (r->plane_mask & (r->plane_mask - 1)) == 0;
    FW_ASSERT(e, r->op == FLASH_OP_READ && r->owner == OWNER_SCAN);
    for (uint32_t rest = r->plane_mask; rest != 0; rest &= rest - 1, words += spare_words(e->geo)) {
        const uint32_t plane = lowest_bit(rest);
        const bool failed = ((result->plane_fail >> plane) & 1u) != 0;
        if (failed && !alone) {
            r->scan.again |= 1u << plane;
        } else {
            plane_read(e, r, plane, failed ? NULL : words);
        }
    }
    if (r->scan.again == 0) {
        flash_free(e, result->request);
        return;
    }
    r->plane_mask = (uint8_t)(r->scan.again & (0u - r->scan.again));
    r->scan.again &= r->scan.again - 1;
    flash_read_restart(r);
    flash_submit(e, result->request);
}

bool boot_poll(struct env* e)
{
    static const flash_handler handlers[OWNERS] = {
        [OWNER_SCAN] = page_read,
        [OWNER_MAP_READ] = maps_read_done,
        [OWNER_MAP_PROGRAM] = maps_program_done,
        [OWNER_ERASE] = flash_erase_done,
        [OWNER_ANCHOR] = anchor_done,
        [OWNER_SEGMENT] = segments_done,
        [OWNER_PAD] = passes_pad_done,
    };
    uint32_t found = 0;
    channels_ring(e);
    for (uint32_t c = 0; c < e->geo->channels; ++c) {
        found += flash_poll(e, c, handlers);
    }
    if (maps_holds(e, 1) || maps_holds(e, 2)) { /* map pages may have to be put out */
        maps_step(e);
        found += flash_step(e, handlers);
    } else if (e->recovery->phase != CHECKPOINT_IDLE) {
        found += flash_step(e, handlers);
    }
    found += (uint32_t)segments_step(e);
    channels_ring(e); /* retries */
    if (found == 0 && passes_held(e) != 0 && padding_rescue(e)) {
        channels_ring(e);
    }
    if (found == 0 && flash_in_flight(e) != 0) { /* else who asked asks once more */
        (void)hal_wait_irq(e->hal);
    }
    return !hal_stopping(e->hal);
}

const uint64_t* boot_read(struct env* e, const struct place* p, uint64_t buffer)
{
    struct recovery* v = e->recovery;
    const uint32_t i = boot_take_read(e, p, 1u << p->plane);
    FW_ASSERT(e, i != INDEX_NONE);
    struct flash_request* r = flash_request_of(e, i);
    r->length = buffer != 0 ? e->geo->page_size : 0;
    r->buffer = buffer;
    r->metadata = true;
    v->waits = WAITS_ONE;
    v->read_done = 0;
    flash_submit(e, i);
    while (v->read_done == 0) {
        if (!boot_poll(e)) {
            return NULL;
        }
    }
    return v->read_ok != 0 ? flash_oob(e, i) : NULL;
}

void boot_drain(struct env* e)
{
    while (flash_in_flight(e) != 0 && boot_poll(e)) {
    }
    FW_ASSERT(e, flash_in_flight(e) == 0 || hal_stopping(e->hal));
}
