/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/read_extent.h"

#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"

uint32_t read_buffered_slot(struct env* e, const struct command* c, uint64_t unit)
{
    return c->media ? INDEX_NONE : cache_find(e, unit);
}

uint32_t read_extend(struct env* e, const struct command* c, const struct piece* p,
                     uint64_t address)
{
    const struct geometry* g = e->geo;
    const uint32_t left = c->sectors - c->done;
    uint32_t sectors = p->count;
    uint64_t unit = p->unit;
    FW_ASSERT(e, left >= sectors);
    while (sectors < left && address_unit(g, address) + 1 < g->page_units) {
        ++unit;
        ++address;
        if (ftl_ops_of(e)->lookup(e, unit) != address ||
            read_buffered_slot(e, c, unit) != INDEX_NONE) {
            break;
        }
        const uint32_t more = left - sectors;
        sectors += more < g->unit_sectors ? more : g->unit_sectors;
        ++e->telemetry->cache_read_misses;
    }
    FW_ASSERT(e, sectors <= left && sectors << SECTOR_SHIFT <= g->page_size);
    return sectors;
}

/* Does the page hold the units from `unit` on, and the buffer none of them? Of the first `known`
 * that is so. */
static bool holds_page(struct env* e, const struct command* c, uint64_t unit, uint64_t address,
                       uint32_t known)
{
    uint32_t block = INDEX_NONE;
    for (uint32_t n = known; n < e->geo->page_units; ++n) {
        if (ftl_ops_of(e)->lookup(e, unit + n) != address + n ||
            read_buffered_slot(e, c, unit + n) != INDEX_NONE ||
            ftl_next_searched(e, unit + n, e->geo->pages, &block) != INDEX_NONE) {
            return false;
        }
    }
    return true;
}

uint32_t read_pages(struct env* e, const struct command* c, const struct piece* p, uint64_t address)
{
    const struct geometry* g = e->geo;
    const uint32_t each = g->page_size >> SECTOR_SHIFT;
    const uint32_t planes = g->planes - address_place(g, address).plane;
    uint32_t left = c->sectors - c->done;
    uint32_t pages = 0;
    uint32_t block = INDEX_NONE;
    if (left < 2 * each || address_unit(g, address) != 0 || p->first != 0 ||
        !flash_reads_planes(e) || e->hil->queue_up != 0 || (cache_keeps(e) && !c->media) ||
        ftl_next_searched(e, p->unit, g->pages, &block) != INDEX_NONE) {
        return 1;
    }
    while (left >= each && pages < planes &&
           holds_page(e, c, p->unit + (uint64_t)pages * g->page_units,
                      address + ((uint64_t)pages << g->unit_bits), pages == 0 ? 1 : 0)) {
        ++pages;
        left -= each;
    }
    return pages > 1 ? pages : 1;
}
