/* SPDX-License-Identifier: Apache-2.0
 *
 * Refresh: superblocks whose data are about to be lost, or have a block that failed, are collected
 * before any garbage asks for it (space/watch.c finds them).
 */
#include "firmware/gc/gc.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/blocks.h"
#include "firmware/space/reserve.h"
#include "firmware/space/retention.h"

uint32_t gc_refresh_victim(struct env* e)
{
    struct gc* c = e->gc;
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    FW_ASSERT(e, c->victim == INDEX_NONE);
    c->refresh_waits = retention_looked_at(e) != INDEX_NONE && c->rewrite.waits != 0;
    if (blocks_stale(e) == 0 || e->telemetry->read_only != 0) {
        return INDEX_NONE;
    }
    for (uint32_t n = 0; n < e->geo->blocks; ++n) {
        const uint32_t i = (c->refresh_next + n) % e->geo->blocks;
        if ((t[i].flags & BLOCK_STALE) == 0 || t[i].state != BLOCK_FULL || t[i].pending != 0) {
            continue;
        }
        /* It fills as much as it frees, or more where blocks fail: room for two, and the host's. */
        if (blocks_free(e) <= blocks_set_aside(e) + RESERVE_REFRESH) {
            c->refresh_waits = 1;
            return INDEX_NONE;
        }
        c->refresh_next = i + 1 == e->geo->blocks ? 0 : i + 1;
        return i;
    }
    return INDEX_NONE;
}
