/* SPDX-License-Identifier: Apache-2.0
 *
 * Another firmware image takes over. The boot flash loads it first, while this one runs: an image
 * that cannot be loaded changes nothing but what the host is told.
 *
 * At a reset of the controller, or at power-up, when a slot was activated before: the buffer is
 * flushed and the maps are written as for a shutdown, then the loader starts cores and memories
 * anew, and the image boots from the flash. At once (Commit action 3): the main loop returns, and
 * the image goes on where it stood, with queues and commands in place.
 */
#include "firmware/buffer/cache.h"
#include "firmware/drv/nor.h"
#include "firmware/gc/gc.h"
#include "firmware/host/core/controller.h"

static uint32_t area_of(const struct env* e, uint32_t image)
{
    FW_ASSERT(e, image < FIRMWARE_SLOTS);
    return image == 0 ? NOR_AREA_BUILT_IN : drive_state_of(e)->image[image].area;
}

void nvme_update_begin(struct env* e, uint32_t phase, uint32_t slot)
{
    struct nvme_update* u = &nvme_of(e)->update;
    FW_ASSERT(e, phase != UPDATE_NONE);
    u->phase = phase;
    u->command = slot;
    e->hil->watch |= WATCH_UPDATE;
    run_due(e, DUE_STEPS);
}

static void end(struct env* e)
{
    FW_ASSERT(e, (e->hil->watch & WATCH_UPDATE) != 0);
    nvme_of(e)->update.phase = UPDATE_NONE;
    e->hil->watch &= ~WATCH_UPDATE;
    e->hil->more = 1; /* a reset may have waited for it */
}

void nvme_update_load(struct env* e, uint32_t to, uint32_t slot)
{
    FW_ASSERT(e, to < FIRMWARE_SLOTS);
    nvme_of(e)->update.to = to;
    if (slot != INDEX_NONE) {
        command_of(e, slot)->state = COMMAND_ADMIN;
    }
    nor_command(e, NOR_LOAD, area_of(e, to), to == 0 ? 0 : drive_state_of(e)->image[to].size);
    nvme_update_begin(e, slot != INDEX_NONE ? UPDATE_LOAD_NOW : UPDATE_LOAD, slot);
}

void nvme_update_boot(struct env* e, uint32_t area)
{
    struct drive_state* s = drive_state_of(e);
    FW_ASSERT(e, nvme_of(e)->update.phase == UPDATE_NONE);
    nvme_of(e)->update.running = area;
    s->slot = 0;
    for (uint32_t i = 1; i < FIRMWARE_SLOTS; ++i) {
        s->slot = s->image[i].size != 0 && s->image[i].area == area ? i : s->slot;
    }
    if (area == NOR_AREA_BUILT_IN) {
        for (uint32_t i = 0; i < sizeof s->image[0].revision; ++i) {
            s->image[0].revision[i] = fw_about.revision[i];
        }
        s->image[0].layout = fw_about.layout;
    }
    if (s->next_slot != s->slot && e->hil->ata.on == 0) {
        e->hil->state = HIL_RESETTING; /* power was lost, or came back, before the reset */
    }
}

void nvme_update_reset(struct env* e)
{
    struct nvme_update* u = &nvme_of(e)->update;
    FW_ASSERT(e, e->hil->active == 0);
    u->command = INDEX_NONE; /* the boot flash goes on with what it does */
    if (u->phase != UPDATE_NONE) {
        e->hil->watch |= WATCH_UPDATE;
    }
}

bool nvme_update_pending(struct env* e)
{
    const struct drive_state* s = drive_state_of(e);
    FW_ASSERT(e, e->hil->state == HIL_RESETTING);
    if (nvme_of(e)->update.phase != UPDATE_NONE) {
        return true;
    }
    if (s->next_slot == s->slot || e->hil->ata.on != 0) {
        return false;
    }
    nvme_update_load(e, s->next_slot, INDEX_NONE);
    return true;
}

