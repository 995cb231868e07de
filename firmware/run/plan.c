/* SPDX-License-Identifier: Apache-2.0
 *
 * What the firmware needs of a drive, before there is one: the steps of start-up up to the first
 * that needs it, over arenas that only count.
 */
#include "firmware/run/plan.h"

#include "firmware/gc/pace.h"
#include "firmware/map/layout.h"
#include "firmware/map/maps_frames.h"
#include "firmware/run/boot.h"
#include "firmware/space/reserve.h"

static uint32_t superblocks_for(const struct env* e, uint64_t units)
{
    const uint64_t whole = (uint64_t)e->geo->luns * e->geo->pages * e->geo->group;
    return (uint32_t)((units + whole - 1) / whole);
}

/* Free superblocks at which collection starts and stops, if there are as many; `least` without
 * anybody's wish. */
static uint32_t plan_marks(struct env* e, struct fw* fw, struct firmware_plan* plan)
{
    const struct geometry* g = e->geo;
    struct gc_setup marks = boot_marks(&fw->params);
    blocks_assume(e, UINT64_C(8) * g->blocks * g->luns * g->pages * g->group);
    gc_set_marks(e, &marks);
    plan->gc_low = gc_low(e);
    plan->gc_high = gc_high(e);
    marks.low_permille = 0;
    gc_set_marks(e, &marks);
    FW_ASSERT(e, gc_low(e) <= plan->gc_low);
    return gc_low(e);
}

/* `open`: superblocks that streams have, before there were maps. */
static void plan_flash(struct env* e, struct fw* fw, struct firmware_plan* plan, uint32_t open)
{
    const uint64_t scheme = ftl_layout_of(e)->overhead(e);
    const uint32_t rewrites = retention_on(e) ? RESERVE_REFRESH + 1 : 0;
    /* A stream of their own that maps have where there is room for it. */
    const uint32_t spared = maps_paged(e->maps) ? 0 : blocks_map_streams_spared(e);
    const uint32_t hidden = superblocks_for(e, boot_hidden_units(e) + scheme);
    const uint32_t low_least = plan_marks(e, fw, plan);
    FW_ASSERT(e, blocks_reserve(e) >= open + spared);
    plan->open = open + rewrites;
    plan->overhead = blocks_reserve(e) - open - spared +
                     superblocks_for(e, boot_hidden_units(e) + blocks_overhead(e));
    /* Higher marks would be cut down to these shares of the spare superblocks (gc.c). */
    const uint32_t low = plan->gc_low > low_least ? 4 * plan->gc_low + hidden : 0;
    const uint32_t high = plan->gc_high > plan->gc_low + 1 ? 2 * plan->gc_high + hidden : 0;
    plan->superblocks = plan->open + plan->overhead;
    if (planes_own(e)) { /* each plane has its own, beside what is open (gc/planes.c) */
        const uint32_t each = (4 * plan->gc_high + 2) / 3;
        plan->superblocks +=
            plan->gc_high > low_least ? planes_count(e) * (each - RESERVE_FREE) : 0;
        return;
    }
    plan->superblocks = plan->superblocks < low ? low : plan->superblocks;
    plan->superblocks = plan->superblocks < high ? high : plan->superblocks;
}

/* Bytes of SRAM, with what the map has of it apart. */
static uint64_t on_chip(const struct env* e)
{
    const struct arenas* a = e->arenas;
    return a->sram.next - MAP_SRAM_BASE + (a->map.next - a->map.base);
}

int boot_plan(struct env* e, struct fw* fw, struct firmware_plan* plan)
{
    uint32_t open = 0;
    for (const struct boot_step* s = boot_steps; s->action != boot_features; ++s) {
        const uint64_t sram = on_chip(e);
        const uint64_t dram = e->arenas->dram.next;
        if (s->action == boot_memory) {
            const struct firmware_share state = {"state", sizeof(struct fw), 0};
            plan->share[plan->shares++] = state;
            arenas_count(e, BOOT_STATE_END);
            if (fw->params.map.memory != BOOT_MAP_DRAM) {
                arenas_map_apart(e, 0);
            }
            continue;
        }
        if (s->action(e, fw) != 0) {
            return -1;
        }
        open = s->action == boot_blocks ? blocks_reserve(e) : open;
        if (on_chip(e) != sram || e->arenas->dram.next != dram) {
            const struct firmware_share share = {s->name, on_chip(e) - sram,
                                                 e->arenas->dram.next - dram};
            FW_ASSERT(e, plan->shares < FIRMWARE_SHARES_MOST);
            plan->share[plan->shares++] = share;
        }
    }
    plan->map = e->arenas->map.next - e->arenas->map.base;
    plan->sram = on_chip(e);
    plan->dram = e->arenas->dram.next - MAP_DRAM_BASE;
    plan_flash(e, fw, plan, open);
    return 0;
}
