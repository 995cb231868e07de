/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning: fills the drive through the same streams, map and collection rules, but with
 * channels that execute at the doorbell, so that nothing is ever under way. Purpose PRECONDITION
 * throughout.
 */
#include "firmware/boot/precondition.h"

#include "firmware/flash/blocks_seen.h"
#include "firmware/flash/reserve.h"
#include "firmware/flash/spare.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"

enum { PREFETCH_AHEAD = 16, COLLECT_ROUNDS = 1 << 20, PIN_TRIES = 1 << 16 };

struct collector { /* on the stack of one collection */
    uint32_t victim;
    uint32_t row;   /* next row (page, all LUNs) */
    uint32_t lun;   /* next LUN of the row */
    uint32_t ring;  /* read buffer in use */
    uint32_t count; /* units waiting for a write unit */
    uint64_t address[2 * GROUP_MAX];
    uint64_t unit[2 * GROUP_MAX];
    uint64_t from[2 * GROUP_MAX];
};

struct page_read { /* one plane of what a collection read */
    uint64_t data;
    const uint64_t* words;
};

static struct append* append_of(struct env* e)
{
    return &fw_of(e->hal)->append;
}

int append_init(struct env* e, struct append* a)
{
    const struct geometry* g = e->geo;
    FW_ASSERT(e, g->group != 0 && g->group <= GROUP_MAX);
    a->count = 0;
    a->list = dram_take(e, (uint64_t)g->group * sizeof(uint64_t));
    a->oob = dram_take(e, (uint64_t)g->planes * g->oob_bytes);
    a->numbers = dram_take(e, (uint64_t)g->group * sizeof(uint64_t));
    a->from = dram_take(e, (uint64_t)g->group * sizeof(uint64_t));
    a->units = dram_take(e, (uint64_t)g->group * sizeof(uint64_t));
    a->staging = dram_take_pages(e, (uint64_t)g->group << g->unit_shift);
    FW_ASSERT(e, (a->staging & 4095u) == 0 || e->arenas->failed != 0);
    return e->arenas->failed != 0 ? -1 : 0;
}

static void describe(struct env* e, const struct write_unit* w, struct flash_desc* d, uint8_t op)
{
    FW_ASSERT(e, w->plane_mask != 0);
    FW_ASSERT(e, w->page < e->geo->pages);
    mem_zero(d, sizeof *d);
    d->op = op;
    d->plane_mask = (uint8_t)w->plane_mask;
    d->purpose = FLASH_PURPOSE_PRECONDITION;
    d->program_mode = (uint8_t)e->flash->array_mode;
    d->trace = FLASH_TRACE_NONE;
    d->block = w->block;
    d->page = w->page;
    if (op != FLASH_OP_ERASE) {
        d->length = e->geo->page_size;
        d->oob_length = e->geo->oob_bytes;
    }
}

/* Where the units of one write unit come from. */
struct source {
    uint64_t buffer;      /* contiguous data; 0 = at the addresses of append.list */
    const uint64_t* from; /* addresses of collected units; NULL = the host's */
};

static void account(struct env* e, const struct write_unit* w, uint32_t count, int collected)
{
    struct stats* s = e->stats;
    FW_ASSERT(e, count <= w->units);
    if (collected) {
        s->gc_units_moved += count;
        s->gc_pages_moved += count_bits(w->plane_mask);
    } else {
        s->host_units_written += count;
    }
    s->pad_units += w->units - count;
    FW_ASSERT(e, w->plane_mask != 0);
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
    FW_ASSERT(e, flash_in_flight(e) == 0);
}

/* Nothing else is under way: only the map itself may have to be fetched, or written. from: where
 * collection found the unit, FTL_NONE = the host writes it. */
