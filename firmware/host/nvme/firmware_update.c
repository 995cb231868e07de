/* SPDX-License-Identifier: Apache-2.0
 *
 * Firmware Image Download and Commit. NVM Express base 1.4 sections 5.11 and 5.12.
 *
 * An image (struct firmware_package) goes piece by piece into an area of the boot flash that no
 * slot and no running image needs; firmware keeps its header and the CRC of what came behind. So
 * pieces come in order, one at a time; one that leaves a gap is refused. Commit gives the area to a
 * slot: the drive's state says which has which, so a loss of power leaves the old image or the new.
 *
 * Then another image takes over. The boot flash loads it first, while this one runs: an image that
 * cannot be loaded changes nothing but what the host is told. At a reset of the controller, or at
 * power-up, when a slot was activated before: the buffer is flushed and the maps are written as for
 * a shutdown, then the loader starts cores and memories anew, and the image boots from the flash.
 * At once (Commit action 3): the main loop returns, and the image goes on where it stood, with
 * queues and commands in place.
 */
#include "firmware/host/nvme/firmware_update.h"

#include "firmware/buffer/cache.h"
#include "firmware/drv/devices.h"
#include "firmware/gc/gc.h"
#include "firmware/gc/patrol.h"
#include "firmware/host/nvme/events.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/crc.h"
#include "firmware/lib/mem.h"

enum { REPLACE = 0, REPLACE_AND_ACTIVATE = 1, ACTIVATE = 2, ACTIVATE_NOW = 3 };

#if defined(__x86_64__)
enum { THIS_MACHINE = 62 };
#elif defined(__aarch64__)
enum { THIS_MACHINE = 183 };
#elif defined(__riscv)
enum { THIS_MACHINE = 243 };
#else
enum { THIS_MACHINE = 40 }; /* 32-bit Arm */
#endif

_Static_assert(sizeof(struct firmware_package) == FIRMWARE_PACKAGE_HEADER, "as downloaded");

void nvme_fw_revision(const struct env* e, uint32_t image, uint8_t* text)
{
    const struct drive_state* s = drive_state_of(e);
    mem_copy(text, image == s->slot ? fw_about.revision : s->image[image].revision, 8);
}

void nvme_fw_reset(struct env* e)
{
    mem_zero(&nvme_of(e)->download, sizeof(struct nvme_download));
}

static uint32_t area_of(const struct env* e, uint32_t image)
{
    return image == 0 ? NOR_AREA_BUILT_IN : drive_state_of(e)->image[image].area;
}

/* ---- The boot flash ---- */

static void begin(struct env* e, uint32_t phase, uint32_t slot)
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

static void load(struct env* e, uint32_t to, uint32_t slot)
{
    FW_ASSERT(e, to < FIRMWARE_SLOTS);
    nvme_of(e)->update.to = to;
    if (slot != INDEX_NONE) {
        command_of(e, slot)->state = COMMAND_ADMIN;
    }
    nor_command(e, NOR_LOAD, area_of(e, to), to == 0 ? 0 : drive_state_of(e)->image[to].size);
    begin(e, slot != INDEX_NONE ? UPDATE_LOAD_NOW : UPDATE_LOAD, slot);
}

/* ---- Download ---- */

/* An area that holds nothing that is needed: there is one more than slots and the image that runs
 * can have. */
static uint32_t free_area(const struct env* e)
{
    const struct drive_state* s = drive_state_of(e);
    uint32_t taken = 0;
    uint32_t area = 0;
    for (uint32_t i = 1; i < FIRMWARE_SLOTS; ++i) {
        taken |= s->image[i].size != 0 ? 1u << s->image[i].area : 0;
    }
    taken |= nvme_of(e)->update.running < NOR_AREAS ? 1u << nvme_of(e)->update.running : 0;
    while (((taken >> area) & 1u) != 0) {
        ++area;
    }
    FW_ASSERT(e, area < NOR_AREAS);
    return area;
}

/* The next piece of a page at most. */
static uint32_t next_piece(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    const struct command* c = command_of(e, slot);
    const uint32_t left = c->bytes - c->done;
    FW_ASSERT(e, left != 0);
    return nvme_fetch(e, slot, q, left < META_SIZE ? left : META_SIZE);
}

uint32_t nvme_fw_download(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)dw0;
    struct nvme_download* d = &nvme_of(e)->download;
    struct command* c = command_of(e, slot);
    const uint64_t bytes = ((uint64_t)q->cdw10 + 1) * 4;
    const uint64_t offset = (uint64_t)q->cdw11 * 4;
    FW_ASSERT(e, c->done == 0);
    if (offset + bytes > NOR_AREA_SIZE) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (nvme_of(e)->update.phase != UPDATE_NONE) {
        return DNR(NVME_SC_COMMAND_SEQUENCE); /* the piece before is not there yet */
    }
    if (offset == 0) { /* the first piece of another image */
        mem_zero(d, sizeof *d);
        d->area = free_area(e);
    }
    if (offset != d->size) {
        return DNR(offset < d->size ? NVME_SC_OVERLAPPING_RANGE : NVME_SC_INVALID_FIELD);
    }
    c->bytes = (uint32_t)bytes;
    return next_piece(e, slot, q);
}

static void take(struct nvme_download* d, const uint8_t* data, uint32_t bytes)
{
    const uint32_t head = d->size < FIRMWARE_PACKAGE_HEADER ? FIRMWARE_PACKAGE_HEADER - d->size : 0;
    const uint32_t first = bytes < head ? bytes : head;
    mem_copy((uint8_t*)&d->head + d->size, data, first);
    d->crc = crc32(d->crc, data + first, bytes - first);
    d->size += bytes;
}

