/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads of power-up, and what else ends meanwhile.
 */
#include "firmware/durable/reads.h"

#include "firmware/durable/anchor.h"
#include "firmware/durable/scan_seen.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_program.h"
#include "firmware/map/maps_reads.h"
#include "firmware/map/maps_saved.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_boot.h"
#include "firmware/map/segments_commit.h"
#include "firmware/ops/padding.h"
#include "firmware/ops/passes.h"
#include "firmware/space/spare.h"

uint32_t boot_take_read(struct env* e, const struct place* p, uint32_t planes)
{
    const uint32_t i = flash_take(e, OWNER_SCAN);
    if (i == INDEX_NONE) {
        return i;
    }
    struct flash_request* r = flash_request_of(e, i);
    r->op = FLASH_OP_READ;
    r->purpose = FLASH_PURPOSE_RECOVERY;
    r->priority = 0;
    r->plane_mask = (uint8_t)planes;
    r->lun = (uint16_t)p->lun;
    r->block = p->block;
    r->page = p->page;
    r->column = 0;
    r->length = 0;
    r->oob = true;
    r->scan.again = 0;
    ++e->telemetry->recovery_pages;
    FW_ASSERT(e, planes != 0);
    return i;
}

/* The page of one plane; words = NULL when it is unreadable. */
static void plane_read(struct env* e, const struct flash_request* r, uint32_t plane,
                       const uint64_t* words)
{
    switch (e->recovery->waits) {
    case WAITS_ONE:
        e->recovery->read_ok = words != NULL;
        e->recovery->read_tries = r->tries;
        e->recovery->read_done = 1;
        break;
    case WAITS_PAGE_0:
        scan_page_0_read(e, r, plane, words);
        break;
    case WAITS_SEGMENTS:
        segments_seen(e, r, words);
        break;
    case WAITS_LAYOUT:
        ftl_layout_of(e)->read(e, r, words);
        break;
    default:
        scan_page_read(e, r, plane, words);
        break;
    }
}

/* Planes that could not be read together with others are read alone: the read retry level that
 * suits one may not suit the other. */
static void page_read(struct env* e, const struct flash_result* result)
{
    struct flash_request* r = flash_request_of(e, result->request);
    const uint64_t* words = flash_oob(e, result->request);
    const bool alone = (r->plane_mask & (r->plane_mask - 1)) == 0;
    FW_ASSERT(e, r->op == FLASH_OP_READ && r->owner == OWNER_SCAN);
    for (uint32_t rest = r->plane_mask; rest != 0; rest &= rest - 1, words += spare_words(e->geo)) {
        const uint32_t plane = lowest_bit(rest);
        const bool failed = ((result->plane_fail >> plane) & 1u) != 0;
        if (failed && !alone) {
            r->scan.again |= 1u << plane;
        } else {
            plane_read(e, r, plane, failed ? NULL : words);
        }
    }
    if (r->scan.again == 0) {
        flash_free(e, result->request);
        return;
    }
    r->plane_mask = (uint8_t)(r->scan.again & (0u - r->scan.again));
    r->scan.again &= r->scan.again - 1;
    flash_read_restart(r);
    flash_submit(e, result->request);
}

bool boot_poll(struct env* e)
{
    static const flash_handler handlers[OWNERS] = {
        [OWNER_SCAN] = page_read,
        [OWNER_MAP_READ] = maps_read_done,
        [OWNER_MAP_PROGRAM] = maps_program_done,
        [OWNER_ERASE] = flash_erase_done,
        [OWNER_ANCHOR] = anchor_done,
        [OWNER_SEGMENT] = segments_done,
        [OWNER_PAD] = passes_pad_done,
    };
    uint32_t found = 0;
    channels_ring(e);
    for (uint32_t c = 0; c < e->geo->channels; ++c) {
        found += flash_poll(e, c, handlers);
    }
    if (maps_holds(e, 1) || maps_holds(e, 2)) { /* map pages may have to be put out */
        maps_step(e);
        found += flash_step(e, handlers);
    } else if (e->recovery->phase != CHECKPOINT_IDLE) {
        found += flash_step(e, handlers);
    }
    found += (uint32_t)segments_step(e);
    channels_ring(e); /* retries */
    if (found == 0 && passes_held(e) != 0 && padding_rescue(e)) {
        channels_ring(e);
    }
    if (found == 0 && flash_in_flight(e) != 0) { /* else who asked asks once more */
        (void)hal_wait_irq(e->hal);
    }
    return !hal_stopping(e->hal);
}

const uint64_t* boot_read(struct env* e, const struct place* p, uint64_t buffer)
{
    struct recovery* v = e->recovery;
    const uint32_t i = boot_take_read(e, p, 1u << p->plane);
    FW_ASSERT(e, i != INDEX_NONE);
    struct flash_request* r = flash_request_of(e, i);
    r->length = buffer != 0 ? e->geo->page_size : 0;
    r->buffer = buffer;
    r->metadata = true;
    v->waits = WAITS_ONE;
    v->read_done = 0;
    flash_submit(e, i);
    while (v->read_done == 0) {
        if (!boot_poll(e)) {
            return NULL;
        }
    }
    return v->read_ok != 0 ? flash_oob(e, i) : NULL;
}

void boot_drain(struct env* e)
{
    while (flash_in_flight(e) != 0 && boot_poll(e)) {
    }
    FW_ASSERT(e, flash_in_flight(e) == 0 || hal_stopping(e->hal));
}