static void pin(struct env* e, uint64_t unit, uint64_t from)
{
    const int narrow = from != FTL_NONE && !gc_may_be_lost(e);
    uint32_t tries = 0;
    e->blocks->relocating = MAPS_ALL_QUEUES;
    while (!(narrow ? ftl_ops_of(e)->pin_move(e, unit, from) : ftl_ops_of(e)->pin(e, unit))) {
        FW_ASSERT(e, tries < PIN_TRIES && "the map finds room");
        ++tries;
        precondition_settle(e);
    }
    if (flash_in_flight(e) != 0) { /* it makes room for the next one */
        precondition_settle(e);
    }
    e->blocks->relocating = 0;
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
        const struct place p = {w->block, w->page, w->lun, lowest_bit(rest)};
        const uint64_t base = unit_address(e->geo, &p, 0);
        const int failed = (int)((fail >> p.plane) & 1u);
        for (uint32_t s = 0; s < e->geo->slots && n < count; ++s, ++n) {
            if (failed) {
                list[kept] = source->buffer == 0
                                 ? list[n]
                                 : source->buffer + ((uint64_t)n << e->geo->unit_shift);
                from[kept] = source->from == NULL ? FTL_NONE : source->from[n];
                numbers[kept++] = numbers[n];
                continue;
            }
            pin(e, numbers[n], source->from == NULL ? FTL_NONE : source->from[n]);
            if (source->from == NULL) {
                ftl->commit(e, numbers[n], base + s);
            } else {
                (void)ftl->move(e, numbers[n], source->from[n], base + s);
            }
            ftl->unpin(e, numbers[n]);
        }
    }
    FW_ASSERT(e, kept <= count);
    return kept;
}

