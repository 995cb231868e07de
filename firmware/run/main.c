/* SPDX-License-Identifier: Apache-2.0
 *
 * The main loop, and the image.
 */
#include "firmware/buffer/evict.h"
#include "firmware/buffer/fill.h"
#include "firmware/buffer/program.h"
#include "firmware/drv/devices.h"
#include "firmware/durable/anchor.h"
#include "firmware/gc/patrol.h"
#include "firmware/host/core/controller.h"
#include "firmware/host/core/divided.h"
#include "firmware/host/core/host_core.h"
#include "firmware/host/core/rounds.h"
#include "firmware/host/core/waiting.h"
#include "firmware/host/nvme/firmware_update.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/ops/engine.h"
#include "firmware/ops/padding.h"
#include "firmware/ops/passes.h"
#include "firmware/run/boot.h"
#include "firmware/run/precondition.h"
#include "firmware/run/precondition_uniform.h"
#include "firmware/space/erase.h"
#include "firmware/space/lanes.h"
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
static void share_timer(struct env* e, uint64_t lines)
{
    struct timers* t = &fw_of(e->hal)->timers;
    const uint64_t now = hal_time_ns(e->hal);
    const bool states = power_has_states(e);
    uint64_t next = states ? power_step(e, now, t->work) : 0;
    if (power_is_awake(e)) { /* else it waits, or wakes the drive */
        t->work = own_work(e, now);
        next = due_first(next, t->work);
    }
    if (heat_is_known(e)) {
        next = due_first(next, heat_step(e, now, ((lines >> IRQ_LINE_THERMAL) & 1u) != 0));
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

static void run_timer(struct env* e, uint64_t lines)
{
    run_taken(e, DUE_TIMER);
    if (fw_of(e->hal)->timers.shared != 0) {
        share_timer(e, lines);
        return;
    }
    const uint32_t ns = gc_patrol_step(e, (lines & timer_line(e)) != 0);
    if (ns != 0) {
        timer_arm(e, ns);
    }
}

/* Nobody waits for what is not announced. */
static bool is_calm(struct env* e)
{
    return (flash_owned(e, OWNER_SCAN) | flash_failures_wait(e) | fw_of(e->hal)->stuck |
            hil_asks(e) | blocks_leaving(e) | blocks_stale(e) | blocks_knocked(e) |
            gc_patrol_due(e) | maps_any_leaves(e) | cache_parked_units(e) | ftl_may_ask_again(e) |
            recovery_again(e) | checkpoint_goes(e)) == 0;
}

/* Changes with each operation of the flash and each move that is ordered. */
static uint32_t orders(const struct env* e)
{
    return flash_submitted(e) + front_end_moves(e) + front_end_backlog(e);
}

enum { STUCK_ROUNDS = 32 }; /* more than it takes to take in data that are on their way */

/* Somebody waits for programs, and not for reads alone. */
static bool awaits_program(const struct env* e)
{
    return hil_awaits_program(e) || cache_awaited(e) || ftl_stops(e);
}

/* Parts that still look in each round, for they announce too little: merges of logical blocks, maps
 * that are paged, planes and lanes of their own, residents of a buffer, pages with a limited time,
 * power states, heat. Set at boot. */
static bool looks_always(const struct env* e)
{
    return ftl_layout_of(e)->logical_blocks != 0 || maps_framed(e->maps, 1) || maps_segmented(e) ||
           planes_own(e) || !lanes_striped(e) || cache_is_staged(e) || retention_on(e) ||
           heat_is_known(e) || power_has_states(e);
}

/* The steps have nothing to do until something is announced. */
static bool is_settled(struct env* e)
{
    return fw_of(e->hal)->timers.looks == 0 && maps_all_counted(e) && is_calm(e) &&
           !hil_lacks_room(e) && gc_is_settled(e) && (passes_held(e) == 0 || !awaits_program(e));
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

/* The steps: what is done behind completions and commands. Returns true when work is left that no
 * interrupt will announce. */
static bool go_on(struct env* e, uint64_t lines, bool timer)
{
    const uint32_t before = orders(e);
    run_taken(e, DUE_ALL);
    hil_resume(e);
    gc_step(e);
    if (timer) {
        run_timer(e, lines);
    }
    cache_step(e);
    ftl_layout_of(e)->step(e);
    recovery_step(e);
    hil_settle(e);
    const uint32_t failed = flash_step(e, fw_handlers);
    if (passes_held(e) != 0 && (is_stuck(e) || is_left_alone(e))) {
        fw_of(e->hal)->stuck = 0;
        (void)padding_rescue(e);
    }
    run_settle(e, orders(e) == before && failed == 0 && is_settled(e));
    return hil_goes_on(e) || failed != 0 || flash_failures_wait(e) != 0;
}

/* Nothing was announced since the steps had nothing to do. What a timer has to look at is not much.
 */
static bool is_over(struct env* e, uint64_t lines)
{
    const uint64_t rare = timer_line(e) | UINT64_C(1) << IRQ_LINE_NOR;
    if (!run_is_settled(e) || run_is_due(e, DUE_STEPS) || (lines & rare) != 0) {
        return false;
    }
    controller_look_late(e);
    if (fw_of(e->hal)->timers.shared != 0 && (run_is_due(e, DUE_TIMER) || lookup_is_there(e))) {
        run_timer(e, lines);
    }
    return !run_is_due(e, DUE_STEPS);
}

#ifdef SSDVP_FW_POISON
/* A build of tests: the steps, but times, are done all the same, and leave everything as it is but
 * what is told of the last ones alone. */
static void check_over(struct env* e, uint64_t lines)
{
    struct fw kept;
    const struct fw* fw = fw_of(e->hal);
    const uint8_t* before = (const uint8_t*)&kept;
    const uint8_t* after = (const uint8_t*)fw;
    uint32_t at = 0;
    FW_ASSERT(e, is_calm(e));
    mem_copy(&kept, fw, sizeof kept);
    const bool more = go_on(e, lines, false);
    kept.run = fw->run;
    kept.cache.held = fw->cache.held;
    kept.cache.blocked = fw->cache.blocked;
    kept.cache.hungry = fw->cache.hungry;
    kept.gc.put_off = fw->gc.put_off;
    if (kept.hil.reads_waiting.count == fw->hil.reads_waiting.count) {
        kept.hil.reads_waiting = fw->hil.reads_waiting; /* each had its turn, in vain */
    }
    while (at < sizeof kept && before[at] == after[at]) {
        ++at;
    }
    if (at != sizeof kept) {
        hal_log(e->hal, HAL_LOG_ERROR, "steps that were not due changed struct fw at", at, 0);
    }
    FW_ASSERT(e, !more && at == sizeof kept);
}
#else
static void check_over(struct env* e, uint64_t lines)
{
    (void)e;
    (void)lines;
}
#endif

/* One round over what the lines say is pending. Returns true when work is left that no interrupt
 * will announce. */
static bool round_of(struct env* e, uint64_t lines)
{
    const bool nvme = ((lines >> IRQ_LINE_NVME) & 1u) != 0;
    bool more = false;
    uint32_t raised = e->flash_remote != 0 ? 1u : channels_raised(e, lines);
    const uint32_t channels = e->flash_remote != 0 ? 1u : e->geo->channels;
    for (; raised != 0; raised &= raised - 1) {
        for (uint32_t c = lowest_bit(raised); c < channels; c += IRQ_CHANNEL_LINES) {
            (void)flash_poll(e, c, fw_handlers);
        }
    }
    hil_step(e, nvme);
    if (is_over(e, lines)) {
        check_over(e, lines);
    } else {
        more = go_on(e, lines, true);
    }
    if (e->flash_remote == 0) {
        channels_ring(e);
    }
    front_end_ring(e);
    return more;
}

static uint64_t knock_of(struct env* e)
{
    return UINT64_C(1) << (IRQ_LINE_MAILBOX0 + hal_core(e->hal));
}

/* Sleeps until the core that has the ftl role has booted. false = the run ends. */
static bool is_booted(struct env* e)
{
    while (!cores_started(e)) {
        (void)hal_wait_irq(e->hal);
        if (hal_stopping(e->hal)) {
            return false;
        }
    }
    FW_ASSERT(e, fw_of(e->hal)->magic == FW_MAGIC && fw_of(e->hal)->booted != 0);
    return true;
}

/* The host role of a divided drive. */
static void serve_partitions(struct env* e)
{
    struct hal hal[PARTITIONS_MAX];
    struct env part[PARTITIONS_MAX];
    struct divided divided;
    const uint32_t count = fw_params(e->hal)->partition.count;
    uint64_t lines = 0;
    FW_ASSERT(e, count > 1 && count <= PARTITIONS_MAX);
    cores_listen(e, knock_of(e));
    for (uint32_t i = 0; i < count; ++i) {
        e->of_partition(e, i, &hal[i], &part[i]);
        if (!is_booted(&part[i])) {
            return;
        }
    }
    divided_start(&divided, part, count);
    cores_listen(e, knock_of(e) | cores_lines(e, BOOT_ROLE_HOST, fw_params(e->hal), false));
    for (lines = ~UINT64_C(0); !hal_stopping(e->hal); lines = cores_wait_all(part, count)) {
        divided_serve(&divided, ((lines >> IRQ_LINE_NVME) & 1u) != 0);
        for (uint32_t i = 0; i < count; ++i) {
            cores_post(&part[i]);
        }
    }
}

/* A core without the ftl role: sleeps while that boots the drive, then serves it. */
static void serve(struct env* e, uint32_t roles)
{
    const struct fw* fw = fw_of(e->hal);
    struct host_core host;
    const uint64_t knock = knock_of(e);
    uint64_t lines = 0;
    cores_listen(e, knock);
    if (!is_booted(e)) {
        return;
    }
    mem_zero(&host, sizeof host);
    hil_host_start(e, &host);
    cores_listen(e, knock | cores_lines(e, roles, &fw->params, false));
    for (lines = ~UINT64_C(0); !hal_stopping(e->hal); lines = cores_wait(e)) {
        if ((roles & BOOT_ROLE_FLASH) != 0) {
            flash_serve(e, channels_raised(e, lines));
        }
        if ((roles & BOOT_ROLE_HOST) != 0) {
            hil_serve(e, &host, ((lines >> IRQ_LINE_NVME) & 1u) != 0);
        }
        cores_post(e);
    }
}

/* Other cores take their roles over. */
static void part(struct env* e, uint32_t roles, bool timer)
{
    const uint64_t knock = knock_of(e);
    channels_ring(e);
    cores_listen(e, knock | cores_lines(e, roles, &fw_of(e->hal)->params, timer));
    cores_start(e);
    FW_ASSERT(e, e->host_remote != 0 || e->flash_remote != 0);
}

/* Rounds until the end. */
static void go_round(struct env* e)
{
    const bool alone = e->host_remote == 0 && e->flash_remote == 0;
    fw_of(e->hal)->timers.shared = shares_timer(e) ? 1 : 0;
    fw_of(e->hal)->timers.looks = looks_always(e) ? 1 : 0;
    run_settle(e, false);
    if (!hil_has_commands(e)) {
        run_quiet(e, hal_time_ns(e->hal)); /* a drive that nobody asks for anything wakes up too */
    }
    /* The host may have enabled the controller before anybody listened. */
    uint64_t lines = UINT64_C(1) << IRQ_LINE_NVME;
    bool more = round_of(e, lines);
    while (!hal_stopping(e->hal)) {
        if (more && nvme_update_leaves(e)) {
            return;
        }
        if (!alone && more) {
            cores_post(e);
        }
        if (more) {
            lines = channels_lines(e) | UINT64_C(1) << IRQ_LINE_NVME;
        } else {
            front_end_sleep(e, hil_wants_quiet(e));
            if (!alone) {
                cores_post(e);
            }
            lines = alone ? hal_wait_irq(e->hal) : cores_wait(e);
        }
        more = round_of(e, lines);
    }
}

static void firmware_main(struct hal* hal)
{
    struct env e;
    struct fw* fw = fw_of(hal);
    const struct boot_params* p = fw_params(hal);
    fw_bind(&e, hal);
    const bool timer = p->patrol_us != 0 || p->cache.idle_ns != 0 || p->retention.limit_ns != 0 ||
                       p->thermal.on != 0 || p->slc.pages != 0 || p->lookup != 0 ||
                       p->power.count != 0;
    const uint32_t roles = cores_roles(&e, p);
    FW_ASSERT(&e, hal->sram != NULL && hal->dram != NULL);
    if ((roles & BOOT_ROLE_FTL) == 0 && p->partition.count > 1) {
        serve_partitions(&e);
        return;
    }
    if ((roles & BOOT_ROLE_FTL) == 0) {
        serve(&e, roles);
        return;
    }
    if (fw->magic == FW_MAGIC && fw->booted != 0 && nvme_update_leaves(&e)) {
        nvme_update_taken(&e); /* memory, rings and commands are as that image left them */
        go_round(&e);
        return;
    }
    mem_zero(fw, sizeof *fw);
    fw->magic = FW_MAGIC;
    telemetry_begin(&e);
    cores_listen(&e, cores_lines(&e, p->partition.count > 1 ? roles : BOOT_ROLE_ALL, p, timer));
    if (boot_run(&e, fw) != 0) {
        HAL_PANIC(hal, "boot failed");
        return;
    }
    if (roles != BOOT_ROLE_ALL) {
        part(&e, roles, timer);
    }
    go_round(&e);
}

static int firmware_plan_of(struct hal* hal, struct firmware_plan* plan)
{
    struct env e;
    struct fw* fw = fw_of(hal);
    fw_bind(&e, hal);
    mem_zero(fw, sizeof *fw);
    fw->magic = FW_MAGIC;
    telemetry_begin(&e);
    FW_ASSERT(&e, hal->dram == NULL);
    return boot_plan(&e, fw, plan);
}

/* Eight characters; scripts/fw-build: FW_CFLAGS=-DFIRMWARE_REVISION='"1.2     "'. */
#ifndef FIRMWARE_REVISION
#define FIRMWARE_REVISION "0.1     "
#endif
/* To be changed with the meaning of what lies in memory: sizes alone do not tell. */
#ifndef FIRMWARE_LAYOUT
#define FIRMWARE_LAYOUT 1u
#endif
_Static_assert(sizeof FIRMWARE_REVISION == 9, "eight characters");
#define ABOUT                                                                                      \
    {                                                                                              \
        FIRMWARE_REVISION, FIRMWARE_LAYOUT << 24 ^ (uint32_t)sizeof(struct fw) ^                   \
                               (uint32_t)sizeof(struct nvme) << 7 ^                                \
                               (uint32_t)sizeof(struct command) << 17                              \
    }
const struct firmware_about fw_about = ABOUT;

#if defined(__GNUC__) && defined(__ELF__)
__attribute__((visibility("default")))
#endif
extern const struct firmware_about ssdvp_firmware_about;
const struct firmware_about ssdvp_firmware_about = ABOUT;

#if defined(__GNUC__) && defined(__ELF__)
__attribute__((visibility("default")))
#endif
const struct firmware_image ssdvp_firmware = {
    .magic = FIRMWARE_IMAGE_MAGIC,
    .abi_version = HAL_ABI_VERSION,
    .name = "ssdvp",
    .main = firmware_main,
    .precondition = append_units,
    .precondition_end = append_end,
    .cores = MAP_CORES_MAX,
    .plan = firmware_plan_of,
    .counts = &append_counts,
};
