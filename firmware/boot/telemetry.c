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

_Static_assert((int)STATS_RETRY_LEVELS == TELEMETRY_RETRY_LEVELS, "same counters");
_Static_assert((int)REFRESH_REASONS == TELEMETRY_REFRESH_REASONS, "same counters");
_Static_assert((int)RETIRE_REASONS == TELEMETRY_RETIRE_REASONS, "same counters");

static void publish_counters(struct telemetry* restrict t, const struct stats* restrict s)
{
    t->mapped = s->mapped;
    t->valid = s->valid;
    t->free_blocks = s->free_blocks;
    t->bad_blocks = s->bad_blocks;
    t->host_units_written = s->host_units_written;
    t->pad_units = s->pad_units;
    t->gc_runs = s->gc_runs;
    t->gc_units_moved = s->gc_units_moved;
    t->gc_pages_moved = s->gc_pages_moved;
    t->wear_units_moved = s->wear_units_moved;
    t->trimmed_units = s->trimmed_units;
    t->map_hits = s->map_hits;
    t->map_misses = s->map_misses;
    t->map_evictions = s->map_evictions;
    t->cache_read_hits = s->cache_read_hits;
    t->cache_read_misses = s->cache_read_misses;
    t->cache_write_hits = s->cache_write_hits;
    t->cache_write_misses = s->cache_write_misses;
    t->cache_evictions_clean = s->cache_evictions_clean;
    t->cache_evictions_dirty = s->cache_evictions_dirty;
    t->erase_min = s->erase_min;
    t->erase_max = s->erase_max;
    t->erase_sum = s->erase_sum;
    t->erase_square_sum = s->erase_square_sum;
    t->erase_blocks = s->erase_blocks;
    t->read_errors = s->read_errors;
    t->read_only = s->read_only;
}

static void publish_health(struct telemetry* restrict t, const struct stats* restrict s)
{
    mem_copy(t->retries, s->retries, sizeof t->retries);
    t->recovered_reads = s->recovered_reads;
    t->media_errors = s->media_errors;
    t->lost_units = s->lost_units;
    t->units_lost = s->units_lost;
    mem_copy(t->refresh_reasons, s->refresh_reasons, sizeof t->refresh_reasons);
    t->refresh_runs = s->refresh_runs;
    t->refresh_units_moved = s->refresh_units_moved;
    t->patrol_reads = s->patrol_reads;
    mem_copy(t->retired, s->retired, sizeof t->retired);
    t->spare_percent = s->spare_percent;
    t->used_percent = s->used_percent;
    t->suspends = s->suspends;
    t->map_units = s->map_valid;
    t->map_units_written = s->map_units_written;
    t->checkpoints = s->checkpoints;
    t->strayed_units = s->strayed_units;
}

static void publish_merges(struct telemetry* restrict t, const struct stats* restrict s)
{
    t->merges_switch = s->merges_switch;
    t->merges_partial = s->merges_partial;
    t->merges_full = s->merges_full;
    t->host_page_reads = s->host_page_reads;
    t->map_page_reads = s->map_page_reads;
    t->scan_page_reads = s->scan_page_reads;
    t->copy_page_reads = s->copy_page_reads;
    t->copy_page_writes = s->copy_page_writes;
    t->erases_data = s->erases_data;
    t->erases_log = s->erases_log;
    t->erases_map = s->erases_map;
    t->merged_logs = s->merged_logs;
    t->merged_logical_blocks = s->merged_logical_blocks;
    t->merged_logical_blocks_max = s->merged_logical_blocks_max;
    t->blocking_max_ns = s->blocking_max_ns;
}

static void publish_buffer(struct telemetry* restrict t, const struct stats* restrict s)
{
    t->cache_padding_reads = s->cache_padding_reads;
    t->cache_ahead_units = s->cache_ahead_units;
    t->cache_ahead_hits = s->cache_ahead_hits;
    t->cache_ahead_wasted = s->cache_ahead_wasted;
}

_Static_assert(sizeof(struct telemetry_retention) == sizeof(struct retention_stats),
               "same counters");
_Static_assert(sizeof(struct telemetry_zones) == sizeof(struct zone_stats), "same counters");

void telemetry_publish_reads(struct env* e)
{
    struct telemetry* restrict t = telemetry_block(e);
    const struct stats* restrict s = e->stats;
    FW_ASSERT(e, t->magic == TELEMETRY_MAGIC);
    t->map_hits = s->map_hits;
    t->map_misses = s->map_misses;
    t->map_evictions = s->map_evictions;
    t->cache_read_hits = s->cache_read_hits;
    t->cache_read_misses = s->cache_read_misses;
    t->host_page_reads = s->host_page_reads;
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
    if (e->hil->zoned != 0) {
        mem_copy(&t->zones, &zones_of(e)->stats, sizeof t->zones);
    }
    t->buffer_dirty = (uint64_t)e->cache->dirty + e->cache->programming;
    t->recovery_kind = e->recovery->kind;
    t->recovery_pages = e->recovery->scanned;
    t->recovery_programs = e->recovery->highest - e->recovery->base_found;
    FW_ASSERT(e, t->mapped <= e->geo->user_units);
}
