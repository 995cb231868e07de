/* SPDX-License-Identifier: Apache-2.0
 *
 * Layout of the schemes that map pages: units lie anywhere, nothing is merged, and all that has to
 * be kept is in the maps.
 */
#include "firmware/map/layout.h"

#include "firmware/map/ftl.h"
#include "firmware/map/maps_units.h"
#include "firmware/space/erase.h"
#include "firmware/space/spare.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"

static uint64_t none_of(const struct env* e)
{
    FW_ASSERT(e, ftl_layout_of(e) == &ftl_pages);
    return 0;
}

void layout_nothing(struct env* e)
{
    FW_ASSERT(e, e->ftl != NULL);
}

static void nothing_of(struct env* e, uint64_t which)
{
    FW_ASSERT(e, which != FTL_NONE);
}

static void nothing_at(struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
}

bool layout_yes(struct env* e)
{
    FW_ASSERT(e, e->ftl != NULL);
    return true;
}

int layout_no(struct env* e)
{
    FW_ASSERT(e, e->ftl != NULL);
    return 0;
}

static bool is_idle(const struct env* e)
{
    FW_ASSERT(e, e->ftl != NULL);
    return true;
}

static bool any_appends(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    return true;
}

static bool none_moves(struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
    return false;
}

uint32_t layout_keeps_nothing(struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
    return 0;
}

static void store(struct env* e, void* to)
{
    FW_ASSERT(e, to != NULL);
}

static void load(struct env* e, const void* from)
{
    FW_ASSERT(e, from != NULL);
}

static bool none_merged(uint32_t kind)
{
    (void)kind;
    return false;
}

static void read_none(struct env* e, const struct flash_request* r, const uint64_t* words)
{
    (void)r;
    (void)words;
    FW_ASSERT(e, 0 && "no such read");
}

int layout_by_maps(struct env* e, struct trims* trims)
{
    FW_ASSERT(e, trims != NULL);
    return 0;
}

static void no_unit(struct env* e, const struct spare_unit* u, uint64_t address)
{
    (void)u;
    (void)address;
    FW_ASSERT(e, 0 && "an entry of level 1 tells of a unit");
}

const struct ftl_layout ftl_pages = {
    .overhead = none_of,
    .step = layout_nothing,
    .idle = is_idle,
    .settle = layout_no,
    .settled = layout_nothing,
    .room = layout_yes,
    .appends = any_appends,
    .appended = nothing_at,
    .starves = nothing_of,
    .moves = none_moves,
    .quiet = layout_yes,
    .begins = layout_nothing,
    .recorded = layout_nothing,
    .reopens = layout_nothing,
    .kept = layout_keeps_nothing,
    .bytes = none_of,
    .store = store,
    .load = load,
    .counts = layout_nothing,
    .boot = layout_no,
    .merged = none_merged,
    .torn = blocks_erase_again,
    .check = layout_nothing,
    .scan = layout_nothing,
    .read = read_none,
    .replay = layout_by_maps,
    .unit = no_unit,
    .trim = maps_empty,
    .count = nothing_of,
};
