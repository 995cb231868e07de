/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: residents by the logical block that they belong to, for fab and bplru. A group is found
 * by a hash of its number; what order groups are in is the policy's.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_GROUPS_H
#define SSDVP_FIRMWARE_BUFFER_GROUPS_H

#include "firmware/buffer/cache.h"

#define RUN_NONE UINT32_MAX

struct cache_group {
    uint64_t number; /* unit / cache.group_units */
    uint32_t hash_next;
    uint32_t count;       /* residents, 0 = it is free */
    struct chain members; /* by use_links */
    uint32_t run;         /* units that came in order, from the first one on; RUN_NONE */
    uint32_t leaving;     /* bplru: 1 = it is going unit by unit, in no order of groups */
};

static inline struct cache_group* group_at(struct env* e, uint32_t group)
{
    return (struct cache_group*)env_dram_entry(e, e->cache->staged.groups.table, group,
                                               sizeof(struct cache_group));
}

static inline struct link* group_links(struct env* e)
{
    return (struct link*)env_dram(e, e->cache->staged.groups.links);
}

void groups_init(struct env* e);
uint32_t groups_find(struct env* e, uint64_t number); /* INDEX_NONE = it has no residents */
/* A slot joins its group, which may be fresh (count is 1 then), or quits it, which is freed if it
 * was the last one (count is 0 then, and the policy has it in no order any more). */
uint32_t groups_join(struct env* e, uint32_t slot);
void groups_quit(struct env* e, uint32_t slot);
/* Brings the members into the order of their units. */
void groups_sort(struct env* e, uint32_t group);

#endif
