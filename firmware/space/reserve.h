/* SPDX-License-Identifier: Apache-2.0
 *
 * What the firmware needs beyond the user's data: superblocks, units, blocks. Numbers only: a
 * configuration is checked against them.
 */
#ifndef SSDVP_FIRMWARE_SPACE_RESERVE_H
#define SSDVP_FIRMWARE_SPACE_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#define RESERVE_FREE 1u        /* free superblocks that only collection may open */
#define RESERVE_REFRESH 1u     /* ... and so many more while it refreshes: blocks may fail then */
#define RESERVE_FOLD 1u        /* ... and one more while the SLC cache is folded into the rest */
#define RESERVE_PASSES 1u      /* ... and one more for padding of word lines that take two passes */
#define RESERVE_CUTS 2u        /* ... and more: a loss of power closes what is open of these */
#define RESERVE_PAGING 1u      /* ... that the host leaves to a map that is paged */
#define RESERVE_GARBAGE 2u     /* superblocks more, for what such a map leaves behind */
#define RESERVE_SUPERBLOCKS 3u /* open for host and collection, and the free one */
#define RESERVE_MAP_STREAM 1u  /* ... and that of maps, where there is one to spare */

/* Streams whose planes may be written apart (lanes.h): of the host, of collection, of wear
 * levelling; each may have superblocks open beyond the one that is counted above. */
#define RESERVE_LANE_STREAMS 3u

/* Streams of the host by directive (host/nvme/directives.h): each has a superblock open of its own.
 */
#define RESERVE_DIRECTED_MOST 16u

/* One drive in so many blocks may have bad ones before the plan changes (boot.c). */
#define RESERVE_BAD_SHARE 32u

/* Pages of level 2 of a map that are in memory at least: one that is held, and one that comes in.
 */
#define MAP_FRAMES_LEAST 2u

/* Units of the journal that may matter at once: half a superblock, within these. */
#define JOURNAL_UNITS_LEAST 4u
#define JOURNAL_UNITS 32u
#define JOURNAL_BYTES (128u * 1024u) /* ... and not more than this, where units are large */

/* Blocks of a map of so many segments. Besides those that hold one: a spare that takes the next
 * commit, one for when that fails, and those that may fail before. */
#define MAP_BLOCKS_LEAST 2u /* with fewer besides, the host may write no more */
#define MAP_BLOCKS(segments) ((segments) + MAP_BLOCKS_LEAST + 1u + (segments) / RESERVE_BAD_SHARE)
#define SEGMENT_REQUESTS 8u     /* programs and erases of them at a time */
#define SEGMENT_MOVES 1024u     /* of units whose segment is not in memory */
#define SEGMENT_NUMBER_BYTES 4u /* per segment in the tables of an anchor record */
#define MAP_BLOCK_BYTES 8u      /* ... per map block */

/* Hybrid mapping: pages of a merge in work; merges at a time; log blocks that preconditioning has
 * at least; those that may wait for their erase; marks of units without a page of the log. */
#define MERGE_DEPTH 4u
#define HYBRID_MERGES(luns) ((luns) < 8u ? (luns) : 8u)
#define HYBRID_LOG_LEAST 2u
#define HYBRID_LEAVING 6u
#define HYBRID_LOG_SLOTS(log_blocks)                                                               \
    (((log_blocks) > HYBRID_LOG_LEAST ? (log_blocks) : HYBRID_LOG_LEAST) + HYBRID_LEAVING)
#define HYBRID_MARKS(pages) (2u * (pages) + 16u)
/* Bytes of the log's table in front of an anchor record. */
#define HYBRID_TABLE_BYTES(slots, pages)                                                           \
    (8u * ((uint64_t)(slots) * (1u + (pages)) + 2u * HYBRID_MARKS(pages)))

/* Block mapping (blocks/blockmap.h): merges at a time; slots of log blocks beyond those that the
 * scheme plans, which power-up may need before it knows which of them have become data blocks;
 * bytes of an image set: its head, per block its role, owner and three bits per page; per slot its
 * block, fill and place in the order; per page of a second block or spare page, of a shared block.
 */
#define BLOCKMAP_FOLDS(luns) HYBRID_MERGES(luns)
#define BLOCKMAP_SLACK(luns) (BLOCKMAP_FOLDS(luns) + 8u)
#define BLOCKMAP_HEAD_BYTES 16u
#define BLOCKMAP_BLOCK_BYTES(pages) (8u + 12u * (((pages) + 31u) / 32u))
#define BLOCKMAP_SLOT_BYTES 16u
#define BLOCKMAP_UNIT_BYTES 4u
/* In front of an anchor record: which set of image pages is the record's. */
#define BLOCKMAP_TABLE_BYTES 8u

/* Retention (retention.h): slots of the wheel, more than the ages that a stamp can tell apart;
 * bytes per superblock in front of an anchor record. */
#define RETENTION_WHEEL 128u
#define RETENTION_TABLE_BYTES 8u

#define ANCHOR_COPIES 2u /* on different LUNs, if there are */
#define ANCHOR_BLOCKS 3u /* of a copy, taking turns */
#define ANCHOR_SPAN 8u   /* blocks make one where a record does not fit a block, at most */
#define ANCHOR_REACH 16u /* it is looked for in so many places, times the span */
#define ANCHOR_SHARES 8u /* superblocks of fewer blocks are not used with some of them missing */

/* true = the part has so few planes that the anchor takes whole superblocks of all of them. */
static inline bool reserve_small(uint64_t luns, uint64_t planes)
{
    return luns * planes < ANCHOR_SHARES;
}

/* Superblocks that the host leaves to a map that is paged. Where they are one block, all of it may
 * be pages with a single unit of the map, and what collection moves may need as many of these. */
static inline uint64_t reserve_paging(uint64_t slots, bool narrow)
{
    return RESERVE_PAGING + (narrow ? slots : 0);
}

/* Units that a checkpoint and the journal may leave empty: the last page of each level, and all
 * pages of the journal, may hold one. That is worth counting where superblocks are one block. */
static inline uint64_t reserve_padding(uint64_t levels, uint64_t journal, uint64_t slots,
                                       bool narrow)
{
    return narrow ? (levels + journal) * (slots - 1) : 0;
}

/* Blocks of the part that belong to no superblock for the anchor's sake; narrow: superblocks are
 * one block. */
static inline uint64_t reserve_anchor(uint64_t luns, uint64_t planes, uint64_t span, bool narrow)
{
    const uint64_t blocks = ANCHOR_BLOCKS * span;
    if (!narrow && reserve_small(luns, planes)) {
        return (blocks + planes - 1) / planes * luns * planes;
    }
    return blocks * (luns > 1 ? ANCHOR_COPIES : 1);
}

/* Bytes of the tables in front of an anchor record (docs/SPEC.md, section 5): per superblock beside
 * one per LUN, streams, per stream beside its pointers, per pointer of a LUN. */
#define ANCHOR_SUPERBLOCK_BYTES 8u
#define ANCHOR_STREAMS 4u
#define ANCHOR_STREAM_BYTES 16u
#define ANCHOR_POINTER_BYTES 4u
/* Where planes are written apart: per superblock that such a stream may have open, per lane. */
#define ANCHOR_LANES_BYTES 16u
#define ANCHOR_LANE_BYTES 2u
/* ... or per such stream and plane, where each plane has its own. */
#define ANCHOR_PLANE_BYTES 8u

#endif
