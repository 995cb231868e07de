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

#include "firmware/durable/reads.h"
#include "firmware/durable/recovery.h"
#include "firmware/durable/replay.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/segments.h"
#include "firmware/space/blocks.h"
#include "firmware/space/blocks_boot.h"
#include "firmware/space/blocks_single.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"

static uint8_t* flags_of(struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
    return (uint8_t*)env_dram(e, e->recovery->flags) + block;
}

/* Planes that may hold something. What was written to a block before it failed counts too. */
static uint32_t planes_of(struct env* e, uint32_t block, uint32_t lun)
{
    FW_ASSERT(e, block < e->geo->blocks);
    return e->geo->plane_all & ~blocks_hidden(e, block, lun);
}

/* Ends of the pages of a superblock in the batch that is scanned, by LUN and plane. */
static uint16_t* ends_of(struct env* e, uint32_t at)
{
    FW_ASSERT(e, at < e->recovery->batch_most);
    return (uint16_t*)env_dram(e, e->recovery->ends) + (uint64_t)at * e->geo->luns * e->geo->planes;
}

static uint32_t* batch_of(struct env* e, uint32_t at)
{
    FW_ASSERT(e, at < e->recovery->batch_most);
    return (uint32_t*)env_dram(e, e->recovery->batch) + at;
}

static uint16_t* end_of(struct env* e, uint32_t at, uint32_t lun, uint32_t plane)
{
    FW_ASSERT(e, lun < e->geo->luns && plane < e->geo->planes);
    return ends_of(e, at) + lun * e->geo->planes + plane;
}

/* ---- Page 0 of everything ---- */

static uint8_t* erased_of(const struct env* e, uint32_t block, uint32_t lun)
{
    FW_ASSERT(e, block < e->geo->blocks && lun < e->geo->luns);
    return (uint8_t*)env_dram(e, e->recovery->erased) + (uint64_t)block * e->geo->luns + lun;
}

bool recovery_erased(const struct env* e, uint64_t address)
{
    const struct place p = address_place(e->geo, address);
    FW_ASSERT(e, e->ftl->modes.voids != 0);
    return (((uint32_t)*erased_of(e, p.block, p.lun) >> p.plane) & 1u) != 0;
}

/* A torn page is uncorrectable. This one the ECC let pass: something else has changed it. */
static void broken_page(struct env* e, uint32_t block, uint32_t page)
{
    FW_ASSERT(e, block < e->geo->blocks && page < e->geo->pages);
    if (e->recovery->broken++ == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "the spare words of a page are damaged; block, page", block,
                page);
    }
}

void scan_page_0_read(struct env* e, const struct flash_request* r, uint32_t plane,
                      const uint64_t* words)
{
    const bool good = ((blocks_good_planes(e, r->block, r->lun) >> plane) & 1u) != 0;
    uint64_t sequence = 0;
    uint32_t flag = 0;
    if (words != NULL && spare_read(e, words, &sequence)) {
        struct superblock* s = superblock_of(e, e->blocks, r->block);
        flag = (sequence > e->recovery->base ? SCAN_NEWER : SCAN_OLDER) | (good ? 0u : SCAN_FAILED);
        const uint32_t kind = spare_unpack(words[1]).kind;
        if (ftl_layout_of(e)->merged(kind)) {
            flag |= SCAN_MERGED;
        } else { /* whatever the record says */
            *flags_of(e, r->block) = (uint8_t)(*flags_of(e, r->block) & ~SCAN_MERGED);
        }
        s->newest = sequence > s->newest ? sequence : s->newest;
    } else if (!good) {
        flag = 0;
    } else if (words != NULL && words[0] == UINT64_MAX) {
        *erased_of(e, r->block, r->lun) |= (uint8_t)(1u << plane);
    } else if (words != NULL && (words[0] & 0xFFu) == 0 && e->recovery->anchor.number == 0) {
        blocks_mark_factory_bad(e, r->block, r->lun,
                                1u << plane); /* the maker's: records have it */
    } else {
        flag = SCAN_PROBE;
        if (words != NULL && e->recovery->anchor.number == 0) {
            broken_page(e, r->block, 0); /* nothing else tells what was there */
        }
    }
    *flags_of(e, r->block) = (uint8_t)(*flags_of(e, r->block) | flag);
}

