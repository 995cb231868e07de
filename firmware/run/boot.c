/* SPDX-License-Identifier: Apache-2.0
 *
 * Start-up as a table of named steps, each with its inverse: a boot runs all of them, a plan those
 * up to the first that needs a drive, over arenas that only count.
 */
#include "firmware/run/boot.h"

#include "firmware/buffer/policy.h"
#include "firmware/drv/devices.h"
#include "firmware/drv/lookup.h"
#include "firmware/durable/anchor.h"
#include "firmware/gc/pace.h"
#include "firmware/host/core/controller.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/layout.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/schemes.h"
#include "firmware/run/parameters.h"
#include "firmware/run/precondition_write.h"
#include "firmware/slc/policy.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "firmware/space/wear.h"
#include "models/regs/boot_params.h"
#include "models/regs/choices/stripe.h"
#include "models/regs/parts/map.h"

/* SRAM that lies at fixed places. */
#define BOOT_STATE_END ((BOOT_FREE_OFFSET + sizeof(struct fw) + 63u) & ~UINT64_C(63))

struct boot_step {
    const char* name;
    int (*action)(struct env* e, const struct boot_params* p); /* 0 = done */
    void (*undo)(struct env* e);                               /* NULL = nothing is to be undone */
};

/* Units in blocks of the anchor and of segments, which belong to no superblock. */
static uint64_t hidden_units(const struct env* e)
{
    const struct geometry* g = e->geo;
    return (anchor_blocks(e) + segments_blocks(e)) * g->pages * g->page_units;
}

static int step_memory(struct env* e, const struct boot_params* p)
{
    if (BOOT_STATE_END > p->sram_size) {
        return boot_refuse(e, "SRAM needed, found", BOOT_STATE_END, p->sram_size);
    }
    arenas_init(e, p->sram_size, BOOT_STATE_END, p->dram_size);
    arenas_move(e, p->partition.sram, p->partition.dram);
    if (p->map.memory != BOOT_MAP_DRAM) {
        arenas_map_apart(e, p->map.bank);
    }
    FW_ASSERT(e, e->arenas->absent == 0);
    return 0;
}

static int step_front_end(struct env* e, const struct boot_params* p)
{
    const struct front_end_setup setup = {.unit = p->ftl.map_unit,
                                          .partitions = 1u << e->geo->partition.bits,
                                          .follows = e->geo->partition.index != 0,
                                          .beside = p->map.preferred != 0 ? HMB_MOVES + 1 : 0};
    return front_end_init(e, &setup);
}

/* One page buffer per host command covers small reads; large ones take turns. */
static uint32_t read_buffers(const struct env* e)
{
    const uint32_t slots = front_end_slots(e);
    return slots < 64 ? 64 : (slots > 1024 ? 1024 : slots);
}

static int step_channels(struct env* e, const struct boot_params* p)
{
    const uint32_t suspend =
        (p->flash.suspend_policy != FLASH_SUSPEND_NONE ? CHANNEL_SUSPEND_ERASES : 0) |
        (p->flash.suspend_programs != 0 ? CHANNEL_SUSPEND_PROGRAMS : 0);
    return channels_init(e, p->partition.channel, p->geometry.channels,
                         flash_in_flight_max(e, read_buffers(e)), suspend);
}

/* A cache needs superblocks of the drive that are striped, and data that may lie anywhere. */
static bool can_cache(const struct boot_params* p)
{
    const bool units =
        ftl_has(p->ftl.scheme, SCHEME_MAP_IN_DRAM) || ftl_has(p->ftl.scheme, SCHEME_PAGES_MAP);
    return units && p->ftl.stripe == STRIPE_DRIVE && p->placement.kind == PLACEMENT_STRIPE &&
           (p->flash.array_mode | p->flash.host_program_mode) == FLASH_MODE_NORMAL;
}

