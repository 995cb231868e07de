/* SPDX-License-Identifier: Apache-2.0
 *
 * Who answers what a part asks of those above it.
 */
#include "firmware/ftl/asks.h"
#include "firmware/cache/cache.h"
#include "firmware/gc/asks.h"
#include "firmware/recovery/journal.h"
#include "firmware/recovery/recovery.h"

const struct maps_asks maps_asks = {
    .came = cache_page_came,
    .apply = recovery_apply,
    .derive = recovery_derive,
    .erased = recovery_erased,
    .whole = recovery_whole,
    .journal_written = journal_written,
    .journal_relocate = journal_relocate,
    .journal_at = journal_at,
};

const struct gc_asks gc_asks = {
    .programs = cache_programs_unit,
    .at_rest = cache_at_rest,
};
