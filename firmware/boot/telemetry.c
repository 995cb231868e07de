/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/drv/telemetry.h"
#include "firmware/boot/fw.h"
#include "firmware/hil/zones.h"
#include "firmware/lib/mem.h"

void telemetry_start(struct env* e)
{
    struct telemetry* t = telemetry_block(e);
    FW_ASSERT(e, BOOT_TELEMETRY_OFFSET + sizeof *t <= BOOT_FREE_OFFSET);
    mem_zero(t, sizeof *t);
    t->magic = TELEMETRY_MAGIC;
    t->ram_bytes = arenas_used(e) + sizeof(struct fw);
    telemetry_publish(e);
    t->ready = 1;
    FW_ASSERT(e, t->ram_bytes != 0);
}

void telemetry_stop(struct env* e)
{
    FW_ASSERT(e, telemetry_block(e)->magic == TELEMETRY_MAGIC);
    telemetry_block(e)->ready = 0;
}

/* t->field = s->field, unless telemetry_publish works it out. */
#define COPY_STATS(field) t->field = s->field;
#define COPY_READS(field) t->field = s->field;
#define COPY_OWN(field)
#define COPY(field, source, ...) COPY_##source(field)
#define COPY_ARRAY_STATS(field) mem_copy(t->field, s->field, sizeof t->field);
#define COPY_ARRAY(field, length, source, ...) COPY_ARRAY_##source(field)

static void publish_counters(struct telemetry* restrict t, const struct stats* restrict s)
{
    COUNTERS_DRIVE(COPY)
    COUNTERS_WORK(COPY)
    COUNTERS_WEAR(COPY)
}

static void publish_health(struct telemetry* restrict t, const struct stats* restrict s)
{
    COUNTERS_HEALTH(COPY, COPY_ARRAY)
    COUNTERS_MAPS(COPY)
    COUNTERS_PLACEMENT(COPY)
}

static void publish_merges(struct telemetry* restrict t, const struct stats* restrict s)
{
    COUNTERS_MERGE_KINDS(COPY)
    COUNTERS_READS(COPY)
    COUNTERS_MERGES(COPY)
}

static void publish_buffer(struct telemetry* restrict t, const struct stats* restrict s)
{
    COUNTERS_BUFFER(COPY)
}

/* Those that a read of the host alone can move. */
#define READ_STATS(field)
#define READ_READS(field) t->field = s->field;
#define READ_OWN(field)
#define READ(field, source, ...) READ_##source(field)
#define READ_ARRAY(field, ...)

_Static_assert(sizeof(struct telemetry_retention) == sizeof(struct retention_stats),
               "copied as a whole: no row of them is OWN");

_Static_assert(sizeof(struct telemetry_slc) == sizeof(struct slc_stats), "likewise");

_Static_assert(sizeof(struct telemetry_hmb) == sizeof(struct hmb_stats), "likewise");

void telemetry_publish_reads(struct env* e)
{
    struct telemetry* restrict t = telemetry_block(e);
    const struct stats* restrict s = e->stats;
    FW_ASSERT(e, t->magic == TELEMETRY_MAGIC);
    COUNTERS_FIRST(READ, READ_ARRAY)
    COUNTERS_LATER(READ)
    FW_ASSERT(e, t->read_errors == s->read_errors);
}

void telemetry_publish(struct env* e)
{
    struct telemetry* t = telemetry_block(e);
    FW_ASSERT(e, t->magic == TELEMETRY_MAGIC);
    publish_counters(t, e->stats);
    publish_health(t, e->stats);
    publish_merges(t, e->stats);
    publish_buffer(t, e->stats);
    if (e->retention->on != 0) {
        mem_copy(&t->retention, &e->stats->retention, sizeof t->retention);
    }
    if (e->slc->on != 0) {
        mem_copy(&t->slc, &e->stats->slc, sizeof t->slc);
    }
    if (e->maps->hmb.most != 0) {
        mem_copy(&t->hmb, &e->stats->hmb, sizeof t->hmb);
    }
    if (e->hil->zoned != 0) {
        mem_copy(&t->zones, &zones_of(e)->stats, sizeof t->zones);
    }
    t->buffer_dirty = (uint64_t)e->cache->dirty + e->cache->programming;
    t->recovery_kind = e->recovery->kind;
    t->recovery_pages = e->recovery->scanned;
    t->recovery_programs = e->recovery->highest - e->recovery->base_found;
    /* Of a map page that was lost, places count until collection finds that they are nobody's. */
    FW_ASSERT(e, t->mapped <= e->geo->user_units || e->maps->damaged != 0);
}
