/* SPDX-License-Identifier: Apache-2.0
 *
 * Journal: what was trimmed since the base of the last checkpoint. A unit of it is put out when it
 * is full or when a flush wants it, and matters until a checkpoint knows all it says.
 */
#include "firmware/durable/journal.h"

#include "firmware/durable/state.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/modes.h"
#include "firmware/space/reserve.h"
#include "firmware/space/spare.h"

#define JOURNAL_MAGIC 0x4A445353u /* "SSDJ" */

enum { PACKING = 1, PACKED = 2 };

struct journal_header {
    uint32_t magic;
    uint32_t version;
    uint32_t records;
    uint32_t reserved;
    uint64_t number; /* of the unit */
};

static uint64_t home_of(const struct env* e, uint64_t n)
{
    return e->recovery->journal.home + ((n % e->recovery->journal.units) << e->geo->unit_shift);
}

static struct journal_header* header_of(struct env* e, uint64_t n)
{
    return (struct journal_header*)env_dram(e, home_of(e, n));
}

static struct trim_record* records_of(struct env* e, uint64_t n)
{
    return (struct trim_record*)(void*)(header_of(e, n) + 1);
}

static uint32_t capacity(const struct env* e)
{
    return (uint32_t)((e->geo->unit_size - sizeof(struct journal_header)) /
                      sizeof(struct trim_record));
}

static struct journal_unit* unit_of(struct env* e, uint64_t n)
{
    return &e->recovery->journal.unit[n % e->recovery->journal.units];
}

static void open_unit(struct env* e)
{
    struct journal* j = &e->recovery->journal;
    struct journal_header* h = header_of(e, j->open);
    mem_zero(h, e->geo->unit_size);
    h->magic = JOURNAL_MAGIC;
    h->version = RECOVERY_VERSION;
    h->number = j->open;
    unit_of(e, j->open)->address = FTL_NONE;
    unit_of(e, j->open)->last = 0;
    unit_of(e, j->open)->moving = 0;
    unit_of(e, j->open)->missing = 0;
    unit_of(e, j->open)->packed = 0;
    FW_ASSERT(e, j->open - j->first < j->units);
}

int journal_init(struct env* e)
{
    struct journal* j = &e->recovery->journal;
    const uint64_t half = (uint64_t)e->geo->luns * e->geo->pages * e->geo->group / 2;
    /* On the smallest drives they are not worth more than half a superblock. */
    const uint64_t most = JOURNAL_BYTES >> e->geo->unit_shift;
    j->units = half < most ? half : most;
    j->units = j->units < JOURNAL_UNITS ? j->units : JOURNAL_UNITS;
    j->units = j->units < JOURNAL_UNITS_LEAST ? JOURNAL_UNITS_LEAST : j->units;
    j->home = dram_take_pages(e, j->units << e->geo->unit_shift);
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    journal_resume(e, 1);
    return 0;
}

void journal_resume(struct env* e, uint32_t number)
{
    struct journal* j = &e->recovery->journal;
    j->first = number;
    j->open = number;
    j->put = number;
    open_unit(e);
}

/* ---- Records ---- */

/* The open unit takes no more; the next one is opened if there is room for it. */
static void close_unit(struct env* e)
{
    struct journal* j = &e->recovery->journal;
    FW_ASSERT(e, header_of(e, j->open)->records != 0);
    ++j->open;
    open_unit(e);
    run_due(e, DUE_DURABLE); /* it is put out */
}

/* The next step closes the open unit. */
static void want_closed(struct env* e)
{
    struct journal* j = &e->recovery->journal;
    if (j->wanted == 0) {
        j->wanted = 1;
        run_due(e, DUE_STEPS);
    }
}

/* Closed units that are not on the flash. */
static uint32_t waiting(const struct env* e)
{
    const struct journal* j = &e->recovery->journal;
    uint32_t count = 0;
    for (uint64_t n = j->first; n < j->open; ++n) {
        const struct journal_unit* u = &j->unit[n % j->units];
        count += u->address == FTL_NONE && u->missing == 0 ? 1u : 0u;
    }
    return count;
}

bool journal_room(struct env* e)
{
    struct journal* j = &e->recovery->journal;
    const bool full = header_of(e, j->open)->records >= capacity(e);
    /* All that is not on the flash must fit the page in an anchor record: else an erase that waits
     * for it, and gives the journal its room, would wait for ever. */
    if ((full || header_of(e, j->open)->records == 0) &&
        waiting(e) + (full ? 1u : 0u) >= e->geo->page_units) {
        if (full) {
            want_closed(e);
        }
        return false;
    }
    if (!full && header_of(e, j->open)->records != 0) {
        return true;
    }
    /* What is open can be closed at any time: else an erase would wait for it, it for a checkpoint,
     * and that for the room which the erase gives. */
    if (j->open + (full ? 2u : 1u) - j->first >= j->units) {
        checkpoint_ask(e);
        return false;
    }
    if (full) {
        close_unit(e);
    }
    return true;
}

