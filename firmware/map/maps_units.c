/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/maps_units.h"

#include "firmware/lib/bits.h"
#include "firmware/map/log.h"
#include "firmware/space/valid.h"

uint64_t maps_awaited(struct env* e, uint64_t unit)
{
    struct maps* m = e->maps;
    const uint64_t page = unit >> m->entry_shift;
    FW_ASSERT(e, unit < e->geo->user_units);
    if (m->segment != 0 || m->raw != 0 || m->span != 1) {
        return 0;
    }
    const uint8_t flags = *maps_flags(e, m, 1, page);
    const struct ftl_ops* ftl = ftl_ops_of(e);
    if ((flags & MAP_LOADING) != 0) { /* a table of entries takes what it knows it lacks */
        return ftl->newer == NULL || ftl->newer(e, unit) ? page + 1 : 0;
    }
    return (flags & MAP_RESIDENT) != 0 || maps_may_ask(e) ? 0 : page + 1;
}

void maps_disown(struct env* e, uint64_t address)
{
    if (blocks_valid(e, address)) {
        FW_ASSERT(e, maps_damaged(e));
        blocks_invalidate(e, address);
        --e->telemetry->mapped;
    }
}

void maps_depart(struct env* e, uint64_t entry)
{
    if (maps_placed(entry)) {
        blocks_invalidate(e, entry & ~FTL_LOST);
        --e->telemetry->mapped;
    }
    e->telemetry->lost_units -= ftl_lost(entry) ? 1u : 0u;
}

void maps_commit(struct env* e, uint64_t unit, uint64_t address)
{
    const uint64_t entry = log_read(e, LOG_D, unit);
    FW_ASSERT(e, maps_has(e, unit));
    FW_ASSERT(e, (entry & ~FTL_LOST) != address);
    e->telemetry->lost_units -= ftl_lost(entry) ? 1u : 0u;
    log_appended(e, LOG_D, unit, address);
}

void maps_lose(struct env* e, uint64_t unit)
{
    const uint64_t entry = maps_entry(e, 1, unit);
    FW_ASSERT(e, maps_has(e, unit));
    FW_ASSERT(e, entry != FTL_NONE);
    if (!ftl_lost(entry)) {
        maps_set(e, 1, unit, entry | FTL_LOST);
        ++e->telemetry->lost_units;
        ++e->telemetry->units_lost;
    }
}

bool maps_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to)
{
    const uint64_t entry = maps_entry(e, 1, unit);
    FW_ASSERT(e, maps_has(e, unit));
    FW_ASSERT(e, from != to);
    if (!maps_placed(entry) || (entry & ~FTL_LOST) != from) {
        maps_disown(e, from);
        return false;
    }
    log_appended(e, LOG_D, unit, to | (entry & FTL_LOST));
    return true;
}

bool maps_trim(struct env* e, uint64_t unit)
{
    const uint64_t entry = maps_entry(e, 1, unit);
    FW_ASSERT(e, maps_has(e, unit));
    if (entry == FTL_NONE) {
        return false;
    }
    e->telemetry->lost_units -= ftl_lost(entry) ? 1u : 0u;
    log_appended(e, LOG_D, unit, FTL_NONE);
    return true;
}
