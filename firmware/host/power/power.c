/* SPDX-License-Identifier: Apache-2.0
 *
 * The way from one power state to another, when the drive goes it, and how it keeps within one.
 */
#include "firmware/host/power/power.h"

#include "firmware/drv/devices.h"
#include "firmware/durable/state.h"
#include "firmware/host/core/hil.h"
#include "firmware/host/core/waiting.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/power/heat.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/ops/flash.h"
#include "models/regs/parts/power.h"

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)

void power_init(struct env* e)
{
    const struct boot_power* told = e->told.power;
    _Static_assert(POWER_STATES_MOST == BOOT_POWER_STATES, "a table entry for each");
    struct power* p = &e->hil->power;
    FW_ASSERT(e, told->count <= BOOT_POWER_STATES && told->operational <= told->count);
    mem_zero(p, sizeof *p);
    if (told->count != 0) {
        run_hears_busy(e);
    }
    FW_ASSERT(e, told->count == 0 || told->operational != 0);
}

bool power_has_states(const struct env* e)
{
    return e->told.power->count != 0;
}

uint32_t power_count(const struct env* e)
{
    return e->told.power->count;
}

uint32_t power_states(const struct env* e)
{
    return power_has_states(e) ? power_count(e) : POWER_STATES;
}

bool power_works(const struct env* e, uint32_t state)
{
    return state < e->told.power->operational;
}

bool power_is_awake(const struct env* e)
{
    return e->hil->power.phase == POWER_AWAKE;
}

/* ---- Within the power of the state ----
 *
 * What a drive at work draws beyond is a debt, and the steps of throttling that heat has go by the
 * debt: it settles at one at which the drive draws what it may. */

/* In what a state allows from one look to the next. */
enum { DEBT_HEAVY = 1, DEBT_STOPPED = 2 };

/* nJ in so many ns; setup in 100 uW. */
static int64_t allowed(const struct env* e, uint64_t ns)
{
    const struct power* p = &e->hil->power;
    return (int64_t)((uint64_t)e->told.power->state[p->current].max_power * ns / 10000u);
}

static uint64_t step_of(const struct env* e)
{
    return (uint64_t)e->told.power->step_us * 1000u;
}

