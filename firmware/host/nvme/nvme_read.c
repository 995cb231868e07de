/* SPDX-License-Identifier: Apache-2.0
 *
 * Each unit comes from the buffer, from the flash, or is known to be zero or lost. With Force Unit
 * Access what the buffer alone has of a range is programmed first, then all of it is read from the
 * flash (NVM command set 1.0 section 3.2.4, ATA8-ACS section 7.30).
 */
#include "firmware/host/nvme/nvme_read.h"

#include "firmware/buffer/fill.h"
#include "firmware/buffer/waiters.h"
#include "firmware/host/nvme/read_extent.h"
#include "firmware/host/nvme/uncorrectable.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_units.h"
#include "firmware/space/erase.h"

enum progress { PROGRESS_DONE = 0, PROGRESS_NO_BUFFER = 1, PROGRESS_NO_DATA = 2 };

/* ---- A unit ---- */

static void move_out(struct env* e, uint32_t slot, uint64_t buffer, uint32_t sectors, uint32_t tag)
{
    struct command* c = command_of(e, slot);
    struct fe_move move;
    FW_ASSERT(e, sectors != 0 && c->done + sectors <= c->sectors);
    FW_ASSERT(e, buffer >= MAP_DRAM_BASE);
    hil_clear_move(&move, FE_MOVE_TO_HOST, slot);
    move.wait = hil_waited(c);
    move.buffer = buffer;
    move.offset = c->done << SECTOR_SHIFT;
    move.length = sectors << SECTOR_SHIFT;
    move.tag = tag;
    c->done += sectors;
    hil_finish_move(e, &move, c->done == c->sectors && c->reads == 0);
}

/* The command ends with an error, when everything else of it has been worked on. `sector` of it
 * could not be read. */
static void unrecovered(struct env* e, struct command* c, uint32_t sector)
{
    if (e->hil->ata.on != 0 && (c->status == NVME_SC_SUCCESS || sector < c->io.failed)) {
        c->io.failed = sector;
    }
    ++e->telemetry->media_errors;
    e->telemetry->read_errors += c->status == NVME_SC_SUCCESS ? 1u : 0u;
    c->status = NVME_SC_UNRECOVERED_READ_ERROR;
    run_due(e, DUE_STEPS);
}

/* Sectors that are lost for good: no flash operation would bring them back. */
static void read_lost(struct env* e, uint32_t slot, uint32_t sectors)
{
    struct command* c = command_of(e, slot);
    unrecovered(e, c, c->done);
    c->done += sectors;
    FW_ASSERT(e, c->done <= c->sectors);
    if (c->done == c->sectors && c->reads == 0) {
        hil_complete(e, slot, c->status, 0);
    }
}

static void move_from_buffer(struct env* e, uint32_t slot, uint32_t from, const struct piece* p)
{
    move_out(e, slot, cache_data(e, from) + ((uint64_t)p->first << SECTOR_SHIFT), p->count,
             ((uint32_t)MOVE_BUFFER_OUT << MOVE_KIND_SHIFT) | from);
}

/* A clean unit that lacks sectors of the command is no hit. */
static void note_hit(struct env* e, struct command* c)
{
    e->telemetry->cache_read_hits += c->missed ? 0u : 1u;
    e->telemetry->cache_read_misses += c->missed ? 1u : 0u;
    c->missed = false;
}

static enum progress read_buffered(struct env* e, uint32_t slot, uint32_t from,
                                   const struct piece* p)
{
    if (!cache_readable(e, from, p->mask)) {
        if (cache_is_clean(e, from)) {
            command_of(e, slot)->missed = true;
        }
        cache_fill(e, from);
        if (cache_lost(e, from, p->mask)) {
            read_lost(e, slot, p->count);
            return PROGRESS_DONE;
        }
        if (!cache_readable(e, from, p->mask)) {
            command_of(e, slot)->wait = FE_WAIT_READ;
            cache_want(e);
            return PROGRESS_NO_DATA;
        }
    }
    note_hit(e, command_of(e, slot));
    cache_pin(e, from);
    move_from_buffer(e, slot, from, p);
    return PROGRESS_DONE;
}

