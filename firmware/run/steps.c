/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of the parts. Each has its turn when it is due. Builds of tests see to it that this is
 * enough: before the core sleeps all others have one too, and must leave everything as it is.
 */
#include "firmware/run/steps.h"

#include "firmware/buffer/evict.h"
#include "firmware/buffer/program.h"
#include "firmware/drv/devices.h"
#include "firmware/gc/patrol.h"
#include "firmware/host/core/controller.h"
#include "firmware/host/core/rounds.h"
#include "firmware/host/core/waiting.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/map/maps_frames.h"
#include "firmware/ops/engine.h"
#include "firmware/ops/padding.h"
#include "firmware/ops/passes.h"
#include "firmware/run/fw.h"
#include "firmware/space/erase.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"

/* What the drive does of its own accord: patrol, background flush, rewriting, folding. What is due,
 * and when the next of it is. */
static uint64_t own_work(struct env* e, uint64_t now)
{
    uint64_t next = due_first(gc_patrol_at(e, now), gc_rewrite_at(e));
    next = due_first(next, cache_rest(e, now));
    if (slc_on(e)) {
        next = due_first(next, slc_rest(e, now));
    }
    FW_ASSERT(e, next == 0 || next > now);
    return next;
}

/* All of that, heat and power states share the timer. */
static void share_timer(struct env* e)
{
    struct timers* t = &fw_of(e->hal)->timers;
    const bool alarm = ((t->lines >> IRQ_LINE_THERMAL) & 1u) != 0;
    const uint64_t now = hal_time_ns(e->hal);
    const bool states = power_has_states(e);
    uint64_t next = states ? power_step(e, now, t->work) : 0;
    if (power_is_awake(e)) { /* else it waits, or wakes the drive */
        t->work = own_work(e, now);
        next = due_first(next, t->work);
    }
    if (heat_is_known(e)) {
        next = due_first(next, heat_step(e, now, alarm));
    }
    if (lookup_is_there(e)) {
        next = due_first(next, engine_step(e, now, hil_may_look_up(e)));
    }
    FW_ASSERT(e, next == 0 || next > now);
    if (next != 0 && next != t->armed) {
        timer_arm(e, next - now < TIMER_MOST ? (uint32_t)(next - now) : TIMER_MOST);
    }
    t->armed = next - now < TIMER_MOST ? next : 0; /* else there is a stop on the way */
    FW_ASSERT(e, t->armed == 0 || t->armed > now);
}

static bool shares_timer(const struct env* e)
{
    return cache_rests_ever(e) || retention_on(e) || slc_on(e) || heat_is_known(e) ||
           lookup_is_there(e) || power_has_states(e);
}

static void step_timer(struct env* e)
{
    const struct timers* t = &fw_of(e->hal)->timers;
    if (t->shared != 0) {
        share_timer(e);
        return;
    }
    const uint32_t ns = gc_patrol_step(e, (t->lines & timer_line(e)) != 0);
    if (ns != 0) {
        timer_arm(e, ns);
    }
}

enum { STUCK_ROUNDS = 32 }; /* more than it takes to take in data that are on their way */

/* Somebody waits for programs, and not for reads alone. */
static bool awaits_program(const struct env* e)
{
    return hil_awaits_program(e) || cache_awaited(e) || ftl_stops(e);
}

/* Somebody waits for what nobody announces: all look in the next round. */
static bool some_ask(struct env* e)
{
    return (hil_asks(e) | flash_owned(e, OWNER_SCAN) | blocks_stale(e) | gc_patrol_due(e) |
            fw_of(e->hal)->stuck) != 0 ||
           !maps_all_counted(e) || ftl_may_ask_again(e) || gc_looks(e) || maps_stand_still(e) ||
           (passes_held(e) != 0 && awaits_program(e));
}

/* Parts that left work behind. */
static uint32_t left_by(struct env* e)
{
    const struct run* r = e->run;
    if (some_ask(e)) {
        return r->parts;
    }
    return (r->left & DUE_GC) == 0 && gc_is_stale(e) ? DUE_GC : 0u;
}

/* Somebody waits for what nothing but programs that wait for their word line can bring: at once
 * where nothing else goes on, after some rounds where the host reads meanwhile. */
