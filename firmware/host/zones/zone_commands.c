/* SPDX-License-Identifier: Apache-2.0
 *
 * Zone Management Send and Receive. Zoned Namespace Command Set 1.1 sections 3.4.2 and 3.4.3.
 *
 * A reset unmaps a zone from its write pointer down, so that one that power interrupts leaves a
 * shorter zone and no gap, and ends when that is on the flash: else what is written next could be
 * there after a loss of power together with what was there before. That a zone was finished is
 * taken back first, for without its data it would stay full.
 */
#include "firmware/host/zones/zone_commands.h"

#include "firmware/durable/journal.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/nvme/unmap.h"
#include "firmware/host/zones/zones.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"

enum action { CLOSE = 1, FINISH = 2, OPEN = 3, RESET = 4, OFFLINE = 5, ACTIONS = 6 };
enum { SELECT_ALL = 1 << 8, ACTION_OPTION = 1 << 9 }; /* dword 13 of Send; there is no option */
enum { FILTERS = 8, PARTIAL = 1 << 16 };              /* dword 13 of Receive */
enum { DESCRIPTOR = 64, SEQUENTIAL = 2 };             /* bytes; its type, the only one */
enum { WIPE_BUDGET = 4096 };                          /* units that one round unmaps */

#define STATE(s) (1u << (s))
#define OPEN_ONES (STATE(ZONE_IMPLICIT) | STATE(ZONE_EXPLICIT))

struct action_states { /* masks of zone states */
    uint16_t all;      /* that it takes with Select All ... */
    uint16_t one;      /* ... and of a single zone too */
    uint16_t already;  /* in which there is nothing to do */
};

static const struct action_states states_of[ACTIONS] = {
    [CLOSE] = {OPEN_ONES, 0, STATE(ZONE_CLOSED)},
    [FINISH] = {OPEN_ONES | STATE(ZONE_CLOSED), STATE(ZONE_EMPTY), STATE(ZONE_FULL)},
    [OPEN] = {STATE(ZONE_CLOSED), STATE(ZONE_EMPTY) | STATE(ZONE_IMPLICIT), STATE(ZONE_EXPLICIT)},
    [RESET] = {OPEN_ONES | STATE(ZONE_CLOSED) | STATE(ZONE_FULL), 0, STATE(ZONE_EMPTY)},
    [OFFLINE] = {STATE(ZONE_READ_ONLY), 0, STATE(ZONE_OFFLINE)},
};

static uint32_t blocks_of(const struct env* e, uint32_t ns)
{
    return (zones_end(e, ns) - zones_first(e, ns)) * zones_of(e)->size;
}

/* ---- Reset ---- */

static void queue_reset(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->buffer == INDEX_NONE);
    c->state = COMMAND_ZONE;
    c->reset.zone = c->zones.first;
    c->done = 0;
    hil_start_write(e, slot);
}

static void start_reset(struct env* e, uint32_t slot, struct zone_run run)
{
    struct command* c = command_of(e, slot);
    uint32_t kept = 0;
    FW_ASSERT(e, run.first < run.end && run.end <= DRIVE_ZONES);
    for (uint32_t zone = run.first; zone < run.end; ++zone) {
        ++zone_at(e, zone)->resets;
        if (zone_kept(e, zone) == ZONE_KEPT_FULL) {
            zone_keep(e, zone, ZONE_KEPT_NOT);
            kept = 1;
        }
    }
    c->zones = run;
    if (kept != 0) {
        c->save_next = SAVE_WIPES;
        hil_save(e, slot, 0);
    } else {
        queue_reset(e, slot);
    }
}

/* From the write pointer down. false = it has to wait. */
static bool wipe_one(struct env* e, struct command* c, uint32_t* budget)
{
    struct zone* z = zone_at(e, c->reset.zone);
    const uint64_t first = (uint64_t)c->reset.zone * zones_of(e)->size;
    FW_ASSERT(e, z->resets != 0);
    if (z->state == ZONE_OFFLINE) {
        return true;
    }
    while (z->written != 0) {
        c->lba = (first + z->written - 1) << ZONE_SECTORS_SHIFT;
        c->sectors = ZONE_BLOCK_SECTORS;
        if (!hil_zero_run(e, c, budget)) {
            return false;
        }
        c->done = 0;
        --z->written;
    }
    return true;
}

bool zone_wipe(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    uint32_t budget = WIPE_BUDGET;
    for (; c->reset.zone < c->zones.end; ++c->reset.zone) {
        if (!wipe_one(e, c, &budget)) {
            return false;
        }
    }
    c->save_next = SAVE_EMPTIES;
    c->until.state = 0; /* it waits for the journal alone */
    c->until.dw0 = 0;
    c->until.ticket = 0;
    c->until.journal = journal_flush(e);
    hil_await_save(e, slot);
    return true;
}