/* The image was not loaded: the one that runs stays. */
static void revert(struct env* e)
{
    struct drive_state* s = drive_state_of(e);
    FW_ASSERT(e, s->next_slot < FIRMWARE_SLOTS);
    s->next_slot = s->slot;
    (void)drive_state_save(e);
    nvme_event(e, NVME_EVENT_ERROR, NVME_EVENT_FIRMWARE_LOAD, NVME_LOG_ERROR);
    end(e);
}

static void loaded(struct env* e)
{
    struct nvme_update* u = &nvme_of(e)->update;
    FW_ASSERT(e, u->to < FIRMWARE_SLOTS);
    gc_patrol_run(e, 0);
    e->hil->shutdown_ticket = cache_flush(e);
    e->hil->shutting = SHUTTING_FLUSHES;
    u->phase = UPDATE_FLUSH;
    e->hil->more = 1; /* the flush starts in a round of its own: nothing else may wake us */
}

static void loaded_now(struct env* e)
{
    struct nvme_update* u = &nvme_of(e)->update;
    FW_ASSERT(e, u->command != INDEX_NONE);
    drive_state_of(e)->next_slot = u->to;
    nvme_save(e, u->command, 0);
    u->phase = UPDATE_SAVE;
}

bool nvme_update_stop(struct env* e)
{
    struct nvme_update* u = &nvme_of(e)->update;
    if (u->phase != UPDATE_FLUSH) {
        return false;
    }
    FW_ASSERT(e, e->hil->active == 0 && e->hil->state == HIL_RESETTING);
    nor_command(e, NOR_START, area_of(e, u->to), 0);
    u->phase = UPDATE_STOPPED;
    return true;
}

static void follow(struct env* e)
{
    struct nvme_update* u = &nvme_of(e)->update;
    FW_ASSERT(e, u->phase == UPDATE_SAVE);
    if (u->command == INDEX_NONE) { /* a reset came: it restarts */
        end(e);
    } else if (command_of(e, u->command)->state != COMMAND_SAVE) {
        nor_command(e, NOR_START_WARM, area_of(e, u->to), 0);
        u->phase = UPDATE_LEAVE;
        e->hil->more = 1;
    }
}

/* The boot flash has done what it was told. */
static void done(struct env* e, bool failed)
{
    struct nvme_update* u = &nvme_of(e)->update;
    const uint32_t phase = u->phase;
    FW_ASSERT(e, phase <= UPDATE_LOAD);
    if (phase == UPDATE_LOAD) {
        if (failed) {
            revert(e);
        } else {
            loaded(e);
        }
    } else if (u->command == INDEX_NONE) { /* a reset has dropped the command */
        end(e);
    } else if (phase == UPDATE_PROGRAM) {
        const uint32_t slot = u->command;
        end(e);
        nvme_fw_programmed(e, slot, failed);
    } else if (failed) {
        hil_complete(e, u->command, DNR(NVME_SC_INVALID_FIRMWARE_IMAGE), 0);
        end(e);
    } else {
        loaded_now(e);
    }
}

void nvme_update_step(struct env* e)
{
    const uint32_t phase = nvme_of(e)->update.phase;
    FW_ASSERT(e, phase <= UPDATE_LEAVE);
    if (phase == UPDATE_PROGRAM || phase == UPDATE_LOAD_NOW || phase == UPDATE_LOAD) {
        const uint32_t status = nor_status(e);
        if ((status & NOR_STATUS_BUSY) == 0) {
            done(e, (status & NOR_STATUS_FAILED) != 0);
        }
    } else if (phase == UPDATE_SAVE) {
        follow(e);
    }
}

bool nvme_update_leaves(const struct env* e)
{
    FW_ASSERT(e, e->hil->nvme != 0);
    return nvme_of(e)->update.phase == UPDATE_LEAVE;
}

void nvme_update_taken(struct env* e)
{
    struct nvme_update* u = &nvme_of(e)->update;
    FW_ASSERT(e, u->phase == UPDATE_LEAVE);
    u->running = area_of(e, u->to);
    drive_state_of(e)->slot = u->to;
    end(e);
}
