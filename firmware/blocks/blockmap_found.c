/* SPDX-License-Identifier: Apache-2.0
 *
 * Power-up: see blockmap_found.h. A page that is not erased is taken, whatever is in it. What a
 * spare word says and cannot be so is refused: the drive then is damaged, and says of units that it
 * does not find that they are lost.
 */
#include "firmware/blocks/blockmap_found.h"

#include "firmware/blocks/blockmap_logs.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/space/bad.h"
#include "firmware/space/erase.h"
#include "firmware/space/spare.h"

bool found_kind(uint32_t kind)
{
    return kind >= SPARE_HOME && kind <= SPARE_COPY;
}

bool found_open(const struct env* e, uint32_t block)
{
    const struct blockmap* b = e->blockmap;
    return !bitmap_all(env_dram(e, b->taken), page_address(e, block, 0), e->geo->pages);
}

static void refused(struct env* e, const char* why, uint64_t a, uint64_t b)
{
    if (!maps_image_damaged(e)) {
        hal_log(e->hal, HAL_LOG_ERROR, why, a, b);
    }
    maps_damage_image(e);
}

/* ---- Pages and blocks as they are ---- */

void found_page(struct env* e, uint32_t block, uint32_t page, enum found_page what)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    const bool taken = page_taken(e, block, page);
    if (what != FOUND_ERASED) {
        bitmap_set(env_dram(e, e->blockmap->seen), page_address(e, block, page));
        s->state = s->state == BLOCK_FREE ? BLOCK_FULL : s->state;
    }
    /* A page may be taken and erased: its block failed before the program's turn came. Of a good
     * block each page that was taken had been programmed: the block has been erased since. */
    const bool held = page_valid(e, block, page) || s->role == BLOCK_TARGET ||
                      blocks_good_planes(e, block, 0) != 0;
    if (taken && ((what == FOUND_ERASED && held) || what == FOUND_NEWER)) {
        s->flags |= BLOCK_AGAIN;
    }
}

/* Nothing of the block counts. */
static void leave_block(struct env* e, uint32_t block)
{
    for (uint32_t page = 0; page < e->geo->pages; ++page) {
        if (page_valid(e, block, page)) {
            (void)unit_leave(e, page_unit(e, block, page));
        }
    }
    FW_ASSERT(e, superblock_of(e, e->blocks, block)->valid == 0);
}

/* It is nobody's; its pages stay taken. */
static void detach(struct env* e, uint32_t block)
{
    if (superblock_of(e, e->blocks, block)->role != BLOCK_PAGES) {
        leave_block(e, block);
        block_unlink(e, block);
    }
}

void found_block(struct env* e, uint32_t block, bool looked)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    uint64_t* taken = env_dram(e, e->blockmap->taken);
    uint64_t* seen = env_dram(e, e->blockmap->seen);
    const bool again = (s->flags & BLOCK_AGAIN) != 0;
    bool any = false;
    if (again) {
        detach(e, block);
        s->flags = (uint8_t)(s->flags & ~BLOCK_AGAIN);
    }
    /* From here on `taken` is what the flash says, `seen` what has been applied. */
    for (uint32_t page = 0; page < e->geo->pages; ++page) {
        const uint64_t at = page_address(e, block, page);
        const bool was = bitmap_get(taken, at) && !again;
        const bool is = looked ? bitmap_get(seen, at) : was;
        bitmap_clear(taken, at);
        bitmap_clear(seen, at);
        if (is) {
            bitmap_set(taken, at);
        }
        if (was && is) {
            bitmap_set(seen, at);
        }
        any |= is;
    }
    if (looked && !any && s->role != BLOCK_PAGES) {
        detach(e, block);
    }
    if (looked && !any && s->state == BLOCK_FULL) {
        s->state = s->good == 0 ? BLOCK_DEAD : BLOCK_FREE;
    }
    if (s->role == BLOCK_SECOND || s->role == BLOCK_LOG) {
        struct block_slot* in = slot_at(e, s->owner);
        for (uint32_t page = in->fill; page < e->geo->pages; ++page) {
            in->fill = (uint16_t)(page_taken(e, block, page) ? page + 1 : in->fill);
        }
    }
}

/* ---- Programs, in order ---- */

