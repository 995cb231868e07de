/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/uncorrectable.h"

#include "firmware/durable/drive_state.h"
#include "firmware/host/core/hil.h"

bool nvme_is_spoilt(const struct env* e, uint64_t lba, uint64_t sectors)
{
    const struct drive_state* s = drive_state_of(e);
    for (uint32_t i = 0; i < s->spoilt_count; ++i) {
        const struct drive_spoilt* p = &s->spoilt[i];
        if (lba < p->lba + p->sectors && p->lba < lba + sectors) {
            return true;
        }
    }
    return false;
}

bool nvme_unspoil(struct env* e, uint64_t lba, uint64_t sectors)
{
    struct drive_state* s = drive_state_of(e);
    const uint64_t end = lba + sectors;
    bool changed = false;
    for (uint32_t i = 0; i < s->spoilt_count;) {
        struct drive_spoilt* p = &s->spoilt[i];
        const uint64_t its_end = p->lba + p->sectors;
        if (lba >= its_end || p->lba >= end) {
            ++i;
            continue;
        }
        const uint64_t before = lba > p->lba ? lba - p->lba : 0;
        const uint64_t behind = its_end > end ? its_end - end : 0;
        if (before != 0 && behind != 0) {
            if (s->spoilt_count == DRIVE_SPOILT) {
                return false;
            }
            s->spoilt[s->spoilt_count].lba = end;
            s->spoilt[s->spoilt_count++].sectors = behind;
            p->sectors = before;
        } else if (before != 0 || behind != 0) {
            p->lba = before != 0 ? p->lba : end;
            p->sectors = before != 0 ? before : behind;
        } else {
            *p = s->spoilt[--s->spoilt_count];
        }
        changed = true;
    }
    if (changed) {
        e->hil->spoilt = s->spoilt_count;
        e->hil->unspoilt = drive_state_save(e); /* a Flush waits for it */
    }
    return true;
}

uint32_t nvme_spoil(struct env* e, uint64_t lba, uint64_t sectors)
{
    struct drive_state* s = drive_state_of(e);
    if (s->spoilt_count == DRIVE_SPOILT || !nvme_unspoil(e, lba, sectors)) {
        return NVME_SC_INTERNAL_ERROR; /* the table is full: writes make room */
    }
    if (s->spoilt_count == DRIVE_SPOILT) {
        return NVME_SC_INTERNAL_ERROR;
    }
    s->spoilt[s->spoilt_count].lba = lba;
    s->spoilt[s->spoilt_count].sectors = sectors;
    ++s->spoilt_count;
    e->hil->spoilt = s->spoilt_count;
    return NVME_SC_SUCCESS;
}
