/* SPDX-License-Identifier: Apache-2.0
 *
 * Window: what was programmed behind the base of the checkpoint, and what was trimmed, in the order
 * in which it was done.
 */
#include "firmware/durable/window.h"

#include "firmware/durable/journal.h"
#include "firmware/lib/mem.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_saved.h"
#include "firmware/space/spare.h"

const struct trim_record* window_trim(struct env* e, struct trims* t)
{
    const struct journal* j = &e->recovery->journal;
    const uint64_t end = maps_deriving(e) != DERIVED_NONE ? e->recovery->trims_end : j->open;
    while (t->unit < end) {
        if (t->record < journal_records(e, t->unit)) {
            return journal_record(e, t->unit, t->record);
        }
        ++t->unit;
        t->record = 0;
    }
    return NULL;
}

bool trim_is_news(const struct env* e, const struct trim_record* r)
{
    const uint64_t units = e->geo->user_units;
    return r->sequence >= e->recovery->base && r->count != 0 && r->first < units &&
           r->count <= units - r->first;
}

void window_trims(struct env* e, struct trims* t, uint64_t before)
{
    const struct trim_record* r;
    for (; (r = window_trim(e, t)) != NULL && r->sequence < before; ++t->record) {
        if (trim_is_news(e, r)) {
            ftl_layout_of(e)->trim(e, r->first, r->first + r->count);
        }
    }
}

void window_begin(struct env* e, uint64_t from)
{
    struct recovery* v = e->recovery;
    v->window = from;
    v->beyond = 0;
    mem_zero(window_entry(e, 0), v->limit * (1u + e->geo->group) * sizeof(uint64_t));
}

int window_apply(struct env* e, struct trims* trims, window_scan scan, unit_action action)
{
    const struct recovery* v = e->recovery;
    uint64_t from = v->base;
    bool missing = false;
    do {
        window_begin(e, from);
        if (scan(e) != 0 || v->broken != 0) {
            return -1;
        }
        for (uint64_t n = 0; n < v->limit; ++n) {
            window_trims(e, trims, from + 1 + n);
            if (*window_entry(e, n) != 0) {
                window_units(e, n, action, &missing);
            }
        }
        from += v->limit;
    } while (v->beyond != 0 && !hal_stopping(e->hal));
    window_trims(e, trims, UINT64_MAX);
    FW_ASSERT(e, !missing);
    return 0;
}