static bool is_stuck(struct env* e)
{
    struct fw* f = fw_of(e->hal);
    if (!passes_alone(e)) {
        f->stuck = 0;
        return false;
    }
    if (front_end_moving(e) == 0 && !hil_goes_on(e) && flash_bystanders(e) == 0) {
        return hil_is_busy(e) || ftl_stops(e);
    }
    f->stuck = awaits_program(e) ? f->stuck + 1 : 0;
    FW_ASSERT(e, f->stuck <= STUCK_ROUNDS);
    return f->stuck == STUCK_ROUNDS;
}

/* What was folded last stands between its passes, and keeps superblocks of the SLC cache. */
static bool is_left_alone(const struct env* e)
{
    return slc_on(e) && slc_sleeps(e);
}

/* ---- Steps ---- */

static void step_hope(struct env* e)
{
    if (hil_may_settle(e)) {
        hil_settle(e);
    }
}

static void step_layout(struct env* e)
{
    ftl_layout_of(e)->step(e);
}

static void step_flash(struct env* e)
{
    if (flash_step(e, fw_handlers) != 0) { /* whoever failed may have made work for all */
        run_due(e, DUE_STEPS);
        run_again(e);
    }
}

static void step_passes(struct env* e)
{
    if (passes_held(e) != 0 && (is_stuck(e) || is_left_alone(e))) {
        fw_of(e->hal)->stuck = 0;
        (void)padding_rescue(e);
    }
}

static void (*const steps[PARTS])(struct env*) = {
    [PART_HOST] = hil_resume,   [PART_GC] = gc_step,         [PART_TIMER] = step_timer,
    [PART_BUFFER] = cache_step, [PART_LAYOUT] = step_layout, [PART_DURABLE] = recovery_step,
    [PART_HOPE] = step_hope,    [PART_FLASH] = step_flash,   [PART_PASSES] = step_passes,
};

#ifdef SSDVP_FW_POISON
#define RUN_NAME(id, name) [PART_##id] = name,
static const char* const names[PARTS] = {RUN_PARTS(RUN_NAME)};
#undef RUN_NAME

/* Of a copy: what tells of the last steps alone. */
static void overlook(struct fw* f)
{
    mem_zero(&f->run, sizeof f->run);
    ftl_overlook(&f->ftl);
    cache_overlook(&f->cache);
    gc_overlook(&f->gc);
    hil_overlook(&f->hil);
    blocks_overlook(&f->blocks);
    maps_overlook(&f->maps);
    segments_overlook(&f->segments);
    retention_overlook(&f->retention);
}

/* The first byte that differs; sizeof *a = none. */
static uint32_t differs_at(const struct fw* a, const struct fw* b)
{
    const uint8_t* x = (const uint8_t*)a;
    const uint8_t* y = (const uint8_t*)b;
    uint32_t at = 0;
    while (at < sizeof *a && get64(x + at) == get64(y + at)) {
        at += sizeof(uint64_t);
    }
    while (at < sizeof *a && x[at] == y[at]) {
        ++at;
    }
    return at;
}
_Static_assert(sizeof(struct fw) % sizeof(uint64_t) == 0, "it is compared by words");

/* before: struct fw, and as it is again afterwards. */
static void check_part(struct env* e, uint32_t part, struct fw* before)
{
    struct fw after;
    const struct run run = *e->run;
    steps[part](e);
    const bool more = e->run->again != run.again;
    *e->run = run;
    uint32_t at = differs_at(before, fw_of(e->hal));
    if (at != sizeof after) {
        mem_copy(&after, fw_of(e->hal), sizeof after);
        overlook(before);
        overlook(&after);
        at = differs_at(before, &after);
        mem_copy(before, fw_of(e->hal), sizeof *before);
    }
    if (more || at != sizeof after) {
        hal_log(e->hal, HAL_LOG_ERROR, names[part], part, at);
        hal_log(e->hal, HAL_LOG_ERROR, "was not due and changed struct fw: byte, part", at, part);
    }
    FW_ASSERT(e, !more && at == sizeof after);
}

