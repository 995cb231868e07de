/* SPDX-License-Identifier: Apache-2.0
 *
 * NVM Express base 1.4 sections 5.19, 5.20 and 5.23.
 */
#include "firmware/host/nvme/ns_management.h"

#include "firmware/buffer/merged.h"
#include "firmware/durable/checkpoint.h"
#include "firmware/durable/journal.h"
#include "firmware/gc/program.h"
#include "firmware/host/nvme/directives.h"
#include "firmware/host/nvme/events.h"
#include "firmware/host/nvme/metadata_blocks.h"
#include "firmware/host/nvme/namespaces.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/nvme/uncorrectable.h"
#include "firmware/host/nvme/unmap.h"
#include "firmware/host/zones/zones.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"

enum { CREATE = 0, DELETE = 1, ATTACH = 0, DETACH = 1, MSET = 0x10 };

/* Zones have blocks of 4 KiB without metadata, as metadata_choose() puts it. */
#define ZONED_FORMAT 12u
enum { WIPE_SECTORS = 1 << 20 }; /* of a run: a number of 32 bits bounds it */
enum { WIPE_BUDGET = 4096 };     /* units that one round unmaps */

/* As metadata_choose() puts it. */
static void set_format(struct drive_namespace* n, uint32_t format)
{
    n->shift = (uint8_t)format;
    n->metadata = (uint8_t)(format >> 8);
    n->flags = (uint8_t)(format >> 16);
}

static uint32_t format_of(const struct drive_namespace* n)
{
    return n->shift | (uint32_t)n->metadata << 8 | (uint32_t)n->flags << 16;
}

/* The host is told of what others than itself would have to learn: of namespaces that it sees. */
static void note_change(struct env* e, uint32_t index)
{
    drive_state_of(e)->managed = 1;
    nvme_of(e)->changed |= 1u << index;
    nvme_ns_changed(e);
    nvme_notice(e, NVME_EVENT_NAMESPACE_ATTRIBUTE, NVME_LOG_CHANGED_NAMESPACES);
}

/* ---- Create and delete ---- */

/* The first run of free sectors that is long enough and begins at a multiple of `step`; UINT64_MAX
 * = none. */
static uint64_t free_run(const struct env* e, uint64_t sectors, uint64_t step)
{
    uint64_t start = 0;
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) { /* each moves the start once at most */
        for (uint32_t k = 0; k < DRIVE_NAMESPACES; ++k) {
            const struct drive_namespace* n = drive_namespace_at(e, k);
            if (n->sectors != 0 && start < n->start + n->sectors && n->start < start + sectors) {
                start = (n->start + n->sectors + step - 1) / step * step;
            }
        }
    }
    return start <= e->geo->sectors && sectors <= e->geo->sectors - start ? start : UINT64_MAX;
}

/* What a zoned namespace asks beside that: blocks of 4 KiB, whole zones. */
static uint32_t check_zoned(const struct env* e, uint64_t size, uint32_t format)
{
    if (format != ZONED_FORMAT) {
        return DNR(NVME_SC_INVALID_FORMAT);
    }
    return size % zones_of(e)->size != 0 ? DNR(NVME_SC_INVALID_FIELD) : (uint32_t)NVME_SC_SUCCESS;
}

