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
    c->bucket_mask = (1u << log) - 1;
    c->base = base;
    c->used = 0;
    c->protected_count = 0;
    c->bound = 0;
    c->last = 0;
    c->seen = c->going = 0;
    c->past = c->behind = INDEX_NONE;
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
    return (uint32_t*)env_dram(e, table) + ((uint32_t)(hash >> 32) & c->bucket_mask);
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

uint32_t cmt_first(struct env* e, struct cmt* c, uint64_t page)
{
    const uint32_t* bucket = bucket_of(e, c, c->pages, page);
    env_touch(e, bucket, sizeof *bucket, false);
    return cmt_in_page(e, c, *bucket, page);
}

/* The last entry of a page that is LOADING, INDEX_NONE = none is. */
static uint32_t last_loading(struct env* e, struct cmt* c, uint64_t page)
{
    uint32_t last = INDEX_NONE;
    for (uint32_t i = cmt_first(e, c, page);
         i != INDEX_NONE && (cmt_of(e, c, i)->flags & CMT_LOADING) != 0;
         i = cmt_next(e, c, i, page)) {
        last = i;
    }
    return last;
}

void cmt_insert(struct env* e, struct cmt* c, uint32_t i, uint64_t unit, bool fetched)
{
    struct cmt_entry* n = cmt_of(e, c, i);
    uint32_t* bucket = bucket_of(e, c, c->buckets, unit);
    const uint64_t page = maps_page(e, unit);
    uint32_t* at = bucket_of(e, c, c->pages, page);
    const uint32_t behind =
        !fetched && maps_loading(e, 1, page) ? last_loading(e, c, page) : INDEX_NONE;
    at = behind == INDEX_NONE ? at : &cmt_of(e, c, behind)->page_next;
    FW_ASSERT(e, i <= c->used && i < c->entries);
    c->used += i == c->used ? 1u : 0u;
    c->last = i;
    env_touch(e, n, sizeof *n, true);
    env_touch(e, bucket, sizeof *bucket, true);
    env_touch(e, at, sizeof *at, true);
    n->unit = unit;
    n->address = FTL_NONE;
    n->pins = 0;
    n->flags = fetched ? CMT_LOADING : 0;
    n->next = *bucket;
    *bucket = i + 1;
    n->page_next = *at;
    n->page_previous = behind + 1; /* INDEX_NONE becomes 0 */
    if (*at != 0) {
        cmt_of(e, c, *at - 1)->page_previous = i + 1;
    }
    *at = i + 1;
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

void cmt_forget_seen(struct env* e, struct cmt* c)
{
    FW_ASSERT(e, c->going <= c->seen && c->seen <= c->used);
    for (uint32_t i = cmt_oldest(e, c); c->seen != 0; i = cmt_younger(e, c, i)) {
        struct cmt_entry* n = cmt_of(e, c, i);
        c->seen -= (n->flags & CMT_SEEN) != 0 ? 1u : 0u;
        n->flags = (uint8_t)(n->flags & ~(CMT_SEEN | CMT_GOING));
    }
    c->going = 0;
    c->past = c->behind = INDEX_NONE;
}

void cmt_see(struct env* e, struct cmt* c, uint32_t i, bool goes)
{
    struct cmt_entry* n = cmt_of(e, c, i);
    FW_ASSERT(e, n->pins == 0);
    if (i == (c->past != INDEX_NONE ? c->past : cmt_oldest(e, c))) {
        n->flags |= CMT_SEEN;
        ++c->seen;
        c->past = cmt_younger(e, c, i);
    }
    if (goes && (n->flags & CMT_SEEN) != 0 &&
        i == (c->behind != INDEX_NONE ? c->behind : cmt_oldest(e, c))) {
        n->flags |= CMT_GOING;
        ++c->going;
        c->behind = cmt_younger(e, c, i);
    }
}

/* It is as if nobody had looked at it: it leaves the list, or goes to its head. */
static void unsee(struct env* e, struct cmt* c, uint32_t i)
{
    struct cmt_entry* n = cmt_of(e, c, i);
    FW_ASSERT(e, i < c->used);
    if (c->past == i) {
        c->past = links_of(e, c)[i].next;
    }
    if (c->behind == i) {
        c->behind = links_of(e, c)[i].next;
    }
    if ((n->flags & CMT_SEEN) != 0) {
        --c->seen;
        c->going -= (n->flags & CMT_GOING) != 0 ? 1u : 0u;
        n->flags = (uint8_t)(n->flags & ~(CMT_SEEN | CMT_GOING));
    }
}

void cmt_delist(struct env* e, struct cmt* c, uint32_t i)
{
    const bool guarded = (cmt_of(e, c, i)->flags & CMT_PROTECTED) != 0;
    FW_ASSERT(e, !guarded || c->protected_count != 0);
    unsee(e, c, i);
    touch_links(e, c, i);
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

void cmt_clean(struct env* e, struct cmt* c, uint32_t i)
{
    struct cmt_entry* n = cmt_of(e, c, i);
    const bool first = (n->flags & (CMT_SEEN | CMT_MOVED)) != 0;
    FW_ASSERT(e, (n->flags & CMT_DIRTY) != 0);
    n->flags = (uint8_t)(n->flags & ~(CMT_DIRTY | CMT_VICTIM));
    if (n->pins != 0) {
        return;
    }
    --c->bound;
    if (first && (n->flags & CMT_PROTECTED) == 0) { /* it leaves before all others */
        unsee(e, c, i);
        chain_remove(&c->probation, links_of(e, c), i);
        chain_prepend(&c->probation, links_of(e, c), i);
    } else if (first) {
        cmt_forget_seen(e, c);
    }
}
