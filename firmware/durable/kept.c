/* SPDX-License-Identifier: Apache-2.0
 *
 * Replay where the scheme caches entries without their pages. What the window tells of a unit is
 * newer than any page on the flash: it goes into the cache, dirty, as if it had just been written.
 * No map page comes in or goes out for it before the drive serves; the next checkpoint writes what
 * is still dirty, and a power-up after a cut before that finds the same window.
 */
#include "firmware/durable/kept.h"

#include "firmware/durable/journal.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"

static bool keep(struct env* e, const struct spare_unit* u, uint64_t address)
{
    FW_ASSERT(e, address < FTL_LOST);
    return u->kind != SPARE_DATA || u->index >= e->geo->user_units ||
           ftl_ops_of(e)->keep(e, u->index, address | (u->lost != 0 ? FTL_LOST : 0));
}

static bool is_sound(const struct env* e, const struct trim_record* r)
{
    const uint64_t units = e->geo->user_units;
    FW_ASSERT(e, units != 0);
    return r->sequence >= e->recovery->base && r->first < units && r->count <= units - r->first;
}

/* Those before a program. false = there is no room. */
static bool keep_trims(struct env* e, struct trims* t, uint64_t before)
{
    const struct trim_record* r;
    for (; (r = replay_trim(e, t)) != NULL && r->sequence < before; ++t->record) {
        for (uint64_t n = 0; is_sound(e, r) && n < r->count; ++n) {
            if (!ftl_ops_of(e)->keep(e, r->first + n, FTL_NONE)) {
                return false;
            }
        }
    }
    FW_ASSERT(e, before != 0);
    return true;
}

static bool keep_all(struct env* e, struct trims* t)
{
    const struct recovery* v = e->recovery;
    bool full = false;
    for (uint64_t n = 0; n < v->limit && !full; ++n) {
        full = !keep_trims(e, t, v->window + 1 + n);
        if (!full && *replay_entry(e, n) != 0) {
            replay_units(e, n, keep, &full);
        }
    }
    FW_ASSERT(e, v->pass == 0);
    return !full && keep_trims(e, t, UINT64_MAX);
}

bool replay_kept(struct env* e, struct trims trims)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    if (ftl->keep == NULL) {
        return false;
    }
    const bool all = keep_all(e, &trims);
    if (!all) {
        ftl->forget(e);
    }
    FW_ASSERT(e, e->maps->counting == 0);
    return all;
}