/* The buffer keeps what is read, if it has room: data go there, and from there to the host.
 * Several units are read from the first one's begin; with whole units to the last one's end too. */
static void read_into_buffer(struct env* e, uint32_t request, const struct piece* p)
{
    struct flash_request* r = flash_request_of(e, request);
    uint64_t* list = flash_list(e, request);
    const uint32_t lead = p->first << SECTOR_SHIFT;
    const uint32_t units = (lead + r->length + e->geo->unit_size - 1) >> e->geo->unit_shift;
    FW_ASSERT(e, units != 0 && units <= e->geo->page_units);
    if (!cache_room(e, units, e->hil->writes_waiting.count != 0)) {
        return;
    }
    for (uint32_t n = 0; n < units; ++n) {
        list[n] = cache_data(e, cache_read_begin(e, p->unit + n));
    }
    r->host_read.units = (uint8_t)units;
    r->host_read.sectors = (uint16_t)(r->length >> SECTOR_SHIFT);
    if (units == 1 && !cache_keeps_whole(e)) {
        list[0] += lead;
    } else {
        r->column -= lead;
        r->length += lead;
    }
    if (cache_keeps_whole(e)) {
        r->length = units << e->geo->unit_shift;
    }
    r->sg = true;
    FW_ASSERT(e, r->column + r->length <= e->geo->page_size);
}

/* The next page below `from` that has to be looked into before the one with the data, into the same
 * buffer, or that one. */
static void look_further(struct env* e, uint32_t request, uint64_t unit, uint32_t from)
{
    struct flash_request* r = flash_request_of(e, request);
    uint32_t block = INDEX_NONE;
    const uint32_t page = ftl_next_searched(e, unit, from, &block);
    const bool found = page == INDEX_NONE;
    r->purpose = found ? FLASH_PURPOSE_HOST : FLASH_PURPOSE_SCAN;
    r->block = found ? r->host_read.block : block;
    r->page = found ? r->host_read.page : page;
    if (!found) {
        ++superblock_of(e, e->blocks, block)->readers;
        ++e->telemetry->scan_page_reads;
    }
    flash_submit(e, request);
}

/* The one that came with the command, or another. Flash reads go to commands in order of arrival:
 * those that have become free since are for whoever waits. */
static uint32_t take_request(struct env* e)
{
    const uint32_t spare = e->hil->spare;
    if (e->hil->queue_up != 0) {
        return INDEX_NONE;
    }
    if (spare == INDEX_NONE) {
        return flash_take(e, OWNER_READ);
    }
    FW_ASSERT(e, e->host_remote != 0);
    e->hil->spare = INDEX_NONE;
    flash_reuse(e, spare);
    return spare;
}

/* One that has them all where that is possible; what it reads is r->length of each plane. */
static uint32_t take_read(struct env* e, const struct command* c, const struct piece* p,
                          uint64_t address)
{
    const uint32_t plane = address_place(e->geo, address).plane;
    uint32_t sectors = e->geo->page_size >> SECTOR_SHIFT;
    const uint32_t pages = c->sectors - c->done > sectors ? read_pages(e, c, p, address) : 1;
    uint32_t i = pages > 1 ? flash_take_pages(e, pages) : INDEX_NONE;
    uint32_t mask = (1u << pages) - 1u;
    if (i == INDEX_NONE) {
        i = take_request(e);
        mask = 1;
        if (i == INDEX_NONE) {
            return INDEX_NONE;
        }
        sectors = read_extend(e, c, p, address);
        ++e->telemetry->cache_read_misses;
    } else {
        e->telemetry->cache_read_misses += pages * e->geo->page_units;
    }
    flash_request_of(e, i)->plane_mask = (uint8_t)(mask << plane);
    flash_request_of(e, i)->length = sectors << SECTOR_SHIFT;
    return i;
}

