/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/drv/channel.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"

enum { SQ_ENTRIES = 256, CQ_ENTRIES = 512 };

static uint64_t reg(uint32_t channel, uint32_t offset)
{
    return MAP_CHANNEL_BASE + channel * MAP_CHANNEL_SIZE + offset;
}

static int ring_init(struct env* e, uint32_t channel, uint32_t suspend_policy)
{
    struct channels* d = e->channels;
    struct channel_ring* r = &d->ring[channel];
    FW_ASSERT(e, channel < MAP_CHANNEL_MAX);
    FW_ASSERT(e, sizeof(struct flash_desc) >= 64 && sizeof(struct flash_completion) == 32);
    r->sq = sram_take(e, (uint64_t)d->sq_entries * sizeof(struct flash_desc));
    r->cq = sram_take(e, (uint64_t)d->cq_entries * sizeof(struct flash_completion));
    if (r->sq == ARENA_FULL || r->cq == ARENA_FULL) {
        return -1;
    }
    r->phase = 1;
    hal_write32(e->hal, reg(channel, CHANNEL_REG_SQ_BASE_LO), (uint32_t)r->sq);
    hal_write32(e->hal, reg(channel, CHANNEL_REG_SQ_BASE_HI), (uint32_t)(r->sq >> 32));
    hal_write32(e->hal, reg(channel, CHANNEL_REG_SQ_SIZE), d->sq_entries);
    hal_write32(e->hal, reg(channel, CHANNEL_REG_CQ_BASE_LO), (uint32_t)r->cq);
    hal_write32(e->hal, reg(channel, CHANNEL_REG_CQ_BASE_HI), (uint32_t)(r->cq >> 32));
    hal_write32(e->hal, reg(channel, CHANNEL_REG_CQ_SIZE), d->cq_entries);
    hal_write32(e->hal, reg(channel, CHANNEL_REG_SUSPEND), suspend_policy);
    hal_write32(e->hal, reg(channel, CHANNEL_REG_INT_ENABLE), 1);
    return 0;
}

int channels_init(struct env* e, uint32_t count, uint32_t suspend_policy)
{
    struct channels* d = e->channels;
    FW_ASSERT(e, count >= 1 && count <= MAP_CHANNEL_MAX);
    FW_ASSERT(e, is_power_of_two(SQ_ENTRIES) && CQ_ENTRIES == 2 * SQ_ENTRIES);
    d->count = count;
    d->sq_entries = SQ_ENTRIES;
    d->cq_entries = CQ_ENTRIES;
    d->dirty = 0;
    for (uint32_t c = 0; c < count; ++c) {
        if (ring_init(e, c, suspend_policy) != 0) {
            return -1;
        }
    }
    return 0;
}

void channels_stop(struct env* e)
{
    FW_ASSERT(e, e->channels->count <= MAP_CHANNEL_MAX);
    for (uint32_t c = 0; c < e->channels->count; ++c) {
        hal_write32(e->hal, reg(c, CHANNEL_REG_INT_ENABLE), 0);
    }
}

struct flash_desc* channel_next(struct env* e, uint32_t channel)
{
    struct channel_ring* r = &e->channels->ring[channel];
    FW_ASSERT(e, channel < e->channels->count);
    if (r->in_flight + 1 >= e->channels->sq_entries) {
        return NULL;
    }
    return (struct flash_desc*)env_sram(e, r->sq) + r->tail;
}

void channel_push(struct env* e, uint32_t channel)
{
    struct channels* d = e->channels;
    struct channel_ring* r = &d->ring[channel];
    FW_ASSERT(e, r->in_flight + 1 < d->sq_entries);
    FW_ASSERT(e, r->tail < d->sq_entries);
    r->tail = (r->tail + 1) & (d->sq_entries - 1);
    ++r->in_flight;
    d->dirty |= 1u << channel;
}

const struct flash_completion* channel_poll(struct env* e, uint32_t channel)
{
    struct channels* d = e->channels;
    struct channel_ring* r = &d->ring[channel];
    const struct flash_completion* c = (const struct flash_completion*)env_sram(e, r->cq) + r->head;
    if ((c->phase & 1u) != r->phase) {
        return NULL;
    }
    FW_ASSERT(e, r->in_flight > 0);
    FW_ASSERT(e, r->unreturned < d->cq_entries);
    --r->in_flight;
    ++r->unreturned;
    if (++r->head == d->cq_entries) {
        r->head = 0;
        r->phase ^= 1u;
    }
    return c;
}

/* The completion ring holds twice what can be in flight, so its head may return lazily: when a
 * quarter of the ring has been read. */
void channels_ring(struct env* e)
{
    struct channels* d = e->channels;
    FW_ASSERT(e, d->count >= 1);
    for (; d->dirty != 0; d->dirty &= d->dirty - 1) {
        const uint32_t c = lowest_bit(d->dirty);
        struct channel_ring* r = &d->ring[c];
        FW_ASSERT(e, c < d->count);
        hal_write32(e->hal, reg(c, CHANNEL_REG_SQ_TAIL), r->tail);
        if (r->unreturned >= d->cq_entries / 4) {
            hal_write32(e->hal, reg(c, CHANNEL_REG_CQ_HEAD), r->head);
            r->unreturned = 0;
        }
    }
}