/* Every valid page of the block lies at its own offset. */
static bool in_place(struct env* e, uint32_t block)
{
    for (uint32_t page = 0; page < e->geo->pages; ++page) {
        if (page_valid(e, block, page) &&
            (page >= e->blockmap->span || unit_offset(e, page_unit(e, block, page)) != page)) {
            return false;
        }
    }
    return true;
}

static uint32_t valid_in(struct env* e, uint32_t block)
{
    return block != INDEX_NONE ? superblock_of(e, e->blocks, block)->valid : 0;
}

/* The second block may be the home: it is in order, and nothing counts at home. */
static bool promotable(struct env* e, uint32_t lblock)
{
    const uint32_t second = second_of(e, lblock);
    return second != INDEX_NONE && in_place(e, second) && valid_in(e, home_of(e, lblock)) == 0;
}

/* The old home stays as it is, nobody's. */
static void promote(struct env* e, uint32_t lblock)
{
    const uint32_t second = second_of(e, lblock);
    const uint32_t home = home_of(e, lblock);
    if (home != INDEX_NONE) {
        detach(e, home);
    }
    block_unlink(e, second);
    block_adopt(e, second, BLOCK_DATA, lblock);
}

/* A log block in which nothing counts: one that is full, else one that is not. The drive had
 * no more of them than there may be when it opened the next one, so at least one of those in which
 * nothing counts was given back by then; where it was another one its next program makes it a log
 * block again. */
static uint32_t spent_log(struct env* e)
{
    const struct blockmap* b = e->blockmap;
    const struct link* links = env_dram(e, b->links);
    uint32_t open = INDEX_NONE;
    for (uint32_t slot = b->shared_in.used.first; slot != INDEX_NONE; slot = links[slot].next) {
        const uint32_t block = slot_at(e, slot)->block;
        if (valid_in(e, block) == 0 && !found_open(e, block)) {
            return block;
        }
        open = valid_in(e, block) == 0 && open == INDEX_NONE ? block : open;
    }
    return open;
}

/* Where second blocks become shared ones that is safe for any block whose role is in doubt: all
 * that counts in it goes on to. true = it has. */
static bool turned(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const struct blockmap* b = e->blockmap;
    if (b->turns == 0 || (s->role != BLOCK_SECOND && s->role != BLOCK_DATA)) {
        return false;
    }
    if (b->shared_in.free.first == INDEX_NONE) {
        const uint32_t spent = spent_log(e);
        if (spent == INDEX_NONE) {
            return false;
        }
        detach(e, spent);
    }
    block_turn(e, block, BLOCK_LOG, INDEX_NONE);
    return true;
}

/* A block as one of a role. What counted in it as another one does so no more. */
static bool becomes(struct env* e, uint32_t block, uint32_t role, uint32_t lblock)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const struct blockmap* b = e->blockmap;
    const struct log_list* list = role == BLOCK_SECOND ? &b->second : &b->shared_in;
    detach(e, block);
    if ((role == BLOCK_SECOND || role == BLOCK_LOG) && list->free.first == INDEX_NONE) {
        for (uint32_t slot = list->used.first; role == BLOCK_SECOND && slot != INDEX_NONE;
             slot = ((const struct link*)env_dram(e, b->links))[slot].next) {
            if (promotable(e, slot_at(e, slot)->lblock)) {
                promote(e, slot_at(e, slot)->lblock);
                break;
            }
        }
    }
    if (role == BLOCK_LOG && list->free.first == INDEX_NONE) {
        const uint32_t spent = spent_log(e);
        if (spent != INDEX_NONE) {
            detach(e, spent);
        }
    }
    if (s->state != BLOCK_FULL ||
        ((role == BLOCK_SECOND || role == BLOCK_LOG) && list->free.first == INDEX_NONE)) {
        refused(e, "more log blocks than there may be; block, role", block, role);
        return false;
    }
    block_adopt(e, block, role, lblock);
    return true;
}