static int start_slc(struct env* e, const struct boot_params* p)
{
    if (slc_init(e) != 0) {
        return -1;
    }
    if (slc_on(e) && (slc_policy_of(e) == NULL || !can_cache(p))) {
        return boot_refuse(e, "no SLC cache of this policy, with this scheme", p->slc.policy,
                           p->ftl.scheme);
    }
    return 0;
}

static int step_blocks(struct env* e, const struct boot_params* p)
{
    FW_ASSERT(e, front_end_slots(e) != 0 && p->host.streams <= RESERVE_DIRECTED_MOST);
    if (start_slc(e, p) != 0 || blocks_init(e) != 0) {
        return -1;
    }
    return retention_init(e);
}

static int step_flash(struct env* e, const struct boot_params* p)
{
    const uint32_t luns = e->geo->part.luns;
    const bool hybrid = ftl_has(p->ftl.scheme, SCHEME_MAPS_BLOCKS);
    const bool places = ftl_has(p->ftl.scheme, SCHEME_PLACES);
    const bool cache_copies = p->slc.pages != 0 && p->slc.copyback != 0;
    const struct flash_setup setup = {
        .read_buffers = read_buffers(e),
        .metadata_tries = p->gc.copyback_bits != 0 ? FLASH_METADATA_TRIES : 0,
        .copyback = (p->gc.copyback != 0 ? FLASH_COPIES_GARBAGE : 0) |
                    (cache_copies ? FLASH_COPIES_CACHE : 0),
        .segments = ftl_has(p->ftl.scheme, SCHEME_HAS_SEGMENTS),
        .merges = hybrid ? HYBRID_MERGES(luns) : 0,
        .folds = places ? BLOCKMAP_FOLDS(luns) : 0,
    };
    return flash_init(e, &setup);
}

/* The host leaves room for a whole checkpoint and the journal. Maps get a stream of their own where
 * the part has a superblock to spare for it. */
static void plan_maps(struct env* e)
{
    const struct geometry* g = e->geo;
    const uint64_t whole = (uint64_t)g->luns * g->pages * g->group;
    /* Less the anchor's blocks, and what may be bad: the same drive must plan the same each time.
     */
    const uint64_t hidden = hidden_units(e);
    const bool paged = maps_paged(e->maps);
    const uint32_t streams = blocks_streams(e) - STREAM_MAP;
    const uint64_t blocks = slc_outside(e);
    const uint64_t likely = blocks * whole - blocks * whole / RESERVE_BAD_SHARE - hidden;
    const uint64_t maps = recovery_units(e);
    struct map_room room = {.overhead = maps + ftl_layout_of(e)->overhead(e),
                            .superblocks = (uint32_t)((maps + whole - 1) / whole)};
    if (paged) { /* such a map writes all the time, and soon leaves garbage */
        room.superblocks += (uint32_t)reserve_paging(g->page_units, geometry_narrow(g));
        room.superblocks += streams - RESERVE_MAP_STREAM; /* each may have to open another one */
        room.level2 = streams > RESERVE_MAP_STREAM && maps_framed(e->maps, 2) ? RESERVE_FREE : 0;
        room.superblocks += room.level2;
        room.garbage = RESERVE_GARBAGE;
    }
    /* Collection goes on after a loss of power, and after another one before it has gained any. */
    room.superblocks += g->word_line != 0 ? RESERVE_CUTS : 0;
    blocks_make_room(e, &room);
    if (paged || planes_own(e) || likely >= blocks_needed(e) + RESERVE_MAP_STREAM * whole) {
        blocks_spare_map_stream(e);
    }
}

static int step_ftl(struct env* e, const struct boot_params* p)
{
    const struct boot_map* map = &p->map;
    return ftl_init(e) != 0 ? -1 : hmb_init(e, map->preferred, map->minimum);
}

static int step_checkpoints(struct env* e, const struct boot_params* p)
{
    if (recovery_init(e, p->map.checkpoint_units) != 0) {
        return -1;
    }
    plan_maps(e);
    return 0;
}

static int step_gc(struct env* e, const struct boot_params* p)
{
    (void)p;
    return gc_init(e) != 0 ? -1 : append_init(e, &fw_of(e->hal)->append);
}

