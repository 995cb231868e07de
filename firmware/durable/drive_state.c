/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/durable/drive_state.h"

#include "firmware/durable/anchor.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/crc.h"
#include "firmware/lib/geometry.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/modes.h"
#include "firmware/space/pool.h"

_Static_assert(sizeof(struct anchor_record) <= DRIVE_STATE_OFFSET, "the record is in front of it");
_Static_assert(sizeof(struct drive_state) <= 2048 - DRIVE_STATE_OFFSET, "pages of 2 KiB take it");

struct drive_state* drive_state_of(const struct env* e)
{
    FW_ASSERT(e, e->recovery->state.address != 0);
    return env_dram(e, e->recovery->state.address);
}

bool drive_state_fits(const struct env* e)
{
    return e->geo->page_size >= DRIVE_STATE_OFFSET + sizeof(struct drive_state);
}

/* One namespace, all of the drive. */
static void as_new(struct env* e)
{
    struct drive_state* s = drive_state_of(e);
    mem_zero(s, sizeof *s);
    s->magic = DRIVE_STATE_MAGIC;
    s->ns[0].sectors = e->geo->sectors;
    s->ns[0].shift = SECTOR_SHIFT;
    s->ns[0].attached = 1;
}

int drive_state_init(struct env* e)
{
    struct kept_state* k = &e->recovery->state;
    k->address = dram_take(e, sizeof(struct drive_state));
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    as_new(e);
    return 0;
}

static uint32_t crc_of(struct drive_state* s)
{
    const uint32_t stored = s->crc;
    s->crc = 0;
    const uint32_t crc = crc32(CRC32_START, s, sizeof *s);
    s->crc = stored;
    return crc;
}

void drive_state_load(struct env* e, const uint8_t* page)
{
    struct drive_state* s = drive_state_of(e);
    if (!drive_state_fits(e)) {
        return;
    }
    mem_copy(s, page + DRIVE_STATE_OFFSET, sizeof *s);
    if (s->magic != DRIVE_STATE_MAGIC || s->crc != crc_of(s)) {
        as_new(e); /* a record of firmware that kept none */
    }
}

struct drive_life drive_life_now(const struct env* e)
{
    const struct smart* t = e->smart;
    struct drive_life l = drive_state_of(e)->life;
    FW_ASSERT(e, l.unsafe_shutdowns <= l.power_cycles);
    l.power_on_ns += hal_time_ns(e->hal);
    l.busy_ns += t->busy_ns;
    l.read_sectors += t->host_read_sectors;
    l.write_sectors += t->host_write_sectors;
    l.read_commands += t->host_read_commands - t->more_reads;
    l.write_commands += t->host_write_commands - t->more_writes;
    l.media_errors += e->telemetry->media_errors;
    l.error_entries += t->error_entries;
    for (uint32_t i = 0; i < 2; ++i) {
        l.hot_ns[i] += t->hot_ns[i];
        l.throttled_ns[i] += t->throttled_ns[i];
        l.throttled[i] += t->throttled[i];
    }
    return l;
}

void drive_state_store(struct env* e, uint8_t* page)
{
    struct kept_state* k = &e->recovery->state;
    if (!drive_state_fits(e)) {
        return;
    }
    struct drive_state* to = (struct drive_state*)(void*)(page + DRIVE_STATE_OFFSET);
    *to = *drive_state_of(e);
    to->life = drive_life_now(e);
    to->crc = crc_of(to);
    k->taken = k->version;
}

void drive_state_written(struct env* e)
{
    struct kept_state* k = &e->recovery->state;
    FW_ASSERT(e, k->taken <= k->version);
    k->saved = k->taken;
}

void drive_state_boot(struct env* e, uint32_t again)
{
    struct drive_life* l = &drive_state_of(e)->life;
    FW_ASSERT(e, e->recovery->state.version == 0);
    l->power_cycles += again == 0 ? 1u : 0u;
    l->unsafe_shutdowns += e->recovery->kind == RECOVERY_REPLAY ? 1u : 0u;
    FW_ASSERT(e, l->power_cycles != 0);
}

bool drive_state_stuck(const struct env* e)
{
    const struct recovery* v = e->recovery;
    return ftl_spent(e) || v->anchor.dead == v->anchor.copies;
}

uint32_t drive_state_save(struct env* e)
{
    struct recovery* v = e->recovery;
    ++v->state.version;
    if (!drive_state_fits(e)) {
        v->state.saved = v->state.version;
    } else if (v->clean != 0 && v->phase == CHECKPOINT_IDLE) {
        blocks_knock(e); /* the record that lets the drive program takes it along */
    } else {
        checkpoint_ask(e);
    }
    return v->state.version;
}

bool drive_state_saved(const struct env* e, uint32_t ticket)
{
    FW_ASSERT(e, ticket <= e->recovery->state.version);
    return e->recovery->state.saved >= ticket;
}