/* The home turns out to be a second block, as which it was written on. */
static bool demote(struct env* e, uint32_t lblock)
{
    const uint32_t home = home_of(e, lblock);
    if (second_of(e, lblock) != INDEX_NONE || e->blockmap->second.free.first == INDEX_NONE) {
        if (turned(e, home)) {
            return true;
        }
        refused(e, "a logical block of three blocks; logical block, its home", lblock, home);
        return false;
    }
    block_unlink(e, home);
    block_adopt(e, home, BLOCK_SECOND, lblock);
    for (uint32_t page = 0; page < e->blockmap->span; ++page) {
        if (page_valid(e, home, page)) {
            page_name(e, home, page, (uint64_t)lblock * e->blockmap->span + page);
        }
    }
    return true;
}

/* It was taken for a shared block, and may be the home: what counts in it is in place. */
static bool is_home(struct env* e, uint32_t lblock, uint32_t block)
{
    const uint64_t first = (uint64_t)lblock * e->blockmap->span;
    if (e->blockmap->turns == 0 || superblock_of(e, e->blocks, block)->role != BLOCK_LOG) {
        return false;
    }
    for (uint32_t page = 0; page < e->geo->pages; ++page) {
        if (page_valid(e, block, page) && page_unit(e, block, page) != first + page) {
            return false;
        }
    }
    return true;
}

/* true = something in the block has been applied already. */
static bool any_applied(const struct env* e, uint32_t block)
{
    const uint64_t* seen = env_dram(e, e->blockmap->seen);
    for (uint32_t page = 0; page < e->geo->pages; ++page) {
        if (bitmap_get(seen, page_address(e, block, page))) {
            return true;
        }
    }
    return false;
}

static void detach_if(struct env* e, uint32_t block)
{
    if (block != INDEX_NONE) {
        detach(e, block);
    }
}

static bool at_home(struct env* e, uint32_t lblock, uint32_t block)
{
    const uint32_t home = home_of(e, lblock);
    const uint32_t second = second_of(e, lblock);
    if (home == block) {
        return true;
    }
    if (second == block) {
        promote(e, lblock);
        return true;
    }
    if (home != INDEX_NONE && valid_in(e, home) != 0 && any_applied(e, block)) {
        (void)demote(e, lblock); /* it was the home all the time */
    }
    detach_if(e, home_of(e, lblock));
    if (!any_applied(e, block)) { /* a fresh one: all of the logical block had been trimmed */
        detach_if(e, second);
    }
    if (is_home(e, lblock, block)) {
        block_turn(e, block, BLOCK_DATA, lblock);
        return true;
    }
    return becomes(e, block, BLOCK_DATA, lblock);
}

static bool at_second(struct env* e, uint32_t lblock, uint32_t block)
{
    const uint32_t second = second_of(e, lblock);
    if (second == block) {
        return true;
    }
    if (home_of(e, lblock) == block) {
        return demote(e, lblock);
    }
    const bool whole = e->blockmap->turns == 0 || valid_in(e, home_of(e, lblock)) == 0;
    if (second != INDEX_NONE && valid_in(e, second) != 0 && in_place(e, second) && whole) {
        promote(e, lblock);
    } else if (second != INDEX_NONE && (valid_in(e, second) == 0 || !turned(e, second))) {
        detach(e, second);
    }
    return becomes(e, block, BLOCK_SECOND, lblock);
}

static bool at_shared(struct env* e, uint32_t lblock, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const uint32_t whose = e->blockmap->groups.blocks != 0 ? lblock : INDEX_NONE;
    if (s->role == BLOCK_LOG && slot_at(e, s->owner)->lblock == whose) {
        return true;
    }
    if (whose == INDEX_NONE && turned(e, block)) {
        return true;
    }
    return becomes(e, block, BLOCK_LOG, whose);
}

/* The last page of a merge: all that was copied counts, and nothing else of the logical block. */
static void fold_found(struct env* e, uint32_t lblock, uint32_t block)
{
    uint64_t* lost = env_dram(e, e->blockmap->lost);
    const uint64_t* seen = env_dram(e, e->blockmap->seen);
    const uint64_t first = (uint64_t)lblock * e->blockmap->span;
    FW_ASSERT(e, superblock_of(e, e->blocks, block)->role == BLOCK_TARGET);
    for (uint32_t n = 0; n < e->blockmap->span && first + n < e->geo->user_units; ++n) {
        (void)unit_leave(e, first + n);
    }
    detach_if(e, second_of(e, lblock));
    detach_if(e, home_of(e, lblock));
    block_unlink(e, block);
    block_adopt(e, block, BLOCK_DATA, lblock);
    for (uint32_t n = 0; n < e->blockmap->span; ++n) {
        const uint64_t at = page_address(e, block, n);
        if (bitmap_get(seen, at)) {
            const uint32_t is_lost = (uint32_t)bitmap_get(lost, at);
            bitmap_clear(lost, at);
            unit_settle(e, first + n, at, is_lost);
        }
    }
}

