/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/wear.h"

#include "firmware/lib/telemetry.h"
#include "firmware/space/slc.h"
#include "models/regs/parts/wear.h"

bool wear_is_dynamic(const struct env* e)
{
    return e->told.wear->dynamic != 0;
}

uint32_t wear_delta(const struct env* e)
{
    return e->told.wear->static_delta;
}

static void gauge_erases(struct env* e)
{
    const struct erase_counts* t = &e->blocks->wear.superblocks;
    const struct erase_counts* m = &e->blocks->wear.map_blocks;
    struct telemetry* s = e->telemetry;
    const uint64_t min = m->min < t->min ? m->min : t->min;
    s->erase_min = min == UINT64_MAX ? 0 : min;
    s->erase_max = m->max > t->max ? m->max : t->max;
    s->erase_sum = t->sum + m->sum;
    s->erase_square_sum = t->square_sum + m->square_sum;
    s->erase_blocks = t->blocks + m->blocks;
    if (e->told.wear->endurance != 0 && s->erase_blocks != 0) {
        const uint64_t cycles = e->told.wear->pe_cycles + s->erase_sum / s->erase_blocks;
        s->used_percent = cycles * 100 / e->told.wear->endurance;
    }
    FW_ASSERT(e, s->erase_min <= s->erase_max);
}

void wear_count_map(struct env* e, const struct erase_counts* all)
{
    e->blocks->wear.map_blocks = *all;
    gauge_erases(e);
}

/* The planes and LUNs of a superblock share its erase count. */
void blocks_count_erases(struct env* e)
{
    struct wear* w = &e->blocks->wear;
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    struct erase_counts all = erase_counts_none();
    w->at_min = 0;
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        if (t[i].good == 0 || slc_fixed(e, i)) {
            continue;
        }
        w->at_min = t[i].erases < all.min ? 0 : w->at_min;
        erase_counts_add(&all, t[i].erases, t[i].good);
        w->at_min += t[i].erases == all.min ? 1u : 0u;
    }
    w->superblocks = all;
    gauge_erases(e);
    slc_count_erases(e);
}

/* A drive of single blocks has too many to look at all of them after each erase. */
void blocks_count_erase(struct env* e, uint32_t block)
{
    struct wear* w = &e->blocks->wear;
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const uint64_t was = s->erases - 1;
    FW_ASSERT(e, s->erases != 0);
    if (slc_fixed(e, block)) {
        slc_count_erases(e);
        return;
    }
    if (s->good == 0) {
        return;
    }
    if (was == w->superblocks.min && --w->at_min == 0) {
        blocks_count_erases(e);
        return;
    }
    w->superblocks.max = s->erases > w->superblocks.max ? s->erases : w->superblocks.max;
    w->superblocks.sum += s->good;
    w->superblocks.square_sum += (2 * was + 1) * s->good;
    gauge_erases(e);
}

/* It is looked for once after an erase. */
uint32_t blocks_least_erases(struct env* e)
{
    struct wear* w = &e->blocks->wear;
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    if (w->least_sum == w->superblocks.sum) {
        return w->least;
    }
    w->least_sum = w->superblocks.sum;
    w->least = INDEX_NONE;
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        if (t[i].good != 0 && t[i].state == BLOCK_FULL && t[i].erases < w->least &&
            !slc_fixed(e, i)) {
            w->least = t[i].erases;
        }
    }
    FW_ASSERT(e, w->least >= w->superblocks.min);
    return w->least;
}
