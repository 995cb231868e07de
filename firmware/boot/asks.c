/* SPDX-License-Identifier: Apache-2.0
 *
 * Who answers what a part asks of those above it.
 */
#include "firmware/ftl/asks.h"
#include "firmware/cache/cache.h"
#include "firmware/gc/asks.h"
#include "firmware/hil/host_buffer.h"
#include "firmware/hil/parked_reads.h"
#include "firmware/recovery/journal.h"
#include "firmware/recovery/recovery.h"

static void page_came(struct env* e, uint64_t page)
{
    cache_page_came(e, page);
    hil_page_came(e, page);
}

const struct maps_asks maps_asks = {
    .came = page_came,
    .apply = recovery_apply,
    .derive = recovery_derive,
    .erased = recovery_erased,
    .whole = recovery_whole,
    .journal_written = journal_written,
    .journal_relocate = journal_relocate,
    .journal_at = journal_at,
    .host_move = host_buffer_move,
};

const struct gc_asks gc_asks = {
    .programs = cache_programs_unit,
    .at_rest = cache_at_rest,
};
