/* SPDX-License-Identifier: Apache-2.0
 *
 * The image of the block map: see blockmap_image.h, and docs/SPEC.md for its bytes.
 */
#include "firmware/blocks/blockmap_image.h"

#include "firmware/blocks/blockmap_logs.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/durable/state.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/map/maps.h"
#include "firmware/map/modes.h"
#include "firmware/space/valid.h"

#define WORD_BITS 32u

struct saved_slot {
    uint32_t block;  /* + 1, 0 = none */
    uint32_t lblock; /* + 1, 0 = shared */
    uint32_t fill;
    uint32_t next; /* slot behind it in the order, + 1; of the last one 0 */
};

_Static_assert(sizeof(struct saved_slot) == BLOCKMAP_SLOT_BYTES, "docs/SPEC.md");

struct cursor { /* over the words of a set */
    uint32_t* base;
    uint64_t at;
    uint64_t first; /* page of level 1 */
    uint32_t writes;
};

static uint32_t words_of(const struct env* e)
{
    return (e->geo->pages + WORD_BITS - 1) / WORD_BITS;
}

static uint32_t pairs_of(uint64_t entries) /* of 2 bytes, in words */
{
    return (uint32_t)((entries + 1) / 2);
}

void image_plan(struct env* e)
{
    struct blockmap* b = e->blockmap;
    const uint32_t slots = b->seconds + b->shared;
    const uint64_t spares = (uint64_t)e->geo->blocks * b->spare;
    b->image_bytes =
        BLOCKMAP_HEAD_BYTES + (uint64_t)e->geo->blocks * BLOCKMAP_BLOCK_BYTES(e->geo->pages) +
        (uint64_t)slots * BLOCKMAP_SLOT_BYTES +
        4u * (uint64_t)pairs_of((uint64_t)b->seconds * e->geo->pages) +
        4u * (uint64_t)pairs_of(spares) + (uint64_t)b->shared * e->geo->pages * BLOCKMAP_UNIT_BYTES;
    b->image_pages = (b->image_bytes + e->geo->unit_size - 1) >> e->geo->unit_shift;
    maps_plan_image(e, 2 * b->image_pages);
}

static struct cursor cursor_at(const struct env* e, uint32_t set, uint32_t writes)
{
    const struct blockmap* b = e->blockmap;
    const uint64_t first = set * b->image_pages;
    const struct cursor c = {.base = maps_image(e, first), .first = first, .writes = writes};
    return c;
}

/* Takes a word along, to the set or from it. */
static void word(struct env* e, struct cursor* c, uint32_t* value)
{
    uint32_t* at = &c->base[c->at];
    if (c->writes == 0) {
        *value = *at;
    } else if (*at != *value) {
        *at = *value;
        maps_dirty(e, 1, c->first + ((c->at * sizeof *at) >> e->geo->unit_shift));
    }
    ++c->at;
}

static void words(struct env* e, struct cursor* c, uint64_t address, uint64_t count)
{
    uint32_t* value = env_dram(e, address);
    for (uint64_t n = 0; n < count; ++n) {
        word(e, c, &value[n]);
    }
}

/* ---- Taken ---- */

static uint32_t field(const struct env* e, const uint64_t* map, uint32_t block, uint32_t n)
{
    const uint32_t left = e->geo->pages - n * WORD_BITS;
    return bitmap_field(map, page_address(e, block, n * WORD_BITS),
                        left < WORD_BITS ? left : WORD_BITS);
}

static void put_block(struct env* e, struct cursor* c, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const bool used = s->role != BLOCK_PAGES;
    uint32_t owner = used ? s->owner : 0;
    uint32_t role = s->role;
    word(e, c, &owner);
    word(e, c, &role);
    for (uint32_t n = 0; n < words_of(e); ++n) {
        uint32_t taken = used ? field(e, env_dram(e, e->blockmap->taken), block, n) : 0;
        uint32_t valid = used ? field(e, blocks_valid_map(e), block, n) : 0;
        uint32_t lost = used ? field(e, env_dram(e, e->blockmap->lost), block, n) : 0;
        word(e, c, &taken);
        word(e, c, &valid);
        word(e, c, &lost);
    }
}

static void put_slot(struct env* e, struct cursor* c, uint32_t slot)
{
    const struct block_slot* s = slot_at(e, slot);
    const struct link* links = env_dram(e, e->blockmap->links);
    const bool used = s->block != INDEX_NONE;
    struct saved_slot saved = {.block = s->block + 1,
                               .lblock = used ? s->lblock + 1 : 0,
                               .fill = used ? s->fill : 0,
                               .next = used ? links[slot].next + 1 : 0};
    word(e, c, &saved.block);
    word(e, c, &saved.lblock);
    word(e, c, &saved.fill);
    word(e, c, &saved.next);
}