/* A namespace of a command set, without sectors as yet. */
static uint32_t create(struct env* e, uint32_t set, const uint8_t* data, uint32_t* dw0)
{
    const uint64_t size = get64(data);
    const uint64_t capacity = get64(data + 8);
    const uint32_t format = (data[26] & 0xE0u) != 0 || (data[29] & 0xF0u) != 0
                                ? 0
                                : metadata_choose(e, data[26] & 0xFu, data[26] & MSET, data[29]);
    struct drive_namespace as = {.sectors = 0};
    uint32_t index = 0;
    if (format == 0) {
        return DNR(NVME_SC_INVALID_FORMAT);
    }
    set_format(&as, format);
    if (size == 0 || capacity > size || data[30] > 1) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (capacity < size) {
        return DNR(NVME_SC_NOT_THIN_PROVISIONED);
    }
    const uint32_t status = set == NVME_CSI_ZONED ? check_zoned(e, size, format) : 0u;
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    while (index < DRIVE_NAMESPACES && drive_namespace_at(e, index)->sectors != 0) {
        ++index;
    }
    if (index == DRIVE_NAMESPACES) {
        return DNR(NVME_SC_NAMESPACE_IDENTIFIER);
    }
    /* Whole units of the map, so that no two namespaces share one. */
    const uint64_t unit = e->geo->unit_sectors;
    const uint64_t step =
        set == NVME_CSI_ZONED ? (uint64_t)zones_of(e)->size << ZONE_SECTORS_SHIFT : unit;
    const uint64_t wanted = size <= e->geo->sectors ? size << drive_ns_up(&as) : UINT64_MAX;
    const uint64_t start = wanted > nvme_unallocated(e)
                               ? UINT64_MAX
                               : free_run(e, (wanted + unit - 1) / unit * unit, step);
    if (start == UINT64_MAX) {
        return DNR(NVME_SC_NAMESPACE_CAPACITY);
    }
    struct drive_namespace* n = drive_namespace_at(e, index);
    n->start = start;
    n->sectors = (wanted + unit - 1) / unit * unit;
    set_format(n, format);
    n->attached = 0;
    ++n->made;
    drive_state_of(e)->command_set[index] = (uint8_t)set;
    if (set == NVME_CSI_ZONED) {
        zones_clear(e, index);
    }
    *dw0 = index + 1;
    drive_state_of(e)->managed = 1;
    nvme_ns_changed(e);
    return NVME_SC_SUCCESS;
}

static uint32_t refuse(const struct env* e)
{
    return drive_state_stuck(e)           ? DNR(NVME_SC_INTERNAL_ERROR)
           : e->telemetry->read_only != 0 ? DNR(NVME_SC_WRITE_FAULT)
                                          : (uint32_t)NVME_SC_SUCCESS;
}

/* Namespaces that an identifier names, bit n = index n. */
static uint32_t mask_of(const struct env* e, uint32_t nsid)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) {
        mask |= (nsid == NSID_ALL || nsid == i + 1) && drive_namespace_at(e, i)->sectors != 0
                    ? 1u << i
                    : 0u;
    }
    return mask;
}

/* Unmaps namespaces; format: theirs then, 0 = they are deleted. */
static uint32_t start_wipe(struct env* e, uint32_t slot, uint32_t mask, uint32_t format)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->buffer == INDEX_NONE);
    c->state = COMMAND_WIPE;
    c->wipe.left = mask;
    c->namespaces = mask;
    c->wipe.format = format;
    c->wipe.sectors = 0;
    c->wipe.cleared = 0;
    c->done = 0;
    nvme_of(e)->formatting |= mask;
    nvme_ns_changed(e); /* reads and writes have to look now */
    hil_start_write(e, slot);
    return NVME_LATER;
}

static void end_wipe(struct env* e, uint32_t index, uint32_t format)
{
    struct drive_namespace* n = drive_namespace_at(e, index);
    const uint32_t seen = n->attached;
    const bool changed = format_of(n) != format;
    FW_ASSERT(e, n->sectors != 0);
    (void)nvme_unspoil(e, n->start, n->sectors);
    if (is_zoned(e, index)) {
        zones_clear(e, index);
    }
    if (format == 0) {
        nvme_of(e)->formatting &= ~(1u << index);
        n->sectors = 0;
        n->attached = 0;
        drive_state_of(e)->command_set[index] = NVME_CSI_NVM;
        nvme_directives_forget(e, index);
    } else {
        set_format(n, format);
    }
    if (seen != 0 && changed) {
        note_change(e, index);
    }
    nvme_ns_changed(e);
}

