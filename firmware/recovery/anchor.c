/* SPDX-License-Identifier: Apache-2.0
 *
 * Anchor: where power-up begins. Three blocks on each of two LUNs take records in turns; they
 * belong to no superblock. A record is a run of pages, first the tables, last the record. The block
 * that holds the newest record is not erased before another one holds a newer record, so two would
 * do; the third is for one that fails. Where a record does not fit a block, several blocks are
 * written, and erased, as one.
 */
#include "firmware/recovery/anchor.h"

#include "firmware/flash/blocks.h"
#include "firmware/flash/blocks_boot.h"
#include "firmware/flash/slc.h"
#include "firmware/flash/spare.h"
#include "firmware/ftl/ftl.h"
#include "firmware/ftl/maps.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/crc.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/stats.h"
#include "firmware/recovery/drive_state.h"
#include "firmware/recovery/journal.h"
#include "firmware/recovery/reads.h"
#include "firmware/recovery/tables.h"

#define ANCHOR_MAGIC 0x41445353u /* "SSDA" */

static struct signature signature_of(const struct env* e)
{
    const struct geometry* g = e->geo;
    const struct signature s = {.channels = g->channels,
                                .luns_per_channel = g->luns_per_channel,
                                .planes = g->part.planes,
                                .blocks = g->part.blocks,
                                .pages = g->pages,
                                .page_size = g->page_size,
                                .unit_size = g->unit_size,
                                .scheme = (uint8_t)e->ftl->scheme,
                                .map_streams = (uint8_t)(e->blocks->streams - STREAMS),
                                .stripe = (uint16_t)(g->stripe | e->blocks->lanes.window << 8),
                                .user_units = g->user_units};
    FW_ASSERT(e, g->user_units != 0);
    return s;
}

/* Of a block of the anchor: those in SLC mode have a page per word line. */
static uint32_t block_pages(const struct env* e)
{
    const struct flash* f = e->flash;
    FW_ASSERT(e, f->record_mode == FLASH_MODE_NORMAL || e->geo->word_line != 0);
    return f->record_mode == FLASH_MODE_NORMAL ? e->geo->pages : e->geo->pages / e->geo->word_line;
}

static uint64_t page_at(const struct env* e, uint32_t page)
{
    return e->recovery->anchor.buffer + (uint64_t)page * e->geo->page_size;
}

/* Pages of a block, or of those that make one. */
static uint32_t room_of(const struct env* e)
{
    FW_ASSERT(e, e->recovery->anchor.span != 0);
    return e->recovery->anchor.span * block_pages(e);
}

static struct place place_in(const struct env* e, const struct anchor_copy* c, uint32_t turn,
                             uint32_t page)
{
    const uint32_t part = page / block_pages(e);
    const struct anchor_block* b = &c->block[turn * e->recovery->anchor.span + part];
    const uint32_t lun = geometry_narrow(e->geo) ? 0 : c->lun;
    const struct place p = {
        .block = b->block, .page = page - part * block_pages(e), .lun = lun, .plane = b->plane};
    FW_ASSERT(e, part < e->recovery->anchor.span);
    return p;
}

int anchor_init(struct env* e)
{
    struct anchor* a = &e->recovery->anchor;
    const struct geometry* g = e->geo;
    const uint64_t tables = tables_bytes(e);
    FW_ASSERT(e, g->page_size != 0);
    a->copies = g->part.luns > 1 ? ANCHOR_COPIES : 1;
    a->pages = (uint32_t)((tables + g->page_size - 1) / g->page_size) + 2;
    a->span = (a->pages + block_pages(e) - 1) / block_pages(e);
    if (a->span > ANCHOR_SPAN || sizeof(struct anchor_record) > g->page_size) {
        hal_log(e->hal, HAL_LOG_ERROR,
                "blocks are too small for an anchor record: pages of it, of a block", a->pages,
                block_pages(e));
        return -1;
    }
    a->buffer = dram_take_pages(e, (uint64_t)a->pages * g->page_size);
    for (uint32_t c = 0; c < a->copies; ++c) {
        a->copy[c].lun = c == 0 ? 0 : g->part.luns - 1;
    }
    return arenas_result(e);
}

