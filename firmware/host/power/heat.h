/* SPDX-License-Identifier: Apache-2.0
 *
 * Heat: how warm the drive is, for how long it has been too warm, and what is done about it. While
 * the drive works firmware looks at the sensors at intervals; an idle one is woken up when the
 * temperature leaves the range in which nothing changes. Temperatures are in hundredths of a
 * kelvin; 0 degrees Celsius is 273 K, as hosts count.
 */
#ifndef SSDVP_FIRMWARE_HOST_POWER_HEAT_H
#define SSDVP_FIRMWARE_HOST_POWER_HEAT_H

#include <stdbool.h>

#include "firmware/lib/env.h"

#define HEAT_KELVIN 100u
#define HEAT_SENSORS 2u         /* of the controller, of the hottest die */
#define HEAT_TEMPERATURE 30000u /* without a model: 300 K for ever */
#define HEAT_WARNING 343u       /* K, 70 degrees Celsius */
#define HEAT_CRITICAL 353u

enum heat_level { HEAT_NONE = 0, HEAT_LIGHT = 1, HEAT_HEAVY = 2, HEAT_STOPPED = 3, HEAT_LEVELS };

/* What is done about heat: as told at first; the host may set other limits (heat_manage). */
struct heat_setup {
    uint32_t on;      /* 0 = nothing models heat, and the rest means nothing */
    uint32_t step_us; /* from one look to the next */
    uint32_t warning; /* K */
    uint32_t critical;
    uint32_t limit[HEAT_LEVELS];    /* from which on each level goes, 0 = never */
    uint32_t programs[HEAT_LEVELS]; /* of the host at a time: thousandths */
    uint32_t hysteresis;
    uint32_t clock_exponent; /* of heavy throttling */
};

struct heat {
    struct heat_setup setup;
    uint32_t level; /* enum heat_level */
    uint32_t composite;
    uint32_t sensor[HEAT_SENSORS];
    uint32_t worked;   /* 1 = since the last look */
    uint32_t moves;    /* of the front end that had been ordered */
    uint32_t programs; /* of the host that the part can do at a time */
    uint32_t managed;  /* TMT1 and TMT2 as the drive came: the default of feature 10h */
    uint32_t most;     /* ... that firmware has at a time, when nothing throttles */
    uint64_t looked;   /* ns; 0 = never */
    uint64_t due;      /* ns, the next look; 0 = the comparator waits */
};

/* NVMe's host controlled thermal management, feature 10h: TMT1 and TMT2 in kelvins. */
#define HEAT_MANAGED_LEAST 273u /* MNTMT */
#define HEAT_MANAGED_MOST 473u  /* MXTMT */
bool heat_can_manage(uint32_t value);
void heat_manage(struct env* e, uint32_t value);
/* Composite temperature in whole kelvins. */
static inline uint32_t heat_kelvin(const struct heat* h)
{
    return h->composite / HEAT_KELVIN;
}

bool heat_is_known(const struct env* e); /* something models it */
void heat_init(struct env* e);
/* Looks at the sensors if it is time, or if the comparator has spoken. When it wants to be called
 * again, in ns; 0 = no timer is needed. */
uint64_t heat_step(struct env* e, uint64_t now, bool alarm);

/* ---- Throttling: at which temperature the drive does how much less ---- */

/* What a temperature asks for, at the level that goes on. */
uint32_t throttle_level(const struct heat_setup* s, uint32_t temperature, uint32_t level);
/* Where that would change: the next limit above, and the one that ends the level. 0 = none. */
uint32_t throttle_above(const struct heat_setup* s, uint32_t level);
uint32_t throttle_below(const struct heat_setup* s, uint32_t level);
void throttle_apply(struct env* e, uint32_t level);
/* What the levels of heat and of the power state ask for, whichever is more. */
void throttle_act(struct env* e);

#endif