static enum progress read_flash(struct env* e, uint32_t slot, uint64_t address,
                                const struct piece* p)
{
    struct command* c = command_of(e, slot);
    const struct geometry* g = e->geo;
    const uint32_t i = take_read(e, c, p, address);
    if (i == INDEX_NONE) {
        c->wait = FE_WAIT_BUFFER;
        return PROGRESS_NO_BUFFER;
    }
    struct flash_request* r = flash_request_of(e, i);
    const struct place place = address_place(g, address);
    const uint32_t pages = flash_pages(r);
    const uint32_t sectors = pages * (r->length >> SECTOR_SHIFT);
    FW_ASSERT(e, place.block < g->blocks && place.lun < g->luns);
    r->op = FLASH_OP_READ;
    r->priority = 0;
    r->lun = (uint16_t)place.lun;
    r->trace = (uint16_t)slot;
    r->host_read.block = place.block;
    r->host_read.page = place.page;
    r->column = (address_unit(g, address) << g->unit_shift) + (p->first << SECTOR_SHIFT);
    r->buffer = flash_buffer(e, i);
    r->host_read.command = slot;
    r->host_read.generation = e->hil->generation;
    r->host_read.offset = c->done << SECTOR_SHIFT;
    r->host_read.units = 0;
    r->host_read.sectors = 0;
    r->host_read.wait = hil_waited(c);
    if (cache_keeps(e) && !c->media) {
        c->missed = false;
        read_into_buffer(e, i, p);
    }
    c->done += sectors;
    c->reads += pages;
    ++superblock_of(e, e->blocks, place.block)->readers;
    FW_ASSERT(e, r->column + r->length <= g->page_size);
    look_further(e, i, p->unit, g->pages);
    return PROGRESS_DONE;
}

/* Zeroes for the run of units that are neither mapped nor buffered. */
static void read_zeroes(struct env* e, uint32_t slot, const struct piece* p)
{
    const struct command* c = command_of(e, slot);
    const uint32_t page = e->geo->page_size > 4096 ? e->geo->page_size : 4096;
    const uint32_t most = page >> SECTOR_SHIFT; /* the zero page */
    const uint32_t left = c->sectors - c->done;
    uint32_t sectors = p->count;
    uint64_t unit = p->unit;
    FW_ASSERT(e, most >= e->geo->unit_sectors);
    while (sectors < left && sectors + e->geo->unit_sectors <= most) {
        ++unit;
        if (ftl_ops_of(e)->lookup(e, unit) != FTL_NONE ||
            read_buffered_slot(e, c, unit) != INDEX_NONE) {
            break;
        }
        const uint32_t more = left - sectors;
        sectors += more < e->geo->unit_sectors ? more : e->geo->unit_sectors;
    }
    FW_ASSERT(e, sectors <= most && sectors <= left);
    e->telemetry->unwritten_sectors += sectors;
    move_out(e, slot, flash_zero(e), sectors, (uint32_t)MOVE_NOTHING << MOVE_KIND_SHIFT);
}