/* ---- Power-up ---- */

#define ANY_RECORD UINT64_MAX

/* A page of a copy into memory: the number of its record, 0 = erased, ANY_RECORD = it cannot tell.
 */
static uint64_t read_page(struct env* e, const struct anchor_copy* c, uint32_t turn, uint32_t page)
{
    const struct place p = place_in(e, c, turn, page);
    uint64_t sequence = 0;
    const uint64_t* words = boot_read(e, &p, page_at(e, 0));
    if (words == NULL) {
        return ANY_RECORD;
    }
    if (words[0] == UINT64_MAX) {
        return 0;
    }
    FW_ASSERT(e, page < room_of(e));
    const struct spare_unit u = spare_unpack(words[1]);
    return spare_read(e, words, &sequence) && u.kind == SPARE_ANCHOR ? u.index : ANY_RECORD;
}

/* The n-th place to look for a block of a copy; false = there are no more. The drive's middle, so
 * that neither the first superblocks to be written nor the last ones to be free lack a block. Where
 * that is a large part of a superblock it is not used at all: the blocks of as few as can be. The
 * places are the part's, so that drives of any stripe find each other's records, and refuse them.
 */
static bool candidate(const struct env* e, const struct anchor_copy* c, uint32_t n,
                      struct place* out)
{
    const struct geometry* g = e->geo;
    const uint32_t middle = g->part.blocks / 2;
    const bool small = reserve_small(g->part.luns, g->part.planes);
    const uint32_t step = small ? n / g->part.planes : n;
    struct place p = {
        .block = middle + step, .lun = c->lun, .plane = small ? n % g->part.planes : 0};
    bool found = p.block < g->part.blocks;
    if (!small && c->lun != 0) {
        p.block = middle - 1 - step; /* no superblock lacks two */
        found = step < middle;
    }
    FW_ASSERT(e, small || p.plane == 0);
    if (found) {
        *out = place_of_part(g, &p);
    }
    return found;
}

static bool by_place(const struct anchor_block* a, const struct anchor_block* b)
{
    return a->block != b->block ? a->block < b->block : a->plane < b->plane;
}

/* Those of a record that takes several are in rising order. */
static void insert(struct anchor_copy* c, uint32_t count, const struct place* p)
{
    const struct anchor_block found = {p->block, p->plane};
    uint32_t n = count;
    for (; n > 0 && by_place(&found, &c->block[n - 1]); --n) {
        c->block[n] = c->block[n - 1];
    }
    c->block[n] = found;
}

static int choose_blocks(struct env* e, struct anchor_copy* c)
{
    const uint32_t span = e->recovery->anchor.span;
    uint32_t count = 0;
    struct place p;
    for (uint32_t n = 0; n < ANCHOR_REACH * span && count < ANCHOR_BLOCKS * span; ++n) {
        if (!candidate(e, c, n, &p)) {
            break;
        }
        const uint64_t* words = boot_read(e, &p, 0);
        if (words == NULL || (words[0] & 0xFFu) != 0) { /* no maker's mark */
            insert(c, count++, &p);
            blocks_hide(e, p.block, p.lun, 1u << p.plane);
        }
    }
    c->newest = INDEX_NONE;
    c->blocks = count / span;
    c->page = room_of(e); /* a record begins with a block that it erases */
    FW_ASSERT(e, c->blocks <= ANCHOR_BLOCKS);
    return c->blocks >= 2 ? 0 : -1;
}

