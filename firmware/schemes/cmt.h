/* SPDX-License-Identifier: Apache-2.0
 *
 * Cached mapping table of dftl: single entries of the map, found by their unit, in a segmented LRU
 * list. An entry comes in on probation and is protected from its second use on; the oldest one on
 * probation leaves first. What is pinned or being fetched is in neither list.
 *
 * Memory that is all zero is an empty table, so indices in it are stored + 1.
 */
#ifndef SSDVP_FIRMWARE_SCHEMES_CMT_H
#define SSDVP_FIRMWARE_SCHEMES_CMT_H

#include "firmware/lib/list.h"
#include "firmware/map/maps.h"

enum cmt_flag {
    CMT_DIRTY = 0x01,     /* its page on the flash does not know it */
    CMT_LOADING = 0x02,   /* its page is being fetched */
    CMT_FRESH = 0x04,     /* fetched, and whoever asked has not come back yet */
    CMT_PROTECTED = 0x08, /* on the protected list, or returns there */
    CMT_VICTIM = 0x10,    /* it is to leave: its page is put out for that */
    CMT_MOVED = 0x20,     /* only collection has used it */
    CMT_SEEN = 0x40,      /* one of cmt.seen */
    CMT_GOING = 0x80      /* one of cmt.going */
};

struct cmt_entry {
    uint64_t unit;
    uint64_t address;       /* as a lookup tells it */
    uint32_t next;          /* in its bucket */
    uint32_t page_next;     /* in the bucket of its page */
    uint32_t page_previous; /* 0 = the first */
    uint16_t pins;
    uint8_t flags;
    uint8_t reserved;
};

struct cmt {
    uint64_t base;    /* struct cmt_entry per entry */
    uint64_t links;   /* struct link per entry */
    uint64_t buckets; /* uint32_t per bucket: by unit ... */
    uint64_t pages;   /* ... and by page */
    uint32_t entries;
    uint32_t used;        /* entries that have ever held something; the rest is free */
    uint32_t bucket_mask; /* bits of a hash that are the bucket */
    uint32_t protected_count;
    uint32_t bound; /* entries that are pinned or dirty */
    uint32_t last;  /* entry that was found or came in last */
    uint32_t seen;  /* so many of the oldest, but for clean ones, could not leave ... */
    uint32_t past;  /* ... and this one is behind them, INDEX_NONE = the oldest */
    uint32_t going; /* so many of these, the oldest, are on their way out */
    uint32_t behind;
    uint32_t reserved;
    struct chain probation; /* oldest first */
    struct chain protected_chain;
};

void cmt_init(struct env* e, struct cmt* c, uint64_t base, uint64_t bytes);

static inline struct cmt_entry* cmt_of(struct env* e, const struct cmt* c, uint32_t i)
{
    return (struct cmt_entry*)env_dram_entry(e, c->base, i, sizeof(struct cmt_entry));
}

uint32_t cmt_find(struct env* e, struct cmt* c, uint64_t unit); /* INDEX_NONE = it is not here */
/* The same, where it often is the one that was found, or came in, last. An entry in use always
 * holds a unit. */
static inline uint32_t cmt_again(struct env* e, struct cmt* c, uint64_t unit)
{
    return c->last < c->used && cmt_of(e, c, c->last)->unit == unit ? c->last
                                                                    : cmt_find(e, c, unit);
}
/* First and next entry of a page, INDEX_NONE at the end. Those that are LOADING come first. */
uint32_t cmt_first(struct env* e, struct cmt* c, uint64_t page);
/* From an entry of the bucket on, by its number + 1. */
static inline uint32_t cmt_in_page(struct env* e, struct cmt* c, uint32_t n, uint64_t page)
{
    while (n != 0) {
        const struct cmt_entry* entry = cmt_of(e, c, n - 1);
        env_touch(e, entry, sizeof *entry, false);
        if (maps_page(e, entry->unit) == page) {
            break;
        }
        n = entry->page_next;
    }
    return n - 1;
}
static inline uint32_t cmt_next(struct env* e, struct cmt* c, uint32_t i, uint64_t page)
{
    return cmt_in_page(e, c, cmt_of(e, c, i)->page_next, page);
}
/* The entry that should leave next, dirty or not; the one after it, INDEX_NONE. */
static inline uint32_t cmt_oldest(struct env* e, struct cmt* c)
{
    FW_ASSERT(e, c->used <= c->entries);
    return c->probation.first != INDEX_NONE ? c->probation.first : c->protected_chain.first;
}

static inline uint32_t cmt_younger(struct env* e, struct cmt* c, uint32_t i)
{
    const uint32_t next = ((const struct link*)env_dram(e, c->links))[i].next;
    const struct cmt_entry* n = cmt_of(e, c, i);
    FW_ASSERT(e, n->pins == 0);
    return next != INDEX_NONE || (n->flags & CMT_PROTECTED) != 0 ? next : c->protected_chain.first;
}
/* It holds a unit from now on, on neither list (entry `used` is the next free one), and is fetched
 * if its page is on its way for that: such entries come before all others of the page. The unit
 * leaves, and it holds another at once. */
void cmt_insert(struct env* e, struct cmt* c, uint32_t i, uint64_t unit, bool fetched);
void cmt_remove(struct env* e, struct cmt* c, uint32_t i);
/* Onto its list as the youngest; off it. It was used, and is pinned, or is not. */
void cmt_enlist(struct env* e, struct cmt* c, uint32_t i);
void cmt_delist(struct env* e, struct cmt* c, uint32_t i);
void cmt_touch(struct env* e, struct cmt* c, uint32_t i, bool pin);
void cmt_hold(struct env* e, struct cmt* c, uint32_t i); /* one pin more */
/* Which of the oldest cannot leave is not known any more. One that was looked at cannot; it is on
 * its way out. */
void cmt_forget_seen(struct env* e, struct cmt* c);
void cmt_see(struct env* e, struct cmt* c, uint32_t i, bool goes);
/* It is not dirty any more, and may be able to leave: at once if it was on its way out, or only
 * collection has used it. */
void cmt_clean(struct env* e, struct cmt* c, uint32_t i);

#endif