/* true = there is nothing on the drive but what is to be unmapped, so it can be cleared as a whole.
 */
static bool is_all(const struct env* e, const struct command* c)
{
    return c->wipe.cleared != 0 ||
           (c->wipe.left == c->namespaces && c->wipe.left == mask_of(e, NSID_ALL) &&
            c->wipe.sectors == 0 && c->done == 0 && recovery_may_clear(e));
}

/* true = the drive is empty, and stays so. */
static bool clear_all(struct env* e, struct command* c)
{
    if (c->wipe.cleared == 0 && !cache_settled(e)) {
        recovery_clear_stop(e); /* what has to be programmed may need the map */
        return false;
    }
    if (c->wipe.cleared == 0) {
        gc_unclaim(e);
        c->wipe.cleared = recovery_clear(e);
        if (c->wipe.cleared != 0) {
            cache_clear(e);
        }
    }
    return c->wipe.cleared != 0 && recovery_clear_done(e, (uint32_t)c->wipe.cleared);
}

/* What is left of a namespace. false = that goes on later. */
static bool wipe_one(struct env* e, struct command* c, const struct drive_namespace* n,
                     uint32_t* budget)
{
    while (c->wipe.sectors < n->sectors) {
        const uint64_t left = n->sectors - c->wipe.sectors;
        c->lba = n->start + c->wipe.sectors;
        c->sectors = left < WIPE_SECTORS ? (uint32_t)left : (uint32_t)WIPE_SECTORS;
        if (!hil_zero_run(e, c, budget)) {
            return false;
        }
        c->wipe.sectors += c->sectors;
        c->done = 0;
    }
    return true;
}

bool nvme_wipe(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    uint32_t budget = WIPE_BUDGET;
    const bool all = is_all(e, c);
    if (all && !clear_all(e, c)) {
        hil_note_wait(e, c);
        return false;
    }
    if (!all) {
        recovery_clear_stop(e);
    }
    while (c->wipe.left != 0) {
        const uint32_t index = (uint32_t)__builtin_ctz(c->wipe.left);
        if (!all && !wipe_one(e, c, drive_namespace_at(e, index), &budget)) {
            return false;
        }
        end_wipe(e, index, c->wipe.format);
        c->wipe.left &= c->wipe.left - 1;
        c->wipe.sectors = 0;
    }
    c->until.ticket = cache_flush(e);
    c->until.journal = journal_flush(e);
    /* Refused until it is saved: what the front end took with the old format has come by then. */
    c->namespaces &= nvme_of(e)->formatting;
    c->save_next = c->namespaces != 0 ? SAVE_FORMATS : SAVE_ENDS;
    hil_save(e, slot, 0);
    return true;
}

void nvme_wipe_failed(struct env* e, const struct command* c)
{
    nvme_of(e)->formatting &= ~c->wipe.left;
    recovery_clear_stop(e);
    nvme_ns_changed(e);
}

void nvme_format_ends(struct env* e, const struct command* c)
{
    FW_ASSERT(e, c->state == COMMAND_SAVE);
    nvme_of(e)->formatting &= ~c->namespaces;
    nvme_ns_changed(e);
}

uint32_t nvme_ns_management(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)dw0;
    const uint32_t select = q->cdw10 & 0xFu;
    const uint32_t status = refuse(e);
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    if (select == CREATE) {
        if (!command_set_known(e, q->cdw11 >> 24)) {
            return DNR(NVME_SC_COMMAND_SET_NOT_SUPPORTED);
        }
        return nvme_fetch(e, slot, q, META_SIZE);
    }
    if (select != DELETE) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (q->nsid != NSID_ALL && nvme_ns_of(e, q->nsid) == NS_NONE) {
        return nvme_ns_missing(q->nsid);
    }
    const uint32_t mask = mask_of(e, q->nsid);
    if ((mask & nvme_of(e)->formatting) != 0) {
        return NVME_SC_FORMAT_IN_PROGRESS;
    }
    return start_wipe(e, slot, mask, 0);
}