/* Pages are programmed in order: the first erased one is the end. */
static uint32_t end_of(struct env* e, const struct anchor_copy* c, uint32_t turn)
{
    uint32_t low = 0;
    uint32_t high = room_of(e);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (read_page(e, c, turn, middle) == 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    FW_ASSERT(e, low <= room_of(e));
    return low;
}

static uint32_t crc_of(struct anchor_record* r)
{
    const uint32_t stored = r->crc;
    r->crc = 0;
    const uint32_t crc = crc32(CRC32_START, r, sizeof *r);
    r->crc = stored;
    return crc;
}

/* The record in memory: 1 = whole and ours, 0 = not a record, -1 = somebody else's. */
static int check_record(struct env* e)
{
    struct anchor_record* r = env_dram(e, page_at(e, 0));
    const struct signature s = signature_of(e);
    if (r->magic != ANCHOR_MAGIC || r->crc != crc_of(r)) {
        return 0;
    }
    const uint8_t* a = (const uint8_t*)&s;
    const uint8_t* b = (const uint8_t*)&r->signature;
    bool same = r->version == RECOVERY_VERSION && r->slc_blocks == e->slc->setup.fixed &&
                r->slc_pages == e->slc->setup.pages;
    for (uint32_t i = 0; i < sizeof s; ++i) {
        same = same && a[i] == b[i];
    }
    if (!same) {
        hal_log(e->hal, HAL_LOG_ERROR,
                "the flash belongs to another drive: version, scheme; erase it or configure that",
                r->version, r->signature.scheme);
        return -1;
    }
    return 1;
}

struct found {
    struct anchor_record record;
    uint32_t copy;
    uint32_t turn;
    uint32_t page;
    /* Of each copy: blocks that had a whole record once (look_in); highest record that pages are of
     * behind its newest whole one; ... in blocks without a whole one. */
    uint32_t written[ANCHOR_COPIES];
    uint64_t begun[ANCHOR_COPIES];
    uint64_t alone[ANCHOR_COPIES];
};

/* The newest record of one block. */
static int look_in(struct env* e, uint32_t copy, uint32_t turn, struct found* f)
{
    struct anchor* a = &e->recovery->anchor;
    struct anchor_copy* c = &a->copy[copy];
    const uint32_t end = end_of(e, c, turn);
    if (end == 0 && a->span == 1 && c->newest == INDEX_NONE) {
        c->turn = turn; /* erased: a first record needs no erase */
        c->page = 0;
    }
    /* Behind the newest whole record there may be any number that power took. */
    uint64_t begun = 0;
    bool told = false;
    for (uint32_t page = end; page > 0; --page) {
        const uint64_t number = read_page(e, c, turn, page - 1);
        told |= number != ANY_RECORD;
        const int whose = number != 0 && number != ANY_RECORD ? check_record(e) : 0;
        if (whose < 0) {
            return -1;
        }
        const struct anchor_record* r = env_dram(e, page_at(e, 0));
        if (whose == 0 || page < a->pages) {
            begun = number > begun ? number : begun;
            continue;
        }
        /* Of each copy its own newest says which block it writes. */
        if (c->left < r->number) {
            c->left = (uint32_t)r->number;
            c->newest = turn;
            c->turn = turn;
            c->page = end;
            f->begun[copy] = begun;
        }
        if (r->number > f->record.number) {
            f->record = *r;
            drive_state_load(e, env_dram(e, page_at(e, 0)));
            f->copy = copy;
            f->turn = turn;
            f->page = page - 1;
        }
        return 0;
    }
    /* Of a record that power took all pages but the last can be read. A block with none to be read
     * was being erased, or had records; so had one with more pages than a record. */
    f->written[copy] += end > a->pages || (end > 1 && !told) ? 1u : 0u;
    f->alone[copy] = begun > f->alone[copy] ? begun : f->alone[copy];
    return 0;
}

/* A copy tells that the newest whole record is the last one. If none does, programs may have
 * followed though it says that the drive was shut down. */
static bool is_last(const struct env* e, const struct found* f)
{
    const struct anchor* a = &e->recovery->anchor;
    const uint64_t number = f->record.number;
    bool last = false;
    FW_ASSERT(e, a->copies <= ANCHOR_COPIES);
    for (uint32_t c = 0; c < a->copies; ++c) {
        last |= a->copy[c].left == number && f->begun[c] <= number && f->alone[c] <= number;
    }
    return last;
}

static uint32_t before_crc(const struct env* e)
{
    const struct anchor* a = &e->recovery->anchor;
    FW_ASSERT(e, a->pages > 2);
    return crc32(CRC32_START, env_dram(e, a->buffer), (a->pages - 1) * e->geo->page_size);
}

static int read_tables(struct env* e, const struct found* f)
{
    const struct anchor* a = &e->recovery->anchor;
    const struct anchor_copy* c = &a->copy[f->copy];
    for (uint32_t n = 0; n + 1 < a->pages; ++n) {
        const struct place p = place_in(e, c, f->turn, f->page + 1 - a->pages + n);
        if (boot_read(e, &p, page_at(e, n)) == NULL) {
            return -1;
        }
    }
    FW_ASSERT(e, f->page + 1 >= a->pages);
    return before_crc(e) == f->record.before_crc ? 0 : -1;
}

/* What else is in the superblocks of the anchor's blocks. */
static void hide_rests(struct env* e)
{
    const struct geometry* g = e->geo;
    for (uint32_t i = 0; i < g->blocks; ++i) {
        uint32_t any = 0;
        for (uint32_t lun = 0; lun < g->luns; ++lun) {
            any |= blocks_hidden(e, i, lun);
        }
        for (uint32_t lun = 0; lun < g->luns && any != 0; ++lun) {
            const uint32_t rest = g->plane_all & ~blocks_hidden(e, i, lun);
            if (rest != 0) {
                blocks_hide(e, i, lun, rest);
            }
        }
    }
    FW_ASSERT(e, reserve_small(g->part.luns, g->part.planes));
}

static int find(struct env* e, struct anchor_record* out)
{
    struct anchor* a = &e->recovery->anchor;
    struct found f;
    mem_zero(&f, sizeof f);
    for (uint32_t c = 0; c < a->copies; ++c) {
        if (choose_blocks(e, &a->copy[c]) != 0) {
            hal_log(e->hal, HAL_LOG_ERROR, "no good blocks for the anchor; LUN", a->copy[c].lun, 0);
            return -1;
        }
        for (uint32_t turn = 0; turn < a->copy[c].blocks; ++turn) {
            if (look_in(e, c, turn, &f) != 0) {
                return -1;
            }
        }
    }
    if (reserve_small(e->geo->part.luns, e->geo->part.planes)) {
        hide_rests(e);
    }
    const bool last = is_last(e, &f);
    uint32_t lost = 0;
    for (uint32_t c = 0; c < a->copies; ++c) {
        a->copy[c].left = 0;
        lost += f.written[c] > 1 ? 1u : 0u;
    }
    a->number = f.record.number;
    *out = f.record;
    out->clean = last ? out->clean : 0;
    a->doubted = f.record.clean != out->clean;
    if (f.record.number == 0) {
        /* A record that power took while it was written is no record, nor is a block that was being
         * erased or has failed. More than one such block of a copy were records once. */
        if (lost == a->copies) {
            hal_log(e->hal, HAL_LOG_ERROR, "no anchor record is readable; copies", lost, 0);
            return -1;
        }
        return 0;
    }
    FW_ASSERT(e, f.copy < a->copies);
    if (read_tables(e, &f) != 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "the tables of the anchor record are unreadable; number",
                f.record.number, 0);
        return -1;
    }
    return 1;
}

