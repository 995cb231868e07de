/* SPDX-License-Identifier: Apache-2.0
 *
 * Which host writes are shallow, and the predictor of how long their data live.
 */
#include "firmware/lib/telemetry.h"
#include "firmware/space/retention.h"

enum {
    OUTCOMES_MOST = 64, /* of a region: then both counts are halved, so that it forgets */
    PROBE_SHIFT = 60    /* one write in 2^4 of a region that is written deep is a probe */
};

static struct region* region_of(struct env* e, uint64_t unit)
{
    const struct retention* r = e->retention;
    const uint64_t n = unit * r->setup.regions / e->geo->user_units;
    FW_ASSERT(e, unit < e->geo->user_units && n < r->setup.regions);
    return (struct region*)env_dram(e, r->regions) + n;
}

/* The same unit with the same data gives the same answer, so that a write unit that could not go
 * finds the same units again. */
static bool probes(uint64_t unit, uint64_t sequence)
{
    uint64_t x = (unit + (sequence << 32)) * UINT64_C(0x9E3779B97F4A7C15);
    x ^= x >> 31;
    return (x * UINT64_C(0xBF58476D1CE4E5B9)) >> PROBE_SHIFT == 0;
}

static bool dies_in_time(struct env* e, uint64_t unit, uint64_t sequence)
{
    const struct region* g = region_of(e, unit);
    const uint32_t outcomes = (uint32_t)g->died + g->survived;
    FW_ASSERT(e, outcomes <= OUTCOMES_MOST);
    return g->survived * 1000u <= outcomes * e->retention->setup.threshold ||
           probes(unit, sequence);
}

bool retention_shallow(struct env* e, uint64_t unit, uint64_t sequence, bool small)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    switch (e->retention->setup.policy) {
    case SHALLOW_SMALL_REQUESTS:
        return small;
    case SHALLOW_PREDICTED:
        return dies_in_time(e, unit, sequence);
    case SHALLOW_NONE:
        return false;
    default:
        return true;
    }
}

bool retention_is_small(const struct env* e, uint64_t bytes)
{
    FW_ASSERT(e, bytes != 0);
    return bytes <= e->retention->setup.small;
}

static void learn(struct env* e, uint64_t unit, int survived)
{
    if (e->retention->setup.policy != SHALLOW_PREDICTED) {
        return;
    }
    struct region* g = region_of(e, unit);
    g->survived = (uint8_t)(g->survived + (survived ? 1 : 0));
    g->died = (uint8_t)(g->died + (survived ? 0 : 1));
    if ((uint32_t)g->died + g->survived >= OUTCOMES_MOST) {
        g->survived /= 2;
        g->died /= 2;
    }
    FW_ASSERT(e, (uint32_t)g->died + g->survived < OUTCOMES_MOST);
}

void retention_before(struct env* e)
{
    FW_ASSERT(e, e->retention->on <= 1);
    e->retention->died = 0;
}

void retention_after(struct env* e, uint64_t unit)
{
    struct retention* r = e->retention;
    struct telemetry_retention* s = &e->telemetry->retention;
    const uint32_t stamp = r->died;
    FW_ASSERT(e, stamp == 0 || r->on != 0);
    r->died = 0;
    if (stamp == 0) {
        return;
    }
    if ((stamp & STAMP_DEEP) == 0) {
        ++s->shallow_died;
        learn(e, unit, 0);
    } else { /* one that lives on for longer loses its stamp (gc/rewrite.c) */
        ++s->deep_died;
    }
    FW_ASSERT(e, (stamp & STAMP_AGE) != 0);
}

void retention_rewritten(struct env* e, uint64_t unit, uint64_t deadline)
{
    struct telemetry_retention* s = &e->telemetry->retention;
    FW_ASSERT(e, e->retention->on != 0 && deadline != 0);
    ++s->rewritten_units;
    s->late_units += retention_now(e) >= deadline ? 1u : 0u;
    learn(e, unit, 1);
}
