/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/hybrid_units.h"

#include "firmware/blocks/hybrid_log.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/log.h"
#include "firmware/map/maps_load.h"
#include "firmware/space/erase.h"

uint64_t data_block_of(struct env* e, uint64_t lblock)
{
    return maps_load(e, 1, maps_page(e, lblock), false) ? maps_entry(e, 1, lblock) : FTL_UNKNOWN;
}

/* The page of the data block is garbage, if there is one. */
static void leave_data_block(struct env* e, uint64_t unit)
{
    const uint64_t block = maps_entry(e, 1, lblock_of(e, unit));
    FW_ASSERT(e, lblock_resident(e, lblock_of(e, unit)));
    if (e->hybrid->loading == 0 && maps_placed(block)) {
        const struct log_packet garbage = {
            .op = LOG_INVALID, .log = LOG_D, .index = unit, .address = data_page(e, block, unit)};
        (void)log_send(e, garbage);
    }
}

uint32_t hybrid_leave(struct env* e, uint64_t unit)
{
    const uint32_t k = log_find(e, unit);
    const uint32_t mark = k != INDEX_NONE ? log_entry_of(e, k)->mark : MARK_NONE;
    if (k != INDEX_NONE) {
        log_drop(e, k);
    }
    if (mark == MARK_NONE || mark == MARK_LOST) {
        leave_data_block(e, unit);
    }
    return mark;
}

void data_block_leave(struct env* e, uint64_t block)
{
    if (e->hybrid->loading != 0) {
        return;
    }
    e->telemetry->lost_units -= ftl_lost(block) ? 1u : 0u;
    if (maps_placed(block)) {
        blocks_discard(e, address_block(e->geo, block & ~FTL_LOST), FLASH_PURPOSE_GC);
    }
}

/* ---- The end of a merge ---- */

static uint32_t lost_among(const uint8_t* lost, uint64_t count)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i < count; ++i) {
        n += lost[i];
    }
    return n;
}

/* More units are lost than can be marked: nobody could tell which of them are, so that all of the
 * logical block is. It stays in its data block, whose last page says so to power-up. */
static void lose_block(struct env* e, uint64_t lblock)
{
    hal_log(e->hal, HAL_LOG_ERROR, "too many units are lost: read only; logical block", lblock, 0);
    e->telemetry->read_only = 1;
    ++e->telemetry->lost_units;
}

void data_block_switch(struct env* e, uint64_t lblock, uint32_t target, const uint8_t* lost)
{
    const struct hybrid* h = e->hybrid;
    const struct place p = {.block = target};
    const uint64_t to = unit_address(e->geo, &p, 0);
    const uint64_t old = maps_entry(e, 1, lblock);
    struct superblock* s = superblock_of(e, e->blocks, target);
    const uint64_t first = lblock * e->geo->pages;
    const uint64_t end = lblock_end(e, lblock);
    FW_ASSERT(e, lblock_resident(e, lblock) && *pins_of(e, lblock) == 0);
    for (uint64_t unit = first; unit < end; ++unit) {
        (void)hybrid_leave(e, unit);
    }
    data_block_leave(e, old);
    log_not_gone(e, lblock);
    const uint32_t marks = lost_among(lost, end - first);
    const bool all = marks != 0 && h->marks_free < h->marks_held + h->marks + marks;
    if (all) {
        lose_block(e, lblock);
    }
    s->role = BLOCK_DATA;
    s->owner = (uint32_t)lblock;
    maps_set(e, 1, lblock, to | (all ? FTL_LOST : 0));
    for (uint64_t unit = first; unit < end; ++unit) {
        const struct log_packet valid = {
            .op = LOG_VALID, .log = LOG_D, .index = unit, .address = data_page(e, to, unit)};
        (void)log_send(e, valid);
        if (lost[unit - first] != 0 && !all) {
            log_mark(e, unit, MARK_LOST);
        }
    }
}