void journal_trim(struct env* e, uint64_t unit, uint64_t count)
{
    struct journal* j = &e->recovery->journal;
    struct journal_header* h = header_of(e, j->open);
    struct trim_record* r = records_of(e, j->open);
    const uint64_t sequence = flash_sequence(e);
    /* One record goes on while nothing was programmed in between: a write may have been. */
    if (h->records != 0 && r[h->records - 1].sequence == sequence &&
        r[h->records - 1].first + r[h->records - 1].count == unit) {
        r[h->records - 1].count += count;
        return;
    }
    r[h->records].first = unit;
    r[h->records].count = count;
    r[h->records].sequence = sequence;
    ++h->records;
    unit_of(e, j->open)->last = sequence;
    FW_ASSERT(e, h->records <= capacity(e));
}

uint64_t journal_flush(struct env* e)
{
    struct journal* j = &e->recovery->journal;
    FW_ASSERT(e, j->put <= j->open);
    if (header_of(e, j->open)->records != 0) {
        want_closed(e);
        return j->open + 1;
    }
    return j->open;
}

/* Everything below the ticket is on the flash. A drive that was cleared has dropped what a flush
 * would have put there. */
bool journal_flushed(const struct env* e, uint64_t ticket)
{
    const struct journal* j = &e->recovery->journal;
    FW_ASSERT(e, ticket <= j->open + 1);
    if (ftl_clears(e)) {
        return false;
    }
    for (uint64_t n = j->first; n < ticket; ++n) {
        const struct journal_unit* u = &j->unit[n % j->units];
        if (n == j->open || (u->address == FTL_NONE && u->missing == 0 && u->packed != PACKED)) {
            return false;
        }
    }
    return true;
}

void journal_step(struct env* e)
{
    struct journal* j = &e->recovery->journal;
    if (j->wanted != 0 && j->open + 1 - j->first < j->units) {
        if (header_of(e, j->open)->records != 0) {
            close_unit(e);
        }
        j->wanted = 0;
    } else if (j->wanted != 0) {
        checkpoint_ask(e);
    }
    for (; j->put < j->open; ++j->put) {
        const struct journal_unit* u = unit_of(e, j->put);
        if (u->address != FTL_NONE || u->missing != 0) {
            continue; /* found at power-up */
        }
        if (maps_put_unit(e, spare_pack(SPARE_JOURNAL, j->put), home_of(e, j->put)) == INDEX_NONE) {
            break;
        }
        maps_hurry(e, 1);
    }
}

void journal_written(struct env* e, uint64_t index, uint64_t address)
{
    const struct journal* j = &e->recovery->journal;
    if (index < j->first) { /* a checkpoint has overtaken it: nobody needs it any more */
        return;
    }
    struct journal_unit* u = unit_of(e, index);
    FW_ASSERT(e, index < j->open);
    if (u->address != FTL_NONE) {
        maps_invalidate(e, u->address);
    }
    u->address = address;
    u->moving = 0;
    maps_validate(e, address);
}

bool journal_relocate(struct env* e, uint64_t index, uint64_t address)
{
    const struct journal* j = &e->recovery->journal;
    if (index < j->first || index >= j->put || unit_of(e, index)->address != address) {
        return true;
    }
    if (unit_of(e, index)->moving == 0) {
        const uint64_t word = spare_pack(SPARE_JOURNAL, index);
        unit_of(e, index)->moving = maps_put_unit(e, word, home_of(e, index)) != INDEX_NONE;
    }
    return unit_of(e, index)->moving != 0;
}

uint64_t journal_at(struct env* e, uint64_t address)
{
    const struct journal* j = &e->recovery->journal;
    for (uint64_t n = j->first; n < j->open; ++n) {
        if (j->unit[n % j->units].address == address) {
            return n;
        }
    }
    return UINT64_MAX;
}

bool journal_gains(struct env* e, uint64_t base)
{
    const struct journal* j = &e->recovery->journal;
    const uint64_t n = j->first + j->units / 4 - 1;
    return n < j->put && unit_of(e, n)->last < base;
}

void journal_release(struct env* e, uint64_t base)
{
    struct journal* j = &e->recovery->journal;
    while (j->first < j->put && unit_of(e, j->first)->last < base) {
        if (unit_of(e, j->first)->address != FTL_NONE) {
            maps_invalidate(e, unit_of(e, j->first)->address);
        }
        ++j->first;
    }
}

/* ---- Tail in the anchor record ---- */

