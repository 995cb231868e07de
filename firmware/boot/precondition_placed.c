/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning with block and hybrid mapping: each unit goes to the page that its scheme says,
 * after the merges that it asks for.
 */
#include "firmware/blockmap/blockmap.h"
#include "firmware/boot/precondition.h"
#include "firmware/flash/spare.h"
#include "firmware/lib/stats.h"
#include "firmware/recovery/recovery.h"

enum { PLACE_TRIES = 1 << 20 };

static void work(struct env* e)
{
    FW_ASSERT(e, e->blockmap->on != 0);
    e->blocks->knocked = e->blocks->closed != BLOCKS_OPEN; /* a record is to be written first */
    blockmap_step(e);
    append_settle(e);
    append_erase(e);
}

/* Programs a unit to its page. 0 = that failed: it has another place. */
static int program(struct env* e, uint64_t unit, const struct ftl_place* at, uint64_t data)
{
    const struct write_unit w = {at->block, at->page, 0, 1, 1};
    struct flash_desc d;
    uint32_t fail = 0;
    uint64_t* oob = env_dram(e, append_of(e)->oob);
    append_describe(e, &w, &d, FLASH_OP_PROGRAM);
    d.buffer = data;
    d.oob = append_of(e)->oob;
    oob[spare_word(e->geo, 0)] = spare_pack(at->kind, unit);
    spare_seal(e, oob, 1, ++e->flash->sequence);
    ++superblock_of(e, e->blocks, at->block)->pending;
    const uint32_t status = flash_execute(e, &d, 0, &fail);
    if (status != FLASH_STATUS_OK && (status != FLASH_STATUS_PROGRAM_FAIL || fail == 0)) {
        HAL_PANIC(e->hal, "the flash refused a program while preconditioning");
    }
    blockmap_ended(e, e->flash->sequence);
    if (fail != 0) {
        const struct erase_piece piece = {at->block, 0, fail};
        blocks_retire(e, &piece, RETIRE_PROGRAM);
    } else {
        e->flash->reached = e->flash->sequence;
        ftl_ops_of(e)->commit(e, unit, page_address(e, at->block, at->page));
    }
    blocks_unpend(e, at->block);
    ++*(fail != 0 ? &e->stats->pad_units : &e->stats->host_units_written);
    return fail == 0;
}

static int place(struct env* e, uint64_t unit, uint64_t data)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    FW_ASSERT(e, unit < e->geo->user_units);
    for (uint32_t tries = 0; tries < PLACE_TRIES; ++tries) {
        struct ftl_place at = {INDEX_NONE, 0, 0};
        int done = 0;
        if (e->blocks->closed == BLOCKS_OPEN && e->blockmap->hold == 0 && ftl->pin(e, unit)) {
            done = ftl->place(e, unit, &at) && program(e, unit, &at, data);
            ftl->unpin(e, unit);
        }
        if (done) {
            return 1;
        }
        work(e);
    }
    return 0;
}

int append_placed(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer)
{
    FW_ASSERT(e, e->blockmap->on != 0 && e->geo->slots == 1);
    for (uint32_t i = 0; i < count; ++i) {
        if (!place(e, units[i], buffer + ((uint64_t)i << e->geo->unit_shift))) {
            return FLASH_STATUS_PROGRAM_FAIL;
        }
        if (flash_in_flight(e) != 0 || e->blocks->erase_queue.head != INDEX_NONE) {
            work(e);
        }
    }
    return FLASH_STATUS_OK;
}

void append_placed_end(struct env* e)
{
    for (uint32_t tries = 0; tries < PLACE_TRIES && !folds_idle(e); ++tries) {
        work(e);
    }
    FW_ASSERT(e, folds_idle(e));
}