static int step_cache(struct env* e, const struct boot_params* p)
{
    /* A command may begin anywhere in a unit: also one that is smaller touches two. */
    const uint32_t units = (p->host.mdts + p->ftl.map_unit - 1) / p->ftl.map_unit + 1;
    return cache_init(e, front_end_slots(e), units);
}

/* Entries, and what they mean, never change; all of them are in memory. */
static int step_lookup(struct env* e, const struct boot_params* p)
{
    const struct geometry* g = e->geo;
    if (p->host.lookup == 0) {
        return 0;
    }
    if (front_end_is_sata(e) || !ftl_has(p->ftl.scheme, SCHEME_MAP_IN_DRAM) || geometry_narrow(g) ||
        slc_on(e) || retention_on(e)) {
        return boot_refuse(e,
                           "a look-up engine needs page_map and superblocks of the drive; scheme",
                           p->ftl.scheme, 0);
    }
    const struct map_table table = maps_table(e);
    const struct lookup_map map = {.entries = table.entries,
                                   .states = table.states,
                                   .units = g->user_units,
                                   .unit_shift = g->unit_shift,
                                   .page_shift = table.page_shift,
                                   .entry_shift = table.entry_shift,
                                   .plane_shift = g->unit_bits,
                                   .lun_shift = g->lun_shift,
                                   .row_shift = g->row_shift,
                                   .pages = g->pages,
                                   .mode = flash_array_mode(e)};
    return lookup_init(e, &map);
}

static int step_host(struct env* e, const struct boot_params* p)
{
    (void)p;
    return controller_init(e);
}

static int step_cores(struct env* e, const struct boot_params* p)
{
    return cores_init(e, p, front_end_slots(e), flash_requests(e));
}

/* Set Features of every LUN. The reads' page buffers, idle during boot, hold the values. */
static void set_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    FW_ASSERT(e, r->op == FLASH_OP_SET_FEATURES);
    FW_ASSERT(e, result->status == FLASH_STATUS_OK);
    flash_free(e, result->request);
}

static bool set_feature(struct env* e, uint32_t lun, uint32_t address, const uint8_t value[4])
{
    const uint32_t i = flash_take(e, OWNER_READ);
    if (i == INDEX_NONE) {
        return false;
    }
    const struct place at = {.lun = lun};
    const struct place p = place_of_part(e->geo, &at);
    struct flash_request* r = flash_request_of(e, i);
    uint8_t* buffer = (uint8_t*)env_dram(e, flash_buffer(e, i));
    for (uint32_t n = 0; n < 4; ++n) {
        buffer[n] = value[n];
    }
    r->op = FLASH_OP_SET_FEATURES;
    r->purpose = FLASH_PURPOSE_SCAN;
    r->priority = 2;
    r->plane_mask = 1; /* of no meaning to a register */
    r->lun = (uint16_t)p.lun;
    r->block = p.block;
    r->page = 0;
    r->column = address;
    r->length = 4;
    r->buffer = flash_buffer(e, i);
    flash_submit(e, i);
    return true;
}

/* Tells each LUN where an erase, and with `programs` a program, may stop for a read. */
static void boot_luns(struct env* e, uint32_t suspend_policy, uint32_t programs)
{
    const flash_handler handlers[OWNERS] = {[OWNER_READ] = set_done};
    const uint8_t value[4] = {(uint8_t)suspend_policy, programs != 0, 0, 0};
    uint32_t next = 0;
    FW_ASSERT(e, flash_in_flight(e) == 0);
    while ((next < e->geo->part.luns || flash_in_flight(e) != 0) && !hal_stopping(e->hal)) {
        uint32_t found = 0;
        while (next < e->geo->part.luns &&
               set_feature(e, next, FLASH_FEATURE_SUSPEND_POLICY, value)) {
            ++next;
        }
        channels_ring(e);
        for (uint32_t c = 0; c < e->geo->channels; ++c) {
            found += flash_poll(e, c, handlers);
        }
        if (found == 0) {
            (void)hal_wait_irq(e->hal);
        }
    }
    FW_ASSERT(e, next == e->geo->part.luns || hal_stopping(e->hal));
}