/* A page behind the torn page 0 of a block tells what it is. */
static uint32_t probe(struct env* e, const struct place* first)
{
    const struct ftl_layout* layout = ftl_layout_of(e);
    struct place p = *first;
    FW_ASSERT(e, p.page == 0);
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
            *flags_of(e, block) = (uint8_t)(*flags_of(e, block) | probe(e, &p));
        }
    }
    *flags_of(e, block) = (uint8_t)(*flags_of(e, block) & ~SCAN_PROBE);
    FW_ASSERT(e, block < e->geo->blocks);
}

/* What page 0 of its blocks tells of a superblock. */
static void classify(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    const uint32_t flags = *flags_of(e, block);
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
    FW_ASSERT(e, page < e->geo->pages);
    while (next < total || flash_in_flight(e) != 0) {
        for (; next < total; ++next) {
            struct place p = {.page = page};
            const uint32_t planes = place_of(e, next, &p);
            const uint32_t i = planes != 0 ? boot_take_read(e, &p, planes) : 0;
            if (i == INDEX_NONE) {
                break;
            }
            if (planes != 0) {
                flash_request_of(e, e->flash, i)->scan.number = next;
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
    FW_ASSERT(e, e->segments->blocks != 0);
    return read_each(e, WAITS_SEGMENTS, e->segments->blocks, page, place_of_map_block);
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
        if ((*flags_of(e, block) & SCAN_PROBE) != 0) {
            probe_superblock(e, block);
        }
        classify(e, block);
        if ((*flags_of(e, block) & SCAN_FAILED) != 0) {
            blocks_make_stale(e, block, REFRESH_FAILED);
        }
    }
    blocks_count_free(e);
}

/* ---- All pages of some ---- */

bool scan_wants(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, block < e->geo->blocks);
    return (s->state == BLOCK_FULL || s->state == BLOCK_OPEN) &&
           (*flags_of(e, block) & (SCAN_NEWER | SCAN_OPEN)) != 0;
}

bool scan_merged(struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
    return (*flags_of(e, block) & SCAN_MERGED) != 0;
}

bool scan_torn(const struct env* e, uint32_t block)
{
    const uint8_t* flags = env_dram(e, e->recovery->flags);
    FW_ASSERT(e, block < e->geo->blocks);
    return (flags[block] & (SCAN_TORN | SCAN_NEWER | SCAN_OLDER)) == SCAN_TORN;
}

void scan_no_more(struct env* e, uint32_t block)
{
    *flags_of(e, block) = (uint8_t)(*flags_of(e, block) & ~SCAN_OPEN);
}

bool scan_is_first(const struct env* e)
{
    return e->recovery->resumed == 0;
}

bool scan_may_differ(struct env* e, uint32_t block)
{
    const uint32_t flags = *flags_of(e, block);
    FW_ASSERT(e, ftl_layout_of(e)->any_page != 0);
    if ((flags & (SCAN_NEWER | SCAN_OLDER)) == 0) {
        return true; /* page 0 tells nothing */
    }
    return (flags & SCAN_MERGED) != 0 && (flags & (SCAN_NEWER | SCAN_OPEN)) != 0;
}

void scan_sequence(struct env* e, uint32_t block, uint64_t sequence)
{
    struct recovery* v = e->recovery;
    struct superblock* b = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, b->state == BLOCK_FULL || b->state == BLOCK_OPEN);
    v->highest = sequence > v->highest ? sequence : v->highest;
    /* A record may follow that has the base of the last one: it must be scanned again then. */
    b->newest = sequence > b->newest ? sequence : b->newest;
    b->opened = sequence < b->opened ? sequence : b->opened;
}