static void copied(struct env* e, const struct spare_unit* u, const struct place* p)
{
    const uint32_t lblock = unit_lblock(e, u->index);
    const struct superblock* s = superblock_of(e, e->blocks, p->block);
    const uint64_t at = page_address(e, p->block, p->page);
    if (unit_offset(e, u->index) != p->page) {
        refused(e, "a merge's page of another offset; block, page", p->block, p->page);
        return;
    }
    if ((s->role != BLOCK_TARGET || s->owner != lblock) &&
        !becomes(e, p->block, BLOCK_TARGET, lblock)) {
        return;
    }
    bitmap_set(env_dram(e, e->blockmap->seen), at);
    if (u->lost != 0) {
        bitmap_set(env_dram(e, e->blockmap->lost), at);
    }
    if (u->check != 0) {
        fold_found(e, lblock, p->block);
    }
}

void found_program(struct env* e, const struct spare_unit* u, uint64_t address)
{
    const struct place p = address_place(e->geo, address);
    if (!found_kind(u->kind)) {
        return;
    }
    if (u->index >= e->geo->user_units) {
        refused(e, "a page of a unit that is none; block, page", p.block, p.page);
        return;
    }
    const uint32_t lblock = unit_lblock(e, u->index);
    const uint32_t offset = unit_offset(e, u->index);
    if (e->blockmap->groups.blocks != 0 && u->kind != SPARE_SHARED) {
        refused(e, "a page of another scheme; block, page", p.block, p.page);
        return;
    }
    if (u->kind == SPARE_COPY) {
        copied(e, u, &p);
        return;
    }
    if (u->kind == SPARE_HOME && p.page < e->blockmap->span && offset != p.page) {
        refused(e, "a page of another offset; block, page", p.block, p.page);
        return;
    }
    const bool again_home = u->kind == SPARE_SECOND && home_of(e, lblock) == p.block &&
                            offset == p.page; /* taken for the home: it is in order */
    const bool ours = u->kind == SPARE_HOME || again_home ? at_home(e, lblock, p.block)
                      : u->kind == SPARE_SECOND           ? at_second(e, lblock, p.block)
                                                          : at_shared(e, lblock, p.block);
    if (!ours) {
        return;
    }
    bitmap_set(env_dram(e, e->blockmap->seen), page_address(e, p.block, p.page));
    page_name(e, p.block, p.page, u->index);
    unit_settle(e, u->index, page_address(e, p.block, p.page), u->lost);
}

/* ---- The end ---- */

/* Nothing in it is of use: it is erased again. */
static void give_up(struct env* e, uint32_t block)
{
    block_forget(e, block);
    blocks_erase_again(e, block);
}

static bool any_taken(const struct env* e, uint32_t block)
{
    return bitmap_any(env_dram(e, e->blockmap->taken), page_address(e, block, 0), e->geo->pages);
}

static bool of_no_use(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    switch (s->role) {
    case BLOCK_DATA:
        return s->valid == 0 && lblock_at(e, s->owner)->live == 0;
    case BLOCK_SECOND:
        return s->valid == 0;
    case BLOCK_LOG:
        return s->valid == 0 && !found_open(e, block);
    case BLOCK_TARGET:
        return true;
    default:
        return s->state == BLOCK_FULL && any_taken(e, block);
    }
}

void found_end(struct env* e)
{
    for (uint32_t lblock = 0; lblock < e->blockmap->lblocks; ++lblock) {
        if (promotable(e, lblock)) {
            promote(e, lblock);
        }
    }
    for (uint32_t block = 0; block < e->geo->blocks; ++block) {
        if (of_no_use(e, block)) {
            detach(e, block);
            give_up(e, block);
        }
    }
    mem_zero(env_dram(e, e->blockmap->seen), ((uint64_t)e->geo->blocks * e->geo->pages + 7) / 8);
}
