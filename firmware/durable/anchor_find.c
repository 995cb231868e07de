/* SPDX-License-Identifier: Apache-2.0
 *
 * Anchor at power-up: where its blocks are, and the newest record that can be read. Copies of a
 * record are alike, so each page of the tables may come from any of them.
 */
#include "firmware/durable/anchor_find.h"

#include "firmware/durable/drive_state.h"
#include "firmware/durable/scan.h"
#include "firmware/lib/mem.h"
#include "firmware/space/bad.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"
#include "models/regs/parts/slc.h"

#define ANY_RECORD UINT64_MAX

/* The number of the record that the spare words of a page name: 0 = the page is erased, ANY_RECORD
 * = they cannot tell. */
static uint64_t number_in(struct env* e, const uint64_t* words)
{
    uint64_t sequence = 0;
    if (words == NULL) {
        return ANY_RECORD;
    }
    if (words[0] == UINT64_MAX) {
        return 0;
    }
    const struct spare_unit u = spare_unpack(words[1]);
    return spare_read(e, words, &sequence) && u.kind == SPARE_ANCHOR ? u.index : ANY_RECORD;
}

/* Where pages err, by the spare words alone: they have a code of their own. */
static uint64_t number_of(struct env* e, const struct anchor_copy* c, uint32_t turn, uint32_t page)
{
    const struct place p = anchor_place(e, c, turn, page);
    return flash_errs(e) ? number_in(e, boot_read(e, &p, 0)) : ANY_RECORD;
}

/* ... of a page that is read into memory; whole: true = it is there. */
static uint64_t read_page(struct env* e, const struct anchor_copy* c, uint32_t turn, uint32_t page,
                          bool* whole)
{
    const struct place p = anchor_place(e, c, turn, page);
    const uint64_t* words = boot_read(e, &p, anchor_page(e, 0));
    *whole = words != NULL;
    return words != NULL ? number_in(e, words) : number_of(e, c, turn, page);
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
    c->page = anchor_room(e); /* a record begins with a block that it erases */
    FW_ASSERT(e, c->blocks <= ANCHOR_BLOCKS);
    return c->blocks >= 2 ? 0 : -1;
}

/* Pages are programmed in order: the first erased one is the end. */
static uint32_t end_of(struct env* e, const struct anchor_copy* c, uint32_t turn)
{
    uint32_t low = 0;
    uint32_t high = anchor_room(e);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        bool whole = false;
        if (read_page(e, c, turn, middle, &whole) == 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    FW_ASSERT(e, low <= anchor_room(e));
    return low;
}

/* The record in memory: 1 = whole and ours, 0 = not a record, -1 = somebody else's. */
static int check_record(struct env* e)
{
    struct anchor_record* r = env_dram(e, anchor_page(e, 0));
    const struct signature s = anchor_signature(e);
    if (r->magic != ANCHOR_MAGIC || r->crc != anchor_crc(r)) {
        return 0;
    }
    const uint8_t* a = (const uint8_t*)&s;
    const uint8_t* b = (const uint8_t*)&r->signature;
    bool same = r->version == RECOVERY_VERSION && r->slc_blocks == e->told.slc->fixed &&
                r->slc_pages == e->told.slc->pages;
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
    struct {
        bool has; /* the record above */
        uint32_t turn;
        uint32_t page;
    } at[ANCHOR_COPIES];
    /* Of each copy: blocks that had a whole record once (look_in); highest record that pages are of
     * behind its newest whole one; ... in blocks without a whole one. */
    uint32_t written[ANCHOR_COPIES];
    uint64_t begun[ANCHOR_COPIES];
    uint64_t alone[ANCHOR_COPIES];
};

/* The record in memory may be the newest one, or another copy of it. */
static void note(struct env* e, struct found* f, uint32_t copy, uint32_t turn, uint32_t page)
{
    const struct anchor_record* r = env_dram(e, anchor_page(e, 0));
    if (r->number < f->record.number) {
        return;
    }
    for (uint32_t c = 0; c < ANCHOR_COPIES && r->number > f->record.number; ++c) {
        f->at[c].has = false;
    }
    f->record = *r;
    drive_state_load(e, env_dram(e, anchor_page(e, 0)));
    f->at[copy].has = true;
    f->at[copy].turn = turn;
    f->at[copy].page = page;
}

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
        bool whole = false;
        const uint64_t number = read_page(e, c, turn, page - 1, &whole);
        told |= number != ANY_RECORD;
        const int whose = whole && number != 0 && number != ANY_RECORD ? check_record(e) : 0;
        if (whose < 0) {
            return -1;
        }
        const struct anchor_record* r = env_dram(e, anchor_page(e, 0));
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
        note(e, f, copy, turn, page - 1);
        return 0;
    }
    /* Of a record that power took all pages but the last can be read. A block with none to be read
     * was being erased, or had records; so had one with more pages than a record. */
    const uint32_t first = anchor_shift(e, copy);
    f->written[copy] += end > first + a->pages || (end > first + 1 && !told) ? 1u : 0u;
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
    for (uint32_t c = 0; c < a->copies; ++c) {
        last |= a->copy[c].left == number && f->begun[c] <= number && f->alone[c] <= number;
    }
    return last;
}