bool zone_saved(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const uint32_t next = c->save_next;
    FW_ASSERT(e, c->state == COMMAND_SAVE);
    c->save_next = SAVE_ENDS;
    if (next == SAVE_WIPES) {
        queue_reset(e, slot);
        return true;
    }
    FW_ASSERT(e, next == SAVE_EMPTIES);
    zones_unreset(e, c);
    return false;
}

/* ---- Zone Management Send ---- */

static uint32_t apply(struct env* e, uint32_t ns, uint32_t zone, uint32_t action)
{
    switch (action) {
    case CLOSE:
        zone_set_state(e, ns, zone, ZONE_CLOSED);
        break;
    case FINISH:
        if (zone_at(e, zone)->written < zones_of(e)->capacity) {
            zone_keep(e, zone, ZONE_KEPT_FULL);
        }
        zone_set_state(e, ns, zone, ZONE_FULL);
        break;
    case OFFLINE:
        zone_keep(e, zone, ZONE_KEPT_OFFLINE);
        zone_set_state(e, ns, zone, ZONE_OFFLINE);
        break;
    default:
        return zone_open(e, ns, zone, ZONE_EXPLICIT);
    }
    return NVME_SC_SUCCESS;
}

/* Select All opens all closed zones or none. */
static bool may_open_all(const struct env* e, uint32_t ns, struct zone_run run)
{
    const struct zones* zs = zones_of(e);
    uint32_t closed = 0;
    FW_ASSERT(e, run.end <= zs->count);
    for (uint32_t zone = run.first; zone < run.end; ++zone) {
        closed += zone_at(e, zone)->state == ZONE_CLOSED ? 1u : 0u;
    }
    return zs->open_most == 0 || zs->open[ns] + closed <= zs->open_most;
}

/* What is wrong with a Send, if anything; else the zones it is about. */
static uint32_t check_send(const struct env* e, const struct command* c, struct zone_run* run)
{
    const uint32_t action = c->request.dword13 & 0xFFu;
    const uint64_t lba = c->ns_lba;
    run->first = (uint16_t)zones_first(e, c->ns);
    run->end = (uint16_t)zones_end(e, c->ns);
    if (action < CLOSE || action >= ACTIONS || (c->request.dword13 & ACTION_OPTION) != 0) {
        return DNR(NVME_SC_INVALID_FIELD); /* no descriptor extensions, no random write area */
    }
    if ((c->request.dword13 & SELECT_ALL) != 0) {
        return action == OPEN && !may_open_all(e, c->ns, *run)
                   ? (uint32_t)NVME_SC_ZONE_TOO_MANY_OPEN
                   : (uint32_t)NVME_SC_SUCCESS;
    }
    if (lba >= blocks_of(e, c->ns)) {
        return DNR(NVME_SC_LBA_OUT_OF_RANGE);
    }
    if ((uint32_t)lba % zones_of(e)->size != 0) {
        return DNR(NVME_SC_INVALID_FIELD);
    }
    run->first = (uint16_t)(run->first + (uint32_t)lba / zones_of(e)->size);
    run->end = (uint16_t)(run->first + 1);
    const struct zone* z = zone_at(e, run->first);
    const struct action_states* s = &states_of[action];
    const bool good = ((s->all | s->one | s->already) & STATE(zone_state_of(e, z))) != 0 &&
                      (z->resets == 0 || action == RESET);
    return good ? (uint32_t)NVME_SC_SUCCESS : DNR(NVME_SC_ZONE_INVALID_TRANSITION);
}

void zone_send(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const uint32_t action = c->request.dword13 & 0xFFu;
    const bool all = (c->request.dword13 & SELECT_ALL) != 0;
    struct zone_run run;
    uint32_t status = check_send(e, c, &run);
    uint32_t changed = 0;
    FW_ASSERT(e, is_zoned(e, c->ns));
    if (status == NVME_SC_SUCCESS && action == RESET && e->telemetry->read_only == 0) {
        start_reset(e, slot, run);
        return;
    }
    for (uint32_t zone = run.first; zone < run.end && status == NVME_SC_SUCCESS; ++zone) {
        const struct zone* z = zone_at(e, zone);
        const struct action_states* s = &states_of[action];
        const uint32_t takes = all ? s->all : (uint32_t)(s->all | s->one);
        if (action != RESET && z->resets == 0 && (takes & STATE(zone_state_of(e, z))) != 0) {
            status = apply(e, c->ns, zone, action);
            changed |= zone_kept(e, zone);
        }
    }
    /* Only a drive that writes nothing any more has zones to set offline: none waits for that. */
    if (status == NVME_SC_SUCCESS && changed != 0 && action == FINISH) {
        c->until.ticket = cache_flush(e);
        hil_save(e, slot, 0);
    } else {
        hil_complete(e, slot, status, 0);
    }
}

