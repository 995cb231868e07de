/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the mean power of a drive at work within that of its power state. What it draws beyond is a
 * debt, and the steps of throttling that heat has go by the debt: it settles at one at which the
 * drive draws what it may.
 */
#include "firmware/drv/thermal.h"
#include "firmware/host/core/hil.h"

/* In what a state allows from one look to the next. */
enum { DEBT_HEAVY = 1, DEBT_STOPPED = 2 };

/* nJ in so many ns; setup in 100 uW. */
static int64_t allowed(const struct power* p, uint64_t ns)
{
    return (int64_t)((uint64_t)p->setup.state[p->current].max_power * ns / 10000u);
}

static uint64_t step_of(const struct power* p)
{
    return (uint64_t)p->setup.step_us * 1000u;
}

static uint32_t level_of(const struct power* p)
{
    const int64_t unit = allowed(p, step_of(p));
    return p->debt <= 0                     ? HEAT_NONE
           : p->debt <= DEBT_HEAVY * unit   ? HEAT_LIGHT
           : p->debt <= DEBT_STOPPED * unit ? HEAT_HEAVY
                                            : HEAT_STOPPED;
}

static void set_level(struct env* e, uint32_t level)
{
    struct power* p = &e->hil->power;
    FW_ASSERT(e, level < HEAT_LEVELS);
    if (level != p->level) {
        p->level = level;
        throttle_act(e);
    }
}

void power_unlimited(struct env* e)
{
    e->hil->power.looked = 0;
    e->hil->power.debt = 0;
    set_level(e, HEAT_NONE);
    FW_ASSERT(e, e->hil->power.level == HEAT_NONE);
}

uint64_t power_limit(struct env* e, uint64_t now, bool works)
{
    struct power* p = &e->hil->power;
    FW_ASSERT(e, p->setup.step_us != 0);
    if (!power_works(p, p->current) || (p->looked == 0 && !works)) {
        p->looked = 0;
        return 0;
    }
    p->worked |= works ? 1u : 0u;
    if (p->looked != 0 && now < p->looked + step_of(p)) {
        return p->looked + step_of(p);
    }
    const uint32_t drawn = thermal_read(e, THERMAL_REG_ENERGY);
    if (p->looked != 0) {
        const int64_t least = -allowed(p, step_of(p)); /* what is not used is soon lost */
        p->debt += (int64_t)(uint32_t)(drawn - p->metered) * 1000 - allowed(p, now - p->looked);
        p->debt = p->debt < least ? least : p->debt;
        set_level(e, level_of(p));
    }
    const bool rests = p->worked == 0 && p->level == HEAT_NONE; /* the whole step */
    p->worked = 0;
    p->looked = rests ? 0 : now;
    p->metered = drawn;
    FW_ASSERT(e, rests || p->looked != 0);
    return rests ? 0 : now + step_of(p);
}