static enum progress read(struct env* e, uint32_t slot)
{
    const struct hil* h = e->hil;
    struct command* c = command_of(e, slot);
    const uint32_t sectors = c->sectors;
    uint64_t awaited = 0;
    FW_ASSERT(e, c->done < sectors);
    /* The last move retires the command: its context is not looked at afterwards. */
    for (uint32_t done = c->done; done < sectors;) {
        const struct piece p = hil_next_piece(e, c);
        const uint32_t from = read_buffered_slot(e, c, p.unit);
        enum progress result = PROGRESS_DONE;
        if (from != INDEX_NONE) {
            result = read_buffered(e, slot, from, &p);
        } else {
            const uint64_t address = ftl_ops_of(e)->lookup(e, p.unit);
            if (address == FTL_UNKNOWN && (h->barren != BARREN_NOW || flash_in_flight(e) != 0)) {
                awaited = maps_awaited(e, p.unit);
                c->wait = FE_WAIT_MAP;
                result = PROGRESS_NO_DATA;
            } else if (address == FTL_NONE) {
                read_zeroes(e, slot, &p);
            } else if (address == FTL_UNKNOWN || ftl_lost(address)) {
                read_lost(e, slot, p.count);
            } else {
                result = read_flash(e, slot, address, &p);
            }
        }
        if (result != PROGRESS_DONE) {
            c->io.map_page = awaited;
            return result;
        }
        e->telemetry->read_sectors += c->done - done;
        done = c->done;
    }
    return PROGRESS_DONE;
}

/* ---- With Force Unit Access ---- */

static bool commit(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    uint32_t waits = 0;
    FW_ASSERT(e, c->state == COMMAND_READ && c->media);
    while (c->done < c->sectors && waits < cache_waits_most(e)) {
        const struct piece p = hil_next_piece(e, c);
        const uint32_t from = cache_find_volatile(e, p.unit);
        if (from != INDEX_NONE) {
            cache_wait_for(e, from, slot, waits++);
        }
        c->done += p.count;
    }
    if (waits == 0) {
        c->done = 0;
        return true;
    }
    run_due(e, DUE_STEPS); /* the buffer has work by a read */
    c->state = COMMAND_COMMIT;
    c->wait = FE_WAIT_PROGRAM;
    return false;
}

/* ---- Begin and go on ---- */

/* What comes into the buffer is announced, and free flash reads are; entries of the map are not. */
static void wait_for_data(struct env* e, uint32_t slot)
{
    if (command_of(e, slot)->wait == FE_WAIT_MAP) {
        e->hil->asks_map = 1;
        run_later(e, DUE_STEPS);
    }
    hil_park(e, slot);
}

static void read_or_wait(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    const enum progress p = read(e, slot);
    if (p == PROGRESS_NO_BUFFER) {
        h->queue_up = 1;
        cache_want(e);
        fifo_push(&h->reads_waiting, hil_wait_links(e), slot);
    } else if (p == PROGRESS_NO_DATA) {
        wait_for_data(e, slot);
    }
    if (p != PROGRESS_DONE) {
        h->waits = 1;
        hal_mark(e->hal, HAL_WAITS);
    }
}

void hil_start_read(struct env* e, uint32_t slot)
{
    const struct command* c = command_of(e, slot);
    const uint32_t sectors = c->sectors;
    const uint64_t lba = c->lba;
    FW_ASSERT(e, sectors != 0 && c->state == COMMAND_READ);
    ++e->smart->host_read_commands;
    e->smart->host_read_sectors += sectors;
    if (e->hil->spoilt != 0 && nvme_is_spoilt(e, lba, sectors)) {
        hil_complete(e, slot, NVME_SC_UNRECOVERED_READ_ERROR, 0);
        return;
    }
    if (c->media && !commit(e, slot)) {
        hal_mark(e->hal, HAL_WAITS);
        return;
    }
    read_or_wait(e, slot);
    if (cache_ahead_units(e) != 0) { /* behind what the host waits for */
        hil_read_ahead(e, lba, sectors);
    }
}

void hil_read_committed(struct env* e, uint32_t slot)
{
    command_of(e, slot)->state = COMMAND_READ;
    if (commit(e, slot)) {
        read_or_wait(e, slot);
    }
}