void journal_pack(struct env* e, void* page)
{
    const struct journal* j = &e->recovery->journal;
    uint8_t* to = page;
    uint32_t unit = 0;
    mem_zero(page, e->geo->page_size);
    for (uint64_t n = j->first; n < j->open && unit < e->geo->page_units; ++n) {
        struct journal_unit* u = unit_of(e, n);
        if (u->address == FTL_NONE && u->missing == 0) {
            mem_copy(to + ((uint64_t)unit++ << e->geo->unit_shift), header_of(e, n),
                     e->geo->unit_size);
            u->packed = u->packed == PACKED ? PACKED : PACKING;
        }
    }
}

void journal_packed(struct env* e)
{
    struct journal* j = &e->recovery->journal;
    for (uint64_t n = j->first; n < j->open; ++n) {
        struct journal_unit* u = unit_of(e, n);
        u->packed = u->packed == PACKING ? PACKED : u->packed;
    }
}

/* ---- Power-up ---- */

static void forget_unit(struct env* e, uint64_t n)
{
    struct journal_unit* u = unit_of(e, n);
    mem_zero(u, sizeof *u);
    u->address = FTL_NONE;
    header_of(e, n)->records = 0;
}

/* Units are found in any order, for collection moves them. The newest ones matter, as many as there
 * can have been; older ones a checkpoint had released. true = this one may matter. */
static bool include(struct env* e, uint64_t index)
{
    struct journal* j = &e->recovery->journal;
    const uint64_t most = j->units - 1;
    if (j->found == 0) {
        j->found = 1;
        j->first = index;
        j->open = index;
        forget_unit(e, index);
    }
    if (index > j->open && index - j->open >= most) { /* all that were found are too old */
        j->first = index;
        j->open = index;
        forget_unit(e, index);
    }
    while (j->open < index) {
        ++j->open;
        j->first += j->open - j->first >= most ? 1u : 0u;
        forget_unit(e, j->open);
    }
    while (j->first > index && j->open - j->first + 1 < most) {
        --j->first;
        forget_unit(e, j->first);
    }
    FW_ASSERT(e, j->first <= j->open && j->open - j->first < most);
    return index >= j->first;
}

void journal_found(struct env* e, uint64_t index, uint64_t address)
{
    if (include(e, index)) {
        unit_of(e, index)->address = address;
    }
}

void journal_unpack(struct env* e, const void* page)
{
    for (uint32_t unit = 0; unit < e->geo->page_units; ++unit) {
        const struct journal_header* h =
            (const struct journal_header*)(const void*)((const uint8_t*)page +
                                                        ((uint64_t)unit << e->geo->unit_shift));
        if (h->magic != JOURNAL_MAGIC || h->records > capacity(e) || !include(e, h->number) ||
            unit_of(e, h->number)->address != FTL_NONE) {
            continue;
        }
        mem_copy(header_of(e, h->number), h, e->geo->unit_size);
        unit_of(e, h->number)->packed = PACKED;
        FW_ASSERT(e, h->records != 0);
    }
}

void journal_load(struct env* e, page_reader read)
{
    struct journal* j = &e->recovery->journal;
    for (uint64_t n = j->first; n <= j->open && j->found != 0; ++n) {
        const uint64_t address = unit_of(e, n)->address;
        struct journal_header* h = header_of(e, n);
        if (address == FTL_NONE && unit_of(e, n)->packed == PACKED) {
            unit_of(e, n)->last = records_of(e, n)[h->records - 1].sequence;
            continue;
        }
        if (address == FTL_NONE) {
            h->records = 0;
            unit_of(e, n)->missing = 1; /* power took it, and nobody was promised anything */
            continue;
        }
        const struct place p = address_place(e->geo, address);
        const uint32_t unit = address_unit(e->geo, address);
        const uint64_t page = e->recovery->anchor.buffer;
        if (read(e, &p, page) != NULL) {
            mem_copy(h, env_dram(e, page + ((uint64_t)unit << e->geo->unit_shift)),
                     e->geo->unit_size);
        }
        if (h->magic != JOURNAL_MAGIC || h->number != n || h->records > capacity(e)) {
            hal_log(e->hal, HAL_LOG_ERROR, "a journal unit is unreadable: read only; unit", n, 0);
            e->telemetry->read_only = 1;
            h->records = 0;
        }
        unit_of(e, n)->last = h->records != 0 ? records_of(e, n)[h->records - 1].sequence : 0;
    }
    j->open += j->found;
    j->put = j->first;
    open_unit(e);
}

uint32_t journal_records(struct env* e, uint64_t index)
{
    FW_ASSERT(e, index >= e->recovery->journal.first && index <= e->recovery->journal.open);
    return header_of(e, index)->records;
}

const struct trim_record* journal_record(struct env* e, uint64_t index, uint32_t n)
{
    FW_ASSERT(e, n < header_of(e, index)->records);
    return records_of(e, index) + n;
}
