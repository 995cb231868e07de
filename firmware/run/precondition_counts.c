/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning by counts. While the host overwrites uniformly, all units are alike: what
 * allocation and collection do next hangs on how many units of each superblock are valid, and not
 * on which ones. So superblocks are opened, filled, collected and erased as ever, by the same code,
 * but a write unit only adds to the count of its superblock, and an overwrite takes one from the
 * count of the superblock where its old data lie: each valid place is the one alike. What lies
 * where is told at the end (precondition_deal.c).
 */
#include "firmware/run/precondition_counts.h"

#include "firmware/lib/telemetry.h"
#include "firmware/space/blocks.h"
#include "firmware/space/erase.h"
#include "firmware/space/valid.h"

/* The superblock of a valid unit, each one alike: a place of any superblock, drawn again unless it
 * is one of the first `valid` ones of it. */
static struct superblock* draw(struct env* e, struct counts* c)
{
    const struct geometry* g = e->geo;
    struct superblock* table = superblock_of(e, e->blocks, 0);
    const uint32_t units = g->luns * g->pages * g->group;
    FW_ASSERT(e, c->written != 0);
    for (;;) {
        const uint64_t bits = random_next(&c->random);
        struct superblock* s = table + random_share((uint32_t)(bits >> 32), g->blocks);
        if (random_share((uint32_t)bits, units) < s->valid) {
            return s;
        }
    }
}

/* The host's next units, as many of them as there are: first those that are new. */
static void write_units(struct env* e, struct counts* c, struct superblock* to, uint32_t count)
{
    const uint64_t rest = c->fill - c->written;
    const uint32_t fresh = rest < count ? (uint32_t)rest : count;
    c->written += fresh;
    to->valid += fresh;
    FW_ASSERT(e, c->overwrites >= count - fresh);
    c->overwrites -= count - fresh;
    for (uint32_t n = fresh; n < count; ++n) {
        blocks_drop(e, draw(e, c), 1);
        ++to->valid;
    }
}

uint32_t precondition_count(struct env* e, uint32_t stream, uint32_t count, uint32_t victim)
{
    struct counts* c = counts_of(e);
    struct write_unit w;
    if (!blocks_place(e, stream, count, &w)) {
        return 0;
    }
    struct superblock* to = superblock_of(e, e->blocks, w.block);
    const uint32_t went = count < w.units ? count : w.units;
    to->newest = flash_next_sequence(e);
    if (victim == INDEX_NONE) {
        write_units(e, c, to, went);
    } else {
        blocks_drop(e, superblock_of(e, e->blocks, victim), went);
        to->valid += went;
    }
    blocks_unpend(e, w.block);
    precondition_account(e, &w, went, victim != INDEX_NONE);
    return went;
}

int precondition_counts_move(struct env* e, uint32_t victim)
{
    const struct superblock* s = superblock_of(e, e->blocks, victim);
    FW_ASSERT(e, s->state == BLOCK_VICTIM);
    while (s->valid != 0) {
        if (precondition_count(e, STREAM_GC, s->valid, victim) == 0) {
            return -1;
        }
    }
    return 0;
}
