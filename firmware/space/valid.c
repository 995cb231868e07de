/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/valid.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"

void blocks_validate(struct env* e, uint64_t address)
{
    uint64_t* map = env_dram(e, e->blocks->valid_map);
    struct superblock* s = superblock_of(e, e->blocks, address_block(e->geo, address));
    FW_ASSERT(e, !bitmap_get(map, address));
    FW_ASSERT(e, blocks_holds(e, address));
    env_touch(e, map + address / 64, sizeof *map, true);
    env_touch(e, s, sizeof *s, true);
    bitmap_set(map, address);
    ++s->valid;
    ++e->telemetry->valid;
}

void blocks_validate_run(struct env* e, uint64_t address, uint32_t count)
{
    uint64_t* map = env_dram(e, e->blocks->valid_map);
    const uint64_t last = address + count - 1;
    struct superblock* s = superblock_of(e, e->blocks, address_block(e->geo, address));
    FW_ASSERT(e, count != 0 && !bitmap_any(map, address, count));
    FW_ASSERT(e, blocks_holds(e, address));
    env_touch(e, map + address / 64, (last / 64 - address / 64 + 1) * sizeof *map, true);
    env_touch(e, s, sizeof *s, true);
    bitmap_fill(map, address, count);
    s->valid += count;
    e->telemetry->valid += count;
}

void blocks_invalidate(struct env* e, uint64_t address)
{
    uint64_t* map = env_dram(e, e->blocks->valid_map);
    struct superblock* s = superblock_of(e, e->blocks, address_block(e->geo, address));
    FW_ASSERT(e, bitmap_get(map, address));
    FW_ASSERT(e, s->valid > 0);
    env_touch(e, map + address / 64, sizeof *map, true);
    env_touch(e, s, sizeof *s, true);
    bitmap_clear(map, address);
    --s->valid;
    --e->telemetry->valid;
    s->changed = ++e->blocks->invalidations;
    if (e->blocks->retained != 0) {
        retention_invalid(e, address);
    }
}

void blocks_replace(struct env* e, uint64_t from, uint64_t to)
{
    struct blocks* b = e->blocks;
    uint64_t* map = env_dram(e, b->valid_map);
    struct superblock* old = superblock_of(e, b, address_block(e->geo, from));
    const uint32_t block = address_block(e->geo, to);
    struct superblock* s = superblock_of(e, b, block);
    FW_ASSERT(e, bitmap_get(map, from) && !bitmap_get(map, to));
    FW_ASSERT(e, old->valid > 0 && blocks_holds_any(e, block));
    env_touch(e, map + from / 64, sizeof *map, true);
    env_touch(e, old, sizeof *old, true);
    env_touch(e, map + to / 64, sizeof *map, true);
    env_touch(e, s, sizeof *s, true);
    bitmap_clear(map, from);
    bitmap_set(map, to);
    --old->valid;
    ++s->valid;
    old->changed = ++b->invalidations;
    if (b->retained != 0) {
        retention_invalid(e, from);
    }
}

void blocks_invalidate_run(struct env* e, uint64_t address, uint32_t count)
{
    struct blocks* b = e->blocks;
    uint64_t* map = env_dram(e, b->valid_map);
    const uint64_t last = address + count - 1;
    struct superblock* s = superblock_of(e, b, address_block(e->geo, address));
    FW_ASSERT(e, count != 0 && b->retained == 0);
    FW_ASSERT(e, s->valid >= count && bitmap_all(map, address, count));
    env_touch(e, map + address / 64, (last / 64 - address / 64 + 1) * sizeof *map, true);
    env_touch(e, s, sizeof *s, true);
    bitmap_empty(map, address, count);
    s->valid -= count;
    e->telemetry->valid -= count;
    b->invalidations += count;
    s->changed = b->invalidations;
}

/* ---- Before the whole map has been read ---- */

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