/* ---- Attach and detach ---- */

uint32_t nvme_ns_attachment(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)dw0;
    const uint32_t status = refuse(e);
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    if ((q->cdw10 & 0xFu) > DETACH) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    if (nvme_ns_of(e, q->nsid) == NS_NONE) {
        return nvme_ns_missing(q->nsid);
    }
    return nvme_fetch(e, slot, q, META_SIZE);
}

static uint32_t attach(struct env* e, const struct nvme_sqe* q, const uint8_t* data)
{
    const uint32_t index = nvme_ns_of(e, q->nsid);
    const bool attaches = (q->cdw10 & 0xFu) == ATTACH;
    if (index == NS_NONE) { /* another command was faster */
        return DNR(NVME_SC_INVALID_NAMESPACE);
    }
    if (get16(data) != 1 || get16(data + 2) != CONTROLLER_ID) {
        return DNR(NVME_SC_CONTROLLER_LIST_INVALID);
    }
    struct drive_namespace* n = drive_namespace_at(e, index);
    if (attaches && !command_set_enabled(e, drive_state_of(e)->command_set[index])) {
        return DNR(NVME_SC_COMMAND_SET_NOT_ENABLED);
    }
    if (attaches == (n->attached != 0)) {
        return DNR(attaches ? NVME_SC_NAMESPACE_ATTACHED : NVME_SC_NAMESPACE_NOT_ATTACHED);
    }
    n->attached = attaches ? 1 : 0;
    if (!attaches) {
        nvme_directives_forget(e, index);
    }
    note_change(e, index);
    return NVME_SC_SUCCESS;
}

uint32_t nvme_ns_landed(struct env* e, uint32_t slot, const struct nvme_sqe* q, const uint8_t* data)
{
    struct command* c = command_of(e, slot);
    uint32_t dw0 = 0;
    FW_ASSERT(e, q->opcode == NVME_ADMIN_NS_MANAGEMENT || q->opcode == NVME_ADMIN_NS_ATTACHMENT);
    const uint32_t status = q->opcode == NVME_ADMIN_NS_MANAGEMENT
                                ? create(e, q->cdw11 >> 24, data, &dw0)
                                : attach(e, q, data);
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    hil_drop_page(e, c);
    hil_save(e, slot, dw0);
    return NVME_LATER;
}

/* ---- Format NVM ---- */

uint32_t nvme_format(struct env* e, uint32_t slot, const struct nvme_sqe* q, uint32_t* dw0)
{
    (void)dw0;
    /* MSET, then PI and PIL, which are bits 0 to 3 of DPS. */
    const uint32_t format =
        metadata_choose(e, q->cdw10 & 0xFu, q->cdw10 & MSET, (q->cdw10 >> 5) & 0xFu);
    const uint32_t erase = (q->cdw10 >> 9) & 7u;
    const uint32_t status = refuse(e);
    if (status != NVME_SC_SUCCESS) {
        return status;
    }
    if (q->nsid != NSID_ALL && nvme_ns_of(e, q->nsid) == NS_NONE) {
        return nvme_ns_missing(q->nsid);
    }
    if (format == 0) {
        return DNR(NVME_SC_INVALID_FORMAT);
    }
    if (erase > 1) { /* FNA bit 2: no cryptographic erase */
        return DNR(NVME_SC_INVALID_FIELD);
    }
    const uint32_t mask = mask_of(e, q->nsid);
    if (format != ZONED_FORMAT && (mask & e->hil->zoned_mask) != 0) {
        return DNR(NVME_SC_INVALID_FORMAT);
    }
    if ((mask & nvme_of(e)->formatting) != 0) {
        return NVME_SC_FORMAT_IN_PROGRESS;
    }
    return start_wipe(e, slot, mask, format);
}
