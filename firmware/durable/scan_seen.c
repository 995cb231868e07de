/* SPDX-License-Identifier: Apache-2.0
 *
 * What pages tell that the scan reads.
 */
#include "firmware/durable/scan_seen.h"

#include "firmware/durable/window.h"
#include "firmware/lib/mem.h"
#include "firmware/map/ftl.h"
#include "firmware/map/modes.h"
#include "firmware/space/bad.h"
#include "firmware/space/resume.h"
#include "firmware/space/retention.h"
#include "firmware/space/spare.h"

static uint8_t* erased_of(const struct env* e, uint32_t block, uint32_t lun)
{
    FW_ASSERT(e, block < e->geo->blocks && lun < e->geo->luns);
    return (uint8_t*)env_dram(e, e->recovery->erased) + (uint64_t)block * e->geo->luns + lun;
}

bool scan_erased(const struct env* e, uint64_t address)
{
    const struct place p = address_place(e->geo, address);
    return (((uint32_t)*erased_of(e, p.block, p.lun) >> p.plane) & 1u) != 0;
}

/* A torn page is uncorrectable. This one the ECC let pass: something else has changed it. */
static void broken_page(struct env* e, uint32_t block, uint32_t page)
{
    if (e->recovery->broken++ == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "the spare words of a page are damaged; block, page", block,
                page);
    }
}

void scan_page_0_read(struct env* e, const struct flash_request* r, uint32_t plane,
                      const uint64_t* words)
{
    const bool good = ((blocks_good_planes(e, r->block, r->lun) >> plane) & 1u) != 0;
    uint64_t sequence = 0;
    uint32_t flag = 0;
    if (words != NULL && spare_read(e, words, &sequence)) {
        struct superblock* s = superblock_of(e, e->blocks, r->block);
        flag = (sequence > e->recovery->base ? SCAN_NEWER : SCAN_OLDER) | (good ? 0u : SCAN_FAILED);
        const uint32_t kind = spare_unpack(words[1]).kind;
        if (ftl_layout_of(e)->merged(kind)) {
            flag |= SCAN_MERGED;
        } else { /* whatever the record says */
            *scan_flags(e, r->block) = (uint8_t)(*scan_flags(e, r->block) & ~SCAN_MERGED);
        }
        s->newest = sequence > s->newest ? sequence : s->newest;
    } else if (!good) {
        flag = 0;
    } else if (words != NULL && words[0] == UINT64_MAX) {
        *erased_of(e, r->block, r->lun) |= (uint8_t)(1u << plane);
    } else if (words != NULL && (words[0] & 0xFFu) == 0 && e->recovery->anchor.number == 0) {
        blocks_mark_bad(e, r->block, r->lun, 1u << plane); /* the maker's: records have it */
    } else {
        flag = SCAN_PROBE;
        if (words != NULL && e->recovery->anchor.number == 0) {
            broken_page(e, r->block, 0); /* nothing else tells what was there */
        }
    }
    *scan_flags(e, r->block) = (uint8_t)(*scan_flags(e, r->block) | flag);
}

bool scan_wants(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    return (s->state == BLOCK_FULL || s->state == BLOCK_OPEN) &&
           (*scan_flags(e, block) & (SCAN_NEWER | SCAN_OPEN)) != 0;
}

bool scan_merged(struct env* e, uint32_t block)
{
    return (*scan_flags(e, block) & SCAN_MERGED) != 0;
}

bool scan_torn(const struct env* e, uint32_t block)
{
    const uint8_t* flags = env_dram(e, e->recovery->flags);
    return (flags[block] & (SCAN_TORN | SCAN_NEWER | SCAN_OLDER)) == SCAN_TORN;
}

void scan_no_more(struct env* e, uint32_t block)
{
    *scan_flags(e, block) = (uint8_t)(*scan_flags(e, block) & ~SCAN_OPEN);
}

bool scan_is_first(const struct env* e)
{
    return e->recovery->resumed == 0;
}

