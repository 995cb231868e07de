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
#include "firmware/durable/state.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/crc.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_saved.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_boot.h"
#include "firmware/space/bad.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/lanes.h"
#include "firmware/space/pool.h"
#include "firmware/space/resume.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"
#include "models/regs/parts/slc.h"

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
    r->slc_blocks = e->told.slc->fixed;
    r->slc_pages = e->told.slc->pages;
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

/* ---- Tables ----
 *
 * Tables: per superblock its erases and its state, per block whether it is bad, per stream where it
 * writes. They lie in front of each anchor record, as they are when it is written, and tell besides
 * which superblocks may hold pages newer than the checkpoint's base.
 */

enum saved_state {
    SAVED_FREE = 0,
    SAVED_FULL = 1,
    SAVED_OPEN = 2,
    SAVED_ERASE = 3,
    SAVED_DEAD = 4
};

/* It may hold pages newer than the base behind older ones; its data are to move; not even at the
 * time of the record was the count of its valid units more than a guess. */
#define SAVED_OPEN_AT_BASE 0x08u
#define SAVED_STALE 0x10u
#define SAVED_GUESSED 0x20u
#define SAVED_PLACED 0x20u /* the same bit with block mapping, which guesses nothing: of that */
#define SAVED_STATE_MASK 0x07u
#define SAVED_VALID_SHIFT 6u
#define SAVED_VALID_NONE                                                                           \
    (UINT32_MAX >> SAVED_VALID_SHIFT) /* more than can be said, or nobody knows */

struct saved_superblock {
    uint32_t erases;
    uint32_t word; /* enum saved_state, flags, units that are valid */
};

_Static_assert(sizeof(struct saved_superblock) == ANCHOR_SUPERBLOCK_BYTES, "docs/SPEC.md");
_Static_assert(STREAMS_MOST - STREAM_MAP == MAPS_LEVELS, "a stream per level");
_Static_assert(sizeof(struct saved_map_block) == MAP_BLOCK_BYTES, "docs/SPEC.md");

/* Where what is told of the map's segments and blocks begins: behind all else. */
static uint64_t segments_offset(const struct env* e)
{
    const struct geometry* g = e->geo;
    const uint64_t bytes = (uint64_t)g->blocks * sizeof(struct saved_superblock) +
                           (uint64_t)g->blocks * g->luns + streams_bytes(e);
    return (bytes + SEGMENT_NUMBER_BYTES - 1) / SEGMENT_NUMBER_BYTES * SEGMENT_NUMBER_BYTES;
}

static uint64_t before_log(const struct env* e)
{
    return segments_offset(e) + (uint64_t)segments_count(e) * SEGMENT_NUMBER_BYTES +
           (uint64_t)segments_blocks(e) * MAP_BLOCK_BYTES;
}