/* The spare words of a write unit that begins with the first `count` of append.numbers. */
static void write_spare(struct env* e, const struct write_unit* w, uint32_t count)
{
    const struct append* a = append_of(e);
    const uint64_t* numbers = env_dram(e, a->numbers);
    uint64_t* oob = env_dram(e, a->oob);
    FW_ASSERT(e, count <= w->units);
    for (uint32_t n = 0; n < w->units; ++n) {
        oob[spare_word(e->geo, n)] =
            n < count ? spare_pack(SPARE_DATA, numbers[n]) : spare_pack(SPARE_PAD, 0);
    }
    spare_seal(e, oob, count_bits(w->plane_mask), ++e->flash->sequence);
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
    if (!blocks_place(e, stream, count, &w)) {
        return 0;
    }
    if (e->hybrid->on != 0) {
        (void)log_slot(e, w.block);
    }
    describe(e, &w, &d, FLASH_OP_PROGRAM);
    count = count > w.units ? w.units : count;
    const int gather = source->buffer == 0 || count < w.units;
    if (gather && source->buffer != 0) {
        for (uint32_t i = 0; i < count; ++i) {
            list[i] = source->buffer + ((uint64_t)i << e->geo->unit_shift);
        }
    }
    for (uint32_t i = count; i < w.units; ++i) {
        list[i] = e->cache->zero;
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
    e->flash->reached = fail == 0 ? e->flash->sequence : e->flash->reached;
    *failed = map_units(e, &w, source, count, fail);
    blocks_unpend(e, w.block);
    account(e, &w, count, source->from != NULL);
    return count;
}

/* The same, until none has failed. Units of a failed plane are programmed again at once. */
static uint32_t program_units(struct env* e, uint32_t stream, uint32_t count, uint64_t buffer,
                              const uint64_t* from)
{
    const struct append* a = append_of(e);
    const struct source first = {buffer, from};
    const struct source again = {0, from == NULL ? NULL : env_dram(e, a->from)};
    uint32_t failed = 0;
    const uint32_t went = program_once(e, stream, count, &first, &failed);
    FW_ASSERT(e, went <= count);
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
    return went;
}

/* The next page group of the victim with valid units: which planes have some, and which units. */
static uint32_t next_group(struct env* e, struct collector* c, struct write_unit* w,
                           uint32_t* valid)
{
    const struct geometry* g = e->geo;
    const uint64_t* map = env_dram(e, e->blocks->valid_map);
    FW_ASSERT(e, c->lun < g->luns);
    while (c->row < g->pages && w->plane_mask == 0) {
        const struct place p = {c->victim, c->row, c->lun, 0};
        const uint64_t base = unit_address(g, &p, 0);
        for (uint32_t plane = 0; plane < g->planes; ++plane) {
            valid[plane] = bitmap_field(map, base + ((uint64_t)plane << g->slot_bits), g->slots);
            w->plane_mask |= valid[plane] != 0 ? 1u << plane : 0u;
        }
        w->page = c->row;
        w->lun = c->lun;
        if (++c->lun == g->luns) {
            c->lun = 0;
            ++c->row;
        }
    }
    return w->plane_mask;
}

/* A map page leaves the victim. */
static void relocate(struct env* e, uint64_t word, uint64_t from)
{
    const uint64_t* valid = env_dram(e, e->blocks->valid_map);
    e->blocks->relocating = MAPS_ALL_QUEUES;
    while (bitmap_get(valid, from)) {
        (void)maps_relocate(e, word, from);
        maps_hurry_all(e);
        precondition_settle(e);
    }
    e->blocks->relocating = 0;
}

/* Queues the valid units of a page that was read to `data`. */
static void collect_page(struct env* e, struct collector* c, const struct place* p, uint32_t valid,
                         const struct page_read* read)
{
    const struct geometry* g = e->geo;
    uint64_t sequence = 0;
    const int whole = spare_read(e, read->words, &sequence);
    for (uint32_t rest = valid; rest != 0; rest &= rest - 1) {
        const uint32_t s = lowest_bit(rest);
        const uint64_t from = unit_address(g, p, s);
        const uint64_t map_word = maps_word(e, from, whole ? &read->words[1 + s] : NULL);
        if (map_word != 0) {
            relocate(e, map_word, from);
            continue;
        }
        const uint64_t unit =
            whole ? spare_unpack(read->words[1 + s]).index : ftl_ops_of(e)->owner(e, from);
        FW_ASSERT(e, unit < g->user_units);
        ftl_ops_of(e)->prefetch(e, unit);
        c->address[c->count] = read->data + ((uint64_t)s << g->unit_shift);
        c->unit[c->count] = unit;
        c->from[c->count] = from;
        ++c->count;
    }
    FW_ASSERT(e, c->count < 2 * GROUP_MAX);
}

/* Reads every plane with valid units of the next page group of the victim, and queues the units
 * that the map still points to. Returns 0 when the victim is through. */
static int collect_group(struct env* e, struct collector* c)
{
    const struct geometry* g = e->geo;
    struct write_unit w = {c->victim, 0, 0, 0, 0};
    struct flash_desc d;
    uint32_t fail = 0;
    uint32_t valid[8];
    FW_ASSERT(e, c->count < g->group);
    if (next_group(e, c, &w, valid) == 0) {
        return 0;
    }
    const uint64_t buffer = e->gc->buffers + (((uint64_t)c->ring * g->group) << g->unit_shift);
    describe(e, &w, &d, FLASH_OP_READ);
    d.buffer = buffer;
    d.oob = append_of(e)->oob;
    if (flash_execute(e, &d, w.lun, &fail) != FLASH_STATUS_OK) {
        HAL_PANIC(e->hal, "unreadable page while preconditioning");
    }
    c->ring = c->ring == g->group ? 0 : c->ring + 1;
    struct page_read read = {buffer, env_dram(e, d.oob)};
    for (uint32_t rest = w.plane_mask; rest != 0; rest &= rest - 1) {
        const struct place p = {c->victim, w.page, w.lun, lowest_bit(rest)};
        collect_page(e, c, &p, valid[p.plane], &read);
        read.data += g->page_size;
        read.words += spare_words(g);
    }
    return 1;
}

static int write_collected(struct env* e, struct collector* c, int all)
{
    const struct append* a = append_of(e);
    while (c->count != 0) {
        const uint32_t units = blocks_next_units(e, STREAM_GC);
        if (units == 0) {
            return -1;
        }
        if (c->count < units && !all) {
            return 0;
        }
        const uint32_t n = c->count < units ? c->count : units;
        mem_copy(env_dram(e, a->list), c->address, n * sizeof c->address[0]);
        mem_copy(env_dram(e, a->numbers), c->unit, n * sizeof c->unit[0]);
        const uint32_t went = program_units(e, STREAM_GC, n, 0, c->from);
        FW_ASSERT(e, went <= c->count);
        if (went == 0) {
            return -1;
        }
        c->count -= went;
        for (uint32_t i = 0; i < c->count; ++i) {
            c->address[i] = c->address[i + went];
            c->unit[i] = c->unit[i + went];
            c->from[i] = c->from[i + went];
        }
    }
    FW_ASSERT(e, c->count == 0);
    return 0;
}

void precondition_erase(struct env* e)
{
    struct erase_piece piece;
    struct flash_desc d;
    FW_ASSERT(e, e->blocks->erase_left == 0);
    while (blocks_next_erase(e, &piece)) {
        const struct write_unit w = {piece.block, 0, piece.lun, piece.plane_mask, 0};
        uint32_t fail = 0;
        describe(e, &w, &d, FLASH_OP_ERASE);
        (void)flash_execute(e, &d, piece.lun, &fail);
        blocks_erased(e, piece.block, piece.lun, fail);
    }
    FW_ASSERT(e, e->blocks->erase_left == 0);
}

int precondition_collect(struct env* e)
{
    struct collector c;
    struct gc* gc = e->gc;
    c.ring = 0;
    c.count = 0;
    FW_ASSERT(e, gc->victim == INDEX_NONE && gc->free.count == gc->units);
    FW_ASSERT(e, gc->units >= (e->geo->group + 1) * e->geo->group);
    for (uint32_t i = 0; i < COLLECT_ROUNDS && e->blocks->free < gc->high; ++i) {
        c.victim = gc_policy_of(e)->victim(e);
        if (c.victim == INDEX_NONE) {
            return e->blocks->free > RESERVE_FREE ? 0 : -1;
        }
        FW_ASSERT(e, blocks_known(superblock_of(e, e->blocks, c.victim)));
        superblock_of(e, e->blocks, c.victim)->state = BLOCK_VICTIM;
        superblock_of(e, e->blocks, c.victim)->purpose = FLASH_PURPOSE_PRECONDITION;
        c.row = 0;
        c.lun = 0;
        while (collect_group(e, &c)) {
            if (write_collected(e, &c, 0) != 0) {
                return -1;
            }
        }
        /* What is left is short of a write unit; the victim must go, so it is padded. */
        if (write_collected(e, &c, 1) != 0) {
            return -1;
        }
        ++e->stats->gc_runs;
        blocks_collected(e, c.victim);
        precondition_erase(e);
    }
    return 0;
}

/* The host's units go through the log where there is one: merges make room in it, or empty it. */
static void merge_log(struct env* e, int all)
{
    const struct hybrid* h = e->hybrid;
    FW_ASSERT(e, h->on != 0);
    for (uint32_t i = 0; i < COLLECT_ROUNDS; ++i) {
        if ((all ? h->log_pages == 0 : log_has_room(e)) && hybrid_idle(e)) {
            break;
        }
        merge_step(e);
        precondition_settle(e);
        precondition_erase(e);
    }
    FW_ASSERT(e, hybrid_idle(e));
}

static uint32_t next_host_units(struct env* e)
{
    if (e->hybrid->on != 0 && !log_has_room(e)) {
        merge_log(e, 0);
    }
    if (e->blocks->free < e->gc->low && precondition_collect(e) != 0) {
        return 0;
    }
    FW_ASSERT(e, e->blocks->free != 0);
    return blocks_next_units(e, STREAM_HOST);
}

/* One write unit of staged units; what does not fit moves up. */
static int write_staged(struct env* e)
{
    struct append* a = append_of(e);
    uint64_t* list = env_dram(e, a->list);
    uint64_t* kept = env_dram(e, a->units);
    const uint32_t units = blocks_next_units(e, STREAM_HOST);
    const uint32_t count = a->count < units ? a->count : units;
    FW_ASSERT(e, a->count <= e->geo->group);
    FW_ASSERT(e, count != 0);
    for (uint32_t i = 0; i < count; ++i) {
        list[i] = a->staging + ((uint64_t)i << e->geo->unit_shift);
    }
    mem_copy(env_dram(e, a->numbers), kept, count * sizeof *kept);
    if (program_units(e, STREAM_HOST, count, 0, NULL) != count) {
        return -1;
    }
    a->count -= count;
    for (uint32_t i = 0; i < a->count; ++i) {
        kept[i] = kept[i + count];
        cache_copy_sectors(e, a->staging + ((uint64_t)i << e->geo->unit_shift),
                           a->staging + ((uint64_t)(i + count) << e->geo->unit_shift),
                           ones(e->geo->unit_sectors));
    }
    return 0;
}

/* Keeps units for the next call: the caller's buffer is his again. */
static void stage(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer)
{
    struct append* a = append_of(e);
    uint64_t* kept = env_dram(e, a->units);
    FW_ASSERT(e, a->count + count <= e->geo->group);
    FW_ASSERT(e, count != 0);
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t to = a->staging + ((uint64_t)a->count << e->geo->unit_shift);
        const uint64_t from = buffer + ((uint64_t)i << e->geo->unit_shift);
        kept[a->count++] = units[i];
        cache_copy_sectors(e, to, from, ones(e->geo->unit_sectors));
    }
}

