/* SPDX-License-Identifier: Apache-2.0
 *
 * How warm the drive is, and for how long.
 */
#include "firmware/host/power/heat.h"

#include "firmware/drv/devices.h"
#include "firmware/host/core/hil.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/ops/flash.h"
#include "models/regs/parts/thermal.h"

static uint32_t thresholds_of(const struct heat_setup* setup)
{
    return setup->limit[HEAT_LIGHT] / HEAT_KELVIN << 16 | setup->limit[HEAT_HEAVY] / HEAT_KELVIN;
}

static struct heat_setup setup_of(const struct boot_thermal* t)
{
    const struct heat_setup setup = {
        .on = t->on,
        .step_us = t->step_us,
        .warning = t->on != 0 ? t->warning : HEAT_WARNING,
        .critical = t->on != 0 ? t->critical : HEAT_CRITICAL,
        .limit = {0, t->light, t->heavy, t->shutdown},
        .programs = {1000, t->light_programs, t->heavy_programs, t->heavy_programs},
        .hysteresis = t->hysteresis,
        .clock_exponent = t->clock_exponent,
    };
    return setup;
}

void heat_init(struct env* e)
{
    struct heat* h = &e->hil->heat;
    mem_zero(h, sizeof *h);
    h->setup = setup_of(e->told.thermal);
    if (e->told.thermal->on != 0) {
        run_hears_busy(e);
    }
    h->managed = thresholds_of(&h->setup);
    h->composite = HEAT_TEMPERATURE;
    /* More may wait in firmware, which heats nothing. */
    h->programs = geometry_programs(e->geo) * e->geo->part.luns;
    h->most = flash_most(e, OWNER_PROGRAM);
    FW_ASSERT(e, h->programs != 0 && h->programs <= h->most);
}

bool heat_is_known(const struct env* e)
{
    return e->hil->heat.setup.on != 0;
}

static bool can_be(uint32_t kelvin)
{
    return kelvin == 0 || (kelvin >= HEAT_MANAGED_LEAST && kelvin <= HEAT_MANAGED_MOST);
}

bool heat_can_manage(uint32_t value)
{
    const uint32_t light = value >> 16;
    const uint32_t heavy = value & 0xFFFFu;
    return can_be(light) && can_be(heavy) && (light == 0 || heavy == 0 || light < heavy);
}

void heat_manage(struct env* e, uint32_t value)
{
    struct heat* h = &e->hil->heat;
    FW_ASSERT(e, heat_can_manage(value));
    h->setup.limit[HEAT_LIGHT] = (value >> 16) * HEAT_KELVIN;
    h->setup.limit[HEAT_HEAVY] = (value & 0xFFFFu) * HEAT_KELVIN;
}

/* Since the last look all was as it was then. */
static void count(struct env* e, uint64_t ns)
{
    const struct heat* h = &e->hil->heat;
    struct smart* s = e->smart;
    if (h->composite >= h->setup.critical * HEAT_KELVIN) {
        s->hot_ns[1] += ns;
    } else if (h->composite >= h->setup.warning * HEAT_KELVIN) {
        s->hot_ns[0] += ns;
    }
    if (h->level == HEAT_LIGHT || h->level == HEAT_HEAVY) {
        s->throttled_ns[h->level - HEAT_LIGHT] += ns;
    }
}

struct range { /* of temperatures in which nothing changes; 0 = no limit */
    uint32_t low;
    uint32_t high;
};

/* Something changes as the temperature reaches `at`. */
static void narrow(struct range* r, uint32_t composite, uint32_t at)
{
    if (at == 0) {
        return;
    }
    if (composite >= at) {
        r->low = at > r->low ? at : r->low;
    } else {
        r->high = r->high == 0 || at < r->high ? at : r->high;
    }
}

static struct range range_now(struct env* e)
{
    const struct heat* h = &e->hil->heat;
    struct range r = {throttle_below(&h->setup, h->level), throttle_above(&h->setup, h->level)};
    narrow(&r, h->composite, h->setup.warning * HEAT_KELVIN);
    narrow(&r, h->composite, h->setup.critical * HEAT_KELVIN);
    if (e->hil->ata.on == 0) {
        const struct nvme* n = nvme_of(e);
        narrow(&r, h->composite, n->feature[FEATURE_OVER] * HEAT_KELVIN);
        narrow(&r, h->composite, (n->feature[FEATURE_UNDER] + 1) * HEAT_KELVIN);
    }
    FW_ASSERT(e, r.high == 0 || r.low < r.high);
    return r;
}

static void look(struct env* e, uint64_t now)
{
    struct heat* h = &e->hil->heat;
    FW_ASSERT(e, now >= h->looked);
    if (h->looked != 0) {
        count(e, now - h->looked);
    }
    h->looked = now;
    h->composite = thermal_read(e, THERMAL_REG_COMPOSITE);
    h->sensor[0] = thermal_read(e, THERMAL_REG_CONTROLLER);
    h->sensor[1] = thermal_read(e, THERMAL_REG_NAND);
    const uint32_t level = throttle_level(&h->setup, h->composite, h->level);
    if (level != h->level) {
        throttle_apply(e, level);
    }
    if ((e->hil->watch & WATCH_HEALTH) != 0) {
        run_due(e, DUE_STEPS);
        e->hil->more = 1; /* the host may want to hear of it */
    }
}

/* Many a command comes and ends within a round. */
static bool is_at_work(struct env* e)
{
    struct heat* h = &e->hil->heat;
    const uint32_t moves = front_end_moves(e);
    const bool works = e->hil->active != 0 || flash_in_flight(e) != 0 || moves != h->moves;
    h->moves = moves;
    return works;
}

uint64_t heat_step(struct env* e, uint64_t now, bool alarm)
{
    struct heat* h = &e->hil->heat;
    const uint64_t step = (uint64_t)h->setup.step_us * 1000u;
    const bool works = is_at_work(e);
    h->worked |= works ? 1u : 0u;
    if (h->looked != 0 && now < h->looked + step && !alarm) {
        h->due = h->worked != 0 ? h->looked + step : h->due;
        return h->due;
    }
    if (h->due == 0 && h->worked == 0 && !alarm && h->looked != 0) {
        return 0; /* idle: the comparator speaks when there is something to see */
    }
    look(e, now);
    /* A whole interval without work: how the temperature goes on is known from here. */
    if (h->worked == 0) {
        const struct range r = range_now(e);
        thermal_await(e, r.low, r.high);
        h->due = 0;
    } else {
        h->due = now + step;
    }
    h->worked = works ? 1 : 0;
    return h->due;
}

/* ---- Throttling ----
 *
 * The policy of throttling: at which temperature the drive does how much less, and how. Light
 * throttling programs fewer dies at a time, which is most of the heat of writes; heavy throttling
 * fewer still, at a lower clock of the cores, which slows reads too; a drive that is stopped takes
 * no new commands.
 */

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
