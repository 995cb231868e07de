/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/slc.h"

#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "models/regs/parts/slc.h"

int slc_init(struct env* e)
{
    const struct boot_slc* told = e->told.slc;
    struct slc* c = e->slc;
    const struct geometry* g = e->geo;
    c->fixed = told->fixed;
    c->dynamic = told->dynamic;
    c->pages = told->pages;
    c->on = told->pages != 0 ? 1 : 0;
    c->wear = erase_counts_none();
    if (c->on == 0) {
        return 0;
    }
    if (told->fixed >= g->blocks || told->fixed + told->dynamic == 0 || told->pages > g->pages) {
        hal_log(e->hal, HAL_LOG_ERROR, "no such SLC cache; superblocks, pages of a block",
                told->fixed, told->pages);
        return -1;
    }
    return 0;
}

static void gauge(struct env* e)
{
    e->telemetry->free_blocks = e->blocks->free;
    e->telemetry->slc.superblocks = e->slc->count + e->slc->turned - e->slc->entering;
    e->telemetry->slc.free = e->slc->free;
}

void slc_count_free(struct env* e, uint32_t block, int32_t change)
{
    uint32_t* free = slc_holds(e, block) ? &e->slc->free : &e->blocks->free;
    FW_ASSERT(e, change >= 0 || *free != 0);
    *free += (uint32_t)change;
    run_due(e, DUE_GC); /* it counts them */
    gauge(e);
}

void slc_count_leaving(struct env* e, uint32_t block, int32_t change)
{
    FW_ASSERT(e, change >= 0 || e->blocks->leaving != 0);
    e->blocks->leaving += (uint32_t)change;
    e->slc->leaving += slc_holds(e, block) ? (uint32_t)change : 0;
}

void slc_count_erases(struct env* e)
{
    struct slc* c = e->slc;
    struct telemetry_slc* s = &e->telemetry->slc;
    c->wear = erase_counts_none();
    c->count = 0;
    for (uint32_t i = 0; i < c->fixed; ++i) {
        const struct superblock* b = superblock_of(e, e->blocks, i);
        if (b->good != 0) {
            erase_counts_add(&c->wear, b->erases, b->good);
        }
        c->count += b->state != BLOCK_DEAD ? 1u : 0u; /* its last block may be gone before */
    }
    s->erase_min = c->count != 0 ? c->wear.min : 0;
    s->erase_max = c->wear.max;
    if (e->told.slc->endurance != 0 && c->wear.blocks != 0) {
        s->used_percent = c->wear.sum / c->wear.blocks * 100 / e->told.slc->endurance;
    }
    gauge(e);
}

uint64_t slc_worse_used(const struct env* e)
{
    const struct telemetry* s = e->telemetry;
    return s->used_percent > s->slc.used_percent ? s->used_percent : s->slc.used_percent;
}

/* ---- The dynamic part ---- */

void slc_turn(struct env* e, uint32_t block)
{
    struct slc* c = e->slc;
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->state == BLOCK_FREE && (s->flags & BLOCK_TURNS) == 0 && !slc_fixed(e, block));
    const bool enters = (s->flags & BLOCK_SLC) == 0;
    c->turned += enters ? 1u : 0u;
    c->turned -= enters ? 0u : 1u;
    c->entering += enters ? 1u : 0u;
    s->flags |= BLOCK_TURNS;
    c->untold = 1;
    run_due(e, DUE_DURABLE); /* a checkpoint tells of it */
    slc_count_free(e, block, -1);
}

uint32_t slc_saved_mode(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, (s->erases & SLC_SAVED_MODE) == 0);
    if (slc_fixed(e, block)) {
        return 0;
    }
    const bool turns = (s->flags & BLOCK_TURNS) != 0;
    s->flags = (uint8_t)(s->flags | (turns ? BLOCK_TOLD : 0));
    e->slc->untold = 0;
    return ((s->flags & BLOCK_SLC) != 0) != turns ? SLC_SAVED_MODE : 0;
}

void slc_recorded(struct env* e)
{
    struct slc* c = e->slc;
    for (uint32_t i = c->fixed; i < e->geo->blocks && c->on != 0; ++i) {
        struct superblock* s = superblock_of(e, e->blocks, i);
        if ((s->flags & BLOCK_TOLD) == 0) {
            continue;
        }
        FW_ASSERT(e, s->state == BLOCK_FREE && s->valid == 0);
        s->flags = (uint8_t)((s->flags ^ BLOCK_SLC) & ~(BLOCK_TURNS | BLOCK_TOLD));
        s->capacity = s->good * slc_pages(e, i) * e->geo->page_units;
        c->entering -= slc_holds(e, i) ? 1u : 0u;
        slc_count_free(e, i, 1);
    }
}

void slc_dead(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->state == BLOCK_DEAD);
    if (slc_holds(e, block) && !slc_fixed(e, block)) {
        s->flags = (uint8_t)(s->flags & ~BLOCK_SLC);
        --e->slc->turned;
    } else if (slc_fixed(e, block)) {
        slc_count_erases(e);
    }
}

void slc_count_all(struct env* e)
{
    struct slc* c = e->slc;
    e->blocks->free = 0;
    c->free = 0;
    c->turned = 0;
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        const struct superblock* s = superblock_of(e, e->blocks, i);
        FW_ASSERT(e, (s->flags & BLOCK_TURNS) == 0);
        c->turned += s->state != BLOCK_DEAD && slc_holds(e, i) && !slc_fixed(e, i) ? 1u : 0u;
        slc_count_free(e, i, s->state == BLOCK_FREE ? 1 : 0);
    }
}