/* The timer's interrupt is on its way. */
static bool is_time(const struct env* e)
{
    const struct timers* t = &fw_of(e->hal)->timers;
    return t->armed != 0 && hal_time_ns(e->hal) >= t->armed;
}

/* A build of tests, before the core sleeps: parts that are not to have a turn when it wakes have
 * one, but for times, and leave everything as it is. Whoever asks a map of few frames changes what
 * it has; that all of them have their turn with the end of each of its operations, and in each
 * round while it has none, needs no check. */
static void check_idle(struct env* e)
{
    struct fw before;
    const uint32_t has_one = e->run->left | DUE_TIMER | (is_time(e) ? DUE_GC : 0u) |
                             (maps_framed(e->maps, 1) ? DUE_ASKING : 0u);
    if ((has_one & e->run->parts) == e->run->parts) {
        return;
    }
    e->run->checks = 1;
    mem_copy(&before, fw_of(e->hal), sizeof before);
    for (uint32_t part = 0; part < PARTS; ++part) {
        if (((has_one >> part) & 1u) == 0) {
            check_part(e, part, &before);
        }
    }
    e->run->checks = 0;
}
#else
static void check_idle(struct env* e)
{
    (void)e;
}
#endif

/* Nothing but times is due. What a timer has to look at is not much. */
static void look_early(struct env* e)
{
    if (run_is_due(e, DUE_TIMER)) {
        run_taken(e, DUE_TIMER);
        if (fw_of(e->hal)->timers.shared != 0) {
            step_timer(e);
        }
    }
}

/* Whoever is due, whoever left work behind, and those that look at what the others did. */
static void take_turns(struct env* e)
{
    struct run* r = e->run;
    run_due(e, r->left | DUE_HOPE);
    run_due(e, run_is_due(e, DUE_GC) ? DUE_BUFFER : 0u);
    run_due(e, run_is_due(e, DUE_HOST | DUE_BUFFER) ? DUE_LAYOUT : 0u);
    r->due &= r->parts;
    r->left = 0;
    r->again = 0;
    for (uint32_t rest = r->due; rest != 0;) {
        const uint32_t part = lowest_bit(rest);
        run_taken(e, 1u << part);
        steps[part](e);
        rest = r->due & (~1u << part); /* what one leaves another may take */
    }
}

bool steps_turns(struct env* e, uint64_t lines)
{
    struct run* r = e->run;
    fw_of(e->hal)->timers.lines = lines;
    hil_take_done(e);
    if (((r->due | r->left) & ~(uint32_t)DUE_TIMER) == 0) {
        look_early(e);
    }
    if ((r->due | r->left) != 0) {
        hil_may_wait(e);
        take_turns(e);
        r->left |= left_by(e);
        r->due &= r->parts;
        if (cache_is_staged(e) || maps_framed(e->maps, 1)) {
            r->left |= r->due; /* asking in vain announces something there, too */
            r->due = 0;
        }
    }
    controller_look_late(e);
    const bool more = r->due != 0 || hil_goes_on(e) || r->again != 0 || flash_failures_wait(e) != 0;
    if (!more) {
        check_idle(e);
    }
    return more;
}

/* Those that this drive has something for. */
static uint32_t parts_of(const struct env* e)
{
    const uint32_t timer = shares_timer(e) || gc_patrols(e) ? DUE_TIMER : 0u;
    const uint32_t layout = ftl_layout_of(e)->logical_blocks != 0 ? DUE_LAYOUT : 0u;
    const uint32_t passes = e->geo->word_line != 0 ? DUE_PASSES : 0u;
    return (DUE_STEPS & ~(uint32_t)(DUE_TIMER | DUE_LAYOUT | DUE_PASSES)) | timer | layout | passes;
}

void steps_start(struct env* e)
{
    e->run->parts = parts_of(e);
    const bool shared = shares_timer(e);
    fw_of(e->hal)->timers.shared = shared ? 1 : 0;
    e->run->timed = shared ? DUE_TIMER : 0u;
    e->run->rare = timer_line(e) | UINT64_C(1) << IRQ_LINE_NOR | UINT64_C(1) << IRQ_LINE_THERMAL;
    run_due(e, DUE_STEPS);
}
