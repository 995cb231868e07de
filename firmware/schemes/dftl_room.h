/* SPDX-License-Identifier: Apache-2.0
 *
 * Room in the cached mapping table of dftl: which entry leaves for another one.
 */
#ifndef SSDVP_FIRMWARE_SCHEMES_DFTL_ROOM_H
#define SSDVP_FIRMWARE_SCHEMES_DFTL_ROOM_H

#include "firmware/map/ftl.h"
#include "firmware/schemes/cmt.h"

#define DFTL_WAITING 16u

struct dftl {
    struct cmt cmt;
    uint64_t cache_bytes;
    uint32_t refused; /* times that only fresh entries could have made room */
    uint32_t looked;  /* maps_turns, when none of the oldest could be put out (cmt.seen) */
    uint64_t waiting[DFTL_WAITING]; /* units that wait for a victim to be written, by their last
                                       bits */
};

static inline struct dftl* dftl_own(const struct env* e)
{
    return ftl_own(e, sizeof(struct dftl));
}

static inline struct cmt_entry* dftl_entry(struct env* e, uint32_t i)
{
    return cmt_of(e, &dftl_own(e)->cmt, i);
}

void dftl_room_init(struct env* e); /* nothing is in the table, and nobody waits */
/* Room for one more entry, INDEX_NONE = not now. The oldest leaves. While it has to be written
 * others who ask have victims of their own, but everybody only one. All who ask see the same
 * oldest: when none of them can leave, the next one does not look again before something has
 * changed (full). */
uint32_t dftl_room(struct env* e, uint64_t unit);
bool dftl_full(struct env* e);
/* The unit has the entry that was found then. fetched: its page is on its way for that. */
void dftl_replace(struct env* e, uint32_t i, uint64_t unit, bool fetched);
/* true = the entry may leave now. A dirty one is on its way out then, or waits for room. */
bool dftl_clean(struct env* e, uint32_t i);
/* It is dirty, and its page is to be put out. */
bool dftl_going(struct env* e, uint32_t i);

#endif
