/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/drv/cores.h"

#include "firmware/drv/front_end.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/list.h"
#include "models/regs/boot_params.h"
#include "models/regs/channel_regs.h"
#include "models/regs/irq_regs.h"

/* Commands fetched before a reset may still be on their way when the slots are used again; and
 * changes of CC, restarts, CSTS: a few of each. */
enum { FLIGHTS_OF_A_SLOT = 2, CONTROLS = 64, MOVES = 512 };

_Static_assert(sizeof(struct host_message) % 8 == 0 && sizeof(struct front_message) % 8 == 0 &&
                   sizeof(struct flash_message) % 8 == 0 &&
                   sizeof(struct flash_completion) % 8 == 0,
               "messages keep their alignment");

uint32_t cores_roles(struct env* e, const struct boot_params* p)
{
    const uint32_t core = hal_core(e->hal);
    FW_ASSERT(e, core < MAP_CORES_MAX);
    return p->cores.count <= 1 ? BOOT_ROLE_ALL : p->cores.roles[core];
}

static bool is_divided(const struct boot_params* p)
{
    const struct boot_partition* d = &p->partition;
    bool agree = is_power_of_two(d->count) && d->index < d->count &&
                 p->cores.count == 1 + d->count && p->cores.roles[0] == BOOT_ROLE_HOST;
    for (uint32_t i = 1; i < p->cores.count && agree; ++i) {
        agree = p->cores.roles[i] == (BOOT_ROLE_FTL | BOOT_ROLE_FLASH);
    }
    return agree;
}

bool cores_agree(const struct boot_params* p)
{
    uint32_t all = 0;
    uint32_t sum = 0;
    if (p->cores.count > MAP_CORES_MAX) {
        return false;
    }
    if (p->partition.count > 1) {
        return is_divided(p);
    }
    for (uint32_t i = 0; i < p->cores.count; ++i) {
        all |= p->cores.roles[i];
        sum += p->cores.roles[i];
    }
    return p->cores.count <= 1 || (all == BOOT_ROLE_ALL && sum == BOOT_ROLE_ALL);
}

static uint32_t core_of(struct env* e, const struct boot_params* p, uint32_t role)
{
    uint32_t core = p->partition.count > 1 && role != BOOT_ROLE_HOST ? 1 + p->partition.index : 0;
    while (core < p->cores.count && (p->cores.roles[core] & role) == 0) {
        ++core;
    }
    FW_ASSERT(e, core < p->cores.count);
    return core;
}

int cores_init(struct env* e, const struct boot_params* p, uint32_t slots, uint32_t operations)
{
    struct cores* c = e->cores;
    FW_ASSERT(e, slots != 0 && operations != 0);
    if (p->cores.count <= 1) {
        return 0;
    }
    c->host = core_of(e, p, BOOT_ROLE_HOST);
    c->ftl = core_of(e, p, BOOT_ROLE_FTL);
    c->flash = core_of(e, p, BOOT_ROLE_FLASH);
    if (c->host != c->ftl &&
        (mailbox_init(e, &c->events,
                      FLIGHTS_OF_A_SLOT * slots + MOVES + CONTROLS + CORES_SPARE_READS,
                      sizeof(struct host_message), c->ftl) != 0 ||
         mailbox_init(e, &c->orders, MOVES + CONTROLS, sizeof(struct front_message), c->host) !=
             0)) {
        return -1;
    }
    if (c->flash != c->ftl &&
        (mailbox_init(e, &c->operations, operations, sizeof(struct flash_message), c->flash) != 0 ||
         mailbox_init(e, &c->completions, operations, sizeof(struct flash_completion), c->ftl) !=
             0)) {
        return -1;
    }
    return 0;
}

uint64_t cores_lines(const struct env* e, uint32_t roles, const struct boot_params* p, bool timer)
{
    uint64_t lines = 0;
    const uint32_t channels = p->geometry.channels <= MAP_CHANNEL_MAX ? p->geometry.channels : 0;
    const uint32_t first = p->partition.channel;
    FW_ASSERT(e, roles != 0 && roles <= BOOT_ROLE_ALL);
    if ((roles & BOOT_ROLE_HOST) != 0) {
        lines |= UINT64_C(1) << IRQ_LINE_NVME;
    }
    if ((roles & BOOT_ROLE_FTL) != 0 && p->partition.index == 0) {
        lines |= UINT64_C(1) << IRQ_LINE_NOR | UINT64_C(1) << IRQ_LINE_THERMAL;
    }
    if ((roles & BOOT_ROLE_FTL) != 0 && timer) {
        lines |= UINT64_C(1) << (IRQ_LINE_TIMER0 + p->partition.index);
    }
    for (uint32_t c = 0; c < channels && (roles & BOOT_ROLE_FLASH) != 0; ++c) {
        lines |= UINT64_C(1) << (IRQ_LINE_CHANNEL0 + (first + c) % IRQ_CHANNEL_LINES);
    }
    return lines;
}