/* ---- Zone Management Receive ---- */

static bool matches(const struct env* e, uint32_t zone, uint32_t filter)
{
    static const uint8_t states[FILTERS] = {0,           ZONE_EMPTY, ZONE_IMPLICIT,  ZONE_EXPLICIT,
                                            ZONE_CLOSED, ZONE_FULL,  ZONE_READ_ONLY, ZONE_OFFLINE};
    return filter == 0 || zone_state_of(e, zone_at(e, zone)) == states[filter];
}

static void describe(const struct env* e, uint32_t ns, uint32_t zone, uint8_t* at)
{
    const struct zones* zs = zones_of(e);
    const struct zone* z = zone_at(e, zone);
    const uint32_t state = zone_state_of(e, z);
    const uint64_t start = (uint64_t)(zone - zones_first(e, ns)) * zs->size;
    FW_ASSERT(e, zone < zones_end(e, ns));
    at[0] = SEQUENTIAL;
    at[1] = (uint8_t)(state << 4);
    at[2] = z->attributes;
    put64(at + 8, zs->capacity);
    put64(at + 16, start);
    /* Of zones that cannot be written there is no write pointer. */
    put64(at + 24, zone_is_active(state) || state == ZONE_EMPTY ? start + z->written : UINT64_MAX);
}

void zone_report(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const uint32_t total = c->bytes;
    const uint32_t end = zones_end(e, c->ns);
    for (uint32_t sent = c->done; sent < total;) {
        const uint32_t buffer = hil_meta_take(e);
        uint32_t length = sent == 0 ? DESCRIPTOR : 0u; /* the header is as long */
        struct fe_move move;
        if (buffer == INDEX_NONE) {
            fifo_push(&e->hil->fetched, env_dram(e, e->hil->fetch_links), slot);
            return;
        }
        uint8_t* page = env_dram(e, hil_meta_address(e, buffer));
        if (sent == 0) {
            put64(page, c->report_at.told);
        }
        for (; length < META_SIZE && sent + length < total; length += DESCRIPTOR) {
            while (c->report_at.next < end && !matches(e, c->report_at.next, c->report.filter)) {
                ++c->report_at.next;
            }
            if (c->report_at.next < end) { /* else one has changed since they were counted */
                describe(e, c->ns, c->report_at.next++, page + length);
            }
        }
        hil_clear_move(&move, FE_MOVE_TO_HOST, slot);
        move.flags = FE_MOVE_METADATA;
        move.buffer = hil_meta_address(e, buffer);
        move.offset = sent;
        move.length = length;
        move.tag = ((uint32_t)MOVE_META_OUT << MOVE_KIND_SHIFT) | buffer;
        sent += length;
        c->done = sent;
        hil_finish_move(e, &move, sent == total);
    }
}

void zone_receive(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const uint32_t filter = (c->request.dword13 >> 8) & 0xFFu;
    const uint64_t bytes = ((uint64_t)c->dwords + 1) * 4;
    const uint64_t lba = c->ns_lba;
    uint32_t matching = 0;
    FW_ASSERT(e, is_zoned(e, c->ns));
    /* An extended report tells descriptor extensions, of which there are none. */
    if ((c->request.dword13 & 0xFFu) != 0 || filter >= FILTERS || bytes < DESCRIPTOR ||
        bytes > front_end_mdts(e)) {
        hil_complete(e, slot, DNR(NVME_SC_INVALID_FIELD), 0);
        return;
    }
    if (lba >= blocks_of(e, c->ns)) {
        hil_complete(e, slot, DNR(NVME_SC_LBA_OUT_OF_RANGE), 0);
        return;
    }
    const uint32_t first = zones_first(e, c->ns) + (uint32_t)lba / zones_of(e)->size;
    for (uint32_t zone = first; zone < zones_end(e, c->ns); ++zone) {
        matching += matches(e, zone, filter) ? 1u : 0u;
    }
    const uint32_t room = (uint32_t)bytes / DESCRIPTOR - 1;
    const uint32_t told = matching < room ? matching : room;
    c->report_at.next = first;
    c->report_at.told = (c->request.dword13 & PARTIAL) != 0 ? told : matching;
    c->report.filter = filter;
    c->bytes = (told + 1) * DESCRIPTOR;
    c->done = 0;
    c->state = COMMAND_REPORT;
    zone_report(e, slot);
}