static int step_features(struct env* e, const struct boot_params* p)
{
    if (p->flash.suspend_policy == FLASH_SUSPEND_NONE && p->flash.suspend_programs == 0) {
        return 0; /* as they are after power-up */
    }
    boot_luns(e, p->flash.suspend_policy, p->flash.suspend_programs);
    return 0;
}

static int step_recovery(struct env* e, const struct boot_params* p)
{
    (void)p;
    FW_ASSERT(e, e->telemetry->bad_blocks == 0);
    if (recovery_boot(e) != 0) {
        return hal_stopping(e->hal) ? 0 : -1;
    }
    retention_resume(e);
    gc_set_marks(e);
    if (blocks_capacity(e) < blocks_needed(e) && recovery_is_fresh(e)) {
        return boot_refuse(e, "too little over-provisioning: units good, needed",
                           blocks_capacity(e), blocks_needed(e));
    }
    return 0;
}

static int step_controller(struct env* e, const struct boot_params* p)
{
    (void)p;
    const struct nor_boot* b = env_sram(e, MAP_SRAM_BASE + NOR_BOOT_OFFSET);
    controller_boot(e, b->area == 0 ? NOR_AREA_BUILT_IN : b->area - 1, b->again);
    return 0;
}

void telemetry_begin(struct env* e)
{
    struct telemetry* t = e->telemetry;
    _Static_assert(BOOT_TELEMETRY_OFFSET + sizeof *t <= BOOT_FREE_OFFSET, "it has room");
    mem_zero(t, sizeof *t);
    t->magic = TELEMETRY_MAGIC;
}

static int step_telemetry(struct env* e, const struct boot_params* p)
{
    (void)p;
    struct telemetry* t = e->telemetry;
    t->ram_bytes = arenas_used(e) + sizeof(struct fw);
    t->ready = 1; /* the platform may look */
    return 0;
}

static void telemetry_stop(struct env* e)
{
    e->telemetry->ready = 0;
}

static const struct boot_step steps[] = {
    {"parameters", boot_parameters, NULL},
    {"memory", step_memory, NULL},
    {"front end", step_front_end, front_end_stop},
    {"channels", step_channels, channels_stop},
    {"blocks", step_blocks, NULL},
    {"flash", step_flash, NULL},
    {"map", step_ftl, NULL},
    {"checkpoints", step_checkpoints, NULL},
    {"collection", step_gc, NULL},
    {"cache", step_cache, NULL},
    {"look-up engine", step_lookup, NULL},
    {"host interface", step_host, NULL},
    {"cores", step_cores, NULL},
    {"LUN features", step_features, NULL},
    {"recovery", step_recovery, NULL},
    {"controller", step_controller, NULL},
    {"telemetry", step_telemetry, telemetry_stop},
};

int boot_run(struct env* e, struct fw* fw)
{
    const struct boot_params* p = fw_params(e->hal);
    const uint32_t count = sizeof steps / sizeof steps[0];
    for (uint32_t i = 0; i < count; ++i) {
        if (steps[i].action(e, p) == 0) {
            continue;
        }
        hal_log(e->hal, HAL_LOG_ERROR, steps[i].name, i, count);
        while (i-- > 0) {
            if (steps[i].undo != NULL) {
                steps[i].undo(e);
            }
        }
        return -1;
    }
    fw->booted = 1;
    FW_ASSERT(e, e->arenas->absent == 0);
    return 0;
}

/* ---- Plan ---- */

static uint32_t superblocks_for(const struct env* e, uint64_t units)
{
    const uint64_t whole = (uint64_t)e->geo->luns * e->geo->pages * e->geo->group;
    return (uint32_t)((units + whole - 1) / whole);
}