/* Where the log of hybrid mapping is: behind them. */
static uint64_t log_offset(const struct env* e)
{
    return (before_log(e) + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

uint64_t tables_bytes(const struct env* e)
{
    const uint64_t log = ftl_layout_of(e)->bytes(e) + retention_bytes(e);
    return log == 0 ? before_log(e) : log_offset(e) + log;
}

static uint8_t saved_state_of(const struct superblock* s)
{
    static const uint8_t states[] = {
        [BLOCK_FREE] = SAVED_FREE,   [BLOCK_OPEN] = SAVED_OPEN,       [BLOCK_FULL] = SAVED_FULL,
        [BLOCK_VICTIM] = SAVED_FULL, [BLOCK_COLLECTED] = SAVED_ERASE, [BLOCK_ERASING] = SAVED_ERASE,
        [BLOCK_DEAD] = SAVED_DEAD,
    };
    /* What was to leave a victim and has not is still there. */
    return s->state == BLOCK_COLLECTED && s->valid != 0 ? SAVED_FULL : states[s->state];
}

static uint32_t saved_word_of(const struct superblock* s, uint64_t base)
{
    const uint32_t valid = blocks_live(s);
    const bool told = (s->flags & BLOCK_UNTOLD) == 0 && valid < SAVED_VALID_NONE;
    return saved_state_of(s) |
           (s->state == BLOCK_OPEN || s->newest > base ? SAVED_OPEN_AT_BASE : 0) |
           ((s->flags & BLOCK_STALE) != 0 ? SAVED_STALE : 0) |
           ((s->flags & BLOCK_GUESSED) != 0 ? SAVED_GUESSED : 0) |
           (told ? valid : SAVED_VALID_NONE) << SAVED_VALID_SHIFT;
}

/* Where units of the journal lie, which the record makes void if its checkpoint knows them, is not
 * counted: nothing but the maps tells of what is counted. */
static void leave_out_journal(struct env* e, struct saved_superblock* block)
{
    const struct journal* j = &e->recovery->journal;
    for (uint64_t n = j->first; n < j->open; ++n) {
        const uint64_t address = j->unit[n % j->units].address;
        if (address != FTL_NONE) {
            uint32_t* word = &block[address_block(e->geo, address)].word;
            const uint32_t valid = *word >> SAVED_VALID_SHIFT;
            FW_ASSERT(e, valid != 0);
            *word -= valid != SAVED_VALID_NONE ? 1u << SAVED_VALID_SHIFT : 0;
        }
    }
}

/* No record tells where the stream writes: what it has open counts as full. */
static void close_stream(const struct env* e, uint32_t stream, struct saved_superblock* block)
{
    const uint32_t open = blocks_open_of(e, stream);
    if (open != INDEX_NONE) {
        FW_ASSERT(e, (block[open].word & SAVED_STATE_MASK) == SAVED_OPEN);
        block[open].word = (block[open].word & ~SAVED_STATE_MASK) | SAVED_FULL;
    }
}

/* Whoever reads the record may have fewer streams by directive, or none. */
static void close_directed(const struct env* e, struct saved_superblock* block)
{
    for (uint32_t n = 0; n < blocks_directed(e); ++n) {
        close_stream(e, STREAM_DIRECTED + n, block);
    }
    if (slc_on(e)) {
        close_stream(e, STREAM_SLC, block);
    }
}

void tables_store(struct env* e, uint64_t base, void* to)
{
    const struct geometry* g = e->geo;
    const struct ftl_layout* layout = ftl_layout_of(e);
    struct saved_superblock* block = to;
    uint8_t* bad = (uint8_t*)(block + g->blocks);
    uint8_t* stream = bad + (uint64_t)g->blocks * g->luns;
    for (uint32_t i = 0; i < g->blocks; ++i) {
        const struct superblock* s = superblock_of(e, e->blocks, i);
        block[i].erases = s->erases | slc_saved_mode(e, i);
        block[i].word = saved_word_of(s, base);
        const uint32_t kept = layout->kept(e, i);
        block[i].word |= (kept & LAYOUT_PLACED) != 0 ? SAVED_PLACED : 0;
        block[i].word |= (kept & LAYOUT_FOLLOWS) != 0 ? SAVED_OPEN_AT_BASE : 0;
        for (uint32_t lun = 0; lun < g->luns; ++lun) {
            *bad++ = (uint8_t)(g->plane_all & ~blocks_good_planes(e, i, lun));
        }
    }
    leave_out_journal(e, block);
    close_directed(e, block);
    /* A word line between its passes has lost its data then. */
    for (uint32_t n = 0; n < blocks_streams(e) && e->geo->word_line != 0; ++n) {
        close_stream(e, n, block);
    }
    streams_store(e, stream);
    segments_store(e, (uint8_t*)to + segments_offset(e));
    layout->store(e, (uint8_t*)to + log_offset(e));
    retention_store(e, (uint8_t*)to + log_offset(e)); /* schemes with a log have none */
}

/* How many units are valid: of a clean shutdown all of them, and no others but what was trimmed
 * before the next record, if that reached the map (vm_map's segments). That nothing is may
 * then be believed without a look at the maps, through further cuts too: the drive is as that
 * record says until another one, which says that it is not clean, is written before the first
 * program. What is erased meanwhile is erased once more if the power goes. Any other record tells
 * what may have changed since. */
static void load_count(struct env* e, uint32_t i, const struct saved_superblock* saved, bool exact)
{
    struct superblock* s = superblock_of(e, e->blocks, i);
    const uint32_t state = saved->word & SAVED_STATE_MASK;
    const uint32_t valid = saved->word >> SAVED_VALID_SHIFT;
    FW_ASSERT(e, s->valid == 0);
    if ((state != SAVED_FULL && state != SAVED_OPEN) || ftl_layout_of(e)->logical_blocks != 0) {
        return; /* logical blocks: nothing is collected before all is known */
    }
    if (valid == SAVED_VALID_NONE) {
        s->flags |= BLOCK_UNTOLD;
        return;
    }
    s->unseen = valid;
    s->flags |= exact && (saved->word & SAVED_GUESSED) == 0 ? 0 : BLOCK_GUESSED;
}

static void load_state(struct env* e, uint32_t i, const struct saved_superblock* saved)
{
    struct superblock* s = superblock_of(e, e->blocks, i);
    const uint32_t state = saved->word & SAVED_STATE_MASK;
    s->state = state == SAVED_OPEN ? BLOCK_OPEN : BLOCK_FULL;
    s->kept = 1;
    if (state == SAVED_FREE) {
        s->state = s->good == 0 ? BLOCK_DEAD : BLOCK_FREE;
    } else if (state == SAVED_ERASE) {
        blocks_erase_again(e, i);
    } else if (state == SAVED_DEAD) {
        s->state = BLOCK_DEAD;
    } else if ((saved->word & SAVED_STALE) != 0) {
        blocks_make_stale(e, i, REFRESH_FAILED);
    }
}

void tables_load(struct env* e, const void* from, bool states)
{
    const struct geometry* g = e->geo;
    const struct ftl_layout* layout = ftl_layout_of(e);
    uint8_t* flags = env_dram(e, e->recovery->flags);
    const struct saved_superblock* block = from;
    const uint8_t* bad = (const uint8_t*)(block + g->blocks);
    const uint8_t* stream = bad + (uint64_t)g->blocks * g->luns;
    for (uint32_t i = 0; i < g->blocks; ++i) {
        superblock_of(e, e->blocks, i)->erases = block[i].erases & ~SLC_SAVED_MODE;
        superblock_of(e, e->blocks, i)->flags |=
            block[i].erases != superblock_of(e, e->blocks, i)->erases ? BLOCK_SLC : 0;
        superblock_of(e, e->blocks, i)->kept = (block[i].word & SAVED_STATE_MASK) != SAVED_FREE;
        load_count(e, i, &block[i], states);
        if ((block[i].word & SAVED_OPEN_AT_BASE) != 0) {
            flags[i] |= SCAN_OPEN;
        }
        if (layout->any_page != 0 && (block[i].word & SAVED_PLACED) != 0) {
            flags[i] |= SCAN_MERGED;
        }
        for (uint32_t lun = 0; lun < g->luns; ++lun, ++bad) {
            blocks_mark_bad(e, i, lun, *bad & ~blocks_hidden(e, i, lun));
        }
    }
    blocks_count(e);
    for (uint32_t i = 0; i < g->blocks && states; ++i) {
        load_state(e, i, &block[i]);
    }
    if (states) {
        streams_load(e, stream);
    }
    segments_expect(e, (const uint8_t*)from + segments_offset(e));
    layout->load(e, (const uint8_t*)from + log_offset(e));
    retention_load(e, (const uint8_t*)from + log_offset(e));
    blocks_count_free(e);
}