/* Puts units in the staging area until a write unit is full. Returns how many it took, 0 = no
 * space. */
static uint32_t append_staged(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer,
                              uint32_t room)
{
    struct append* a = append_of(e);
    uint32_t take = room > a->count ? room - a->count : 0;
    take = take > count ? count : take;
    FW_ASSERT(e, room <= e->geo->group);
    if (take != 0) {
        stage(e, units, take, buffer);
    }
    if (a->count >= room && write_staged(e) != 0) {
        return INDEX_NONE;
    }
    FW_ASSERT(e, take != 0 || a->count < e->geo->group);
    return take;
}

static uint32_t append_direct(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer,
                              uint32_t room)
{
    uint64_t* numbers = env_dram(e, append_of(e)->numbers);
    FW_ASSERT(e, room <= count);
    FW_ASSERT(e, append_of(e)->count == 0);
    for (uint32_t n = 0; n < room; ++n) {
        numbers[n] = units[n];
        if (n + PREFETCH_AHEAD < count) {
            ftl_ops_of(e)->prefetch(e, units[n + PREFETCH_AHEAD]);
        }
    }
    const uint32_t went = program_units(e, STREAM_HOST, room, buffer, NULL);
    return went == 0 ? INDEX_NONE : went;
}

int append_units(struct hal* hal, const uint64_t* units, uint32_t count, uint64_t buffer)
{
    struct env e;
    int status = FLASH_STATUS_OK;
    fw_bind(&e, hal);
    FW_ASSERT(&e, fw_of(hal)->booted != 0);
    FW_ASSERT(&e, flash_in_flight(&e) == 0 && e.cache->dirty == 0);
    e.recovery->functional = 1;
    if (e.blockmap->on != 0) {
        status = precondition_placed(&e, units, count, buffer);
        telemetry_publish(&e);
        return status;
    }
    for (uint32_t k = 0; k < count && k < PREFETCH_AHEAD; ++k) {
        ftl_ops_of(&e)->prefetch(&e, units[k]);
    }
    for (uint32_t i = 0; i < count && status == FLASH_STATUS_OK;) {
        const uint32_t room = next_host_units(&e);
        const uint64_t at = buffer + ((uint64_t)i << e.geo->unit_shift);
        const int direct = append_of(&e)->count == 0 && count - i >= room;
        uint32_t went = INDEX_NONE;
        if (room != 0) {
            went = direct ? append_direct(&e, units + i, count - i, at, room)
                          : append_staged(&e, units + i, count - i, at, room);
        }
        if (went == INDEX_NONE) {
            status = FLASH_STATUS_PROGRAM_FAIL;
        } else {
            i += went;
        }
    }
    telemetry_publish(&e);
    return status;
}

int append_end(struct hal* hal)
{
    struct env e;
    int status = FLASH_STATUS_OK;
    fw_bind(&e, hal);
    FW_ASSERT(&e, fw_of(hal)->booted != 0);
    while (append_of(&e)->count != 0 && status == FLASH_STATUS_OK) {
        status = next_host_units(&e) == 0 || write_staged(&e) != 0 ? FLASH_STATUS_PROGRAM_FAIL
                                                                   : FLASH_STATUS_OK;
    }
    if (e.hybrid->on != 0 && e.hybrid->log_most == 0) {
        e.hybrid->settling = 1;
        merge_log(&e, 1);
        e.hybrid->settling = 0;
    }
    if (e.blockmap->on != 0) {
        status = precondition_placed_end(&e);
    }
    if (status == FLASH_STATUS_OK && e.flash->sequence != 0) {
        recovery_checkpoint(&e);
        precondition_settle(&e);
    }
    e.recovery->functional = 0;
    telemetry_publish(&e);
    FW_ASSERT(&e, flash_in_flight(&e) == 0);
    return status;
}
