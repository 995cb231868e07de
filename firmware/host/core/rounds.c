/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/rounds.h"

#include "firmware/buffer/waiters.h"
#include "firmware/durable/recovery.h"
#include "firmware/gc/gc.h"
#include "firmware/gc/pace.h"
#include "firmware/host/core/arrivals.h"
#include "firmware/host/core/commands.h"
#include "firmware/host/core/controller.h"
#include "firmware/host/core/waiting.h"
#include "firmware/host/nvme/events.h"
#include "firmware/host/nvme/metadata.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/nvme/nvme_admin.h"
#include "firmware/host/nvme/transfers.h"

/* ---- What goes on ---- */

static void finish_durable(struct env* e)
{
    struct hil* h = e->hil;
    while (cache_has_done(e)) {
        const struct cache_done d = cache_next_done(e);
        hal_mark(e->hal, d.command);
        commands_programmed(e, &d);
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    while (h->flushes.head != INDEX_NONE && hil_is_flushed(e, command_of(e, h->flushes.head))) {
        const uint32_t slot = fifo_pop(&h->flushes, hil_wait_links(e));
        FW_ASSERT(e, command_of(e, slot)->state == COMMAND_FLUSH);
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
    }
}

/* A command may have ended that waited for programs. */
static bool may_finish(const struct env* e)
{
    return cache_has_done(e) || e->hil->flushes.count != 0;
}

static void resume_nvme(struct env* e)
{
    if (e->hil->saves.count != 0) {
        commands_saved(e);
    }
    if (e->hil->stepping != 0 || e->hil->transfers.count != 0) {
        e->hil->stepping = 0;
        metadata_step(e);
        nvme_transfers(e);
    }
    if ((e->hil->watch & WATCH_HEALTH) != 0) {
        nvme_watch(e);
    }
    if ((e->hil->watch & WATCH_UPDATE) != 0) {
        nvme_update_step(e);
    }
}

void hil_resume(struct env* e)
{
    e->hil->more = 0;
    if (e->hil->finding != 0) {
        controller_look(e);
    }
    if (e->hil->state == HIL_RESETTING) {
        controller_finish_reset(e); /* what it waited for has been written */
    }
    if ((e->hil->saves.count | e->hil->transfers.count | e->hil->stepping | e->hil->watch) != 0) {
        resume_nvme(e);
    }
    e->hil->unmap = e->hil->unmap == UNMAP_WAITS ? UNMAP_GOES : e->hil->unmap;
    if (may_finish(e)) {
        finish_durable(e);
    }
    e->hil->barren = e->hil->barren == BARREN_NEXT ? BARREN_NOW : BARREN_NOT;
    commands_retry(e);
    e->hil->barren = BARREN_NOT;
    e->hil->unmap = e->hil->unmap == UNMAP_ANYWAY ? UNMAP_GOES : e->hil->unmap;
    if (may_finish(e)) {
        finish_durable(e);
    }
    FW_ASSERT(e, !cache_has_done(e));
}

/* ---- What is left ---- */

/* Collection stands still for the last checkpoint, which finds that it starves, and lets it go on.
 */
static bool waits_for_shutdown(struct env* e)
{
    return ftl_stops(e) && maps_starve(e) && !recovery_in_vain(e);
}

void hil_settle(struct env* e)
{
    struct hil* h = e->hil;
    if (h->deletes.count != 0) {
        hil_retry_deletes(e);
    }
    const uint32_t again = recovery_again(e) | (uint32_t)ftl_asks_again(e);
    if (again == 0 && !ftl_clearing(e) && (hil_lacks_room(e) || h->unmap == UNMAP_WAITS) &&
        !gc_hopeful(e) && !waits_for_shutdown(e)) {
        if (gc_rouse(e)) {
            h->more = 1;
        } else if (h->unmap == UNMAP_WAITS) { /* it makes garbage, which is what is missing */
            h->unmap = UNMAP_ANYWAY;
            h->more = 1;
        } else {
            hil_fail_writes(e);
        }
    }
    /* Who waits for entries may wait for a map page that waits for company which does not come. */
    if ((hil_reads_wait(h) | (h->transfers.count == 0 ? h->writes_waiting.count : 0)) != 0 &&
        maps_want_company(e) && flash_in_flight(e) == 0) {
        maps_hurry_all(e);
        h->more = 1;
    }
    if (again == 0 && hil_is_barren(e)) {
        h->barren = BARREN_NEXT;
        h->more = 1;
    }
    if (h->shutting) {
        controller_shut_down(e);
        /* The last checkpoint begins in a round of its own. */
        h->more |= checkpoint_waits(e);
    }
    h->more |= again | recovery_again(e); /* the shutdown may have found that it starves */
    FW_ASSERT(e, h->state != HIL_DISABLED || h->active == 0);
}
