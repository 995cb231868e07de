/* SPDX-License-Identifier: Apache-2.0
 *
 * The policy of throttling: at which temperature the drive does how much less, and how. Light
 * throttling programs fewer dies at a time, which is most of the heat of writes; heavy throttling
 * fewer still, at a lower clock of the cores, which slows reads too; a drive that is stopped takes
 * no new commands.
 */
#include "firmware/host/power/throttle.h"

#include "firmware/drv/devices.h"
#include "firmware/host/core/hil.h"
#include "firmware/lib/telemetry.h"
#include "firmware/ops/flash.h"

/* Below it the level ends. A drive that was stopped goes on when nothing would throttle it. */
static uint32_t end_of(const struct heat_setup* s, uint32_t level)
{
    uint32_t from = s->limit[level];
    for (uint32_t l = HEAT_LIGHT; level == HEAT_STOPPED && l < level; ++l) {
        from = s->limit[l] != 0 && s->limit[l] < from ? s->limit[l] : from;
    }
    return from > s->hysteresis ? from - s->hysteresis : 1;
}

uint32_t throttle_level(const struct heat_setup* s, uint32_t temperature, uint32_t level)
{
    for (uint32_t l = HEAT_STOPPED; l != HEAT_NONE; --l) {
        if (s->limit[l] == 0) {
            continue;
        }
        const uint32_t from = level >= l && s->limit[level] != 0 ? end_of(s, l) : s->limit[l];
        if (temperature >= from) {
            return l;
        }
    }
    return HEAT_NONE;
}

uint32_t throttle_above(const struct heat_setup* s, uint32_t level)
{
    uint32_t lowest = 0;
    for (uint32_t l = level + 1; l < HEAT_LEVELS; ++l) {
        lowest = s->limit[l] != 0 && (lowest == 0 || s->limit[l] < lowest) ? s->limit[l] : lowest;
    }
    return lowest;
}

uint32_t throttle_below(const struct heat_setup* s, uint32_t level)
{
    return level == HEAT_NONE || s->limit[level] == 0 ? 0 : end_of(s, level);
}

void throttle_apply(struct env* e, uint32_t level)
{
    struct heat* h = &e->hil->heat;
    FW_ASSERT(e, level < HEAT_LEVELS);
    if (level > h->level && level != HEAT_STOPPED) {
        ++e->smart->throttled[level - HEAT_LIGHT];
    }
    h->level = level;
    throttle_act(e);
}

void throttle_act(struct env* e)
{
    const struct heat* h = &e->hil->heat;
    const uint32_t power = e->hil->power.level;
    const uint32_t level = h->level > power ? h->level : power;
    FW_ASSERT(e, level < HEAT_LEVELS && h->programs != 0);
    const uint32_t programs = (uint32_t)((uint64_t)h->programs * h->setup.programs[level] / 1000);
    flash_throttle(e, level == HEAT_NONE ? h->most : programs != 0 ? programs : 1);
    hil_close(e, CLOSED_HEAT, h->level == HEAT_STOPPED);
    hil_close(e, CLOSED_LIMIT, power == HEAT_STOPPED);
    thermal_throttle(e, h->level, level >= HEAT_HEAVY ? h->setup.clock_exponent : 0);
}
