/* SPDX-License-Identifier: Apache-2.0
 *
 * Firmware Image Download and Commit. NVM Express base 1.4 sections 5.11 and 5.12.
 *
 * An image is a header of 64 bytes and a body. The body passes through: what is kept is its CRC and
 * size, in the drive's state. So pieces come in order; one that leaves a gap is refused.
 *
 *   0   magic, FIRMWARE_IMAGE_MAGIC       16  HAL_ABI_VERSION it was built for
 *   4   version of the header, 1          20  revision, 8 characters
 *   8   bytes of header and body          28  zeroes
 *   12  CRC-32 of the body                60  CRC-32 of bytes 0 to 59
 */
#include "firmware/hil/controller.h"
#include "firmware/lib/bytes.h"
#include "firmware/lib/crc.h"
#include "firmware/lib/mem.h"

enum { REPLACE = 0, REPLACE_AND_ACTIVATE = 1, ACTIVATE = 2, ACTIVATE_NOW = 3 };
enum { AT_SIZE = 8, AT_CRC = 12, AT_ABI = 16, AT_REVISION = 20, AT_HEADER_CRC = 60 };

static const uint8_t built_in[8] = {'0', '.', '1', ' ', ' ', ' ', ' ', ' '};

void nvme_fw_revision(const struct env* e, uint32_t slot, uint8_t* text)
{
    FW_ASSERT(e, slot < FIRMWARE_SLOTS);
    mem_copy(text, slot == 0 ? built_in : drive_state_of(e)->image[slot].revision, 8);
}

void nvme_fw_reset(struct env* e)
{
    struct drive_state* s = drive_state_of(e);
    FW_ASSERT(e, s->next_slot < FIRMWARE_SLOTS);
    s->slot = s->next_slot;
    mem_zero(&nvme_of(e)->download, sizeof(struct nvme_download));
}

/* The next piece of a page at most. */
static uint32_t next_piece(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    const struct command* c = command_of(e, slot);
    const uint32_t left = c->sectors - c->done;
    FW_ASSERT(e, left != 0);
    return nvme_fetch(e, slot, q, left < META_SIZE ? left : META_SIZE);
}

uint32_t nvme_fw_download(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    const struct nvme_download* d = &nvme_of(e)->download;
    struct command* c = command_of(e, slot);
    const uint64_t bytes = ((uint64_t)q->cdw10 + 1) * 4;
    const uint64_t offset = (uint64_t)q->cdw11 * 4;
    FW_ASSERT(e, c->done == 0);
    if (bytes > e->front_end->mdts || offset + bytes > UINT32_MAX) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (offset == 0) { /* the first piece of another image */
        mem_zero(&nvme_of(e)->download, sizeof *d);
    }
    if (offset != d->size) {
        return DNR(offset < d->size ? NVME_SC_OVERLAPPING_RANGE : NVME_SC_INVALID_FIELD);
    }
    c->sectors = (uint32_t)bytes;
    return next_piece(e, slot, q);
}

static void take(struct nvme_download* d, const uint8_t* data, uint32_t bytes)
{
    const uint32_t head = d->size < FIRMWARE_HEADER ? FIRMWARE_HEADER - d->size : 0;
    const uint32_t first = bytes < head ? bytes : head;
    mem_copy(d->head + d->size, data, first);
    d->crc = crc32(d->crc, data + first, bytes - first);
    d->size += bytes;
}

uint32_t nvme_fw_landed(struct env* e, uint32_t slot, const uint8_t* data)
{
    struct nvme_download* d = &nvme_of(e)->download;
    struct command* c = command_of(e, slot);
    const uint32_t left = c->sectors - c->done;
    const uint32_t bytes = left < META_SIZE ? left : META_SIZE;
    const struct nvme_sqe q = nvme_of(e)->waiting[c->buffer];
    FW_ASSERT(e, bytes != 0);
    if (q.cdw11 * 4u + c->done != d->size) {
        return DNR(NVME_SC_OVERLAPPING_RANGE); /* another one was faster */
    }
    take(d, data, bytes);
    c->done += bytes;
    return c->done < c->sectors ? next_piece(e, slot, &q) : (uint32_t)NVME_SC_SUCCESS;
}

/* What was downloaded is an image, whole and for this platform. */
static int is_good(const struct env* e)
{
    const struct nvme_download* d = &nvme_of(e)->download;
    FW_ASSERT(e, AT_HEADER_CRC + 4 == FIRMWARE_HEADER);
    return d->size > FIRMWARE_HEADER && get32(d->head) == FIRMWARE_IMAGE_MAGIC &&
           get32(d->head + 4) == 1 && get32(d->head + AT_SIZE) == d->size &&
           get32(d->head + AT_ABI) == HAL_ABI_VERSION && get32(d->head + AT_CRC) == d->crc &&
           get32(d->head + AT_HEADER_CRC) == crc32(CRC32_START, d->head, AT_HEADER_CRC);
}

static void store(struct env* e, uint32_t slot)
{
    struct nvme_download* d = &nvme_of(e)->download;
    struct drive_image* to = &drive_state_of(e)->image[slot];
    FW_ASSERT(e, slot != 0 && slot < FIRMWARE_SLOTS);
    mem_copy(to->revision, d->head + AT_REVISION, sizeof to->revision);
    to->crc = d->crc;
    to->size = d->size;
    mem_zero(d, sizeof *d);
}

uint32_t nvme_fw_commit(struct env* e, uint32_t slot, const struct nvme_sqe* q)
{
    struct drive_state* s = drive_state_of(e);
    const uint32_t action = (q->cdw10 >> 3) & 7u;
    const uint32_t replaces = action == REPLACE || action == REPLACE_AND_ACTIVATE;
    uint32_t to = q->cdw10 & 7u;
    FW_ASSERT(e, s->slot < FIRMWARE_SLOTS);
    if (action > ACTIVATE_NOW) { /* boot partitions: there are none */
        return DNR(NVME_SC_INVALID_FIELD);
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
    if (replaces) {
        store(e, to);
    }
    s->next_slot = action == REPLACE ? s->next_slot : to;
    if (action == ACTIVATE_NOW) { /* FRMW bit 4 says that it cannot: at the next reset */
        (void)drive_state_save(e);
        return NVME_SC_FIRMWARE_NEEDS_RESET;
    }
    nvme_save(e, slot, 0);
    return NVME_LATER;
}
