/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning: fills the drive through the same streams, map and collection rules, but with
 * channels that execute at the doorbell, so that nothing is ever under way. Purpose PRECONDITION
 * throughout.
 */
#include "firmware/run/precondition.h"

#include "firmware/drv/devices.h"
#include "firmware/gc/pace.h"
#include "firmware/gc/program.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/ops/requests.h"
#include "firmware/run/precondition_collect.h"
#include "firmware/run/precondition_lanes.h"
#include "firmware/run/precondition_write.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/lanes.h"
#include "firmware/space/pool.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"

enum { PREFETCH_AHEAD = 16 };

/* ---- With block and hybrid mapping ----
 *
 * Each unit goes where its scheme says, at once, and
 * the merges that it asks for are made in between. Written in order a drive is filled in place.
 */

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

static int precondition_to_places(struct env* e, const uint64_t* units, uint32_t count,
                                  uint64_t buffer)
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

static int precondition_placed_end(struct env* e)
{
    const struct ftl_layout* layout = ftl_layout_of(e);
    while (!layout->idle(e)) {
        work(e);
    }
    return FLASH_STATUS_OK;
}

/* ---- By pages ---- */

/* One write unit of staged units; what does not fit moves up. */
static int write_staged(struct env* e)
{
    struct append* a = append_of(e);
    uint64_t* list = env_dram(e, a->list);
    uint64_t* kept = env_dram(e, a->units);
    const uint32_t units = blocks_next_units(e, STREAM_HOST);
    const uint32_t count = a->count < units ? a->count : units;
    FW_ASSERT(e, count != 0);
    for (uint32_t i = 0; i < count; ++i) {
        list[i] = a->staging + ((uint64_t)i << e->geo->unit_shift);
    }
    mem_copy(env_dram(e, a->numbers), kept, count * sizeof *kept);
    const struct source source = {0, NULL, INDEX_NONE, INDEX_NONE};
    if (precondition_program(e, STREAM_HOST, count, &source) != count) {
        return -1;
    }
    a->count -= count;
    for (uint32_t i = 0; i < a->count; ++i) {
        kept[i] = kept[i + count];
        sectors_copy(e, a->staging + ((uint64_t)i << e->geo->unit_shift),
                     a->staging + ((uint64_t)(i + count) << e->geo->unit_shift),
                     ones(e->geo->unit_sectors));
    }
    return 0;
}

/* Keeps units for the next call: the caller's buffer is his again. */
static void stage(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer)
{
    struct append* a = append_of(e);
    uint64_t* kept = env_dram(e, a->units);
    FW_ASSERT(e, a->count + count <= e->geo->group);
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t to = a->staging + ((uint64_t)a->count << e->geo->unit_shift);
        const uint64_t from = buffer + ((uint64_t)i << e->geo->unit_shift);
        kept[a->count++] = units[i];
        sectors_copy(e, to, from, ones(e->geo->unit_sectors));
    }
}

/* Puts units in the staging area until a write unit is full. Returns how many it took, 0 = no
 * space. */
static uint32_t append_staged(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer,
                              uint32_t room)
{
    struct append* a = append_of(e);
    uint32_t take = room > a->count ? room - a->count : 0;
    take = take > count ? count : take;
    if (take != 0) {
        stage(e, units, take, buffer);
    }
    if (a->count >= room && write_staged(e) != 0) {
        return INDEX_NONE;
    }
    FW_ASSERT(e, take != 0 || a->count < e->geo->group);
    return take;
}

static uint32_t append_direct(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer,
                              uint32_t room)
{
    uint64_t* numbers = env_dram(e, append_of(e)->numbers);
    FW_ASSERT(e, room <= count);
    FW_ASSERT(e, append_of(e)->count == 0);
    for (uint32_t n = 0; n < room; ++n) {
        numbers[n] = units[n];
        if (n + PREFETCH_AHEAD < count) {
            ftl_ops_of(e)->prefetch(e, units[n + PREFETCH_AHEAD]);
        }
    }
    const struct source source = {buffer, NULL, INDEX_NONE, INDEX_NONE};
    const uint32_t went = precondition_program(e, STREAM_HOST, room, &source);
    return went == 0 ? INDEX_NONE : went;
}

/* ---- Lanes: units wait for others of their bin ---- */

