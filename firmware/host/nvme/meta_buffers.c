/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages for what commands move beside data.
 */
#include "firmware/host/core/hil.h"
#include "firmware/lib/mem.h"

uint64_t hil_meta_address(const struct env* e, uint32_t buffer)
{
    return e->hil->meta + (uint64_t)buffer * META_SIZE;
}

uint32_t hil_meta_take(struct env* e)
{
    struct hil* h = e->hil;
    const uint32_t i = fifo_pop(&h->meta_free, h->meta_links);
    FW_ASSERT(e, i == INDEX_NONE || i < META_BUFFERS);
    if (i != INDEX_NONE) {
        mem_zero(env_dram(e, hil_meta_address(e, i)), META_SIZE);
    }
    return i;
}

void hil_meta_free(struct env* e, uint32_t buffer)
{
    FW_ASSERT(e, buffer < META_BUFFERS);
    FW_ASSERT(e, e->hil->meta_free.count < META_BUFFERS);
    fifo_push(&e->hil->meta_free, e->hil->meta_links, buffer);
}
