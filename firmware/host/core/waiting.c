/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/waiting.h"

#include "firmware/buffer/waiters.h"
#include "firmware/durable/state.h"
#include "firmware/gc/gc.h"
#include "firmware/host/core/hil.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps_frames.h"
#include "firmware/ops/passes.h"
#include "firmware/space/pool.h"

uint32_t hil_asks(struct env* e)
{
    const struct hil* h = e->hil;
    const uint32_t first = h->writes_waiting.head;
    const uint32_t others =
        first != INDEX_NONE && command_of(e, first)->state != COMMAND_WRITE ? 1u : 0u;
    return h->saves.count | h->transfers.count | h->stepping | h->asks_map | h->parked.count |
           h->deletes.count | h->fetched.count | h->shutting | h->more | h->opened | h->unmap |
           h->barren | h->finding | others;
}

uint32_t hil_waiting(struct env* e)
{
    const struct hil* h = e->hil;
    return hil_asks(e) | h->writes_waiting.count | h->flushes.count;
}

bool hil_lacks_completions(struct env* e)
{
    const struct hil* h = e->hil;
    return h->state == HIL_RESETTING || hil_reads_wait(h) != 0 || h->writes_waiting.count != 0 ||
           h->fetched.count != 0 || h->deletes.count != 0 || cache_is_hungry(e) ||
           h->shutting != 0 || passes_held(e) != 0 || hmb_leaves(e);
}

bool hil_has_commands(const struct env* e)
{
    return e->hil->active != 0;
}

bool hil_is_busy(struct env* e)
{
    return e->hil->active != 0 || hil_waiting(e) != 0;
}

bool hil_awaits_program(const struct env* e)
{
    const struct hil* h = e->hil;
    return (h->saves.count | h->stepping | h->writes_waiting.count | h->flushes.count |
            h->deletes.count | h->shutting | h->unmap | h->barren) != 0;
}

bool hil_goes_on(const struct env* e)
{
    return (e->hil->more | e->hil->opened) != 0;
}

/* ---- Nothing goes on any more ---- */

bool hil_lacks_room(struct env* e)
{
    return cache_waits_for(e) == CACHE_WAIT_GC || recovery_in_vain(e) || maps_starve(e);
}

void hil_fail_writes(struct env* e)
{
    struct hil* h = e->hil;
    uint32_t slot;
    if (e->telemetry->read_only == 0) {
        hal_log(e->hal, HAL_LOG_WARN, "no space left to write: read only; free, bad",
                blocks_free(e), e->telemetry->bad_blocks);
        e->telemetry->read_only = 1;
        e->telemetry->spare_percent = 0; /* what is left is not where it is needed */
        h->more = 1; /* reads do not wait for what will not be written (maps_stuck) */
    }
    while ((slot = fifo_pop(&h->writes_waiting, hil_wait_links(e))) != INDEX_NONE) {
        hil_complete(e, slot, NVME_SC_WRITE_FAULT | NVME_STATUS_DNR, 0);
    }
    cache_not_full(e);
    while ((slot = fifo_pop(&h->flushes, hil_wait_links(e))) != INDEX_NONE) {
        hil_complete(e, slot, NVME_SC_WRITE_FAULT | NVME_STATUS_DNR, 0);
    }
    for (uint32_t i = 0; i < front_end_slots(e); ++i) {
        const uint32_t state = command_of(e, i)->state;
        if (state == COMMAND_DURABLE || state == COMMAND_COMMIT) {
            hil_complete(e, i, NVME_SC_WRITE_FAULT | NVME_STATUS_DNR, 0);
        }
    }
    cache_forget_waiters(e);
    h->shutdown_ticket = 0; /* a shutdown need not wait for what cannot be written */
}

bool hil_is_barren(struct env* e)
{
    const struct hil* h = e->hil;
    return hil_reads_wait(h) != 0 && h->more == 0 && maps_stuck(e) && !gc_hopeful(e) &&
           flash_in_flight(e) == 0 && !maps_host_moves(e);
}