/* Entries of pages: the same words in memory and in the set. */
static void entries(struct env* e, struct cursor* c)
{
    const struct blockmap* b = e->blockmap;
    const uint64_t spares = (uint64_t)e->geo->blocks * b->spare;
    words(e, c, b->offsets, pairs_of((uint64_t)b->seconds * e->geo->pages));
    words(e, c, b->spares, pairs_of(spares));
    words(e, c, b->units, (uint64_t)b->shared * e->geo->pages);
    FW_ASSERT(e, c->at * sizeof(uint32_t) == b->image_bytes);
}

bool image_quiet(struct env* e)
{
    return flash_owned(e, OWNER_PROGRAM) == 0 && flash_owned(e, OWNER_FOLD_PROGRAM) == 0 &&
           flash_settled(e) >= ftl_newest(e);
}

void image_take(struct env* e)
{
    struct blockmap* b = e->blockmap;
    b->next_set = 1 - b->set;
    struct cursor c = cursor_at(e, b->next_set, 1);
    uint32_t zero = 0;
    uint32_t second = b->second.used.first + 1;
    uint32_t shared = b->shared_in.used.first + 1;
    word(e, &c, &second);
    word(e, &c, &shared);
    word(e, &c, &zero);
    word(e, &c, &zero);
    for (uint32_t block = 0; block < e->geo->blocks; ++block) {
        put_block(e, &c, block);
    }
    for (uint32_t slot = 0; slot < b->seconds + b->shared; ++slot) {
        put_slot(e, &c, slot);
    }
    entries(e, &c);
    ftl_hold(e, false);
}

void image_done(struct env* e)
{
    e->blockmap->set = e->blockmap->next_set;
}

/* ---- Applied ---- */

/* A block is whose it says, or nobody's. */
static void get_block(struct env* e, struct cursor* c, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    uint64_t* taken = env_dram(e, e->blockmap->taken);
    uint64_t* lost = env_dram(e, e->blockmap->lost);
    uint64_t* seen = env_dram(e, e->blockmap->seen);
    uint32_t owner = 0;
    uint32_t role = 0;
    word(e, c, &owner);
    word(e, c, &role);
    s->role = BLOCK_PAGES;
    /* What is being erased again counted for nothing. */
    if (role != BLOCK_PAGES && role <= BLOCK_SECOND && s->state < BLOCK_VICTIM) {
        s->role = (uint8_t)role;
        s->owner = owner;
        s->state = s->state == BLOCK_FREE ? BLOCK_FULL : s->state;
    }
    for (uint32_t n = 0; n < words_of(e); ++n) {
        uint32_t bits[3] = {0, 0, 0};
        for (uint32_t k = 0; k < 3; ++k) {
            word(e, c, &bits[k]);
        }
        for (uint32_t k = 0; k < WORD_BITS && n * WORD_BITS + k < e->geo->pages; ++k) {
            const uint64_t at = page_address(e, block, n * WORD_BITS + k);
            if (s->role == BLOCK_PAGES) {
                continue;
            }
            if (((bits[0] >> k) & 1u) != 0) {
                bitmap_set(taken, at);
            }
            if (((bits[1] >> k) & 1u) != 0) {
                bitmap_set(seen, at); /* valid: counted when all blocks are known */
            }
            if (((bits[2] >> k) & 1u) != 0) {
                bitmap_set(lost, at);
            }
        }
    }
}

static void get_slots(struct env* e, struct cursor* c, uint32_t first, uint32_t count,
                      struct log_list* list)
{
    const struct cursor begin = *c;
    struct link* links = env_dram(e, e->blockmap->links);
    uint32_t slot = first;
    for (uint32_t n = 0;
         n < count && slot != INDEX_NONE && slot < e->blockmap->seconds + e->blockmap->shared;
         ++n) {
        struct cursor at = begin;
        struct saved_slot saved = {0, 0, 0, 0};
        struct block_slot* s = slot_at(e, slot);
        at.at += (uint64_t)slot * (BLOCKMAP_SLOT_BYTES / sizeof(uint32_t));
        word(e, &at, &saved.block);
        word(e, &at, &saved.lblock);
        word(e, &at, &saved.fill);
        word(e, &at, &saved.next);
        if (s->block != INDEX_NONE || saved.block == 0 || saved.block > e->geo->blocks) {
            break; /* not true */
        }
        s->block = saved.block - 1;
        s->lblock = saved.lblock - 1;
        s->fill = (uint16_t)(saved.fill <= e->geo->pages ? saved.fill : e->geo->pages);
        chain_remove(&list->free, links, slot);
        chain_append(&list->used, links, slot);
        ++list->count;
        slot = saved.next - 1;
    }
}

