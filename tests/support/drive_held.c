/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/drive_held.h"

#include <string.h>

#include "firmware/run/fw.h"
#include "models/regs/boot_params.h"

static void count_slots(struct env* e, struct drive_held* held)
{
    uint32_t free_slots = 0;
    for (uint32_t i = 0; i < e->cache->fresh; ++i) {
        const struct cache_slot* s = cache_slot_of(e, e->cache, i);
        held->slot_moves += s->incoming + s->pins;
        free_slots += s->state == SLOT_FREE ? 1u : 0u;
        held->slots_astray +=
            s->state == SLOT_FREE || s->state == SLOT_DIRTY || s->state == SLOT_CLEAN ? 0u : 1u;
    }
    held->slots_astray += free_slots - e->cache->free.count;
}

static void count_commands(struct env* e, struct drive_held* held)
{
    const struct hil* h = e->hil;
    held->commands += h->active;
    for (uint32_t i = 0; i < e->front_end->slots; ++i) {
        held->posted += command_of(e, i)->posted;
    }
    held->waiting += h->reads_waiting.count + h->writes_waiting.count + h->flushes.count +
                     h->deletes.count + h->fetched.count;
    held->meta += META_BUFFERS - h->meta_free.count;
}

/* Of the FTL whose part of SRAM begins there. */
static void count_part(uint8_t* sram, uint8_t* dram, uint64_t part, struct drive_held* held)
{
    struct hal hal = {NULL, NULL, sram, dram, part};
    struct env e;
    fw_bind(&e, &hal);
    count_commands(&e, held);
    count_slots(&e, held);
    held->moving += e.front_end->move_in_flight;
    if (e.cores->host != e.cores->ftl) { /* the ftl role counts what it has sent */
        held->moving += e.front_end->sent - e.cores->moved;
    }
    held->backlog += e.front_end->backlog_count;
    held->read_buffers += e.flash->reads - flash_free_reads(&e);
}

void count_held(uint8_t* sram, uint8_t* dram, struct drive_held* held)
{
    const struct hal hal = {NULL, NULL, sram, dram, 0};
    const struct boot_params* p = fw_params(&hal);
    const uint32_t parts = p->partition.count > 1 ? p->partition.count : 1;
    memset(held, 0, sizeof *held);
    for (uint32_t i = 0; i < parts; ++i) {
        count_part(sram, dram, i * p->sram_size, held);
    }
}