uint32_t nvme_fw_landed(struct env* e, uint32_t slot, const struct nvme_sqe* q, const uint8_t* data)
{
    struct nvme_download* d = &nvme_of(e)->download;
    struct command* c = command_of(e, slot);
    const uint32_t left = c->bytes - c->done;
    const uint32_t bytes = left < META_SIZE ? left : META_SIZE;
    if (q->cdw11 * 4u + c->done != d->size || nvme_of(e)->update.phase != UPDATE_NONE) {
        return DNR(NVME_SC_OVERLAPPING_RANGE); /* another one was faster */
    }
    nor_program(e, d->area, d->size, data, bytes);
    take(d, data, bytes);
    c->done += bytes;
    begin(e, UPDATE_PROGRAM, slot);
    return NVME_LATER;
}

static void programmed(struct env* e, uint32_t slot, bool failed)
{
    struct command* c = command_of(e, slot);
    const struct nvme_sqe q = nvme_of(e)->waiting[c->buffer];
    uint32_t status = NVME_SC_SUCCESS;
    FW_ASSERT(e, c->state == COMMAND_ADMIN && c->buffer < META_BUFFERS);
    if (failed) {
        mem_zero(&nvme_of(e)->download, sizeof(struct nvme_download));
        status = DNR(NVME_SC_INTERNAL_ERROR);
    } else if (c->done < c->bytes) {
        status = next_piece(e, slot, &q);
    }
    if (status != NVME_LATER) {
        hil_complete(e, slot, status, 0);
    }
}

/* ---- Commit ---- */

/* What was downloaded is an image, whole and for this platform. */
static bool is_good(const struct env* e)
{
    const struct nvme_download* d = &nvme_of(e)->download;
    const struct firmware_package* h = &d->head;
    return d->size > FIRMWARE_PACKAGE_HEADER && h->magic == FIRMWARE_PACKAGE_MAGIC &&
           h->version == FIRMWARE_PACKAGE_VERSION &&
           h->header_crc == crc32(CRC32_START, h, FIRMWARE_PACKAGE_HEADER - 4) &&
           h->size == d->size && h->crc == d->crc && h->abi == HAL_ABI_VERSION &&
           h->machine == THIS_MACHINE;
}

static void store(struct env* e, uint32_t image)
{
    struct nvme_download* d = &nvme_of(e)->download;
    struct drive_image* to = &drive_state_of(e)->image[image];
    FW_ASSERT(e, image != 0 && image < FIRMWARE_SLOTS);
    mem_copy(to->revision, d->head.revision, sizeof to->revision);
    to->crc = d->crc;
    to->size = d->size;
    to->layout = d->head.layout;
    to->area = d->area;
    mem_zero(d, sizeof *d);
}

/* The image can take over memory and commands as they are. Other cores keep a part of their state
 * on their stacks. */
static bool can_follow(const struct env* e, uint32_t image)
{
    const struct drive_image* i = &drive_state_of(e)->image[image];
    return i->layout == fw_about.layout && (i->size != 0 || image == 0) && e->host_remote == 0 &&
           e->flash_remote == 0;
}

uint32_t nvme_fw_commit(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)dw0;
    struct drive_state* s = drive_state_of(e);
    const uint32_t action = (q->cdw10 >> 3) & 7u;
    const uint32_t replaces = action == REPLACE || action == REPLACE_AND_ACTIVATE;
    uint32_t to = q->cdw10 & 7u;
    if (action > ACTIVATE_NOW) { /* boot partitions: there are none */
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (nvme_of(e)->update.phase != UPDATE_NONE) {
        return DNR(NVME_SC_COMMAND_SEQUENCE); /* a download or another Commit goes on */
    }
    if (to == 0) { /* the controller chooses: not the one that runs, nor the built-in one */
        to = replaces ? (s->slot == 1 ? 3 : 2) : s->next_slot + 1;
    }
    --to;
    if (to >= FIRMWARE_SLOTS || (replaces && to == 0)) {
        return DNR(NVME_SC_INVALID_FIRMWARE_SLOT);
    }
    if (replaces ? !is_good(e) : to != 0 && s->image[to].size == 0) {
        return DNR(NVME_SC_INVALID_FIRMWARE_IMAGE);
    }
    if (action == ACTIVATE_NOW && to != s->slot && can_follow(e, to)) {
        load(e, to, slot);
        return NVME_LATER;
    }
    if (replaces) {
        store(e, to);
    }
    s->next_slot = action == REPLACE ? s->next_slot : to;
    if (action == ACTIVATE_NOW && to != s->slot) {
        (void)drive_state_save(e);
        return NVME_SC_FIRMWARE_NEEDS_RESET;
    }
    hil_save(e, slot, 0);
    return NVME_LATER;
}

/* ---- Another image takes over ---- */

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
        hil_state(e, HIL_RESETTING); /* power was lost, or came back, before the reset */
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
    load(e, s->next_slot, INDEX_NONE);
    return true;
}

/* The image was not loaded: the one that runs stays. */
static void revert(struct env* e)
{
    struct drive_state* s = drive_state_of(e);
    s->next_slot = s->slot;
    (void)drive_state_save(e);
    nvme_event(e, NVME_EVENT_ERROR, NVME_EVENT_FIRMWARE_LOAD, NVME_LOG_ERROR);
    end(e);
}

static void loaded(struct env* e)
{
    struct nvme_update* u = &nvme_of(e)->update;
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
    hil_save(e, u->command, 0);
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
        programmed(e, slot, failed);
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
