/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/namespaces.h"

#include "firmware/host/nvme/metadata_blocks.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/zones/zones.h"

enum { CSS_ALL = 6 };

_Static_assert(DRIVE_NAMESPACES < 32 && DRIVE_NAMESPACES < NS_NONE, "a bit for each in masks");

/* ---- Command sets ---- */

uint32_t command_sets_chosen(const struct env* e)
{
    return (e->hil->cc & NVME_CC_CSS_MASK) >> NVME_CC_CSS_SHIFT == CSS_ALL;
}

uint32_t command_set_known(const struct env* e, uint32_t set)
{
    return set == NVME_CSI_NVM || (set == NVME_CSI_ZONED && e->hil->zoned != 0);
}

uint32_t command_set_enabled(const struct env* e, uint32_t set)
{
    return set == NVME_CSI_NVM || command_sets_chosen(e);
}

/* ---- Which there are ---- */

uint32_t nvme_ns_of(const struct env* e, uint32_t nsid)
{
    return nsid == 0 || nsid > DRIVE_NAMESPACES || drive_namespace_at(e, nsid - 1)->sectors == 0
               ? NS_NONE
               : nsid - 1;
}

uint32_t nvme_ns_active(const struct env* e, uint32_t nsid)
{
    const uint32_t index = nvme_ns_of(e, nsid);
    return index != NS_NONE && drive_namespace_at(e, index)->attached != 0 &&
                   command_set_enabled(e, drive_state_of(e)->command_set[index])
               ? index
               : NS_NONE;
}

uint32_t nvme_ns_missing(uint32_t nsid)
{
    return nsid == 0 || nsid > DRIVE_NAMESPACES ? DNR(NVME_SC_INVALID_NAMESPACE)
                                                : DNR(NVME_SC_INVALID_FIELD);
}

uint64_t nvme_unallocated(const struct env* e)
{
    uint64_t left = e->geo->sectors;
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) {
        left -= drive_namespace_at(e, i)->sectors;
    }
    FW_ASSERT(e, left <= e->geo->sectors);
    return left;
}

/* ---- What firmware and front end know of them ---- */

static uint32_t front_end_format_of(const struct drive_namespace* n)
{
    if (n->sectors == 0) {
        return SECTOR_SHIFT << FE_NS_FORMAT_SHIFT_SHIFT;
    }
    return (uint32_t)n->shift << FE_NS_FORMAT_SHIFT_SHIFT |
           (uint32_t)n->metadata << FE_NS_FORMAT_METADATA_SHIFT |
           ((n->flags & NS_EXTENDED) != 0 ? FE_NS_FORMAT_EXTENDED : 0u) |
           ((n->flags & NS_PROTECTION) != 0 ? FE_NS_FORMAT_PROTECTED : 0u);
}

void nvme_ns_changed(struct env* e)
{
    const struct drive_namespace* first = drive_namespace_at(e, 0);
    e->hil->plain = first->attached != 0 && drive_ns_up(first) == 0 && first->start == 0 &&
                    first->sectors == e->geo->sectors && nvme_of(e)->formatting == 0;
    e->hil->zoned_mask = 0;
    e->hil->protect = 0;
    for (uint32_t i = 0; i < DRIVE_NAMESPACES; ++i) {
        uint32_t* known = &nvme_of(e)->format[i];
        const uint32_t format = front_end_format_of(drive_namespace_at(e, i));
        e->hil->zoned_mask |=
            drive_namespace_at(e, i)->sectors != 0 && is_zoned(e, i) ? 1u << i : 0u;
        if (format != (*known == 0 ? SECTOR_SHIFT << FE_NS_FORMAT_SHIFT_SHIFT : *known)) {
            front_end_format(e, i + 1, format);
            *known = format;
        }
        e->hil->protect |= (format & FE_NS_FORMAT_METADATA_MASK) != 0;
    }
}

/* ---- Where blocks lie ---- */

uint32_t nvme_translate(struct env* e, struct command* c, uint32_t opcode, bool ranged,
                        bool bounded)
{
    const uint32_t index = nvme_ns_active(e, c->nsid);
    if (c->nsid == NSID_SHORT_ALL && opcode == NVME_IO_FLUSH) {
        return NVME_SC_SUCCESS; /* of all namespaces, as any Flush of this drive */
    }
    if (index == NS_NONE) {
        return nvme_ns_missing(c->nsid);
    }
    const struct drive_namespace* n = drive_namespace_at(e, index);
    const uint32_t up = drive_ns_up(n);
    const uint64_t lba = c->ns_lba;
    const uint64_t size = n->sectors >> up;
    FW_ASSERT(e, n->shift >= SECTOR_SHIFT && n->start + n->sectors <= e->geo->sectors);
    c->ns = (uint8_t)index;
    if (((nvme_of(e)->formatting >> index) & 1u) != 0) {
        return NVME_SC_FORMAT_IN_PROGRESS;
    }
    if (!ranged) {
        return NVME_SC_SUCCESS;
    }
    if (lba >= size || c->sectors > size - lba) {
        return DNR(NVME_SC_LBA_OUT_OF_RANGE);
    }
    if (bounded &&
        (n->metadata == 0 ? c->sectors << up > e->hil->max_sectors : metadata_too_long(e, c))) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    c->lba = n->start + (lba << up);
    c->sectors <<= up;
    return NVME_SC_SUCCESS;
}