/* A copy of the newest record whose own page cannot be read: as many pages have its number. Others
 * follow it there. */
static void find_run(struct env* e, struct found* f, uint32_t copy)
{
    struct anchor* a = &e->recovery->anchor;
    struct anchor_copy* c = &a->copy[copy];
    FW_ASSERT(e, !f->at[copy].has && f->record.number != 0);
    for (uint32_t turn = 0; turn < c->blocks; ++turn) {
        uint32_t run = 0;
        for (uint32_t page = 0; page < anchor_room(e); ++page) {
            run = number_of(e, c, turn, page) == f->record.number ? run + 1 : 0;
            if (run == a->pages) {
                f->at[copy].has = true;
                f->at[copy].turn = turn;
                f->at[copy].page = page;
                c->newest = turn;
                c->turn = turn;
                c->page = end_of(e, c, turn);
                return;
            }
        }
    }
}

/* A page of the tables from any copy that it can be read of: they are alike. One that no read level
 * alone could read, or not of each copy, will not be read many times more: each read of a block
 * disturbs it, and nothing but power-up reads these. */
static bool read_table(struct env* e, const struct found* f, uint32_t n)
{
    struct anchor* a = &e->recovery->anchor;
    for (uint32_t c = 0; c < a->copies; ++c) {
        FW_ASSERT(e, !f->at[c].has || f->at[c].page + 1 >= a->pages);
        if (f->at[c].has) {
            const struct place p =
                anchor_place(e, &a->copy[c], f->at[c].turn, f->at[c].page + 1 - a->pages + n);
            if (boot_read(e, &p, anchor_page(e, n)) != NULL) {
                a->weak |= e->recovery->read_tries > flash_retry_levels(e) ? 1u : 0u;
                return true;
            }
            a->weak = 1;
        }
    }
    return false;
}

static int read_tables(struct env* e, const struct found* f)
{
    const struct anchor* a = &e->recovery->anchor;
    for (uint32_t n = 0; n + 1 < a->pages; ++n) {
        if (!read_table(e, f, n)) {
            return -1;
        }
    }
    return anchor_before_crc(e) == f->record.before_crc ? 0 : -1;
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
    for (uint32_t c = 0; c < a->copies && flash_errs(e); ++c) {
        if (!f.at[c].has) {
            find_run(e, &f, c);
        }
    }
    if (read_tables(e, &f) != 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "the tables of the anchor record are unreadable; number",
                f.record.number, 0);
        return -1;
    }
    for (uint32_t c = 0; c < a->copies && a->weak != 0; ++c) {
        a->copy[c].page = anchor_room(e); /* the next record goes to another block */
    }
    return 1;
}

int anchor_find(struct env* e, struct anchor_record* out)
{
    flash_search_records(e, true); /* in the mode of the anchor's blocks */
    const int found = find(e, out);
    flash_search_records(e, false);
    return found;
}
