/* SPDX-License-Identifier: Apache-2.0
 *
 * ftl.scheme: how the firmware maps what the host writes. A scheme is the firmware's ftl_<id> in
 * firmware/schemes/<id>.c.
 */
#ifndef SSDVP_REGS_CHOICES_FTL_SCHEME_H
#define SSDVP_REGS_CHOICES_FTL_SCHEME_H

/* What a scheme is and has. */
#define SCHEME_MAP_IN_DRAM 1u    /* an entry for each page, all of them in DRAM */
#define SCHEME_PAGES_MAP 2u      /* the map lies on the flash, and a part of it in DRAM */
#define SCHEME_HAS_FRAMES 4u     /* ... by map pages in frames (firmware/map/maps_frames.h) */
#define SCHEME_HAS_SEGMENTS 8u   /* ... by segments (firmware/map/segments.h) */
#define SCHEME_PLACES 16u        /* a logical block has data blocks where each page has its place */
#define SCHEME_GROUPS_BLOCKS 32u /* a few logical blocks are mapped as one */
#define SCHEME_ONE_IN_ORDER 64u  /* one log block takes pages in order */
#define SCHEME_MAPS_BLOCKS 128u  /* an entry for each logical block, beside a log of pages */
#define SCHEME_CACHES_PAGES 512u /* its cache of the map holds pages, not entries */
#define SCHEME_OF_OPTION 256u    /* an option of another scheme picks it: no word of ftl.scheme */

#define FTL_SCHEMES(ROW)                                                                           \
    ROW(PAGE_MAP, page_map, SCHEME_MAP_IN_DRAM, "a map of pages, all of it in DRAM")               \
    ROW(DFTL, dftl, SCHEME_PAGES_MAP | SCHEME_HAS_FRAMES,                                          \
        "a map of pages on the flash, entries of it cached in DRAM")                               \
    ROW(VM_MAP, vm_map, SCHEME_PAGES_MAP | SCHEME_HAS_SEGMENTS,                                    \
        "a map of pages in segments, swapped as virtual memory is")                                \
    ROW(LOG_SET, log_set, SCHEME_PAGES_MAP | SCHEME_HAS_FRAMES | SCHEME_CACHES_PAGES,              \
        "a map of pages in logs of its own, level by level")                                       \
    ROW(LOG_SET_BLOCK, log_set_block, SCHEME_MAPS_BLOCKS | SCHEME_OF_OPTION,                       \
        "log_set with ftl.log_set.unit=block: a map of blocks beside a log of pages")              \
    ROW(MSBS, msbs, SCHEME_PLACES, "a block has spare pages for what is written again")            \
    ROW(FMAX, fmax, SCHEME_PLACES, "a logical block has a replacement block")                      \
    ROW(LM, lm, SCHEME_PLACES, "a logical block moves to a second block while it is written")      \
    ROW(BAST, bast, SCHEME_PLACES, "a log block for one logical block")                            \
    ROW(FAST, fast, SCHEME_PLACES | SCHEME_ONE_IN_ORDER,                                           \
        "random log blocks for all logical blocks, one sequential log block")                      \
    ROW(SUPERBLOCK, superblock, SCHEME_PLACES | SCHEME_GROUPS_BLOCKS,                              \
        "neighbouring logical blocks share a few update blocks, by a map of pages")                \
    ROW(KAST, kast, SCHEME_PLACES, "a log block for at most so many logical blocks")               \
    ROW(LAST, last, SCHEME_PLACES,                                                                 \
        "random log blocks for hot and cold pages, sequential ones for streams")                   \
    ROW(SAST, sast, SCHEME_PLACES, "a set of logical blocks shares a few log blocks")

#define FTL_SCHEME_ID(ID, ...) FTL_SCHEME_##ID,
enum ftl_scheme_id { FTL_SCHEMES(FTL_SCHEME_ID) };
#undef FTL_SCHEME_ID

#endif
