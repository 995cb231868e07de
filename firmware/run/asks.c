/* SPDX-License-Identifier: Apache-2.0
 *
 * Who answers what a part asks of those above it.
 */
#include "firmware/gc/asks.h"
#include "firmware/buffer/cache.h"
#include "firmware/buffer/parked.h"
#include "firmware/durable/journal.h"
#include "firmware/durable/paged.h"
#include "firmware/durable/scan_seen.h"
#include "firmware/host/core/commands.h"
#include "firmware/host/core/parked_reads.h"
#include "firmware/host/nvme/host_buffer.h"
#include "firmware/map/asks.h"
#include "firmware/ops/flash.h"
#include "firmware/ops/passes.h"
#include "firmware/run/fw.h"
#include "firmware/space/asks.h"

static void page_came(struct env* e, uint64_t page)
{
    cache_page_came(e, page);
    hil_page_came(e, page);
}

static bool waits_in_vain(const struct env* e)
{
    return recovery_in_vain(e);
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
    .in_vain = waits_in_vain,
};

void fw_asks(struct env* e)
{
    e->space_asks = &space_asks;
    e->maps_asks = &maps_asks;
    e->gc_asks = &gc_asks;
    e->commands = &host_commands;
    e->of_partition = of_partition;
}