static void keep_words(struct env* e, const struct flash_request* r, uint32_t plane,
                       const uint64_t* words, uint64_t sequence)
{
    const struct geometry* g = e->geo;
    struct recovery* v = e->recovery;
    const struct place p = {.block = r->block, .page = r->page, .lun = r->lun};
    scan_sequence(e, r->block, sequence);
    if (sequence <= v->window) {
        return;
    }
    if (sequence > v->window + v->limit) {
        v->beyond = 1;
        return;
    }
    uint64_t* entry = replay_entry(e, sequence - v->window - 1);
    FW_ASSERT(e, plane < g->planes);
    entry[0] = unit_address(g, &p, 0) + 1;
    mem_copy(entry + 1 + plane * g->page_units, words + 1, g->page_units * sizeof *words);
}

bool scan_words(struct env* e, const struct flash_request* r, uint32_t plane, const uint64_t* words)
{
    const uint32_t good = blocks_good_planes(e, r->block, r->lun);
    uint64_t sequence = 0;
    FW_ASSERT(e, words != NULL && words[0] != UINT64_MAX);
    if (spare_read(e, words, &sequence)) {
        keep_words(e, r, plane, words, sequence);
        retention_found(e, r, plane, words[1]);
        return true;
    }
    if (((good >> plane) & 1u) != 0) {
        broken_page(e, r->block, r->page);
    }
    return false;
}

void scan_page_read(struct env* e, const struct flash_request* r, uint32_t plane,
                    const uint64_t* words)
{
    uint16_t* end = end_of(e, r->scan.number, r->lun, plane);
    if (words == NULL) {
        return; /* torn: nothing of it counts, but its place is taken */
    }
    if (words[0] == UINT64_MAX) {
        *end = (uint16_t)(r->page < *end ? r->page : *end);
    } else if (scan_words(e, r, plane, words)) {
        struct superblock* s = superblock_of(e, e->blocks, r->block);
        const struct spare_unit u = spare_unpack(words[1]);
        if (u.kind == SPARE_MAP || u.kind == SPARE_JOURNAL) { /* the journal is with level 1 */
            s->maps = u.kind == SPARE_MAP ? (uint8_t)(u.index >> 32) : 1;
        }
        if (u.kind == SPARE_BLOCK) { /* of a merge, though page 0 could not tell */
            s->role = BLOCK_TARGET;
        }
    }
}

/* true = no plane of the LUN has anything at this page or behind it. */
static bool ended(struct env* e, uint32_t at, const struct place* p)
{
    for (uint32_t rest = planes_of(e, p->block, p->lun); rest != 0; rest &= rest - 1) {
        if (p->page <= *end_of(e, at, p->lun, lowest_bit(rest))) {
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
    FW_ASSERT(e, page < e->geo->pages);
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
        flash_request_of(e, e->flash, i)->scan.number = at;
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
        blocks_resume(e, block, ends_of(e, at));
    }
    FW_ASSERT(e, s->state == BLOCK_FULL || s->state == BLOCK_OPEN);
}

/* One superblock of each LUN, where it lies on one, and the next ones in the same order: so all
 * LUNs are at work as long as can be. false = there are no more. */
static bool next_batch(struct env* e)
{
    const uint32_t most = e->recovery->batch_most;
    bool found = false;
    FW_ASSERT(e, most != 0);
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
        ends_of(e, 0)[n] = (uint16_t)e->geo->pages;
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
    FW_ASSERT(e, v->batch_most != 0);
}

int scan_window(struct env* e, uint64_t from)
{
    struct recovery* v = e->recovery;
    replay_window(e, from);
    ftl_layout_of(e)->scan(e);
    for (uint32_t at = 0; at < v->batch_most; ++at) {
        *batch_of(e, at) = INDEX_NONE;
    }
    v->waits = WAITS_PAGES;
    while (!hal_stopping(e->hal) && next_batch(e)) {
        scan_batch(e);
    }
    v->resumed = 1;
    FW_ASSERT(e, v->beyond <= 1);
    return (int)v->beyond;
}