/* The first that waits. false = there is no flash read for it, and so for no other. */
static bool read_next(struct env* e)
{
    uint32_t* links = hil_wait_links(e);
    struct fifo* from = &e->hil->reads_waiting;
    const uint32_t slot = fifo_pop(from, links);
    hal_mark(e->hal, slot);
    const enum progress p = read(e, slot);
    hal_mark(e->hal, p == PROGRESS_DONE ? HAL_NO_COMMAND : HAL_IN_VAIN);
    if (p == PROGRESS_NO_BUFFER) {
        e->hil->queue_up = 1;
        cache_want(e); /* it may be read from there meanwhile */
        fifo_push_front(from, links, slot);
    } else if (p == PROGRESS_NO_DATA) {
        wait_for_data(e, slot);
    }
    return p != PROGRESS_NO_BUFFER;
}

void hil_retry_reads(struct env* e)
{
    struct hil* h = e->hil;
    const uint32_t asked = h->asks_map;
    h->asks_map = 0;
    h->queue_up = 0;
    uint32_t n = h->parked.asking;
    while (n != 0 && hil_park_ask(e) && read_next(e)) {
        --n;
    }
    (void)hil_park_joined(e); /* they are in the list by now */
    n = h->reads_waiting.count;
    while (n != 0 && h->queue_up == 0 && read_next(e)) {
        n += hil_park_joined(e);
        --n;
    }
    h->asks_map |= h->queue_up != 0 ? asked : 0; /* of those behind */
}

/* ---- End ---- */

/* What a read puts into the n-th unit of the buffer that it fills. */
static struct piece part_of(const struct env* e, const struct flash_request* r, uint32_t n)
{
    const uint32_t size = e->geo->unit_sectors;
    const uint32_t start = (r->column & (e->geo->unit_size - 1)) >> SECTOR_SHIFT;
    const uint32_t end = start + (r->length >> SECTOR_SHIFT) - n * size;
    struct piece p;
    FW_ASSERT(e, start < size);
    FW_ASSERT(e, n < r->host_read.units);
    p.unit = n;
    p.first = n == 0 ? start : 0;
    p.count = (end < size ? end : size) - p.first;
    p.mask = ones(p.count) << p.first;
    return p;
}

/* What the flash has put into the buffer stays there. */
static void end_units(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    const uint64_t* list = flash_list(e, result->request);
    FW_ASSERT(e, r->host_read.units <= e->geo->page_units);
    for (uint32_t n = 0; n < r->host_read.units; ++n) {
        const uint32_t from = cache_slot_at(e, list[n]);
        cache_read_end(e, from, part_of(e, r, n).mask, result->status != FLASH_STATUS_OK);
    }
}

static void unpin_units(struct env* e, uint32_t request)
{
    const struct flash_request* r = flash_request_of(e, request);
    FW_ASSERT(e, r->host_read.units <= e->geo->page_units);
    for (uint32_t n = 0; n < r->host_read.units; ++n) {
        cache_unpin(e, cache_slot_at(e, flash_list(e, request)[n]));
    }
}

/* The host gets its sectors from the buffer; each unit is unpinned when they have left. */
static void move_units(struct env* e, uint32_t request)
{
    const struct flash_request* r = flash_request_of(e, request);
    const uint64_t* list = flash_list(e, request);
    struct command* c = command_of(e, r->host_read.command);
    const bool last = c->done == c->sectors && c->reads == 0;
    const uint32_t lba = (uint32_t)c->lba + (r->host_read.offset >> SECTOR_SHIFT);
    uint32_t skip = (lba & (e->geo->unit_sectors - 1)) << SECTOR_SHIFT;
    uint32_t offset = r->host_read.offset;
    uint32_t left = (uint32_t)r->host_read.sectors << SECTOR_SHIFT;
    skip -= r->column & (e->geo->unit_size - 1);
    FW_ASSERT(e, skip < r->length);
    for (uint32_t n = 0; n < r->host_read.units; ++n) {
        struct fe_move move;
        uint32_t bytes = (part_of(e, r, n).count << SECTOR_SHIFT) - skip;
        bytes = bytes < left ? bytes : left;
        hil_clear_move(&move, FE_MOVE_TO_HOST, r->host_read.command);
        move.buffer = list[n] + skip;
        move.offset = offset;
        move.length = bytes;
        move.tag = ((uint32_t)MOVE_BUFFER_OUT << MOVE_KIND_SHIFT) | cache_slot_at(e, list[n]);
        offset += bytes;
        left -= bytes;
        skip = 0;
        hil_finish_move(e, &move, last && n + 1 == r->host_read.units);
    }
    FW_ASSERT(e, offset > r->host_read.offset && left == 0);
}

