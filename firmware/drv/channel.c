/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/drv/channel.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"

_Static_assert(IRQ_CHANNEL_LINES == 32 && MAP_CHANNEL_MAX <= 64, "words of channels_raised, dirty");
_Static_assert(sizeof(struct flash_desc) >= 64 && sizeof(struct flash_completion) == 32, "rings");

/* Completions whose entries may stay with firmware: returning them costs a register write. */
enum { RETURN_AT = 128, RING_MAX = 65536 };

static uint64_t reg(const struct env* e, uint32_t channel, uint32_t offset)
{
    return MAP_CHANNEL_BASE + (e->channels->first + channel) * MAP_CHANNEL_SIZE + offset;
}

static int ring_init(struct env* e, uint32_t channel, uint32_t suspend)
{
    struct channels* d = e->channels;
    struct channel_ring* r = &d->ring[channel];
    r->sq = sram_take(e, (uint64_t)d->sq_entries * sizeof(struct flash_desc));
    r->cq = sram_take(e, (uint64_t)d->cq_entries * sizeof(struct flash_completion));
    if (r->sq == ARENA_FULL || r->cq == ARENA_FULL) {
        return -1;
    }
    r->phase = 1;
    hal_write32(e->hal, reg(e, channel, CHANNEL_REG_SQ_BASE_LO), (uint32_t)r->sq);
    hal_write32(e->hal, reg(e, channel, CHANNEL_REG_SQ_BASE_HI), (uint32_t)(r->sq >> 32));
    hal_write32(e->hal, reg(e, channel, CHANNEL_REG_SQ_SIZE), d->sq_entries);
    hal_write32(e->hal, reg(e, channel, CHANNEL_REG_CQ_BASE_LO), (uint32_t)r->cq);
    hal_write32(e->hal, reg(e, channel, CHANNEL_REG_CQ_BASE_HI), (uint32_t)(r->cq >> 32));
    hal_write32(e->hal, reg(e, channel, CHANNEL_REG_CQ_SIZE), d->cq_entries);
    hal_write32(e->hal, reg(e, channel, CHANNEL_REG_SUSPEND), suspend);
    hal_write32(e->hal, reg(e, channel, CHANNEL_REG_INT_ENABLE), CHANNEL_INT_ENABLE_POSTED);
    return 0;
}

int channels_init(struct env* e, uint32_t first, uint32_t count, uint32_t in_flight,
                  uint32_t suspend)
{
    struct channels* d = e->channels;
    FW_ASSERT(e, count >= 1 && count <= MAP_CHANNEL_MAX);
    FW_ASSERT(e, in_flight >= 1 && in_flight < RING_MAX - RETURN_AT);
    d->first = first;
    d->count = count;
    d->sq_entries = in_flight + 1; /* one stays free: a full ring would look empty */
    d->cq_entries = d->sq_entries + RETURN_AT;
    d->dirty = 0;
    for (uint32_t c = 0; c < count; ++c) {
        if (ring_init(e, c, suspend) != 0) {
            return -1;
        }
    }
    return 0;
}

void channels_stop(struct env* e)
{
    for (uint32_t c = 0; c < e->channels->count; ++c) {
        hal_write32(e->hal, reg(e, c, CHANNEL_REG_INT_ENABLE), 0);
    }
}

/* The completion ring holds what can be in flight and RETURN_AT more, so its head may return
 * lazily: when that many have been read. */
void channels_tell(struct env* e)
{
    struct channels* d = e->channels;
    for (; d->dirty != 0; d->dirty &= d->dirty - 1) {
        const uint32_t c = (uint32_t)__builtin_ctzll(d->dirty);
        struct channel_ring* r = &d->ring[c];
        hal_write32(e->hal, reg(e, c, CHANNEL_REG_SQ_TAIL), r->tail);
        if (r->unreturned >= RETURN_AT) {
            hal_write32(e->hal, reg(e, c, CHANNEL_REG_CQ_HEAD), r->head);
            r->unreturned = 0;
        }
    }
}
