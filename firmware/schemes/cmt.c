/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/schemes/cmt.h"

#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "models/regs/parts/map.h"

_Static_assert(sizeof(struct cmt_entry) + sizeof(struct link) + 2 * sizeof(uint32_t) ==
                   BOOT_MAP_CACHE_ENTRY,
               "what the configuration plans with");

void cmt_init(struct env* e, struct cmt* c, uint64_t base, uint64_t bytes)
{
    uint32_t log = 0;
    FW_ASSERT(e, bytes >= BOOT_MAP_CACHE_ENTRY && bytes / BOOT_MAP_CACHE_ENTRY < INDEX_NONE);
    c->entries = (uint32_t)(bytes / BOOT_MAP_CACHE_ENTRY);
    while ((UINT64_C(2) << log) <= c->entries) {
        ++log;
    }
    c->bucket_shift = 64 - log;
    c->base = base;
    c->used = 0;
    c->protected_count = 0;
    c->bound = 0;
    c->seen = 0;
    c->last = 0;
    cmt_forget_going(c);
    c->links = c->base + c->entries * sizeof(struct cmt_entry);
    c->buckets = c->links + c->entries * sizeof(struct link);
    c->pages = c->buckets + (sizeof(uint32_t) << log);
    chain_init(&c->probation);
    chain_init(&c->protected_chain);
    FW_ASSERT(e, c->pages + (sizeof(uint32_t) << log) <= base + bytes);
}

/* An entry comes to a list, or leaves it. */
static void touch_links(const struct env* e, const struct cmt* c, uint32_t i)
{
    const struct link* links = env_dram(e, c->links);
    FW_ASSERT(e, i < c->entries);
    env_touch(e, &links[i], sizeof *links, true);
}

static struct link* links_of(struct env* e, const struct cmt* c)
{
    return (struct link*)env_dram(e, c->links);
}

/* Fibonacci hashing: neighbours fall into buckets far apart. */
static uint32_t* bucket_of(struct env* e, const struct cmt* c, uint64_t table, uint64_t key)
{
    const uint64_t hash = key * UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t n = c->bucket_shift == 64 ? 0 : hash >> c->bucket_shift;
    FW_ASSERT(e, n < c->entries);
    return (uint32_t*)env_dram(e, table) + n;
}

uint32_t cmt_find(struct env* e, struct cmt* c, uint64_t unit)
{
    const uint32_t* bucket = bucket_of(e, c, c->buckets, unit);
    uint32_t n = *bucket;
    env_touch(e, bucket, sizeof *bucket, false);
    while (n != 0) {
        const struct cmt_entry* entry = cmt_of(e, c, n - 1);
        env_touch(e, entry, sizeof *entry, false);
        if (entry->unit == unit) {
            c->last = n - 1;
            break;
        }
        n = entry->next;
    }
    return n - 1; /* 0 becomes INDEX_NONE */
}

static uint32_t in_page(struct env* e, struct cmt* c, uint32_t n, uint64_t page)
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

uint32_t cmt_first(struct env* e, struct cmt* c, uint64_t page)
{
    const uint32_t* bucket = bucket_of(e, c, c->pages, page);
    env_touch(e, bucket, sizeof *bucket, false);
    return in_page(e, c, *bucket, page);
}

uint32_t cmt_next(struct env* e, struct cmt* c, uint32_t i)
{
    const struct cmt_entry* n = cmt_of(e, c, i);
    return in_page(e, c, n->page_next, maps_page(e, n->unit));
}

void cmt_insert(struct env* e, struct cmt* c, uint32_t i, uint64_t unit)
{
    struct cmt_entry* n = cmt_of(e, c, i);
    uint32_t* bucket = bucket_of(e, c, c->buckets, unit);
    uint32_t* page = bucket_of(e, c, c->pages, maps_page(e, unit));
    FW_ASSERT(e, i <= c->used && i < c->entries);
    c->used += i == c->used ? 1u : 0u;
    c->last = i;
    env_touch(e, n, sizeof *n, true);
    env_touch(e, bucket, sizeof *bucket, true);
    env_touch(e, page, sizeof *page, true);
    n->unit = unit;
    n->address = FTL_NONE;
    n->pins = 0;
    n->flags = 0;
    n->next = *bucket;
    *bucket = i + 1;
    n->page_next = *page;
    n->page_previous = 0;
    if (*page != 0) {
        cmt_of(e, c, *page - 1)->page_previous = i + 1;
    }
    *page = i + 1;
}

