/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading ahead. A command that begins where a former one ended continues its stream; from the
 * second one that does on the units behind it are read into the buffer, so many as the option says.
 * Reads of the host come first: reading ahead takes page buffers only while most of them are free,
 * slots only where the buffer has room, and it never waits; what it could not read, the next
 * command of the stream asks for again.
 */
#include "firmware/host/core/read_ahead.h"

#include "firmware/host/core/hil.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/space/erase.h"

enum { CONTINUED = 2 /* commands that make a stream */ };

/* The stream that a read continues, else the place of the one that was not used for the longest
 * time, empty. */
static struct read_stream* stream_of(struct env* e, uint64_t lba)
{
    struct read_ahead* a = &e->hil->read_ahead;
    struct read_stream* oldest = &a->streams[0];
    for (uint32_t i = 0; i < READ_STREAMS; ++i) {
        struct read_stream* s = &a->streams[i];
        if (s->next == lba && s->used != 0) {
            s->length += s->length < CONTINUED ? 1u : 0u;
            return s;
        }
        oldest = a->count - s->used > a->count - oldest->used ? s : oldest;
    }
    oldest->length = 0;
    oldest->ahead = 0;
    return oldest;
}

/* Units from one on that lie in one page side by side and are not in the buffer: 0 = none. */
static uint32_t run_of(struct env* e, uint64_t unit, uint64_t end, uint64_t* address)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    uint32_t count = 0;
    uint32_t block = INDEX_NONE;
    *address = ftl->lookup(e, unit);
    FW_ASSERT(e, unit < end && end <= e->geo->user_units);
    if (!ftl_known(*address) || ftl_lost(*address) ||
        ftl_next_searched(e, unit, e->geo->pages, &block) != INDEX_NONE) {
        return 0;
    }
    do {
        ++count;
    } while (unit + count < end && address_unit(e->geo, *address) + count < e->geo->page_units &&
             cache_find(e, unit + count) == INDEX_NONE &&
             ftl->lookup(e, unit + count) == *address + count);
    FW_ASSERT(e, count <= e->geo->page_units);
    return count;
}

/* Reads a run of units. false = there is no room. */
static bool read_run(struct env* e, uint64_t unit, uint32_t count, uint64_t address)
{
    const struct geometry* g = e->geo;
    FW_ASSERT(e, count != 0);
    if (e->hil->queue_up != 0 || flash_reads_scarce(e) ||
        !cache_room(e, count, e->hil->writes_waiting.count != 0)) {
        return false;
    }
    const uint32_t i = flash_take(e, OWNER_READ);
    if (i == INDEX_NONE) {
        return false;
    }
    struct flash_request* r = flash_request_of(e, i);
    const struct place p = address_place(g, address);
    flash_read_page(r, &p, FLASH_PURPOSE_HOST, 1);
    r->host_read.block = p.block;
    r->host_read.page = p.page;
    r->column = address_unit(g, address) << g->unit_shift;
    r->length = count << g->unit_shift;
    r->buffer = flash_buffer(e, i);
    r->sg = true;
    r->host_read.command = HOST_READ_NOBODY;
    r->host_read.units = (uint8_t)count;
    for (uint32_t n = 0; n < count; ++n) {
        flash_list(e, i)[n] = cache_data(e, cache_ahead_begin(e, unit + n));
    }
    ++superblock_of(e, e->blocks, p.block)->readers;
    flash_submit(e, i);
    FW_ASSERT(e, r->column + r->length <= g->page_size);
    return true;
}

void hil_read_ahead(struct env* e, uint64_t lba, uint32_t sectors)
{
    struct read_ahead* a = &e->hil->read_ahead;
    const struct geometry* g = e->geo;
    const uint64_t most = cache_ahead_units(e);
    struct read_stream* s = stream_of(e, lba);
    ++a->count;
    s->used = a->count;
    s->next = lba + sectors;
    if (s->length < CONTINUED) {
        return;
    }
    const uint64_t behind = (s->next + g->unit_sectors - 1) >> g->sector_shift;
    const uint64_t end = behind + most < g->user_units ? behind + most : g->user_units;
    uint64_t unit = s->ahead > behind && s->ahead <= end ? s->ahead : behind;
    while (unit < end) {
        uint64_t address = FTL_NONE;
        uint32_t count = 1;
        if (cache_find(e, unit) == INDEX_NONE) {
            count = run_of(e, unit, end, &address);
            if (address == FTL_UNKNOWN || (count != 0 && !read_run(e, unit, count, address))) {
                break;
            }
            count = count == 0 ? 1 : count;
        }
        unit += count;
    }
    s->ahead = unit;
}

void hil_read_ahead_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    const uint64_t all = ones(e->geo->unit_sectors);
    const bool failed = result->status != FLASH_STATUS_OK;
    for (uint32_t n = 0; n < r->host_read.units; ++n) {
        const uint32_t buffered = cache_slot_at(e, flash_list(e, result->request)[n]);
        cache_read_end(e, buffered, all, failed);
        cache_unpin(e, buffered);
    }
    e->telemetry->media_errors += failed ? 1u : 0u;
    blocks_unread(e, r->block);
    flash_free(e, result->request);
}
