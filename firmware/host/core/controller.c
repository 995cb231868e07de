/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/controller.h"

#include "firmware/buffer/waiters.h"
#include "firmware/durable/checkpoint.h"
#include "firmware/durable/recovery.h"
#include "firmware/gc/gc.h"
#include "firmware/gc/patrol.h"
#include "firmware/host/ata/ata_admin.h"
#include "firmware/host/core/commands.h"
#include "firmware/host/core/divided.h"
#include "firmware/host/nvme/events.h"
#include "firmware/host/nvme/features.h"
#include "firmware/host/nvme/metadata.h"
#include "firmware/host/nvme/namespaces.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/nvme/nvme_admin.h"
#include "firmware/host/zones/zones.h"
#include "firmware/lib/arena.h"
#include "models/regs/parts/host.h"

static int init_nvme(struct env* e)
{
    struct hil* h = e->hil;
    h->nvme = dram_take(e, sizeof(struct nvme));
    const uint64_t data = dram_take_pages(e, front_end_mdts(e));
    fifo_init(&h->saves);
    fifo_init(&h->transfers);
    if (metadata_init(e) != 0 || e->arenas->absent != 0) {
        return arenas_result(e);
    }
    mem_zero(nvme_of(e), sizeof(struct nvme));
    nvme_of(e)->transfer.data = data;
    return 0;
}

int controller_init(struct env* e)
{
    const struct boot_host* told = e->told.host;
    const bool sata = front_end_is_sata(e);
    struct hil* h = e->hil;
    const uint32_t slots = front_end_slots(e);
    FW_ASSERT(e, told->mdts >= 4096);
    h->table = dram_take(e, (uint64_t)slots * sizeof(struct command));
    h->wait_links = dram_take(e, (uint64_t)slots * sizeof(uint32_t));
    h->fetch_links = dram_take(e, (uint64_t)slots * sizeof(uint32_t));
    h->meta = dram_take_pages(e, (uint64_t)META_BUFFERS * META_SIZE);
    heat_init(e);
    power_init(e);
    h->max_sectors = told->mdts / 512;
    h->streams = sata ? 0 : told->streams;
    h->trim = told->trim;
    h->write_cache = 1;
    h->spare = INDEX_NONE;
    h->queue_pairs = told->queue_pairs;
    if (h->queue_pairs > front_end_queues(e)->pairs) {
        h->queue_pairs = front_end_queues(e)->pairs;
    }
    if (h->queue_pairs >= QUEUES_MAX) {
        h->queue_pairs = QUEUES_MAX - 1;
    }
    fifo_init(&h->reads_waiting);
    fifo_init(&h->writes_waiting);
    fifo_init(&h->flushes);
    fifo_init(&h->deletes);
    fifo_init(&h->fetched);
    fifo_init(&h->meta_free);
    for (uint32_t i = 0; i < META_BUFFERS; ++i) {
        fifo_push(&h->meta_free, h->meta_links, i);
    }
    ata_init(e, sata);
    return divided_init(e) != 0 || hil_park_init(e) != 0 || init_nvme(e) != 0 ||
                   zones_init(e) != 0 || h->queue_pairs == 0
               ? -1
               : 0;
}

void controller_boot(struct env* e, uint32_t area, uint32_t again)
{
    drive_state_boot(e, again);
    zones_boot(e);
    nvme_update_boot(e, area);
    nvme_ns_changed(e);
    nvme_default_features(e);
    e->hil->spoilt = drive_state_of(e)->spoilt_count;
}

/* ---- Reset ---- */

/* Commands are gone already. What the host was told of stays told: it reads the logs anew. */
static void reset_nvme(struct env* e)
{
    struct nvme* n = nvme_of(e);
    FW_ASSERT(e, e->hil->active == 0);
    n->aers = 0;
    n->events = 0;
    n->masked = 0;
    n->warned = 0;
    n->formatting = 0;
    recovery_clear_stop(e);
    n->transfer.busy = 0;
    n->transfer.step = 0;
    nvme_directives_reset(e);
    host_buffer_reset(e);
    e->hil->stepping = 0;
    metadata_reset(e);
    fifo_init(&e->hil->saves);
    fifo_init(&e->hil->transfers);
    zones_reset(e);
    nvme_ns_changed(e);
    nvme_fw_reset(e);
    power_reset(e);
    nvme_default_features(e);
    nvme_update_reset(e);
}