void cmt_remove(struct env* e, struct cmt* c, uint32_t i)
{
    struct cmt_entry* n = cmt_of(e, c, i);
    uint32_t* from = bucket_of(e, c, c->buckets, n->unit);
    FW_ASSERT(e, n->pins == 0 && (n->flags & (CMT_DIRTY | CMT_LOADING)) == 0);
    while (*from != i + 1) {
        FW_ASSERT(e, *from != 0);
        from = &cmt_of(e, c, *from - 1)->next;
    }
    *from = n->next;
    if (n->page_next != 0) {
        cmt_of(e, c, n->page_next - 1)->page_previous = n->page_previous;
    }
    if (n->page_previous != 0) {
        cmt_of(e, c, n->page_previous - 1)->page_next = n->page_next;
    } else {
        *bucket_of(e, c, c->pages, maps_page(e, n->unit)) = n->page_next;
    }
}

void cmt_enlist(struct env* e, struct cmt* c, uint32_t i)
{
    struct cmt_entry* n = cmt_of(e, c, i);
    FW_ASSERT(e, n->pins == 0 && (n->flags & CMT_LOADING) == 0);
    touch_links(e, c, i);
    if ((n->flags & CMT_PROTECTED) == 0) {
        chain_append(&c->probation, links_of(e, c), i);
        return;
    }
    chain_append(&c->protected_chain, links_of(e, c), i);
    ++c->protected_count;
    if (c->protected_count > c->entries / 2) { /* the oldest is on probation again */
        const uint32_t out = c->protected_chain.first;
        chain_remove(&c->protected_chain, links_of(e, c), out);
        --c->protected_count;
        cmt_of(e, c, out)->flags = (uint8_t)(cmt_of(e, c, out)->flags & ~CMT_PROTECTED);
        chain_append(&c->probation, links_of(e, c), out);
    }
}

void cmt_unsee(struct env* e, struct cmt* c, uint32_t i)
{
    struct cmt_entry* n = cmt_of(e, c, i);
    FW_ASSERT(e, i < c->used);
    if ((n->flags & CMT_SEEN) != 0) {
        n->flags = (uint8_t)(n->flags & ~CMT_SEEN);
        c->seen = 0;
        cmt_forget_going(c);
    }
}

/* The one behind those that were seen is among the oldest then. */
void cmt_delist(struct env* e, struct cmt* c, uint32_t i)
{
    const bool guarded = (cmt_of(e, c, i)->flags & CMT_PROTECTED) != 0;
    FW_ASSERT(e, !guarded || c->protected_count != 0);
    cmt_unsee(e, c, i);
    touch_links(e, c, i);
    if (c->behind == i) {
        c->behind = links_of(e, c)[i].next;
    }
    chain_remove(guarded ? &c->protected_chain : &c->probation, links_of(e, c), i);
    c->protected_count -= guarded ? 1u : 0u;
}

void cmt_hold(struct env* e, struct cmt* c, uint32_t i)
{
    struct cmt_entry* n = cmt_of(e, c, i);
    FW_ASSERT(e, n->pins < UINT16_MAX);
    if (n->pins == 0) {
        c->bound += (n->flags & CMT_DIRTY) == 0 ? 1u : 0u;
        cmt_delist(e, c, i);
    }
    ++n->pins;
}

void cmt_touch(struct env* e, struct cmt* c, uint32_t i, bool pin)
{
    struct cmt_entry* n = cmt_of(e, c, i);
    const bool first = (n->flags & (CMT_FRESH | CMT_MOVED)) != 0;
    const bool listed = n->pins == 0;
    FW_ASSERT(e, (n->flags & CMT_LOADING) == 0);
    if (pin) {
        cmt_hold(e, c, i);
    } else if (listed) {
        cmt_delist(e, c, i);
    }
    n->flags = (uint8_t)((n->flags & ~(CMT_FRESH | CMT_MOVED)) | (first ? 0 : CMT_PROTECTED));
    if (listed && !pin) {
        cmt_enlist(e, c, i);
    }
}

void cmt_retire(struct env* e, struct cmt* c, uint32_t i)
{
    FW_ASSERT(e, cmt_of(e, c, i)->pins == 0 && (cmt_of(e, c, i)->flags & CMT_PROTECTED) == 0);
    chain_remove(&c->probation, links_of(e, c), i);
    chain_prepend(&c->probation, links_of(e, c), i);
    c->seen = 0;
    cmt_forget_going(c);
}
