/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scheme of hybrid mapping does beside mapping units (map/layout.h).
 */
#include "firmware/blocks/hybrid.h"
#include "firmware/buffer/merged.h"
#include "firmware/map/ftl.h"
#include "firmware/space/blocks_single.h"
#include "firmware/space/spare.h"

/* Where none of the host's units go to the log preconditioning's do all the same. */
static int settle(struct env* e)
{
    struct hybrid* h = e->hybrid;
    h->settling = h->log_most == 0;
    FW_ASSERT(e, h->pages != 0);
    return h->settling != 0;
}

static void settled(struct env* e)
{
    e->hybrid->settling = 0;
    FW_ASSERT(e, hybrid_idle(e));
}

static bool room(struct env* e)
{
    FW_ASSERT(e, e->hybrid->log_used <= e->hybrid->log_slots);
    return e->hybrid->settling != 0 ? e->hybrid->log_pages == 0 : log_has_room(e);
}

static void appended(struct env* e, uint32_t block)
{
    (void)log_slot(e, block);
    FW_ASSERT(e, superblock_of(e, e->blocks, block)->role == BLOCK_LOG);
}

/* All that is due may be of logical blocks that are still being written: then the oldest goes. */
static void starves(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    if (hybrid_idle(e) && cache_still_written(e, unit, e->hybrid->pages) != CACHE_LANDING) {
        (void)merge_request(e, lblock_of(e, unit));
    }
}

static bool is_merged(uint32_t kind)
{
    return kind == SPARE_BLOCK;
}

static void trim(struct env* e, uint64_t unit, uint64_t end)
{
    for (uint64_t u = unit; u < end; ++u) {
        hybrid_replay_trim(e, u);
    }
}

const struct ftl_layout hybrid_layout = {
    .logical_blocks = 1,
    .overhead = hybrid_overhead,
    .step = merge_step,
    .idle = hybrid_idle,
    .settle = settle,
    .settled = settled,
    .room = room,
    .appends = hybrid_logs,
    .appended = appended,
    .starves = starves,
    .moves = hybrid_moves,
    .quiet = layout_yes,
    .begins = log_checkpoint,
    .recorded = log_checkpoint_done,
    .reopens = layout_nothing,
    .kept = layout_keeps_nothing,
    .bytes = log_bytes,
    .store = log_store,
    .load = log_load,
    .counts = log_count,
    .boot = layout_no,
    .merged = is_merged,
    .torn = log_torn,
    .check = log_check,
    .scan = hybrid_targets_scan,
    .read = hybrid_target_read,
    .replay = layout_by_maps,
    .unit = hybrid_replay,
    .trim = trim,
    .count = hybrid_count,
};
