/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs whose planes went bad while they waited.
 */
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/ops/flash_parts.h"
#include "firmware/space/blocks.h"
#include "firmware/space/spare.h"

/* Good planes first, in order, then the dropped ones, in order too: data, which a copyback has not,
 * and spare words of each. Before, those that were dropped earlier came last. */
static void rotate_planes(struct env* e, uint32_t i, uint32_t bad)
{
    const struct flash_request* r = flash_request_of(e, e->flash, i);
    const uint32_t slots = r->sg ? e->geo->page_units : 0;
    const uint32_t words = spare_words(e->geo);
    const uint32_t good = r->plane_mask & ~bad;
    const uint32_t dropped = r->fail_mask | bad;
    uint64_t list[GROUP_MAX];
    uint64_t oob[GROUP_MAX + 8];
    uint32_t from = 0;
    FW_ASSERT(e, r->oob && (r->sg || r->op == FLASH_OP_COPYBACK));
    FW_ASSERT(e, (bad & r->plane_mask) == bad);
    for (uint32_t part = 0; part < 2; ++part) {
        uint32_t rest = part == 0 ? r->plane_mask : r->fail_mask;
        for (; rest != 0; rest &= rest - 1, ++from) {
            const uint32_t plane = rest & (0u - rest);
            const uint32_t to = (good & plane) != 0
                                    ? count_bits(good & (plane - 1))
                                    : count_bits(good) + count_bits(dropped & (plane - 1));
            mem_copy(list + to * slots, flash_list(e, i) + from * slots, slots * sizeof *list);
            mem_copy(oob + to * words, flash_oob(e, i) + from * words, words * sizeof *oob);
        }
    }
    mem_copy(flash_list(e, i), list, from * slots * sizeof *list);
    mem_copy(flash_oob(e, i), oob, from * words * sizeof *oob);
}

bool flash_drop_bad_planes(struct env* e, uint32_t i)
{
    struct flash_request* r = flash_request_of(e, e->flash, i);
    const bool copies = r->op == FLASH_OP_COPYBACK;
    const uint32_t bad =
        r->plane_mask & ~blocks_good_planes(e, copies ? r->copy.to_block : r->block, r->lun);
    if (bad != 0 && !owner_has_blocks(r->owner)) {
        rotate_planes(e, i, bad);
        r->plane_mask = (uint8_t)(r->plane_mask & ~bad);
        r->fail_mask = (uint8_t)(r->fail_mask | bad);
    }
    return r->plane_mask != 0;
}