/* What a block says of its owner, and the owner of it. */
static bool is_sound(struct env* e, uint32_t block)
{
    const struct blockmap* b = e->blockmap;
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const struct block_slot* in = NULL;
    if (s->role == BLOCK_DATA || s->role == BLOCK_TARGET) {
        return s->owner < b->lblocks &&
               (s->role != BLOCK_DATA || lblock_at(e, s->owner)->home == 0);
    }
    if (s->owner >= b->seconds + b->shared ||
        (s->role == BLOCK_SECOND) != (s->owner < b->seconds)) {
        return false;
    }
    in = slot_at(e, s->owner);
    return in->block == block &&
           ((s->role != BLOCK_SECOND && b->groups.blocks == 0) ||
            (in->lblock < b->lblocks && lblock_at(e, in->lblock)->second == 0));
}

static void link_block(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    if (s->role == BLOCK_PAGES) {
        return;
    }
    if (!is_sound(e, block)) {
        maps_damage_image(e);
        s->role = BLOCK_TARGET; /* nothing of it counts */
        s->owner = 0;
        return;
    }
    if (s->role == BLOCK_DATA) {
        lblock_at(e, s->owner)->home = block + 1;
    } else if (s->role == BLOCK_SECOND) {
        lblock_at(e, slot_at(e, s->owner)->lblock)->second = block + 1;
    }
}

/* Slots whose block is not theirs are free. */
static void check_slots(struct env* e)
{
    const struct blockmap* b = e->blockmap;
    for (uint32_t slot = 0; slot < b->seconds + b->shared; ++slot) {
        const uint32_t block = slot_at(e, slot)->block;
        const struct superblock* s = superblock_of(e, e->blocks, block != INDEX_NONE ? block : 0);
        const uint32_t role = slot < b->seconds ? BLOCK_SECOND : BLOCK_LOG;
        if (block != INDEX_NONE && (s->role != role || s->owner != slot)) {
            slot_free(e, slot);
        }
    }
}

static void count_valid(struct env* e, uint32_t block)
{
    uint64_t* seen = env_dram(e, e->blockmap->seen);
    uint64_t* lost = env_dram(e, e->blockmap->lost);
    const uint32_t role = superblock_of(e, e->blocks, block)->role;
    for (uint32_t page = 0; page < e->geo->pages && role != BLOCK_PAGES; ++page) {
        const uint64_t at = page_address(e, block, page);
        const uint32_t is_lost = (uint32_t)bitmap_get(lost, at);
        if (bitmap_get(seen, at) && role != BLOCK_TARGET) {
            bitmap_clear(lost, at);
            page_restore(e, block, page, is_lost);
        }
        bitmap_clear(seen, at);
    }
}

void image_apply(struct env* e)
{
    struct blockmap* b = e->blockmap;
    struct cursor c = cursor_at(e, b->set, 0);
    uint32_t head[4] = {0, 0, 0, 0};
    for (uint32_t n = 0; n < 4; ++n) {
        word(e, &c, &head[n]);
    }
    for (uint32_t block = 0; block < e->geo->blocks; ++block) {
        get_block(e, &c, block);
    }
    get_slots(e, &c, head[0] - 1, b->seconds, &b->second);
    get_slots(e, &c, head[1] - 1, b->shared, &b->shared_in);
    c.at += (uint64_t)(b->seconds + b->shared) * (BLOCKMAP_SLOT_BYTES / sizeof(uint32_t));
    entries(e, &c);
    for (uint32_t block = 0; block < e->geo->blocks; ++block) {
        link_block(e, block);
    }
    check_slots(e);
    for (uint32_t block = 0; block < e->geo->blocks; ++block) {
        count_valid(e, block);
    }
}

/* ---- In front of an anchor record ---- */

uint64_t image_table_bytes(const struct env* e)
{
    (void)e;
    return BLOCKMAP_TABLE_BYTES;
}

/* A record of the journal's tail has the base of the one before, and so its set. */
void image_store(struct env* e, void* to)
{
    const struct blockmap* b = e->blockmap;
    const uint64_t set = checkpoint_records(e) ? b->next_set : b->set;
    mem_copy(to, &set, sizeof set);
}

void image_load(struct env* e, const void* from)
{
    uint64_t set = 0;
    mem_copy(&set, from, sizeof set);
    e->blockmap->set = set & 1u;
    e->blockmap->next_set = e->blockmap->set;
}