/* Free superblocks at which collection starts and stops, if there are as many; `least` without
 * anybody's wish. */
static uint32_t plan_marks(struct env* e, struct firmware_plan* plan)
{
    const struct geometry* g = e->geo;
    blocks_assume(e, UINT64_C(8) * g->blocks * g->luns * g->pages * g->group);
    gc_set_marks(e);
    plan->gc_low = gc_low(e);
    plan->gc_high = gc_high(e);
    gc_set_marks_least(e);
    FW_ASSERT(e, gc_low(e) <= plan->gc_low);
    return gc_low(e);
}

/* `open`: superblocks that streams have, before there were maps. */
static void plan_flash(struct env* e, struct firmware_plan* plan, uint32_t open)
{
    const uint64_t scheme = ftl_layout_of(e)->overhead(e);
    const uint32_t rewrites = retention_on(e) ? RESERVE_REFRESH + 1 : 0;
    /* A stream of their own that maps have where there is room for it; some have it always. */
    const bool always = maps_paged(e->maps) || planes_own(e);
    const uint32_t spared = always ? 0 : blocks_map_streams_spared(e);
    const uint32_t hidden = superblocks_for(e, hidden_units(e) + scheme);
    const uint32_t low_least = plan_marks(e, plan);
    FW_ASSERT(e, blocks_reserve(e) >= open + spared);
    plan->open = open + rewrites;
    plan->overhead = blocks_reserve(e) - open - spared +
                     superblocks_for(e, hidden_units(e) + blocks_overhead(e));
    /* Higher marks would be cut down to these shares of the spare superblocks (gc.c). */
    const uint32_t low = plan->gc_low > low_least ? 4 * plan->gc_low + hidden : 0;
    const uint32_t high = plan->gc_high > plan->gc_low + 1 ? 2 * plan->gc_high + hidden : 0;
    plan->superblocks = plan->open + plan->overhead;
    if (planes_own(e)) { /* each plane has its own, beside what is open (gc/planes.c) */
        const uint32_t each = (4 * plan->gc_high + 2) / 3;
        plan->superblocks +=
            plan->gc_high > low_least ? planes_count(e) * (each - RESERVE_FREE) : 0;
        return;
    }
    plan->superblocks = plan->superblocks < low ? low : plan->superblocks;
    plan->superblocks = plan->superblocks < high ? high : plan->superblocks;
}

/* Bytes of SRAM, with what the map has of it apart. */
static uint64_t on_chip(const struct env* e)
{
    const struct arenas* a = e->arenas;
    return a->sram.next - MAP_SRAM_BASE + (a->map.next - a->map.base);
}

int boot_plan(struct env* e, struct firmware_plan* plan)
{
    const struct boot_params* p = fw_params(e->hal);
    uint32_t open = 0;
    for (const struct boot_step* s = steps; s->action != step_features; ++s) {
        const uint64_t sram = on_chip(e);
        const uint64_t dram = e->arenas->dram.next;
        if (s->action == step_memory) {
            const struct firmware_share state = {"state", sizeof(struct fw), 0};
            plan->share[plan->shares++] = state;
            arenas_count(e, BOOT_STATE_END);
            if (p->map.memory != BOOT_MAP_DRAM) {
                arenas_map_apart(e, 0);
            }
            continue;
        }
        if (s->action(e, p) != 0) {
            return -1;
        }
        open = s->action == step_blocks ? blocks_reserve(e) : open;
        if (on_chip(e) != sram || e->arenas->dram.next != dram) {
            const struct firmware_share share = {s->name, on_chip(e) - sram,
                                                 e->arenas->dram.next - dram};
            FW_ASSERT(e, plan->shares < FIRMWARE_SHARES_MOST);
            plan->share[plan->shares++] = share;
        }
    }
    plan->map = e->arenas->map.next - e->arenas->map.base;
    plan->sram = on_chip(e);
    plan->dram = e->arenas->dram.next - MAP_DRAM_BASE;
    plan_flash(e, plan, open);
    return 0;
}
