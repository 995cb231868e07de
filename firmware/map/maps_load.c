/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/maps_load.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/log.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_count.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/modes.h"
#include "firmware/space/blocks.h"
#include "firmware/space/spare.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"

/* empty: nothing in it is to be counted. */
static void resident(struct env* e, uint32_t level, uint64_t page, bool empty)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    *flags = (uint8_t)((*flags | MAP_RESIDENT) & ~MAP_LOADING);
    if (maps_derived(m, level, *flags)) {
        e->maps_asks->derive(e, page);
    } else {
        *flags |= MAP_CHECKED;
    }
    if (m->counting != 0 && empty) {
        maps_counted(e, level, page);
    } else if (m->counting != 0) {
        maps_count(e, level, page);
    }
    const struct map_frames* f = maps_frames_of(m, level);
    if (maps_framed(m, level) && f->buffer.stays != 0 && f->holding == 0) {
        maps_buffer_enter(e, level, page);
    }
    if (level == 1) {
        e->maps_asks->came(e, page);
    }
}

void maps_resident(struct env* e, uint32_t level, uint64_t page)
{
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    FW_ASSERT(e, page < maps_pages(e, level));
    resident(e, level, page, false);
}

/* Nobody can tell any more what the entries of the page were, but for those that the scheme has.
 * What was lost before is counted once more: that cannot be told either. */
static void lose_entries(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const uint64_t first = page << m->entry_shift;
    const uint64_t end = maps_entries_end(e, level, page);
    const bool counted = level == 1 && (*maps_flags(e, m, level, page) & MAP_COUNTED) != 0;
    uint64_t known[MAPS_ENTRIES_MOST / 64];
    FW_ASSERT(e, end - first <= MAPS_ENTRIES_MOST);
    const bool some =
        level == 1 && m->counting != 0 && ftl->counted != NULL && ftl->counted(e, page, known);
    for (uint64_t i = first; i < end; ++i) {
        const bool knows = some && bitmap_get(known, i - first);
        maps_set(e, level, i, knows ? ftl->lookup(e, i) : FTL_LOST | MAPS_NOWHERE);
        e->telemetry->lost_units += counted && !knows ? 1u : 0u;
    }
}

/* A page of a framed level may come in again, and the flash may tell more of it then. What has been
 * counted and told the host would be wrong: it goes out as it is here. */
static void damaged_page(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    if (m->damaged++ == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "a map page is unreadable: read only; level, page", level,
                page);
    }
    e->telemetry->read_only = 1;
    FW_ASSERT(e, level >= 1 && level <= m->levels);
    *maps_flags(e, m, level, page) |= MAP_RESIDENT;
    if (maps_raw(m, level)) {
        mem_zero(env_dram(e, maps_home(e, m, level, page)), e->geo->unit_size);
        m->raw_damaged = 1;
        return;
    }
    lose_entries(e, level, page);
    if (m->counting != 0 && maps_framed(m, level)) {
        maps_dirty(e, level, page);
    }
}

static uint64_t place_of_page(struct env* e, uint32_t level, uint64_t page)
{
    FW_ASSERT(e, level >= 1 && page < maps_pages(e, level));
    return log_read(e, level, page);
}

/* Pages behind the first that lie behind it on its flash page too and are absent. */
static uint32_t run_of(struct env* e, uint32_t level, uint64_t page, uint64_t address)
{
    const struct geometry* g = e->geo;
    struct maps* m = e->maps;
    uint32_t n = 1;
    while (address_unit(g, address) + n < g->page_units && page + n < m->level[level].pages &&
           ((page + n) & ((UINT64_C(1) << m->entry_shift) - 1)) != 0 &&
           (*maps_flags(e, m, level, page + n) &
            (MAP_RESIDENT | MAP_LOADING | (maps_framed(m, level) ? MAP_COUNTED : 0))) == 0 &&
           place_of_page(e, level, page + n) == address + n) {
        ++n;
    }
    FW_ASSERT(e, n <= g->page_units);
    return n;
}

static uint32_t take_frames_for(struct env* e, uint32_t level, uint64_t page, uint32_t count)
{
    uint32_t n = 0;
    while (n < count && maps_take_frame(e, level, page + n)) {
        ++n;
    }
    FW_ASSERT(e, n <= e->geo->page_units);
    return n;
}

/* Request i reads `count` pages of the level from that address on into their homes. */
static void submit_read(struct env* e, uint32_t i, const struct map_read* read, uint64_t address)
{
    const struct geometry* g = e->geo;
    struct maps* m = e->maps;
    const struct place p = address_place(g, address);
    struct flash_request* r = flash_request_of(e, i);
    flash_read_page(r, &p, FLASH_PURPOSE_MAP, 0);
    r->column = address_unit(g, address) << g->unit_shift;
    r->length = (uint32_t)read->count << g->unit_shift;
    r->sg = true;
    r->oob = true;
    r->metadata = true;
    r->map_read = *read;
    for (uint32_t n = 0; n < read->count; ++n) {
        flash_list(e, i)[n] = maps_home(e, m, read->level, (uint64_t)read->page + n);
        *maps_flags(e, m, read->level, (uint64_t)read->page + n) |= MAP_LOADING;
    }
    ++superblock_of(e, e->blocks, p.block)->readers;
    flash_submit(e, i);
}

