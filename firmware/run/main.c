/* SPDX-License-Identifier: Apache-2.0
 *
 * The main loop, and the image.
 */
#include "firmware/durable/anchor.h"
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
#include "firmware/run/boot.h"
#include "firmware/run/precondition.h"
#include "firmware/run/steps.h"
#include "models/regs/boot_params.h"

static inline bool is_host_line(uint64_t lines)
{
    return ((lines >> IRQ_LINE_NVME) & 1u) != 0;
}

/* One round over what the lines say is pending, of a core that has all roles. Returns true when
 * work is left that no interrupt will announce. Moves that end quietly are taken in with the next
 * line of the host, or before the steps of any part: while somebody waits for them they have that
 * line (front_end_sleep). */
static inline bool round_alone(struct env* e, uint64_t lines, uint64_t others)
{
    if (others != 0) { /* lines of channels, and behind them the rare ones */
        flash_poll_raised(e, (uint32_t)others, fw_handlers);
        steps_rare(e, lines);
    }
    if (is_host_line(lines)) {
        hil_step(e);
    }
    const bool more = steps_round(e, lines);
    channels_ring(e);
    front_end_ring(e);
    return more;
}

/* The same where other cores have the host role, the flash role or both. */
static bool round_beside(struct env* e, uint64_t lines)
{
    const uint32_t raised = channels_raised(e, lines);
    if (e->flash_remote != 0) {
        flash_poll_passed(e, fw_handlers);
    } else if (raised != 0) {
        flash_poll_raised(e, raised, fw_handlers);
    }
    steps_rare(e, lines);
    if (e->host_remote != 0) {
        hil_step_passed(e);
    } else if (is_host_line(lines)) {
        hil_step(e);
    }
    const bool more = steps_round(e, lines);
    if (e->flash_remote == 0) {
        channels_ring(e);
    }
    if (e->host_remote != 0) {
        front_end_drain(e);
    } else {
        front_end_ring(e);
    }
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
    struct host_core host;
    const uint64_t knock = knock_of(e);
    uint64_t lines = 0;
    cores_listen(e, knock);
    if (!is_booted(e)) {
        return;
    }
    mem_zero(&host, sizeof host);
    hil_host_start(e, &host);
    cores_listen(e, knock | cores_lines(e, roles, fw_params(e->hal), false));
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
    cores_listen(e, knock | cores_lines(e, roles, fw_params(e->hal), timer));
    cores_start(e);
    FW_ASSERT(e, e->host_remote != 0 || e->flash_remote != 0);
}

/* Rounds until the run ends, or another image is to go on. The host may have enabled the controller
 * before anybody listened. */
static void go_alone(struct env* e)
{
    const uint32_t first = channels_line(e);
    uint64_t lines = UINT64_C(1) << IRQ_LINE_NVME;
    for (;;) {
        if (round_alone(e, lines, lines >> first)) {
            if (hal_stopping(e->hal) || nvme_update_leaves(e)) {
                return;
            }
            lines = channels_lines(e) | UINT64_C(1) << IRQ_LINE_NVME;
            continue;
        }
        front_end_sleep(e, hil_wants_quiet(e));
        lines = hal_wait_irq(e->hal);
        if (lines == 0 && hal_stopping(e->hal)) {
            return;
        }
    }
}

static void go_beside(struct env* e)
{
    uint64_t lines = UINT64_C(1) << IRQ_LINE_NVME;
    for (;;) {
        const bool more = round_beside(e, lines);
        if (hal_stopping(e->hal) || (more && nvme_update_leaves(e))) {
            return;
        }
        if (!more && e->host_remote != 0) {
            front_end_sleep_remote(e, hil_wants_quiet(e));
        } else if (!more) {
            front_end_sleep(e, hil_wants_quiet(e));
        }
        cores_post(e);
        lines = more ? channels_lines(e) | UINT64_C(1) << IRQ_LINE_NVME : cores_wait(e);
    }
}

static void go_round(struct env* e)
{
    steps_start(e);
    if (!hil_has_commands(e)) {
        run_quiet(e, hal_time_ns(e->hal)); /* a drive that nobody asks for anything wakes up too */
    }
    if ((e->host_remote | e->flash_remote) == 0) {
        go_alone(e);
    } else {
        go_beside(e);
    }
}

static void firmware_main(struct hal* hal)
{
    struct env e;
    struct fw* fw = fw_of(hal);
    const struct boot_params* p = fw_params(hal);
    fw_bind(&e, hal);
    const bool timer = p->refresh.patrol_us != 0 || p->cache.idle_ns != 0 ||
                       p->retention.limit_ns != 0 || p->thermal.on != 0 || p->slc.pages != 0 ||
                       p->host.lookup != 0 || p->power.count != 0;
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
    return boot_plan(&e, plan);
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
