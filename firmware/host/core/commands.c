/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/commands.h"

#include "firmware/buffer/waiters.h"
#include "firmware/host/core/hil.h"
#include "firmware/host/nvme/metadata.h"
#include "firmware/host/nvme/ns_management.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/nvme/nvme_admin.h"
#include "firmware/host/nvme/nvme_read.h"
#include "firmware/host/nvme/nvme_write.h"
#include "firmware/host/nvme/transfers.h"
#include "firmware/host/nvme/unmap.h"
#include "firmware/host/zones/zone_commands.h"
#include "firmware/host/zones/zones.h"

static void end_in_error(struct env* e, struct command* c)
{
    if (c->state == COMMAND_WIPE) {
        nvme_wipe_failed(e, c);
    } else if (c->state == COMMAND_SAVE && c->save_next == SAVE_FORMATS) {
        nvme_format_ends(e, c);
    } else if (c->state == COMMAND_ZONE ||
               (c->state == COMMAND_SAVE && c->save_next != SAVE_ENDS)) {
        zones_unreset(e, c);
    }
    nvme_note_error(e, c);
}

const struct command_table host_commands = {
    .resume = {[COMMAND_WRITE] = hil_write,
               [COMMAND_ZERO] = hil_zero,
               [COMMAND_DSM] = hil_dsm,
               [COMMAND_ZONE] = zone_wipe,
               [COMMAND_WIPE] = nvme_wipe},
    .divert = {[DIVERT_COMPARE] = nvme_divert,
               [DIVERT_COPY] = nvme_divert,
               [DIVERT_META] = metadata_divert},
    .failed = end_in_error,
};

/* ---- Moves ---- */

/* Data of a command that are not for the buffer. */
static void landed(struct env* e, uint32_t slot)
{
    const struct command* c = command_of(e, slot);
    if (c->state == COMMAND_ADMIN) {
        nvme_landed(e, slot);
    } else if (c->divert == DIVERT_META) {
        metadata_landed(e, slot);
    } else if (c->divert != DIVERT_NOT) {
        nvme_transfer_landed(e, slot);
    } else {
        FW_ASSERT(e, c->state == COMMAND_DSM);
        hil_dsm_landed(e, slot);
    }
}

void commands_moved(struct env* e, uint32_t tag, bool failed)
{
    const uint32_t i = tag & MOVE_INDEX_MASK;
    const uint32_t kind = tag >> MOVE_KIND_SHIFT;
    if (failed || kind > MOVE_BUFFER_OUT) {
        run_due(e, DUE_STEPS);
    }
    switch (kind) {
    case MOVE_PAGE_OUT:
        flash_free(e, i);
        break;
    case MOVE_BUFFER_IN:
        cache_land(e, i, failed);
        cache_wake(e);
        break;
    case MOVE_BUFFER_OUT:
        cache_unpin(e, i);
        cache_wake(e);
        break;
    case MOVE_META_IN:
        if (e->hil->state == HIL_RESETTING) {
            break; /* the command and its buffer are gone */
        }
        if (failed) {
            hil_complete(e, i, NVME_SC_DATA_TRANSFER_ERROR, 0);
        } else {
            landed(e, i);
        }
        break;
    case MOVE_META_OUT:
        metadata_left(e, i);
        break;
    case MOVE_HOST_MEMORY:
        host_buffer_moved(e, i, failed);
        break;
    default:
        FW_ASSERT(e, kind == MOVE_NOTHING);
        break;
    }
}

/* ---- The flash ---- */

/* A write that had to be durable ends; of a read from the flash alone all is there, or more waits.
 */
void commands_programmed(struct env* e, const struct cache_done* d)
{
    struct command* c = command_of(e, d->command);
    if (c->state == COMMAND_COMMIT) {
        hil_read_committed(e, d->command);
        return;
    }
    FW_ASSERT(e, c->state == COMMAND_DURABLE);
    c->io.operation = d->operation;
    hil_complete(e, d->command, d->failed ? NVME_SC_WRITE_FAULT : NVME_SC_SUCCESS, c->io.dw0);
}

void commands_saved(struct env* e)
{
    struct fifo* f = &e->hil->saves;
    for (uint32_t count = f->count; count != 0; --count) {
        const uint32_t slot = fifo_pop(f, hil_wait_links(e));
        const struct command* c = command_of(e, slot);
        if (drive_state_saved(e, c->until.state) && hil_is_flushed(e, c)) {
            if (c->save_next == SAVE_FORMATS) {
                nvme_format_ends(e, c);
            } else if (c->save_next != SAVE_ENDS && zone_saved(e, slot)) {
                continue;
            }
            hil_complete(e, slot, NVME_SC_SUCCESS, c->until.dw0);
        } else if (drive_state_stuck(e)) {
            hil_complete(e, slot, DNR(NVME_SC_INTERNAL_ERROR), 0);
        } else {
            fifo_push(f, hil_wait_links(e), slot);
        }
    }
    if (e->hil->unspoilt != 0 && drive_state_saved(e, e->hil->unspoilt)) {
        e->hil->unspoilt = 0;
    }
}

/* ---- Room ---- */

/* The first of those that wait is a write that found no slot, and none has come since. Groups of
 * residents make room without saying so. */
static bool waits_in_vain(struct env* e)
{
    const uint32_t slot = e->hil->writes_waiting.head;
    if (!cache_is_full(e) || cache_is_staged(e) || slot == INDEX_NONE ||
        command_of(e, slot)->state != COMMAND_WRITE) {
        return false;
    }
#ifdef SSDVP_FW_POISON
    FW_ASSERT(e, !hil_write(e, slot));
#endif
    hil_note_wait(e, command_of(e, slot));
    return true;
}

void commands_retry(struct env* e)
{
    struct hil* h = e->hil;
    uint32_t* links = hil_wait_links(e);
    uint32_t slot;
    hil_retry_reads(e);
    while (!waits_in_vain(e) && (slot = fifo_pop(&h->writes_waiting, links)) != INDEX_NONE) {
        hal_mark(e->hal, slot);
        if (!host_commands.resume[command_of(e, slot)->state](e, slot)) {
            fifo_push_front(&h->writes_waiting, links, slot);
            hal_mark(e->hal, HAL_IN_VAIN);
            break;
        }
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    for (uint32_t n = h->fetched.count; n != 0 && h->meta_free.count != 0; --n) {
        slot = fifo_pop(&h->fetched, env_dram(e, h->fetch_links));
        switch (command_of(e, slot)->state) {
        case COMMAND_ADMIN:
            nvme_execute_again(e, slot);
            break;
        case COMMAND_REPORT:
            zone_report(e, slot);
            break;
        default:
            hil_dsm_fetch(e, slot);
            break;
        }
    }
}
