/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of writes, and where the next write unit of each goes. A superblock is block b of every
 * plane of every LUN together (state.h).
 *
 * A write stream fills one superblock. Each LUN has a page pointer in it; the stream visits LUNs
 * in stripe order and takes one multi-plane page group per visit. A batch too short for the
 * whole group takes fewer planes; the stream comes back for the rest on its next visit, so that
 * pages of a block are always programmed in order.
 */
#ifndef SSDVP_FIRMWARE_SPACE_BLOCKS_H
#define SSDVP_FIRMWARE_SPACE_BLOCKS_H

#include "firmware/space/lanes.h"

/* Streams: those that a record tells of; of the host by directive. true = the host has any but its
 * first. The superblock that one has open, INDEX_NONE. */
static inline uint32_t blocks_streams(const struct env* e)
{
    return e->blocks->streams;
}
static inline uint32_t blocks_directed(const struct env* e)
{
    return e->blocks->directed;
}
static inline bool blocks_routed(const struct env* e)
{
    return e->blocks->routes != 0;
}
static inline uint32_t blocks_open_of(const struct env* e, uint32_t stream)
{
    return e->blocks->stream[stream].block;
}
/* The stream that has the superblock open, INDEX_NONE; the next page of its superblock on a LUN. */
uint32_t blocks_writer(const struct env* e, uint32_t block);
static inline uint32_t blocks_page_of(const struct env* e, uint32_t stream, uint32_t lun)
{
    return ((const struct write_pointer*)env_dram(e, e->blocks->stream[stream].pointers))[lun].page;
}
/* Power-up gives no stream a superblock of another one. */
static inline void blocks_keep_apart(struct env* e)
{
    e->blocks->apart = 1;
}

int blocks_init(struct env* e);

int blocks_map_streams(struct env* e, uint32_t count); /* so many instead of one; 0 = done */

/* Units of the next write unit of a stream, opening a superblock when needed; 0 = none to open. */
uint32_t blocks_next_units(struct env* e, uint32_t stream);
uint32_t blocks_room(struct env* e, uint32_t stream); /* of its open superblock; 0 = none open */
void blocks_close(struct env* e, uint32_t stream);    /* that is full, whatever room it has */
/* Of pages of a log of maps: its own, or the one of a victim's data, where room is counted too. */
uint32_t blocks_map_stream(struct env* e, uint32_t log);
/* Takes the next write unit, with only as many planes as `wanted` units fill. true = taken. */
bool blocks_place(struct env* e, uint32_t stream, uint32_t wanted, struct write_unit* out);
/* The same on one LUN: the planes that its next write unit of the stream has, from `first` on if it
 * is among them, 0 = none; takes these planes of it. 1 = taken. */
uint32_t blocks_next_planes(struct env* e, uint32_t stream, uint32_t lun, uint32_t first);
bool blocks_place_on(struct env* e, uint32_t stream, uint32_t lun, uint32_t planes,
                     struct write_unit* out);
/* Which places of an open or full superblock have been given to whoever writes it: planes of a
 * page, and units of all. */
uint32_t blocks_placed_planes(struct env* e, uint32_t block, uint32_t lun, uint32_t page);
uint32_t blocks_placed_units(struct env* e, uint32_t block);

#endif