static uint32_t level_of(const struct env* e)
{
    const struct power* p = &e->hil->power;
    const int64_t unit = allowed(e, step_of(e));
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

static void unlimited(struct env* e)
{
    e->hil->power.looked = 0;
    e->hil->power.debt = 0;
    set_level(e, HEAT_NONE);
}

static uint64_t limit(struct env* e, uint64_t now, bool works)
{
    struct power* p = &e->hil->power;
    FW_ASSERT(e, e->told.power->step_us != 0);
    if (!power_works(e, p->current) || (p->looked == 0 && !works)) {
        p->looked = 0;
        return 0;
    }
    p->worked |= works ? 1u : 0u;
    if (p->looked != 0 && now < p->looked + step_of(e)) {
        return p->looked + step_of(e);
    }
    const uint32_t drawn = thermal_read(e, THERMAL_REG_ENERGY);
    if (p->looked != 0) {
        const int64_t least = -allowed(e, step_of(e)); /* what is not used is soon lost */
        p->debt += (int64_t)(uint32_t)(drawn - p->metered) * 1000 - allowed(e, now - p->looked);
        p->debt = p->debt < least ? least : p->debt;
        set_level(e, level_of(e));
    }
    const bool rests = p->worked == 0 && p->level == HEAT_NONE; /* the whole step */
    p->worked = 0;
    p->looked = rests ? 0 : now;
    p->metered = drawn;
    return rests ? 0 : now + step_of(e);
}

/* ---- From one state to another ---- */

/* What the account of energy, and the host, see. */
static void show(struct env* e)
{
    const struct power* p = &e->hil->power;
    uint32_t* feature = &nvme_of(e)->feature[FEATURE_POWER];
    *feature = (*feature & ~POWER_STATE_MASK) | p->current;
    thermal_power(e, p->current, p->phase == POWER_ASLEEP);
}

static void become(struct env* e, uint32_t state)
{
    struct power* p = &e->hil->power;
    FW_ASSERT(e, state < e->told.power->count);
    p->current = state;
    if (power_works(e, state)) {
        p->operational = state;
    }
    show(e);
}

static void wake(struct env* e)
{
    struct power* p = &e->hil->power;
    FW_ASSERT(e, p->phase != POWER_AWAKE);
    p->phase = POWER_AWAKE;
    p->knocked = 0;
    p->idle = 0;
    show(e);
    hil_close(e, CLOSED_POWER, false);
}

static void go(struct env* e, uint32_t phase, uint64_t now, uint64_t us)
{
    struct power* p = &e->hil->power;
    FW_ASSERT(e, phase == POWER_ENTERING || phase == POWER_LEAVING);
    p->phase = phase;
    p->until = now + us * NS_PER_US;
    unlimited(e);
    show(e);
    hil_close(e, CLOSED_POWER, true);
}

void power_reset(struct env* e)
{
    struct power* p = &e->hil->power;
    if (e->told.power->count == 0) {
        return;
    }
    p->autonomous = 0;
    mem_zero(p->table, sizeof p->table);
    if (p->phase != POWER_AWAKE) {
        wake(e);
    }
    become(e, 0);
}

void power_choose(struct env* e, uint32_t state)
{
    struct power* p = &e->hil->power;
    if (e->told.power->count == 0) {
        return;
    }
    const uint32_t before = p->current;
    FW_ASSERT(e, state < e->told.power->count);
    p->idle = 0;
    unlimited(e);
    become(e, state);
    /* Into one that does not work it goes when nothing is under way. */
    if (power_works(e, state) && state != before && p->phase == POWER_AWAKE) {
        const uint64_t out = power_works(e, before) ? e->told.power->state[before].exit_us : 0;
        const uint64_t us = out + e->told.power->state[state].entry_us;
        if (us != 0) {
            go(e, POWER_LEAVING, hal_time_ns(e->hal), us);
        }
    }
}

/* ---- Transitions of its own ---- */

static uint32_t target_of(const struct power* p)
{
    return (p->table[p->current] >> 3) & POWER_STATE_MASK;
}

static uint64_t patience_of(const struct power* p)
{
    return p->autonomous != 0 ? (p->table[p->current] >> 8) * NS_PER_MS : 0;
}

bool power_take_table(struct env* e, const uint8_t* table, uint32_t enable)
{
    struct power* p = &e->hil->power;
    for (uint32_t i = 0; i < e->told.power->count; ++i) {
        const uint32_t entry = get32(table + 8 * i);
        const uint32_t target = (entry >> 3) & POWER_STATE_MASK;
        if (entry >> 8 != 0 && (target >= e->told.power->count || power_works(e, target))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < e->told.power->count; ++i) {
        p->table[i] = get32(table + 8 * i) & ~7u;
    }
    p->autonomous = enable;
    p->idle = 0;
    return true;
}

void power_put_table(const struct env* e, uint8_t* table)
{
    const struct power* p = &e->hil->power;
    for (uint32_t i = 0; i < e->told.power->count; ++i) {
        put32(table + 8 * i, p->table[i]);
    }
}

void power_taken(struct env* e)
{
    if (power_has_states(e) && !power_works(e, e->hil->power.current)) {
        run_due(e, DUE_TIMER);
    }
}

void power_knock(struct env* e)
{
    e->hil->power.knocked = 1;
    run_due(e, DUE_TIMER);
}

static bool is_at_work(struct env* e)
{
    const struct hil* h = e->hil;
    return (h->active | flash_in_flight(e) | hil_waiting(e) | checkpoint_goes(e) |
            front_end_backlog(e) | h->power.level) != 0;
}

/* When it goes to sleep of its own accord, 0 = never, and into which state. true = it is time. */
static bool wants_to_sleep(const struct env* e, uint64_t now, uint64_t* at, uint32_t* target)
{
    const struct power* p = &e->hil->power;
    const uint64_t patience = patience_of(p);
    const bool awake_only = p->phase == POWER_AWAKE && !power_works(e, p->current);
    *at = 0;
    if (awake_only) { /* it is awake for something that is done now */
        *target = p->current;
        *at = p->idle + POWER_QUIET_NS;
    } else if (patience != 0 && target_of(p) != p->current) {
        *target = target_of(p);
        *at = p->idle + patience;
    }
    return *at != 0 && now >= *at;
}

static void fall_asleep(struct env* e, uint32_t target, uint64_t now)
{
    struct power* p = &e->hil->power;
    const bool again = target == p->current;
    const uint64_t out = again ? 0 : e->told.power->state[p->current].exit_us;
    FW_ASSERT(e, !power_works(e, target));
    become(e, target);
    go(e, POWER_ENTERING, now, out + e->told.power->state[target].entry_us);
}

static void get_up(struct env* e, uint64_t now)
{
    struct power* p = &e->hil->power;
    const struct boot_power_state* s = e->told.power->state;
    FW_ASSERT(e, p->phase == POWER_ENTERING || p->phase == POWER_ASLEEP);
    go(e, POWER_LEAVING, now, s[p->current].exit_us + s[p->operational].entry_us);
}

/* Many a command comes and ends within a round. */
static bool has_worked(struct env* e)
{
    struct power* p = &e->hil->power;
    const uint32_t moves = front_end_moves(e);
    const bool moved = moves != p->moves || e->hil->io_taken != 0;
    p->moves = moves;
    if (e->hil->io_taken != 0 && !power_works(e, p->current)) {
        become(e, p->operational); /* where the host thinks it asleep that is over now */
    }
    e->hil->io_taken = 0;
    return moved;
}

static uint64_t awake_step(struct env* e, uint64_t now)
{
    struct power* p = &e->hil->power;
    const bool works = is_at_work(e);
    const bool worked = has_worked(e);
    uint64_t at;
    uint32_t target = 0;
    const uint64_t look = limit(e, now, works || worked);
    if (works) {
        p->idle = 0;
        const bool waits = p->autonomous != 0 || !power_works(e, p->current);
        return waits ? due_first(look, now + POWER_LOOK_NS) : look;
    }
    p->idle = worked || p->idle == 0 ? now : p->idle;
    if (wants_to_sleep(e, now, &at, &target)) {
        fall_asleep(e, target, now);
        return p->until;
    }
    return due_first(look, at);
}

/* Work that nobody announced: what begins it, a shutdown or a register of the controller, has been
 * done already. */
static uint64_t asleep_step(struct env* e, uint64_t now, uint64_t work)
{
    struct power* p = &e->hil->power;
    uint64_t at;
    uint32_t target = 0;
    if (is_at_work(e) || e->hil->io_taken != 0) {
        wake(e);
        return now + POWER_LOOK_NS;
    }
    if (p->knocked != 0 || (work != 0 && now >= work)) {
        get_up(e, now);
        return p->until;
    }
    if (wants_to_sleep(e, now, &at, &target)) {
        fall_asleep(e, target, now);
        return p->until;
    }
    return due_first(work, at);
}

uint64_t power_step(struct env* e, uint64_t now, uint64_t work)
{
    struct power* p = &e->hil->power;
    uint64_t next = 0;
    for (uint32_t n = 0; n < 4; ++n) { /* no way takes more steps */
        if (p->phase == POWER_ENTERING && now >= p->until) {
            p->phase = POWER_ASLEEP;
            p->idle = now;
            show(e);
        } else if (p->phase == POWER_LEAVING && now >= p->until) {
            wake(e);
        }
        next = p->phase == POWER_AWAKE    ? awake_step(e, now)
               : p->phase == POWER_ASLEEP ? asleep_step(e, now, work)
                                          : p->until;
        if (next == 0 || next > now) {
            break;
        }
    }
    return next;
}