/* Commands of the old controller are nobody's any more; the buffer keeps what it holds. */
static void forget_commands(struct env* e)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, h->state == HIL_READY || h->state == HIL_STOPPING);
    for (uint32_t i = 0; i < front_end_slots(e); ++i) {
        struct command* c = command_of(e, i);
        if (c->state != COMMAND_IDLE) {
            hil_drop_page(e, c);
            c->state = COMMAND_IDLE;
        }
    }
    fifo_init(&h->reads_waiting);
    fifo_init(&h->writes_waiting);
    fifo_init(&h->flushes);
    fifo_init(&h->deletes);
    fifo_init(&h->fetched);
    cache_not_full(e);
    hil_park_clear(e);
    if (e->host_remote == 0) {
        hil_forget_left(e); /* else with the rings */
    }
    h->active = h->queue_up = h->asks_map = 0;
    run_quiet(e, hal_time_ns(e->hal));
    ++h->generation;
    cache_forget_waiters(e);
    hil_reset_queues(e);
    reset_nvme(e);
}

static void start_reset(struct env* e)
{
    struct fe_move move;
    forget_commands(e);
    hil_state(e, HIL_RESETTING);
    e->hil->shutting = SHUTTING_NOT; /* the shutdown is nobody's any more, nor who waits for it */
    e->hil->ata.stopper = 0;
    while (front_end_drop_backlog(e, &move)) {
        commands_moved(e, move.tag, true);
    }
    FW_ASSERT(e, e->hil->active == 0);
}

void controller_finish_reset(struct env* e)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, h->state == HIL_RESETTING);
    if (front_end_moving(e) != 0 || nvme_update_pending(e)) {
        return;
    }
    front_end_restart(e);
    hil_state(e, HIL_DISABLED);
    if (h->ata.on != 0) {
        ata_reset(e);
    }
    h->csts = 0;
    front_end_csts(e, 0);
    FW_ASSERT(e, h->active == 0);
}

/* ---- Shutdown ---- */

void controller_shut_down(struct env* e)
{
    struct hil* h = e->hil;
    if (h->shutting == SHUTTING_DRAINS && h->active == 0) {
        host_buffer_reset(e);
        h->shutdown_ticket = cache_flush(e);
        h->shutting = SHUTTING_FLUSHES;
        h->more = 1; /* the flush starts in a round of its own: nothing else may wake us */
    } else if (h->shutting == SHUTTING_FLUSHES && !maps_host_moves(e) &&
               cache_flushed(e, h->shutdown_ticket) && recovery_shut_down(e)) {
        h->shutting = SHUTTING_NOT;
        if (h->ata.on != 0) {
            ata_stopped(e);
            return;
        }
        const uint32_t shst = (h->csts & ~NVME_CSTS_SHST_MASK) | NVME_CSTS_SHST_COMPLETE;
        h->csts = nvme_update_stop(e) ? 0 : shst;
        front_end_csts(e, h->csts);
    }
}

/* ---- CC ---- */

void controller_look(struct env* e)
{
    struct hil* h = e->hil;
    const uint32_t before = h->cc;
    h->cc = front_end_cc(e);
    h->cc_unchecked = 0;
    nvme_doorbells(e);
    if (h->cc != before || h->state == HIL_RESETTING) {
        run_due(e, DUE_STEPS);
    }
    if ((h->state == HIL_READY || h->state == HIL_STOPPING) && (h->cc & NVME_CC_EN) == 0) {
        start_reset(e);
    }
    if (h->state == HIL_RESETTING) {
        controller_finish_reset(e);
    }
    h->finding = 0;
    if (h->state == HIL_DISABLED && (h->cc & NVME_CC_EN) != 0 && !zones_find(e)) {
        h->finding = 1; /* not ready yet: another round looks again */
    } else if (h->state == HIL_DISABLED && (h->cc & NVME_CC_EN) != 0) {
        hil_state(e, HIL_READY);
        recovery_go_on(e);
        h->csts = NVME_CSTS_RDY;
        front_end_csts(e, h->csts);
        gc_patrol_run(e, 1);
    }
    if (h->state == HIL_READY && (h->cc & NVME_CC_SHN_MASK) != 0 &&
        (h->csts & NVME_CSTS_SHST_MASK) == 0) {
        gc_patrol_run(e, 0);
        h->csts |= NVME_CSTS_SHST_OCCURRING;
        front_end_csts(e, h->csts);
        zones_close(e);
        hil_state(e, HIL_STOPPING);
        h->shutting = SHUTTING_DRAINS;
        h->more = 1;
    }
    FW_ASSERT(e, h->state != HIL_DISABLED || h->active == 0);
}
