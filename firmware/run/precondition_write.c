/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning: a write unit is programmed, and mapped.
 */
#include "firmware/run/precondition_write.h"

#include "firmware/drv/channel.h"
#include "firmware/durable/recovery.h"
#include "firmware/gc/pace.h"
#include "firmware/gc/program.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/layout.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/lanes.h"
#include "firmware/space/lanes_place.h"
#include "firmware/space/planes.h"
#include "firmware/space/pool.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"

enum { PIN_TRIES = 1 << 16 };

int append_init(struct env* e, struct append* a)
{
    const struct geometry* g = e->geo;
    a->count = 0;
    a->list = dram_take(e, (uint64_t)g->group * sizeof(uint64_t));
    a->oob = dram_take(e, (uint64_t)g->planes * g->oob_bytes);
    a->numbers = dram_take(e, (uint64_t)g->group * sizeof(uint64_t));
    a->from = dram_take(e, (uint64_t)g->group * sizeof(uint64_t));
    a->units = dram_take(e, (uint64_t)g->group * sizeof(uint64_t));
    a->staging = dram_take_pages(e, (uint64_t)g->group << g->unit_shift);
    if (lanes_keyed(e)) { /* a page of each bin */
        const uint64_t units = (uint64_t)lanes_bins(e) * g->page_units;
        a->bin_filled = dram_take(e, 2 * lanes_bins(e) * sizeof(uint32_t));
        a->bin_units = dram_take(e, units * sizeof(uint64_t));
        a->bin_data = dram_take_pages(e, units << g->unit_shift);
    }
    return arenas_result(e);
}

void precondition_describe(struct env* e, const struct write_unit* w, struct flash_desc* d,
                           uint8_t op)
{
    FW_ASSERT(e, w->page < e->geo->pages);
    mem_zero(d, sizeof *d);
    d->op = op;
    d->plane_mask = (uint8_t)w->plane_mask;
    d->purpose = FLASH_PURPOSE_PRECONDITION;
    d->program_mode = flash_block_mode(e, w->block);
    d->trace = FLASH_TRACE_NONE;
    d->block = w->block;
    d->page = w->page;
    if (op != FLASH_OP_ERASE) {
        d->length = e->geo->page_size;
        d->oob_length = e->geo->oob_bytes;
    }
}

void precondition_account(struct env* e, const struct write_unit* w, uint32_t count, bool collected)
{
    struct telemetry* s = e->telemetry;
    FW_ASSERT(e, count <= w->units);
    if (collected) {
        s->gc_units_moved += count;
        s->gc_pages_moved += count_bits(w->plane_mask);
    } else {
        s->host_units_written += count;
    }
    s->pad_units += w->units - count;
}

void precondition_settle(struct env* e)
{
    uint32_t found = 1;
    while (found != 0 || flash_in_flight(e) != 0) {
        recovery_step(e);
        channels_ring(e);
        found = 0;
        for (uint32_t c = 0; c < e->geo->channels; ++c) {
            found += flash_poll(e, c, fw_handlers);
        }
    }
}

/* Nothing else is under way: only the map itself may have to be fetched, or written. from: where
 * collection found the unit, FTL_NONE = the host writes it. false = the map takes no more changes.
 */
static bool pin(struct env* e, uint64_t unit, uint64_t from)
{
    const bool narrow = from != FTL_NONE && ftl_ops_of(e)->pin_move != NULL && !gc_may_be_lost(e);
    uint32_t tries = 0;
    blocks_relocate(e, MAPS_ALL_QUEUES);
    while (!(narrow ? ftl_ops_of(e)->pin_move(e, unit, from) : ftl_ops_of(e)->pin(e, unit))) {
        FW_ASSERT(e, tries < PIN_TRIES && "the map finds room");
        ++tries;
        precondition_settle(e);
        if (ftl_spent(e)) {
            blocks_relocate(e, 0);
            return false;
        }
    }
    if (flash_in_flight(e) != 0) { /* it makes room for the next one */
        precondition_settle(e);
    }
    blocks_relocate(e, 0);
    return true;
}

/* Maps the units of the planes that took them. The others move to the front of list, numbers and
 * from: returns how many they are. */
static uint32_t map_units(struct env* e, const struct write_unit* w, const struct source* source,
                          uint32_t count, uint32_t fail)
{
    const struct append* a = append_of(e);
    const struct ftl_ops* ftl = ftl_ops_of(e);
    uint64_t* numbers = env_dram(e, a->numbers);
    uint64_t* list = env_dram(e, a->list);
    uint64_t* from = env_dram(e, a->from);
    uint32_t n = 0;
    uint32_t kept = 0;
    FW_ASSERT(e, count <= w->units);
    for (uint32_t rest = w->plane_mask; rest != 0; rest &= rest - 1) {
        const struct place p = {
            .block = w->block, .page = w->page, .lun = w->lun, .plane = lowest_bit(rest)};
        const uint64_t base = unit_address(e->geo, &p, 0);
        const bool failed = ((fail >> p.plane) & 1u) != 0;
        for (uint32_t s = 0; s < e->geo->page_units && n < count; ++s, ++n) {
            if (failed) {
                list[kept] = source->buffer == 0
                                 ? list[n]
                                 : source->buffer + ((uint64_t)n << e->geo->unit_shift);
                from[kept] = source->from == NULL ? FTL_NONE : source->from[n];
                numbers[kept++] = numbers[n];
                continue;
            }
            if (!pin(e, numbers[n], source->from == NULL ? FTL_NONE : source->from[n])) {
                continue; /* what was programmed is garbage */
            }
            if (source->from == NULL) {
                ftl->commit(e, numbers[n], base + s);
            } else {
                (void)ftl->move(e, numbers[n], source->from[n], base + s);
            }
            ftl->unpin(e, numbers[n]);
        }
    }
    return kept;
}

