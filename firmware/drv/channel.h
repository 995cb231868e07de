/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver of the flash channel controllers: one submission and one completion ring each, in SRAM.
 * Doorbells and completion heads are written by channels_ring, once per ring and call.
 */
#ifndef SSDVP_FIRMWARE_DRV_CHANNEL_H
#define SSDVP_FIRMWARE_DRV_CHANNEL_H

#include "firmware/lib/env.h"
#include "models/regs/channel_regs.h"

struct channel_ring {
    uint64_t sq; /* controller addresses */
    uint64_t cq;
    uint32_t tail;
    uint32_t head;
    uint32_t in_flight;
    uint32_t unreturned; /* completions read since the last head write */
    uint32_t phase;
    uint32_t reserved;
};

struct channels {
    uint32_t count;
    uint32_t sq_entries;
    uint32_t cq_entries;
    uint32_t first; /* of the drive's, that is channel 0 here */
    uint64_t dirty; /* bit n: channel n has descriptors without doorbell */
    struct channel_ring ring[MAP_CHANNEL_MAX];
};

/* Of lines of the interrupt controller those of channels, from this one on: bit n is raised by
 * channel n, and by those each IRQ_CHANNEL_LINES behind it. A partition has no lines of other ones
 * enabled. */
static inline uint32_t channels_line(const struct env* e)
{
    return IRQ_LINE_CHANNEL0 + e->channels->first;
}
static inline uint32_t channels_raised(const struct env* e, uint64_t lines)
{
    return (uint32_t)(lines >> channels_line(e));
}

/* All of them. */
static inline uint64_t channels_lines(const struct env* e)
{
    const struct channels* d = e->channels;
    return (UINT64_MAX >> (64 - (d->count < IRQ_CHANNEL_LINES ? d->count : IRQ_CHANNEL_LINES)))
           << (IRQ_LINE_CHANNEL0 + d->first);
}

/* Rings for `in_flight` operations on each of `count` channels from the `first` on, which asks its
 * dies to suspend what `suspend` says (CHANNEL_SUSPEND_*). 0 = done, -1 = the arena is used up. */
int channels_init(struct env* e, uint32_t first, uint32_t count, uint32_t in_flight,
                  uint32_t suspend);
void channels_stop(struct env* e);

/* The next free descriptor; fewer than `in_flight` are used. channel_push hands it over. */
static inline struct flash_desc* channel_next(struct env* e, uint32_t channel)
{
    const struct channel_ring* r = &e->channels->ring[channel];
    FW_ASSERT(e, channel < e->channels->count);
    FW_ASSERT(e, r->in_flight + 1 < e->channels->sq_entries);
    return (struct flash_desc*)env_sram_entry(e, r->sq, r->tail, sizeof(struct flash_desc));
}
static inline void channel_push(struct env* e, uint32_t channel)
{
    struct channels* d = e->channels;
    struct channel_ring* r = &d->ring[channel];
    r->tail = r->tail + 1 == d->sq_entries ? 0 : r->tail + 1;
    ++r->in_flight;
    d->dirty |= UINT64_C(1) << channel;
}

/* The oldest unread completion, or NULL. It is consumed; valid until the next call. */
static inline const struct flash_completion* channel_poll(struct env* e, uint32_t channel)
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

void channels_tell(struct env* e); /* those that are dirty */
static inline void channels_ring(struct env* e)
{
    if (e->channels->dirty != 0) {
        channels_tell(e);
    }
}

#endif