int anchor_find(struct env* e, struct anchor_record* out)
{
    e->flash->searching = 1; /* in the mode of the anchor's blocks */
    const int found = find(e, out);
    e->flash->searching = 0;
    return found;
}

/* ---- Records ---- */

bool anchor_busy(const struct env* e)
{
    const struct anchor* a = &e->recovery->anchor;
    FW_ASSERT(e, a->copies <= ANCHOR_COPIES);
    return a->copy[0].left != 0 || a->copy[1].left != 0;
}

const void* anchor_journal(const struct env* e)
{
    FW_ASSERT(e, e->recovery->anchor.pages > 2);
    return env_dram(e, page_at(e, e->recovery->anchor.pages - 2));
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
            place_in(e, c, c->turn, 0).block);
    c->dead = 1;
    c->left = 0;
    a->dead += 1;
    if (a->dead == a->copies) {
        e->stats->read_only = 1;
        e->stats->spare_percent = 0; /* what is left cannot be used */
    }
}

static void next_page(struct env* e, uint32_t copy, uint32_t request)
{
    struct anchor* a = &e->recovery->anchor;
    struct anchor_copy* c = &a->copy[copy];
    struct flash_request* r = flash_request_of(e, e->flash, request);
    if (c->left == a->pages && c->page + a->pages > room_of(e) && !next_turn(e, c)) {
        give_up(e, c);
        flash_free(e, request);
        return;
    }
    const bool erase = c->erases != 0;
    const struct place p =
        place_in(e, c, c->turn, erase ? (a->span - c->erases) * block_pages(e) : c->page);
    r->op = erase ? FLASH_OP_ERASE : FLASH_OP_PROGRAM;
    r->purpose = e->ftl->modes.functional ? FLASH_PURPOSE_PRECONDITION : FLASH_PURPOSE_RECOVERY;
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
    if (!erase) {
        for (uint32_t s = 0; s < e->geo->page_units; ++s) {
            flash_list(e, request)[s] =
                page_at(e, a->pages - c->left) + ((uint64_t)s << e->geo->unit_shift);
            flash_oob(e, request)[1 + s] = spare_pack(SPARE_ANCHOR, a->number);
        }
    }
    flash_submit(e, request);
}

