/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/ops/joined.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/space/blocks.h"

int flash_joined_init(struct env* e)
{
    struct flash* f = e->flash;
    const struct geometry* g = e->geo;
    /* A completion has the wrong bits of all its pages in one number, which a watch for weak blocks
     * cannot use. A superblock of one block has no planes. */
    f->joins = g->multi_plane != 0 && g->planes > 1 && !blocks_watches_bits(e);
    if (!f->joins) {
        return 0;
    }
    f->joined_lists = dram_take(e, (uint64_t)f->reads * g->planes * sizeof(uint64_t));
    FW_ASSERT(e, f->reads != 0);
    return arenas_result(e);
}

static uint64_t list_address(const struct env* e, uint32_t request)
{
    return e->flash->joined_lists + (uint64_t)request * e->geo->planes * sizeof(uint64_t);
}

/* Reads that have to be looked at one by one are those of searches and retries, and of another
 * command: its times are its own. */
static bool belongs(const struct env* e, const struct flash_request* r, const struct flash_desc* d)
{
    return d->op == FLASH_OP_READ && d->tag < e->flash->reads && d->block == r->block &&
           d->page == r->page && d->trace == r->trace && d->purpose == r->purpose &&
           d->priority == r->priority && d->column == 0 && d->length == r->length &&
           d->retry == 0 && d->oob_length == 0 && r->plane_mask > d->plane_mask;
}

bool flash_join(struct env* e, uint32_t request, uint32_t channel, uint32_t index)
{
    struct flash* f = e->flash;
    struct flash_request* r = flash_request_of(e, f, request);
    if (!f->joins || r->length != e->geo->page_size || request >= f->reads || r->sg ||
        r->level != 0 || r->purpose != FLASH_PURPOSE_HOST) {
        return false;
    }
    struct flash_desc* d = channel_last(e, channel);
    if (d == NULL || d->lun != index || !belongs(e, r, d)) {
        return false;
    }
    struct flash_request* before = flash_request_of(e, f, d->tag);
    uint64_t* list = (uint64_t*)env_dram(e, list_address(e, d->tag));
    const uint32_t pages = count_bits(d->plane_mask);
    if (pages == 1 && before->sg) {
        return false;
    }
    if (pages == 1) {
        list[0] = d->buffer;
        d->buffer = list_address(e, d->tag);
        d->flags |= FLASH_FLAG_SG;
        d->sg_unit = e->geo->page_size;
    }
    FW_ASSERT(e, pages < e->geo->planes && (d->plane_mask & r->plane_mask) == 0);
    env_touch(e, r, sizeof *r, true);
    list[pages] = r->buffer;
    d->plane_mask |= r->plane_mask;
    while (before->joined != 0) {
        before = flash_request_of(e, f, (uint32_t)before->joined - 1u);
    }
    before->joined = request + 1u;
    return true;
}

uint32_t flash_part(struct env* e, const struct flash_completion* whole, uint32_t request,
                    struct flash_completion* part)
{
    struct flash_request* r = flash_request_of(e, e->flash, request);
    const uint32_t next = r->joined != 0 ? (uint32_t)r->joined - 1u : INDEX_NONE;
    FW_ASSERT(e, request < e->flash->reads);
    FW_ASSERT(e, whole->plane_fail != 0 || whole->status != FLASH_STATUS_UNCORRECTABLE);
    r->joined = 0;
    *part = *whole;
    part->tag = (uint16_t)request;
    if (whole->status == FLASH_STATUS_UNCORRECTABLE) {
        part->plane_fail = (uint8_t)(whole->plane_fail & r->plane_mask);
        part->status = part->plane_fail != 0 ? FLASH_STATUS_UNCORRECTABLE : FLASH_STATUS_OK;
    }
    return next;
}
