/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/blocks_seen.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"

void blocks_units_seen(struct env* e, uint64_t address, uint32_t count)
{
    struct superblock* s = superblock_of(e, e->blocks, address_block(e->geo, address));
    FW_ASSERT(e, s->valid >= count);
    s->unseen -= s->unseen < count ? s->unseen : count; /* a guess may be less than what is there */
}

void blocks_settle(struct superblock* s)
{
    s->unseen = 0;
    s->flags = (uint8_t)(s->flags & ~(BLOCK_GUESSED | BLOCK_UNTOLD));
}

void blocks_told(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, block < e->geo->blocks);
    FW_ASSERT(e, s->state == BLOCK_FULL);
    blocks_settle(s);
}

void blocks_doubt(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->state == BLOCK_FULL && !blocks_known(s));
    s->flags |= BLOCK_UNTOLD;
}

void blocks_all_seen(struct env* e)
{
    FW_ASSERT(e, e->geo->blocks != 0);
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        blocks_settle(superblock_of(e, e->blocks, i));
    }
}

void blocks_clear(struct env* e)
{
    struct blocks* b = e->blocks;
    const uint64_t units = (uint64_t)e->geo->pages << e->geo->row_shift;
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        struct superblock* s = superblock_of(e, b, i);
        const uint32_t lost = blocks_live(s);
        env_touch(e, s, sizeof *s, true);
        if (s->valid != 0) {
            bitmap_empty(env_dram(e, b->valid_map), i * units, units);
        }
        s->valid = 0;
        blocks_settle(s);
        b->invalidations += lost;
        s->changed = lost != 0 ? b->invalidations : s->changed;
    }
    e->telemetry->valid = 0;
    FW_ASSERT(e, units != 0);
}
