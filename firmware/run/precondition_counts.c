/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning by counts. While the host overwrites uniformly, all units are alike: what
 * allocation and collection do next hangs on how many units of each superblock are valid, and not
 * on which ones. So superblocks are opened, filled, collected and erased as ever, by the same code,
 * but a write unit only adds to the count of its superblock, and an overwrite takes one from the
 * count of the superblock where its old data lie: each valid place is the one alike. What lies
 * where is told at the end (precondition_deal.c).
 */
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/run/precondition.h"
#include "firmware/space/blocks_seen.h"

/* The counts alone are what the drive has: places, maps and pages of a limited time are not there
 * to be found by collection. */
static bool possible(struct env* e, const struct firmware_counted* what)
{
    bool empty = e->telemetry->valid == 0 && e->telemetry->map_units == 0;
    FW_ASSERT(e, sizeof(struct counts) <= (uint64_t)gc_buffers(e) << e->geo->unit_shift);
    for (uint32_t i = 0; i < e->geo->blocks && empty; ++i) {
        const uint8_t state = superblock_of(e, e->blocks, i)->state;
        empty = state == BLOCK_FREE || state == BLOCK_DEAD;
    }
    return empty && ftl_ops_of(e)->counts != 0 && !lanes_has(e, STREAM_HOST) && !retention_on(e) &&
           what->units != 0 && what->units <= e->geo->user_units &&
           what->room >= e->geo->page_units;
}

static int counts_begin(struct hal* hal, const struct firmware_counted* what)
{
    struct env e;
    fw_bind(&e, hal);
    FW_ASSERT(&e, fw_of(hal)->booted != 0);
    FW_ASSERT(&e, flash_in_flight(&e) == 0 && cache_at_rest(&e));
    if (!possible(&e, what)) {
        return -1;
    }
    struct counts* c = counts_of(&e);
    mem_zero(c, sizeof *c);
    c->fill = what->units;
    c->overwrites = what->overwrites;
    c->room = what->room;
    c->random.state = what->seed;
    c->block = INDEX_NONE;
    ftl_precondition(&e, true);
    append_of(&e)->counted = 1;
    return 0;
}

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

/* One write unit of a stream: up to count units, from a victim or, INDEX_NONE, of the host. Returns
 * how many went, 0 = there is no space. */
static uint32_t count_program(struct env* e, uint32_t stream, uint32_t count, uint32_t victim)
{
    struct counts* c = counts_of(e);
    struct write_unit w;
    FW_ASSERT(e, count != 0);
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
        if (count_program(e, STREAM_GC, s->valid, victim) == 0) {
            return -1;
        }
    }
    return 0;
}

static uint64_t counts_write(struct hal* hal, uint64_t count)
{
    struct env e;
    fw_bind(&e, hal);
    struct counts* c = counts_of(&e);
    uint64_t left = c->fill - c->written + c->overwrites;
    const uint64_t until = left > count ? left - count : 0;
    FW_ASSERT(&e, counts_on(&e));
    while (left > until) {
        const uint32_t room = precondition_next_units(&e);
        const uint32_t went =
            room != 0
                ? count_program(&e, STREAM_HOST, left < room ? (uint32_t)left : room, INDEX_NONE)
                : 0;
        if (went == 0) {
            return FIRMWARE_COUNTS_FULL;
        }
        left -= went;
    }
    if (left == 0) {
        c->end = flash_sequence(&e);
        shuffle_init(&c->shuffle, c->fill, &c->random);
    }
    FW_ASSERT(&e, flash_in_flight(&e) == 0);
    return left;
}

const struct firmware_counts append_counts = {
    .begin = counts_begin,
    .write = counts_write,
    .deal = precondition_deal,
};