static void start_read(struct env* e, uint32_t level, uint64_t page, bool bulk)
{
    struct maps* m = e->maps;
    const uint64_t address = place_of_page(e, level, page);
    if (m->hmb.places != 0 && level == 1 && !bulk && hmb_may_fetch(e, page) &&
        maps_take_frame(e, 1, page)) {
        hmb_fetch(e, page, address);
        return;
    }
    const uint32_t i = flash_take(e, OWNER_MAP_READ);
    if (i == INDEX_NONE) {
        return;
    }
    uint32_t count = bulk ? run_of(e, level, page, address) : 1;
    count = maps_framed(m, level) ? take_frames_for(e, level, page, count) : count;
    if (count == 0) {
        flash_free(e, i);
        return;
    }
    const struct map_read read = {
        .level = level, .page = (uint32_t)page, .count = (uint16_t)count, .bulk = bulk};
    m->asked += bulk ? 0u : 1u;
    m->credit += bulk ? 0u : 1u;
    ++m->reads;
    submit_read(e, i, &read, address);
}

bool maps_read_again(struct env* e, uint64_t page, uint64_t address)
{
    const uint32_t i = flash_take(e, OWNER_MAP_READ);
    const struct map_read read = {.level = 1, .page = (uint32_t)page, .count = 1};
    FW_ASSERT(e, maps_loading(e, 1, page));
    if (i != INDEX_NONE) {
        submit_read(e, i, &read, address);
    }
    return i != INDEX_NONE;
}

/* A page that was never written, and whose entries nothing else tells: there is nothing to count,
 * which is most of an empty drive. */
static bool has_no_entries(struct env* e, uint32_t level, uint64_t page, uint64_t address)
{
    struct maps* m = e->maps;
    const uint8_t flags = *maps_flags(e, m, level, page);
    FW_ASSERT(e, level >= 1 && level <= m->levels);
    FW_ASSERT(e, page < m->level[level].pages);
    if (address != FTL_NONE || (flags & (MAP_WRITING | MAP_COUNTED)) != 0 || maps_raw(m, level) ||
        maps_derived(m, level, flags) || (level == 1 && m->span != 1)) {
        return false;
    }
    return true;
}

/* No read is needed: the page was never written, is lost, or a copy of it is in memory. The home of
 * a level that is not framed is as zero as memory comes up, until the map has been cleared. */
static void found_here(struct env* e, uint32_t level, uint64_t page, uint64_t address)
{
    struct maps* m = e->maps;
    void* home = env_dram(e, maps_home(e, m, level, page));
    if ((*maps_flags(e, m, level, page) & MAP_WRITING) != 0) {
        mem_copy(home, env_dram(e, maps_copy_of(e, level, page)), e->geo->unit_size);
    } else if (ftl_lost(address)) {
        e->maps->frames.came = 0;
        damaged_page(e, level, page);
    } else if (maps_framed(m, level) || m->cleared != 0) {
        mem_zero(home, e->geo->unit_size);
    }
    FW_ASSERT(e, level >= 1 && level <= m->levels);
    resident(e, level, page, has_no_entries(e, level, page, address));
}

bool maps_load_above(struct env* e, uint32_t level, uint64_t page, bool bulk)
{
    const uint64_t above = maps_page(e, page);
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    if (level == e->maps->levels) {
        return true;
    }
    return maps_framed(e->maps, level + 1)
               ? maps_buffer_use(e, level + 1, above)
               : maps_is(e, level + 1, above, MAP_RESIDENT) || maps_load(e, level + 1, above, bulk);
}

bool maps_load(struct env* e, uint32_t level, uint64_t page, bool bulk)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    FW_ASSERT(e, level >= 1 && level <= m->levels && page < m->level[level].pages);
    if ((*flags & MAP_RESIDENT) != 0) {
        return true;
    }
    const bool framed = maps_framed(m, level);
    if ((*flags & MAP_LOADING) != 0 || (framed && !maps_frame_free(e, level)) ||
        !maps_load_above(e, level, page, bulk)) {
        return false;
    }
    const uint64_t address = place_of_page(e, level, page);
    if (address == FTL_NONE || ftl_lost(address) || (*flags & MAP_WRITING) != 0) {
        if (framed && !maps_take_frame(e, level, page)) {
            return false;
        }
        found_here(e, level, page, address);
        return true;
    }
    start_read(e, level, page, bulk);
    return false;
}

/* Of a page that comes in. Where it passes through it may leave at once, with the sums that it came
 * with; not where power-up changes what comes in. */
static uint32_t check_of(struct env* e, uint32_t level, uint64_t page)
{
    struct map_frames* f = &e->maps->frames;
    const bool counted = (*maps_flags(e, e->maps, level, page) & MAP_COUNTED) != 0;
    const struct content_sums sum = spare_sum(e, env_dram(e, maps_home(e, e->maps, level, page)));
    FW_ASSERT(e, level >= 1 && page < e->maps->level[level].pages);
    if (level == 1 && maps_passing(e->maps) && (f->holding | f->derived) == 0 && counted) {
        f->came = page + 1;
        f->sum = sum;
    }
    return content_fold(sum);
}

void maps_came(struct env* e, uint32_t level, uint64_t page, const uint64_t* word, bool failed)
{
    uint8_t* flags = maps_flags(e, e->maps, level, page);
    const struct spare_unit u = spare_unpack(word != NULL ? *word : 0);
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    *flags |= MAP_RESIDENT;
    ++e->maps->turns;
    if (failed ||
        (word != NULL && (u.kind != SPARE_MAP || u.index != (((uint64_t)level << 32) | page) ||
                          u.check != check_of(e, level, page)))) {
        damaged_page(e, level, page);
    } else if (ftl_voids(e) && (*flags & MAP_CHECKED) == 0 && !maps_raw(e->maps, level) &&
               !maps_derived(e->maps, level, *flags)) {
        e->maps->frames.came = 0;
        maps_check(e, level, page);
    }
    maps_resident(e, level, page);
}
