/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/segments_boot.h"

#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_spent.h"
#include "firmware/map/segments_wear.h"
#include "firmware/space/bad.h"
#include "firmware/space/reserve.h"
#include "firmware/space/resume.h"
#include "firmware/space/spare.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"

int segments_plan(struct env* e)
{
    struct segments* s = e->segments;
    const struct geometry* g = e->geo;
    uint32_t count = 0;
    FW_ASSERT(e, s->blocks != 0);
    for (uint32_t n = 0; n < g->blocks && count < s->blocks; ++n) {
        const uint32_t block = g->blocks - 1 - n;
        for (uint32_t k = 0; k < g->luns * g->planes && count < s->blocks; ++k) {
            const uint32_t lun = k % g->luns;
            const uint32_t plane = k / g->luns;
            if (!blocks_anchor_reaches(e, block, lun, plane)) {
                const struct map_block b = {.block = block,
                                            .lun = (uint16_t)lun,
                                            .plane = (uint8_t)plane,
                                            .state = MAP_BLOCK_GARBAGE,
                                            .segment = INDEX_NONE};
                *map_block_of(e, count++) = b;
            }
        }
    }
    if (count < s->blocks) {
        hal_log(e->hal, HAL_LOG_ERROR, "too few blocks for the map: needed, found", s->blocks,
                count);
        return -1;
    }
    return 0;
}

/* ---- What the flash says ---- */

/* The block of a request's page: places repeat every so many blocks, but a table would not be
 * shorter than the request's own number. */
void segments_seen(struct env* e, const struct flash_request* r, const uint64_t* words)
{
    struct map_block* b = map_block_of(e, r->scan.number);
    const struct geometry* g = e->geo;
    uint64_t number = 0;
    FW_ASSERT(e, b->block == r->block && b->lun == r->lun);
    if (words == NULL) {
        return; /* torn, or being erased: garbage */
    }
    if (r->page == 0 && r->page + 1 != g->pages) {
        if (words[0] == UINT64_MAX) {
            b->state = MAP_BLOCK_ERASED;
        } else if ((words[0] & 0xFFu) == 0) {
            b->state = MAP_BLOCK_BAD; /* the maker's mark */
        }
        return;
    }
    const struct spare_unit u = spare_unpack(words[1]);
    const uint64_t page = u.index & 0xFFFFFFFFu;
    if (!spare_read(e, words, &number) || u.kind != SPARE_MAP || (u.index >> 32) != 1 ||
        page / e->maps->segment >= e->segments->count ||
        page % e->maps->segment != e->maps->segment - g->page_units) {
        return;
    }
    b->segment = (uint32_t)(page / e->maps->segment);
    b->number = (uint32_t)number;
}

/* Of two commits of a segment the later one counts. */
static void take_newest(struct env* e)
{
    struct segments* s = e->segments;
    for (uint32_t i = 0; i < s->blocks; ++i) {
        const struct map_block* b = map_block_of(e, i);
        if (b->segment == INDEX_NONE) {
            continue;
        }
        struct segment* g = segment_of(e, b->segment);
        s->number = b->number > s->number ? b->number : s->number;
        if (b->number > g->number) {
            g->number = b->number;
            g->block = i;
        }
    }
    FW_ASSERT(e, s->found == 0);
}

static void sort_blocks(struct env* e)
{
    struct segments* s = e->segments;
    uint32_t* links = env_dram(e, s->block_links);
    for (uint32_t i = 0; i < s->blocks; ++i) {
        struct map_block* b = map_block_of(e, i);
        s->good += b->state != MAP_BLOCK_BAD ? 1u : 0u;
        if (b->segment != INDEX_NONE && segment_of(e, b->segment)->block == i) {
            b->state = MAP_BLOCK_HOLDS;
        } else if (b->state == MAP_BLOCK_ERASED) {
            fifo_push(&s->erased, links, i);
        } else if (b->state == MAP_BLOCK_GARBAGE) {
            fifo_push(&s->garbage, links, i);
        } else {
            ++e->telemetry->bad_blocks;
        }
    }
    FW_ASSERT(e, s->good <= s->blocks);
}

int segments_find(struct env* e, segments_scan scan)
{
    struct segments* s = e->segments;
    if (s->blocks == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < s->blocks; ++i) {
        const struct map_block* b = map_block_of(e, i);
        if (((blocks_hidden(e, b->block, b->lun) >> b->plane) & 1u) != 0) {
            hal_log(e->hal, HAL_LOG_ERROR, "a map block is the anchor's: block, LUN", b->block,
                    b->lun);
            return -1;
        }
        blocks_hide(e, b->block, b->lun, 1u << b->plane);
    }
    if (scan(e, e->geo->pages - 1) != 0 || scan(e, 0) != 0) {
        return -1;
    }
    take_newest(e);
    sort_blocks(e);
    segments_count_erases(e);
    s->found = 1;
    if (s->good < s->count + MAP_BLOCKS_LEAST) {
        hal_log(e->hal, HAL_LOG_WARN, "too few map blocks: read only; left, segments", s->good,
                s->count);
        e->telemetry->read_only = 1;
    }
    segments_note_spent(e);
    return 0;
}

/* ---- Anchor record ---- */

void segments_store(struct env* e, void* to)
{
    uint32_t* numbers = to;
    FW_ASSERT(e, to != NULL);
    for (uint32_t n = 0; n < e->segments->count; ++n) {
        const struct segment* g = segment_of(e, n);
        const bool forgotten = g->number != 0 && g->block == INDEX_NONE && g->lost == 0;
        FW_ASSERT(e, g->number < SEGMENT_VOID);
        numbers[n] = g->number | (forgotten ? SEGMENT_VOID : 0);
    }
    struct saved_map_block* block = (struct saved_map_block*)(numbers + e->segments->count);
    for (uint32_t i = 0; i < e->segments->blocks; ++i) {
        block[i].erases = map_block_of(e, i)->erases;
        block[i].number = map_block_of(e, i)->number;
    }
}

/* What was committed up to that number was forgotten before the record. */
static void forget_commits(struct env* e, struct segment* g, uint32_t number)
{
    struct segments* s = e->segments;
    s->number = s->number > number ? s->number : number;
    if (g->number > number) {
        return; /* it was written since */
    }
    if (g->block != INDEX_NONE) {
        FW_ASSERT(e, map_block_of(e, g->block)->state == MAP_BLOCK_HOLDS);
        map_block_of(e, g->block)->state = MAP_BLOCK_GARBAGE;
        fifo_push(&s->garbage, env_dram(e, s->block_links), g->block);
    }
    g->block = INDEX_NONE;
    g->number = number;
}

void segments_expect(struct env* e, const void* from)
{
    const uint32_t* numbers = from;
    FW_ASSERT(e, from != NULL);
    segments_recover_erases(e, numbers,
                            (const struct saved_map_block*)(numbers + e->segments->count));
    for (uint32_t n = 0; n < e->segments->count; ++n) {
        struct segment* g = segment_of(e, n);
        if ((numbers[n] & SEGMENT_VOID) != 0) {
            forget_commits(e, g, numbers[n] & ~SEGMENT_VOID);
        } else if (g->number < numbers[n]) {
            hal_log(e->hal, HAL_LOG_ERROR, "a map segment is unreadable: segment, commit", n,
                    numbers[n]);
            g->lost = 1;
            e->segments->number =
                e->segments->number > numbers[n] ? e->segments->number : numbers[n];
        }
    }
}
