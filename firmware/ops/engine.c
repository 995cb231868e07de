/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/ops/engine.h"

#include "firmware/ops/flash.h"
#include "firmware/space/erase.h"

/* A flash read takes tens of us, the erase behind it ms. */
#define ENGINE_LOOK_NS 20000u

static void hold(struct env* e)
{
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        ++superblock_of(e, e->blocks, i)->readers;
    }
    lookup_of(e)->held = 1;
}

/* Those that wait for the engine alone, as many as a fence may stand for. Until it has passed it
 * counts as a read under way: who waits for space has hope. */
static void gather(struct env* e)
{
    struct lookup* l = lookup_of(e);
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    FW_ASSERT(e, l->fenced == 0);
    for (uint32_t i = 0; i < e->geo->blocks && l->fenced < LOOKUP_BLOCKS; ++i) {
        if (t[i].state == BLOCK_COLLECTED && t[i].pending == 0 && t[i].readers == 1) {
            l->block[l->fenced++] = i;
        }
    }
    if (l->fenced != 0) {
        ++e->flash->in_flight;
        ++e->flash->bystanders;
    }
}

static void pass_fence(struct env* e)
{
    struct lookup* l = lookup_of(e);
    FW_ASSERT(e, l->fenced != 0 && l->fenced <= LOOKUP_BLOCKS);
    --e->flash->in_flight;
    --e->flash->bystanders;
    for (; l->fenced != 0; --l->fenced) {
        const uint32_t block = l->block[l->fenced - 1];
        blocks_unread(e, block); /* its erase begins */
        ++superblock_of(e, e->blocks, block)->readers;
    }
}

uint64_t engine_step(struct env* e, uint64_t now, bool may)
{
    struct lookup* l = lookup_of(e);
    if (may && l->held == 0) {
        hold(e);
    }
    lookup_enable(e, may);
    if (l->fenced == 0 && l->held != 0 && blocks_leaving(e) > blocks_to_erase(e)) {
        gather(e);
        if (l->fenced != 0) {
            lookup_fence(e);
        }
    }
    if (l->fenced != 0 && lookup_fenced(e)) {
        pass_fence(e);
    }
    return l->fenced != 0 ? now + ENGINE_LOOK_NS : 0;
}

void engine_rests(struct env* e)
{
    struct lookup* l = lookup_of(e);
    if (l->held == 0) {
        return;
    }
    if (l->fenced == 0) {
        gather(e);
    }
    while (l->fenced != 0) {
        pass_fence(e);
        gather(e);
    }
}