static int to_lanes(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer)
{
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t data = buffer + ((uint64_t)i << e->geo->unit_shift);
        const uint32_t full = precondition_to_bin(e, units[i], data);
        ftl_ops_of(e)->prefetch(e, units[i]);
        if (full != INDEX_NONE &&
            (precondition_next_units(e) == 0 || precondition_write_bin(e, full, false) != 0)) {
            return FLASH_STATUS_PROGRAM_FAIL;
        }
    }
    FW_ASSERT(e, flash_in_flight(e) == 0);
    return FLASH_STATUS_OK;
}

/* What waits goes as it is. */
static int end_lanes(struct env* e)
{
    for (uint32_t bin = 0; bin < lanes_bins(e); ++bin) {
        if (precondition_filled(e, false)[bin] != 0 &&
            (precondition_next_units(e) == 0 || precondition_write_bin(e, bin, false) != 0)) {
            return FLASH_STATUS_PROGRAM_FAIL;
        }
    }
    return FLASH_STATUS_OK;
}

int append_units(struct hal* hal, const uint64_t* units, uint32_t count, uint64_t buffer)
{
    struct env e;
    int status = FLASH_STATUS_OK;
    fw_bind(&e, hal);
    FW_ASSERT(&e, fw_of(hal)->booted != 0);
    FW_ASSERT(&e, flash_in_flight(&e) == 0 && cache_at_rest(&e));
    if (count == 0) {
        append_of(&e)->phase = buffer != 0 ? APPEND_IDLE : APPEND_BUSY;
    }
    ftl_precondition(&e, true);
    gc_host_never_rests(&e, append_of(&e)->phase == APPEND_BUSY);
    if (count == 0 && append_of(&e)->phase == APPEND_IDLE && precondition_is_load(&e)) {
        precondition_pay(&e);
    }
    lanes_take_turns(&e, true);
    if (lanes_keyed(&e)) {
        return to_lanes(&e, units, count, buffer);
    }
    if (ftl_ops_of(&e)->place != NULL) {
        return precondition_to_places(&e, units, count, buffer);
    }
    for (uint32_t k = 0; k < count && k < PREFETCH_AHEAD; ++k) {
        ftl_ops_of(&e)->prefetch(&e, units[k]);
    }
    for (uint32_t i = 0; i < count && status == FLASH_STATUS_OK;) {
        const uint32_t room = precondition_next_units(&e);
        const uint64_t at = buffer + ((uint64_t)i << e.geo->unit_shift);
        const bool direct = append_of(&e)->count == 0 && count - i >= room;
        uint32_t went = INDEX_NONE;
        if (room != 0) {
            went = direct ? append_direct(&e, units + i, count - i, at, room)
                          : append_staged(&e, units + i, count - i, at, room);
        }
        if (went == INDEX_NONE) {
            status = FLASH_STATUS_PROGRAM_FAIL;
        } else {
            i += went;
        }
    }
    return status;
}

int append_end(struct hal* hal)
{
    struct env e;
    int status = FLASH_STATUS_OK;
    fw_bind(&e, hal);
    FW_ASSERT(&e, fw_of(hal)->booted != 0);
    while (append_of(&e)->count != 0 && status == FLASH_STATUS_OK) {
        status = precondition_next_units(&e) == 0 || write_staged(&e) != 0
                     ? FLASH_STATUS_PROGRAM_FAIL
                     : FLASH_STATUS_OK;
    }
    if (ftl_layout_of(&e)->settle(&e)) {
        status = precondition_empty_log(&e) ? status : FLASH_STATUS_PROGRAM_FAIL;
        ftl_layout_of(&e)->settled(&e);
    }
    if (ftl_ops_of(&e)->place != NULL) {
        status = precondition_placed_end(&e);
    }
    if (lanes_keyed(&e)) {
        status = end_lanes(&e);
    }
    /* A drive in use makes its checkpoints when they are due, without simulated time too. */
    if (status == FLASH_STATUS_OK && flash_sequence(&e) != 0 && !precondition_is_load(&e)) {
        checkpoint_ask(&e);
        precondition_settle(&e);
    }
    append_of(&e)->phase = APPEND_FILLS;
    ftl_precondition(&e, false);
    gc_host_never_rests(&e, false);
    lanes_take_turns(&e, false);
    if (slc_on(&e)) { /* main sleeps: it is to look at how little room is left of the cache */
        fw_of(hal)->timers.armed = 0;
        timer_arm(&e, 1);
    }
    FW_ASSERT(&e, flash_in_flight(&e) == 0);
    return status;
}