/* The spare words of a write unit that begins with the first `count` of append.numbers. */
static void write_spare(struct env* e, const struct write_unit* w, uint32_t count)
{
    const struct append* a = append_of(e);
    const uint64_t* numbers = env_dram(e, a->numbers);
    uint64_t* oob = env_dram(e, a->oob);
    for (uint32_t n = 0; n < w->units; ++n) {
        oob[spare_word(e->geo, n)] =
            n < count ? spare_pack(SPARE_DATA, numbers[n]) : spare_pack(SPARE_PAD, 0);
    }
    spare_seal(e, oob, count_bits(w->plane_mask), flash_next_sequence(e));
}

/* The next write unit of the stream, or the next page of a bin of lanes. */
static bool place(struct env* e, uint32_t stream, uint32_t count, const struct source* source,
                  struct write_unit* w)
{
    struct lane_target t;
    if (source->lane != INDEX_NONE) {
        const uint32_t to = planes_for_moves(e, stream, source->lane, 0);
        return to != INDEX_NONE && blocks_place_on(e, stream, to, 1, w);
    }
    if (source->bin == INDEX_NONE) {
        return blocks_place(e, stream, count, w);
    }
    FW_ASSERT(e, count <= e->geo->page_units);
    if (!lanes_target(e, stream, source->bin, &t)) {
        return false;
    }
    e->telemetry->strayed_units += t.strays != 0 ? count : 0;
    return blocks_place_on(e, stream, t.lun, 1u << t.first, w);
}

bool precondition_is_load(struct env* e)
{
    return append_of(e)->phase >= APPEND_BUSY && !planes_own(e) && !lanes_keyed(e) &&
           ftl_layout_of(e)->logical_blocks == 0;
}

/* Programs up to count units, whose numbers are in append.numbers, to the next write unit of the
 * stream. Returns how many went, 0 = no space; failed = how many of them must go again. */
static uint32_t program_once(struct env* e, uint32_t stream, uint32_t count,
                             const struct source* source, uint32_t* failed)
{
    const struct append* a = append_of(e);
    uint64_t* list = env_dram(e, a->list);
    struct write_unit w;
    struct flash_desc d;
    uint32_t fail = 0;
    FW_ASSERT(e, count != 0 && count <= e->geo->group);
    if (!place(e, stream, count, source, &w)) {
        return 0;
    }
    ftl_layout_of(e)->appended(e, w.block);
    precondition_describe(e, &w, &d, FLASH_OP_PROGRAM);
    count = count > w.units ? w.units : count;
    const bool gather = source->buffer == 0 || count < w.units;
    if (gather && source->buffer != 0) {
        for (uint32_t i = 0; i < count; ++i) {
            list[i] = source->buffer + ((uint64_t)i << e->geo->unit_shift);
        }
    }
    for (uint32_t i = count; i < w.units; ++i) {
        list[i] = flash_zero(e);
    }
    write_spare(e, &w, count);
    d.flags = gather ? FLASH_FLAG_SG : 0;
    d.sg_unit = gather ? e->geo->unit_size : 0;
    d.buffer = gather ? a->list : source->buffer;
    d.oob = a->oob;
    const uint32_t status = flash_execute(e, &d, w.lun, &fail);
    if (status != FLASH_STATUS_OK && (status != FLASH_STATUS_PROGRAM_FAIL || fail == 0)) {
        HAL_PANIC(e->hal, "the flash refused a program while preconditioning");
    }
    if (fail != 0) {
        const struct erase_piece piece = {w.block, w.lun, fail};
        blocks_retire(e, &piece, RETIRE_PROGRAM);
    }
    if (fail == 0) {
        flash_reaches_all(e);
    }
    *failed = map_units(e, &w, source, count, fail);
    blocks_unpend(e, w.block);
    precondition_account(e, &w, count, source->from != NULL);
    if (source->from == NULL && precondition_is_load(e)) {
        gc_host_wrote(e, w.block, count);
    }
    return count;
}

/* The same, until none has failed. Units of a failed plane are programmed again at once. 0 also
 * when the map has no place left to note where they are. */
uint32_t precondition_program(struct env* e, uint32_t stream, uint32_t count,
                              const struct source* first)
{
    const struct append* a = append_of(e);
    const struct source again = {0, first->from == NULL ? NULL : env_dram(e, a->from), first->bin,
                                 first->lane};
    uint32_t failed = 0;
    const uint32_t went = program_once(e, stream, count, first, &failed);
    while (failed != 0) {
        const uint32_t left = failed;
        const uint32_t done = program_once(e, stream, left, &again, &failed);
        if (done == 0) {
            return 0;
        }
        FW_ASSERT(e, done == left || failed == 0);
        if (done < left && failed == 0) { /* fewer planes than units: the rest comes next */
            uint64_t* numbers = env_dram(e, a->numbers);
            uint64_t* list = env_dram(e, a->list);
            uint64_t* where = env_dram(e, a->from);
            failed = left - done;
            for (uint32_t i = 0; i < failed; ++i) {
                numbers[i] = numbers[i + done];
                list[i] = list[i + done];
                where[i] = where[i + done];
            }
        }
    }
    return ftl_spent(e) ? 0 : went;
}
