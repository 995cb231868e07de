/* SPDX-License-Identifier: Apache-2.0
 *
 * Where each part is, who answers what it asks of those above it, and whose completions are whose.
 */
#include "firmware/run/fw.h"

#include "firmware/blocks/blockmap_copy.h"
#include "firmware/blocks/hybrid_merge.h"
#include "firmware/buffer/cache.h"
#include "firmware/buffer/fill.h"
#include "firmware/buffer/parked.h"
#include "firmware/buffer/program.h"
#include "firmware/durable/anchor.h"
#include "firmware/durable/journal.h"
#include "firmware/durable/paged.h"
#include "firmware/durable/scan_seen.h"
#include "firmware/gc/copy.h"
#include "firmware/gc/gc.h"
#include "firmware/gc/program.h"
#include "firmware/gc/read.h"
#include "firmware/gc/victim.h"
#include "firmware/host/core/commands.h"
#include "firmware/host/core/parked_reads.h"
#include "firmware/host/nvme/host_buffer.h"
#include "firmware/host/nvme/nvme_read.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_program.h"
#include "firmware/map/maps_reads.h"
#include "firmware/map/segments_commit.h"
#include "firmware/ops/flash.h"
#include "firmware/ops/passes.h"

#include "firmware/space/state.h"
#include "models/regs/boot_params.h"

static void page_came(struct env* e, uint64_t page)
{
    cache_page_came(e, page);
    hil_page_came(e, page);
}

static void of_partition(const struct env* e, uint32_t index, struct hal* hal, struct env* to)
{
    *hal = *e->hal;
    hal->part = index * fw_params(e->hal)->sram_size;
    fw_bind(to, hal);
    FW_ASSERT(e, index < fw_params(hal)->partition.count);
}

static const struct space_asks space_asks = {
    .queued = flash_queued,
    .forget = passes_forget,
};

static const struct maps_asks maps_asks = {
    .came = page_came,
    .apply = paged_apply,
    .derive = paged_derive,
    .erased = scan_erased,
    .whole = scan_whole,
    .unit_written = journal_written,
    .unit_relocate = journal_relocate,
    .unit_at = journal_at,
    .host_move = host_buffer_move,
};

static const struct gc_asks gc_asks = {
    .programs = cache_programs_unit,
    .at_rest = cache_at_rest,
    .lacks_map = cache_lacks_map,
    .in_vain = recovery_in_vain,
};

const flash_handler fw_handlers[OWNERS] = {
    [OWNER_READ] = hil_read_done,         [OWNER_FILL] = cache_fill_done,
    [OWNER_PROGRAM] = cache_program_done, [OWNER_GC_READ] = gc_read_done,
    [OWNER_GC_PROGRAM] = gc_program_done, [OWNER_ERASE] = flash_erase_done,
    [OWNER_SCAN] = gc_scan_done,          [OWNER_GC_COPY] = gc_copy_done,
    [OWNER_MAP_READ] = maps_read_done,    [OWNER_MAP_PROGRAM] = maps_program_done,
    [OWNER_MERGE_READ] = merge_read_done, [OWNER_MERGE_PROGRAM] = merge_program_done,
    [OWNER_ANCHOR] = anchor_done,         [OWNER_SEGMENT] = segments_done,
    [OWNER_FOLD_READ] = fold_read_done,   [OWNER_FOLD_PROGRAM] = fold_program_done,
    [OWNER_PAD] = passes_pad_done,
};

void fw_asks(struct env* e)
{
    e->space_asks = &space_asks;
    e->maps_asks = &maps_asks;
    e->gc_asks = &gc_asks;
    e->commands = &host_commands;
    e->of_partition = of_partition;
}

void fw_bind(struct env* e, struct hal* hal)
{
    struct fw* fw = fw_of(hal);
    const struct boot_params* p = fw_params(hal);
    e->hal = hal;
    env_windows(e, hal->sram, hal->dram);
    e->telemetry = (struct telemetry*)(void*)(hal->sram + hal->part + BOOT_TELEMETRY_OFFSET);
    e->geo = &fw->geo;
    e->smart = &fw->smart;
    e->arenas = &fw->arenas;
    e->front_end = &fw->front_end;
    e->channels = &fw->channels;
    e->flash = &fw->flash;
    e->blocks = &fw->blocks;
    e->ftl = &fw->ftl;
    e->cache = &fw->cache;
    e->gc = &fw->gc;
    e->hil = &fw->hil;
    e->maps = &fw->maps;
    e->recovery = &fw->recovery;
    e->segments = &fw->segments;
    e->hybrid = &fw->hybrid;
    e->blockmap = &fw->blockmap;
    e->retention = &fw->retention;
    e->slc = &fw->slc;
    e->slc_policy = &fw->slc_policy;
    e->cores = &fw->cores;
    e->run = &fw->run;
#define FW_TOLD(id) e->told.id = &p->id;
    BOOT_PARTS(FW_TOLD)
#undef FW_TOLD
    fw_asks(e);
    e->host_remote = 0;
    e->flash_remote = 0;
}