/* A read that failed, or whose command is gone, has nothing for the host. */
static void free_read(struct env* e, uint32_t request)
{
    unpin_units(e, request);
    flash_free(e, request);
}

/* A page was looked into that does not hold the data: what it holds, and whether it could be read,
 * is nobody's business. After a reset the search ends. */
static void searched(struct env* e, uint32_t request)
{
    struct flash_request* r = flash_request_of(e, request);
    const bool waits = r->host_read.generation == e->hil->generation;
    const uint64_t lba = waits ? command_of(e, r->host_read.command)->lba : 0;
    FW_ASSERT(e, r->purpose == FLASH_PURPOSE_SCAN);
    blocks_unread(e, r->block);
    flash_read_restart(r);
    look_further(e, request, (lba + (r->host_read.offset >> SECTOR_SHIFT)) / e->geo->unit_sectors,
                 waits ? r->page : 0);
}

void hil_page_move(struct env* e, struct fe_move* move, uint32_t request)
{
    const struct flash_request* r = flash_request_of(e, request);
    FW_ASSERT(e, r->host_read.units == 0);
    hil_clear_move(move, FE_MOVE_TO_HOST, r->host_read.command);
    move->buffer = r->buffer;
    move->offset = r->host_read.offset;
    move->length = r->length * flash_pages(r);
    move->tag = ((uint32_t)MOVE_PAGE_OUT << MOVE_KIND_SHIFT) | request;
}

/* What was read goes to the host: the host role knows how, unless the command ends with an error.
 */
static void move_page(struct env* e, uint32_t slot, uint32_t request)
{
    const struct command* c = command_of(e, slot);
    const bool last = c->done == c->sectors && c->reads == 0;
    struct fe_move move;
    if (e->host_remote != 0 && c->status == NVME_SC_SUCCESS && c->divert == DIVERT_NOT &&
        front_end_pass_read(e, request, last)) {
        if (last) {
            hil_retire(e, slot);
        }
        return;
    }
    hil_page_move(e, &move, request);
    hil_finish_move(e, &move, last);
}

void hil_read_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    const uint32_t slot = r->host_read.command;
    struct command* c = command_of(e, slot != HOST_READ_NOBODY ? slot : 0);
    if (slot == HOST_READ_NOBODY) {
        hil_read_ahead_done(e, result);
        return;
    }
    if (r->purpose == FLASH_PURPOSE_SCAN) {
        searched(e, result->request);
        return;
    }
    blocks_unread(e, r->block);
    if (r->host_read.units != 0) {
        end_units(e, result);
    }
    if (r->host_read.generation != e->hil->generation) { /* a reset came between */
        free_read(e, result->request);
        return;
    }
    FW_ASSERT(e, c->state == COMMAND_READ);
    FW_ASSERT(e, c->reads >= flash_pages(r));
    c->reads -= flash_pages(r);
    if (result->status != FLASH_STATUS_OK) {
        unrecovered(e, c, r->host_read.offset >> SECTOR_SHIFT);
        free_read(e, result->request);
        if (c->done == c->sectors && c->reads == 0) {
            hil_complete(e, slot, c->status, 0);
        }
        return;
    }
    if (r->host_read.units != 0) {
        move_units(e, result->request);
        flash_free(e, result->request);
        return;
    }
    move_page(e, slot, result->request);
}