void cores_listen(struct env* e, uint64_t lines)
{
    const uint64_t base = MAP_IRQ_BASE + hal_core(e->hal) * IRQ_CORE_STRIDE;
    hal_write32(e->hal, base + IRQ_REG_ENABLE_LO, (uint32_t)lines);
    hal_write32(e->hal, base + IRQ_REG_ENABLE_HI, (uint32_t)(lines >> 32));
}

void cores_start(struct env* e)
{
    struct cores* c = e->cores;
    FW_ASSERT(e, c->started == 0);
    e->host_remote = c->host != c->ftl;
    e->flash_remote = c->flash != c->ftl;
    e->front_end->sent = c->moved = e->front_end->moved;
    FW_ASSERT(e, e->host_remote != 0 || e->flash_remote != 0);
    hal_fence(e->hal);
    __atomic_store_n(&c->started, 1, __ATOMIC_RELEASE);
    if (e->host_remote != 0) {
        mailbox_knock(e, c->host);
    }
    if (e->flash_remote != 0 && c->flash != c->host) {
        mailbox_knock(e, c->flash);
    }
}

static bool waits(const struct mailbox* m, uint32_t from, uint32_t core)
{
    return from == core && mailbox_unpublished(m);
}

static uint32_t show(struct env* e, struct mailbox* m)
{
    mailbox_show(e, m);
    return 1u << m->to;
}

/* One fence for all of them: it costs the platform an activation. Who is awake looks by itself. */
void cores_post(struct env* e)
{
    struct cores* c = e->cores;
    const uint32_t core = hal_core(e->hal);
    const bool events = waits(&c->events, c->host, core);
    const bool orders = waits(&c->orders, c->ftl, core);
    const bool operations = waits(&c->operations, c->ftl, core);
    const bool completions = waits(&c->completions, c->flash, core);
    uint32_t to = 0;
    FW_ASSERT(e, c->started != 0);
    if (!events && !orders && !operations && !completions) {
        return;
    }
    hal_fence(e->hal);
    if (events) {
        __atomic_store_n(&c->moved, e->front_end->moved, __ATOMIC_RELEASE);
        to |= show(e, &c->events);
    }
    to |= orders ? show(e, &c->orders) : 0;
    to |= operations ? show(e, &c->operations) : 0;
    to |= completions ? show(e, &c->completions) : 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* of the index here and its note, or the other way */
    for (; to != 0; to &= to - 1) {
        const uint32_t i = lowest_bit(to);
        if (__atomic_load_n(&c->rests[i], __ATOMIC_RELAXED) != 0) {
            mailbox_knock(e, i);
        }
    }
}

static bool has_come(const struct mailbox* m, uint32_t core)
{
    return m->to == core && mailbox_end(m) != m->head;
}

static void note_rest(struct env* each, uint32_t count, uint32_t rests)
{
    const uint32_t core = hal_core(each->hal);
    for (uint32_t i = 0; i < count; ++i) {
        __atomic_store_n(&each[i].cores->rests[core], rests, __ATOMIC_RELAXED);
    }
}

static bool any_has_come(struct env* each, uint32_t count)
{
    const uint32_t core = hal_core(each->hal);
    bool come = false;
    for (uint32_t i = 0; i < count && !come; ++i) {
        const struct cores* c = each[i].cores;
        come = has_come(&c->events, core) || has_come(&c->orders, core) ||
               has_come(&c->operations, core) || has_come(&c->completions, core);
    }
    return come;
}

/* Every second round at least looks at the interrupt controller, whatever comes. */
uint64_t cores_wait_all(struct env* each, uint32_t count)
{
    struct cores* c = each->cores;
    const uint32_t core = hal_core(each->hal);
    uint64_t lines = 0;
    note_rest(each, count, 1);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const bool come = any_has_come(each, count);
    if (come && c->skips[core] == 0) {
        c->skips[core] = 1;
    } else {
        c->skips[core] = 0;
        if (come) {
            mailbox_knock(each, core); /* nobody else has */
        }
        lines = hal_wait_irq(each->hal);
    }
    note_rest(each, count, 0);
    return lines;
}

uint64_t cores_wait(struct env* e)
{
    return cores_wait_all(e, 1);
}
