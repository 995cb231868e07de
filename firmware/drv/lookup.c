/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/drv/lookup.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/telemetry.h"

static uint32_t get(struct env* e, uint32_t offset)
{
    return hal_read32(e->hal, MAP_NVME_BASE + offset);
}

static void set(struct env* e, uint32_t offset, uint32_t value)
{
    hal_write32(e->hal, MAP_NVME_BASE + offset, value);
}

static void set_address(struct env* e, uint32_t low, uint64_t address)
{
    FW_ASSERT(e, address % 8 == 0);
    set(e, low, (uint32_t)address);
    set(e, low + 4, (uint32_t)(address >> 32));
}

int lookup_init(struct env* e, const struct lookup_map* map)
{
    const uint64_t state = sram_take(e, sizeof(struct lookup));
    const uint64_t marks = dram_take(e, (map->units + 63) / 64 * sizeof(uint64_t));
    const uint64_t data = dram_take_pages(e, (uint64_t)e->front_end->slots << map->unit_shift);
    FW_ASSERT(e, e->front_end->sata == 0 && e->front_end->slots != 0);
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    if (map->units > UINT32_MAX) {
        hal_log(e->hal, HAL_LOG_ERROR, "units that a look-up engine knows, found", UINT32_MAX,
                map->units);
        return -1;
    }
    e->front_end->lookup = (uint32_t)state;
    lookup_of(e)->marks = marks;
    lookup_of(e)->mode = map->mode;
    set(e, FE_REG_LOOKUP_FORMAT,
        map->unit_shift << FE_LOOKUP_FORMAT_UNIT_SHIFT |
            map->page_shift << FE_LOOKUP_FORMAT_PAGE_SHIFT |
            map->entry_shift << FE_LOOKUP_FORMAT_ENTRY_SHIFT);
    set(e, FE_REG_LOOKUP_ADDRESS,
        map->plane_shift << FE_LOOKUP_ADDRESS_PLANE_SHIFT |
            map->lun_shift << FE_LOOKUP_ADDRESS_LUN_SHIFT |
            map->row_shift << FE_LOOKUP_ADDRESS_ROW_SHIFT);
    set(e, FE_REG_LOOKUP_PAGES, map->pages);
    set(e, FE_REG_LOOKUP_UNITS, (uint32_t)map->units);
    set_address(e, FE_REG_LOOKUP_MAP_LO, map->entries);
    set_address(e, FE_REG_LOOKUP_STATE_LO, map->states);
    set_address(e, FE_REG_LOOKUP_MARKS_LO, marks);
    set_address(e, FE_REG_LOOKUP_DATA_LO, data);
    return 0;
}

void lookup_enable(struct env* e, bool on)
{
    struct lookup* l = lookup_of(e);
    const uint32_t enable = on ? FE_LOOKUP_CONTROL_ENABLE : 0u;
    if (enable == l->enabled) {
        return;
    }
    l->enabled = enable;
    set(e, FE_REG_LOOKUP_CONTROL, enable | l->mode << FE_LOOKUP_CONTROL_MODE_SHIFT);
    lookup_count(e);
}

void lookup_fence(struct env* e)
{
    FW_ASSERT(e, lookup_of(e)->fenced != 0);
    hal_fence(e->hal); /* what the map says now, before it */
    set(e, FE_REG_LOOKUP_FENCE, 1);
}

bool lookup_fenced(struct env* e)
{
    FW_ASSERT(e, lookup_of(e)->fenced != 0);
    return (get(e, FE_REG_LOOKUP_FENCE) & FE_LOOKUP_FENCE_PENDING) == 0;
}

void lookup_count(struct env* e)
{
    struct lookup* l = lookup_of(e);
    const uint32_t reads = get(e, FE_REG_LOOKUP_READS);
    const uint32_t sectors = get(e, FE_REG_LOOKUP_SECTORS);
    e->smart->host_read_commands += reads - l->reads;
    e->smart->host_read_sectors += sectors - l->sectors;
    l->reads = reads;
    l->sectors = sectors;
}