/* The record in memory goes to all copies. */
static void write_copies(struct env* e, struct anchor_record* r)
{
    struct anchor* a = &e->recovery->anchor;
    r->number = ++a->number;
    r->crc = crc_of(r);
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
    struct anchor_record* r = env_dram(e, page_at(e, e->recovery->anchor.pages - 1));
    FW_ASSERT(e, !anchor_busy(e));
    mem_zero(r, e->geo->page_size);
    *r = *record;
    drive_state_store(e, (uint8_t*)r);
    write_copies(e, r);
}

void anchor_write(struct env* e, uint32_t clean, uint64_t base)
{
    struct anchor* a = &e->recovery->anchor;
    struct anchor_record* r = env_dram(e, page_at(e, a->pages - 1));
    FW_ASSERT(e, !anchor_busy(e));
    tables_store(e, base, env_dram(e, a->buffer));
    journal_pack(e, env_dram(e, page_at(e, a->pages - 2)));
    mem_zero(r, sizeof *r);
    drive_state_store(e, (uint8_t*)r);
    r->magic = ANCHOR_MAGIC;
    r->version = RECOVERY_VERSION;
    r->clean = clean;
    r->sequence = e->flash->sequence;
    r->base = base;
    r->top = e->maps->top;
    r->signature = signature_of(e);
    r->journal = (uint32_t)e->recovery->journal.open;
    r->slc_blocks = e->slc->setup.fixed;
    r->slc_pages = e->slc->setup.pages;
    r->before_crc = before_crc(e);
    write_copies(e, r);
}

void anchor_done(struct env* e, const struct flash_result* result)
{
    struct anchor* a = &e->recovery->anchor;
    const struct flash_request* r = flash_request_of(e, e->flash, result->request);
    const uint32_t copy = r->anchor.copy;
    struct anchor_copy* c = &a->copy[copy];
    FW_ASSERT(e, r->owner == OWNER_ANCHOR && c->left != 0);
    if (result->status != FLASH_STATUS_OK) {
        c->failed |= 1u << c->turn;
        c->left = a->pages; /* all of the record goes to another block */
        c->page = room_of(e);
        c->erases = 0;
    } else if (r->op == FLASH_OP_ERASE) {
        --c->erases;
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
