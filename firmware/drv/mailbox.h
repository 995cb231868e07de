/* SPDX-License-Identifier: Apache-2.0
 *
 * A mailbox: messages of one size from one core to another, in order, in a ring in SRAM. Indices
 * count messages and wrap at 2^32. Each field has one writer; what a message holds is the
 * sender's until it is published and the receiver's until it is taken.
 */
#ifndef SSDVP_FIRMWARE_DRV_MAILBOX_H
#define SSDVP_FIRMWARE_DRV_MAILBOX_H

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

/* Sender: the next free message, NULL = full; send adds it to what is published next. */
void* mailbox_next(struct env* e, const struct mailbox* m);
void mailbox_send(struct env* e, struct mailbox* m);
static inline int mailbox_unpublished(const struct mailbox* m)
{
    return m->sent != m->tail;
}
/* At least half of it is free. */
int mailbox_spacious(const struct env* e, const struct mailbox* m);
/* Hands over all that was sent and rings the receiver's doorbell. After hal_fence(). */
void mailbox_publish(struct env* e, struct mailbox* m);

/* Rings a core's doorbell. */
void mailbox_knock(struct env* e, uint32_t core);

/* Receiver: the oldest message, NULL = none; taken, its place is the sender's again. */
const void* mailbox_first(struct env* e, const struct mailbox* m);
void mailbox_take(struct env* e, struct mailbox* m);

#endif
