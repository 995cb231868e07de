/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning with block and hybrid mapping: each unit goes where its scheme says, at once, and
 * the merges that it asks for are made in between. Written in order a drive is filled in place.
 */
#include "firmware/run/precondition_placed.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/run/precondition_collect.h"
#include "firmware/space/capacity.h"
#include "firmware/space/pool.h"
#include "firmware/space/spare.h"

enum { PLACE_TRIES = 1 << 20 };

/* Map pages have left garbage that is to go now: merges give blocks back themselves, but if there
 * are too few for the next one it waits for collection. */
static bool collects(const struct env* e)
{
    return blocks_free(e) < gc_low(e) &&
           (blocks_free(e) <= blocks_set_aside(e) || ftl_layout_of(e)->idle(e));
}

/* Merges, maps, erases and collection go on until they have nothing to do. */
static void work(struct env* e)
{
    ftl_layout_of(e)->step(e);
    precondition_settle(e);
    precondition_erase(e);
    if (collects(e)) {
        (void)precondition_collect(e);
    }
}

/* Where the unit goes now: it is pinned. false = there is no room, nor will there be. */
static bool find_place(struct env* e, uint64_t unit, struct ftl_place* at)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    for (uint32_t tries = 0; tries < PLACE_TRIES && e->telemetry->read_only == 0; ++tries) {
        if (!blocks_gate_open(e)) {
            blocks_knock(e);
        } else if (ftl->pin(e, unit)) {
            if (ftl->place(e, unit, at)) {
                return true;
            }
            ftl->unpin(e, unit);
        }
        work(e);
    }
    return false;
}

/* true = programmed; false = the block failed. */
static bool program(struct env* e, uint64_t unit, const struct ftl_place* at, uint64_t buffer)
{
    const struct append* a = &fw_of(e->hal)->append;
    uint64_t* oob = env_dram(e, a->oob);
    struct flash_desc d;
    uint32_t fail = 0;
    mem_zero(&d, sizeof d);
    d.op = FLASH_OP_PROGRAM;
    d.plane_mask = 1;
    d.purpose = FLASH_PURPOSE_PRECONDITION;
    d.program_mode = flash_block_mode(e, at->block);
    d.trace = FLASH_TRACE_NONE;
    d.block = at->block;
    d.page = at->page;
    d.length = e->geo->page_size;
    d.oob_length = e->geo->oob_bytes;
    d.buffer = buffer;
    d.oob = a->oob;
    oob[spare_word(e->geo, 0)] = spare_pack(at->kind, unit);
    spare_seal(e, oob, 1, flash_next_sequence(e));
    superblock_of(e, e->blocks, at->block)->newest = flash_sequence(e);
    const uint32_t status = flash_execute(e, &d, 0, &fail);
    if (status != FLASH_STATUS_OK && (status != FLASH_STATUS_PROGRAM_FAIL || fail == 0)) {
        HAL_PANIC(e->hal, "the flash refused a program while preconditioning");
    }
    ++e->telemetry->host_units_written;
    ftl_ended(e, flash_sequence(e));
    if (fail != 0) {
        const struct erase_piece piece = {at->block, 0, fail};
        blocks_retire(e, &piece, RETIRE_PROGRAM);
        return false;
    }
    flash_reaches_all(e);
    return true;
}

int precondition_to_places(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    for (uint32_t i = 0; i < count;) {
        struct ftl_place at = {INDEX_NONE, 0, 0};
        if (!find_place(e, units[i], &at)) {
            return FLASH_STATUS_PROGRAM_FAIL;
        }
        const int done = program(e, units[i], &at, buffer + ((uint64_t)i << e->geo->unit_shift));
        if (done) {
            ftl->commit(e, units[i], (uint64_t)at.block * e->geo->pages + at.page);
        }
        ftl->unpin(e, units[i]);
        i += done ? 1u : 0u;
        if (checkpoint_is_due(e)) {
            work(e);
        }
    }
    FW_ASSERT(e, flash_in_flight(e) == 0);
    return FLASH_STATUS_OK;
}

int precondition_placed_end(struct env* e)
{
    const struct ftl_layout* layout = ftl_layout_of(e);
    while (!layout->idle(e)) {
        work(e);
    }
    return FLASH_STATUS_OK;
}
