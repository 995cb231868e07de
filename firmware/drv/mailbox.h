/* SPDX-License-Identifier: Apache-2.0
 *
 * A mailbox: messages of one size from one core to another, in order, in a ring in SRAM. Indices
 * count messages and wrap at 2^32. Each field has one writer; what a message holds is the
 * sender's until it is published and the receiver's until it is taken.
 */
#ifndef SSDVP_FIRMWARE_DRV_MAILBOX_H
#define SSDVP_FIRMWARE_DRV_MAILBOX_H

#include <stdbool.h>

#include "firmware/lib/env.h"

struct mailbox {
    uint64_t ring;    /* controller address */
    uint32_t entries; /* power of two */
    uint32_t bytes;   /* of a message */
    uint32_t to;      /* core that takes the messages */
    uint32_t sent;    /* sender: messages written ... */
    uint32_t tail;    /* ... and of them published */
    uint32_t head;    /* receiver: messages taken */
};

/* 0 = done, -1 = the arena is used up. `least` messages fit. */
int mailbox_init(struct env* e, struct mailbox* m, uint32_t least, uint32_t bytes, uint32_t to);

static inline void* mailbox_place(const struct env* e, const struct mailbox* m, uint32_t index)
{
    return (uint8_t*)env_sram(e, m->ring) + (size_t)(index & (m->entries - 1)) * m->bytes;
}

/* Sender: the next free message, NULL = full; send adds it to what is published next. */
static inline void* mailbox_next(struct env* e, const struct mailbox* m)
{
    const uint32_t used = m->sent - __atomic_load_n(&m->head, __ATOMIC_ACQUIRE);
    FW_ASSERT(e, used <= m->entries);
    return used == m->entries ? NULL : mailbox_place(e, m, m->sent);
}
static inline void mailbox_send(struct env* e, struct mailbox* m)
{
    FW_ASSERT(e, m->sent - m->tail < m->entries);
    ++m->sent;
}
static inline bool mailbox_unpublished(const struct mailbox* m)
{
    return m->sent != m->tail;
}
/* At least half of it is free. */
static inline bool mailbox_spacious(const struct mailbox* m)
{
    return m->sent - __atomic_load_n(&m->head, __ATOMIC_ACQUIRE) <= m->entries / 2;
}
/* Hands over all that was sent, to a receiver that looks. After hal_fence(). */
void mailbox_show(struct env* e, struct mailbox* m);

/* Rings a core's doorbell. */
void mailbox_knock(struct env* e, uint32_t core);

/* Receiver: messages from head on, up to end, can be read; taken up to an index, their places are
 * the sender's again. */
static inline uint32_t mailbox_end(const struct mailbox* m)
{
    return __atomic_load_n(&m->tail, __ATOMIC_ACQUIRE);
}
static inline void mailbox_taken(struct env* e, struct mailbox* m, uint32_t end)
{
    FW_ASSERT(e, end - m->head <= m->entries);
    __atomic_store_n(&m->head, end, __ATOMIC_RELEASE);
}

/* One by one: the oldest message, NULL = none. */
static inline const void* mailbox_first(const struct env* e, const struct mailbox* m)
{
    return mailbox_end(m) == m->head ? NULL : mailbox_place(e, m, m->head);
}
static inline void mailbox_take(struct env* e, struct mailbox* m)
{
    FW_ASSERT(e, m->head != mailbox_end(m));
    __atomic_store_n(&m->head, m->head + 1, __ATOMIC_RELEASE);
}

#endif
