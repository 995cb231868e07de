/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/drv/mailbox.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "models/regs/irq_regs.h"

int mailbox_init(struct env* e, struct mailbox* m, uint32_t least, uint32_t bytes, uint32_t to)
{
    FW_ASSERT(e, least != 0 && bytes % 8 == 0);
    FW_ASSERT(e, to < MAP_CORES_MAX);
    m->entries = 1u << bits_for(least);
    m->bytes = bytes;
    m->to = to;
    m->sent = m->tail = m->head = 0;
    m->ring = sram_take(e, (uint64_t)m->entries * bytes);
    return m->ring == ARENA_FULL ? -1 : 0;
}

void mailbox_knock(struct env* e, uint32_t core)
{
    FW_ASSERT(e, core < MAP_CORES_MAX);
    hal_write32(e->hal, MAP_IRQ_BASE + core * IRQ_CORE_STRIDE + IRQ_REG_DOORBELL, 1);
}

void mailbox_show(struct env* e, struct mailbox* m)
{
    FW_ASSERT(e, mailbox_unpublished(m));
    __atomic_store_n(&m->tail, m->sent, __ATOMIC_RELEASE);
}