bool scan_may_differ(struct env* e, uint32_t block)
{
    const uint32_t flags = *scan_flags(e, block);
    if ((flags & (SCAN_NEWER | SCAN_OLDER)) == 0) {
        return true; /* page 0 tells nothing */
    }
    return (flags & SCAN_MERGED) != 0 && (flags & (SCAN_NEWER | SCAN_OPEN)) != 0;
}

void scan_sequence(struct env* e, uint32_t block, uint64_t sequence)
{
    struct recovery* v = e->recovery;
    struct superblock* b = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, b->state == BLOCK_FULL || b->state == BLOCK_OPEN);
    v->highest = sequence > v->highest ? sequence : v->highest;
    /* A record may follow that has the base of the last one: it must be scanned again then. */
    b->newest = sequence > b->newest ? sequence : b->newest;
    b->opened = sequence < b->opened ? sequence : b->opened;
}

static void keep_words(struct env* e, const struct flash_request* r, uint32_t plane,
                       const uint64_t* words, uint64_t sequence)
{
    const struct geometry* g = e->geo;
    struct recovery* v = e->recovery;
    const struct place p = {.block = r->block, .page = r->page, .lun = r->lun};
    scan_sequence(e, r->block, sequence);
    if (sequence <= v->window) {
        return;
    }
    if (sequence > v->window + v->limit) {
        v->beyond = 1;
        return;
    }
    uint64_t* entry = window_entry(e, sequence - v->window - 1);
    FW_ASSERT(e, plane < g->planes);
    entry[0] = unit_address(g, &p, 0) + 1;
    mem_copy(entry + 1 + plane * g->page_units, words + 1, g->page_units * sizeof *words);
}

bool scan_words(struct env* e, const struct flash_request* r, uint32_t plane, const uint64_t* words)
{
    const uint32_t good = blocks_good_planes(e, r->block, r->lun);
    uint64_t sequence = 0;
    FW_ASSERT(e, words != NULL && words[0] != UINT64_MAX);
    if (spare_read(e, words, &sequence)) {
        keep_words(e, r, plane, words, sequence);
        retention_found(e, r, plane, words[1]);
        return true;
    }
    if (((good >> plane) & 1u) != 0) {
        broken_page(e, r->block, r->page);
    }
    return false;
}

void scan_page_read(struct env* e, const struct flash_request* r, uint32_t plane,
                    const uint64_t* words)
{
    uint16_t* end = scan_end(e, r->scan.number, r->lun, plane);
    if (words == NULL) {
        return; /* torn: nothing of it counts, but its place is taken */
    }
    if (words[0] == UINT64_MAX) {
        *end = (uint16_t)(r->page < *end ? r->page : *end);
    } else if (scan_words(e, r, plane, words)) {
        struct superblock* s = superblock_of(e, e->blocks, r->block);
        const struct spare_unit u = spare_unpack(words[1]);
        if (u.kind == SPARE_MAP || u.kind == SPARE_JOURNAL) { /* the journal is with level 1 */
            s->maps = u.kind == SPARE_MAP ? (uint8_t)(u.index >> 32) : 1;
        }
        if (u.kind == SPARE_BLOCK) { /* of a merge, though page 0 could not tell */
            s->role = BLOCK_TARGET;
        }
    }
}

/* Asked of each run of entries: found out once, when the streams are where the scan found them. */
void scan_judge(struct env* e)
{
    uint8_t* flags = env_dram(e, e->recovery->flags);
    const uint8_t* erased = env_dram(e, e->recovery->erased);
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        uint32_t any = 0;
        for (uint32_t lun = 0; lun < e->geo->luns; ++lun) {
            any |= erased[(uint64_t)i * e->geo->luns + lun];
        }
        flags[i] = (uint8_t)(flags[i] & ~SCAN_WHOLE);
        flags[i] |= any == 0 && blocks_all_written(e, i) ? SCAN_WHOLE : 0;
    }
}

bool scan_whole(const struct env* e, uint32_t block)
{
    const uint8_t* flags = env_dram(e, e->recovery->flags);
    FW_ASSERT(e, block < e->geo->blocks);
    return (flags[block] & SCAN_WHOLE) != 0;
}
