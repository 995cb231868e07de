/* SPDX-License-Identifier: Apache-2.0
 *
 * Firmware Image Download and Commit. NVM Express base 1.4 sections 5.11 and 5.12.
 *
 * An image (struct firmware_package) goes piece by piece into an area of the boot flash that no
 * slot and no running image needs; firmware keeps its header and the CRC of what came behind. So
 * pieces come in order, one at a time; one that leaves a gap is refused. Commit gives the area to a
 * slot: the drive's state says which has which, so a loss of power leaves the old image or the new.
 */
#include "firmware/drv/nor.h"
#include "firmware/hal/package.h"
#include "firmware/host/core/controller.h"
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
    FW_ASSERT(e, image < FIRMWARE_SLOTS);
    mem_copy(text, image == s->slot ? fw_about.revision : s->image[image].revision, 8);
}

void nvme_fw_reset(struct env* e)
{
    FW_ASSERT(e, drive_state_of(e)->next_slot < FIRMWARE_SLOTS);
    mem_zero(&nvme_of(e)->download, sizeof(struct nvme_download));
}

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
    FW_ASSERT(e, bytes != 0);
    if (q->cdw11 * 4u + c->done != d->size || nvme_of(e)->update.phase != UPDATE_NONE) {
        return DNR(NVME_SC_OVERLAPPING_RANGE); /* another one was faster */
    }
    nor_program(e, d->area, d->size, data, bytes);
    take(d, data, bytes);
    c->done += bytes;
    nvme_update_begin(e, UPDATE_PROGRAM, slot);
    return NVME_LATER;
}

void nvme_fw_programmed(struct env* e, uint32_t slot, bool failed)
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

/* What was downloaded is an image, whole and for this platform. */
static bool is_good(const struct env* e)
{
    const struct nvme_download* d = &nvme_of(e)->download;
    const struct firmware_package* h = &d->head;
    FW_ASSERT(e, d->size <= NOR_AREA_SIZE);
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
    FW_ASSERT(e, image < FIRMWARE_SLOTS);
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
    FW_ASSERT(e, s->slot < FIRMWARE_SLOTS);
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
        nvme_update_load(e, to, slot);
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
    nvme_save(e, slot, 0);
    return NVME_LATER;
}
