/* SPDX-License-Identifier: Apache-2.0
 *
 * log_set: the drive as a set of copy-on-write logs (Min et al., 2011, 2.3). What is a log here,
 * and the packets between them: log.h. D appends units of the host, as every scheme does; M1 maps
 * them, M2 maps M1, and so on until one page holds a whole map, whose place C keeps. L counts.
 *
 * M1 has a volatile buffer of `ftl.map_cache` bytes in pages, for reads and writes. A packet that
 * misses it costs a read of the page; a page that differs from the flash and has to leave is
 * appended to M1, and that changes an entry of M2, in the same way. M2 is a thousandth of M1: its
 * buffer holds it whole, or works as that of M1 does; what is above is in memory. All of M shares a
 * stream of superblocks, or each of its logs has one, with a buffer of programs of its own.
 */
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/map/maps_saved.h"
#include "firmware/map/maps_units.h"
#include "firmware/space/blocks.h"
#include "models/regs/parts/map.h"

/* Of level 2; 0 = all of it is in memory, as the top always is; INDEX_NONE = too few. */
static uint32_t upper_frames(const struct env* e, uint64_t bytes)
{
    const uint64_t frames = bytes >> e->geo->unit_shift;
    if (bytes == 0 || maps_levels(e) <= LOG_M2 || frames >= maps_pages(e, LOG_M2)) {
        return 0;
    }
    FW_ASSERT(e, frames < INDEX_NONE);
    return frames < MAP_FRAMES_LEAST ? INDEX_NONE : (uint32_t)frames;
}

static int log_set_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    const uint64_t frames = how->cache >> e->geo->unit_shift;
    /* A write unit waits until the pages of all its units are held. */
    if (frames < e->geo->group || frames >= INDEX_NONE) {
        hal_log(e->hal, HAL_LOG_ERROR, "pages of the map buffer, needed at least", frames,
                e->geo->group);
        return -1;
    }
    if (maps_plan(e) != 0) {
        return -1;
    }
    if (how->apart != 0) {
        maps_part_queues(e);
    }
    const uint32_t upper = upper_frames(e, how->upper_cache);
    if (upper == INDEX_NONE) {
        hal_log(e->hal, HAL_LOG_ERROR, "bytes for level 2 of the maps, pages needed at least",
                how->upper_cache, MAP_FRAMES_LEAST);
        return -1;
    }
    if (maps_take(e, (uint32_t)frames, upper, 0) != 0 ||
        blocks_map_streams(e, maps_queues(e)) != 0) {
        return -1;
    }
    maps_search_init(e);
    if (upper != 0 && maps_buffer_init(e, LOG_M2, how->upper_policy) != 0) {
        return -1;
    }
    return maps_buffer_init(e, LOG_M1, how->policy);
}

/* D asks M1. */
static uint64_t log_set_lookup(struct env* e, uint64_t unit)
{
    const uint64_t page = maps_page(e, unit);
    FW_ASSERT(e, page < maps_pages(e, LOG_M1));
    if (!maps_buffer_held(e, LOG_M1, page) && !maps_buffer_use(e, LOG_M1, page)) {
        return FTL_UNKNOWN;
    }
    return log_read(e, LOG_D, unit);
}

/* D will append the unit: M1's page of it stays. */
static bool log_set_pin(struct env* e, uint64_t unit)
{
    const uint64_t page = maps_page(e, unit);
    FW_ASSERT(e, page < maps_pages(e, LOG_M1));
    if (!maps_buffer_may_hold(e, LOG_M1, page) || !maps_buffer_use(e, LOG_M1, page)) {
        return false;
    }
    maps_buffer_hold(e, LOG_M1, page);
    return true;
}

static void log_set_unpin(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, maps_has(e, unit));
    maps_buffer_release(e, LOG_M1, maps_page(e, unit));
}

static void log_set_prefetch(struct env* e, uint64_t unit)
{
    if (maps_has(e, unit)) {
        maps_prefetch(e, unit);
    }
}

static void log_set_arrived(struct env* e, uint64_t page)
{
    FW_ASSERT(e, page < maps_pages(e, LOG_M1));
    maps_searched(e, LOG_M1, page);
}

const struct ftl_ops ftl_log_set = {
    .layout = &ftl_pages,
    .init = log_set_init,
    .lookup = log_set_lookup,
    .pin = log_set_pin,
    .unpin = log_set_unpin,
    .commit = maps_commit,
    .lose = maps_lose,
    .owner = maps_search,
    .move = maps_move,
    .trim = maps_trim,
    .holes = maps_holes,
    .trim_run = maps_trim_run,
    .prefetch = log_set_prefetch,
    .arrived = log_set_arrived,
};
