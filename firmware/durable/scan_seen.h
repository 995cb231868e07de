/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scan has seen: what the spare words of pages tell, and what is known of superblocks by
 * them. Here is nothing read.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_SCAN_SEEN_H
#define SSDVP_FIRMWARE_DURABLE_SCAN_SEEN_H

#include <stdbool.h>

#include "firmware/durable/state.h"

/* enum scan_flag of a superblock. */
static inline uint8_t* scan_flags(struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
    return (uint8_t*)env_dram(e, e->recovery->flags) + block;
}

/* Ends of the pages of a superblock in the batch that is scanned, by LUN and plane. */
static inline uint16_t* scan_ends(struct env* e, uint32_t at)
{
    FW_ASSERT(e, at < e->recovery->batch_most);
    return (uint16_t*)env_dram(e, e->recovery->ends) + (uint64_t)at * e->geo->luns * e->geo->planes;
}

static inline uint16_t* scan_end(struct env* e, uint32_t at, uint32_t lun, uint32_t plane)
{
    FW_ASSERT(e, lun < e->geo->luns && plane < e->geo->planes);
    return scan_ends(e, at) + lun * e->geo->planes + plane;
}

/* true = no window has been read before: what streams have open is not known yet. */
bool scan_is_first(const struct env* e);
/* true = nothing in the superblock can be read, and it is not erased. */
bool scan_torn(const struct env* e, uint32_t block);
/* Nothing in it tells of programs behind the base. */
void scan_no_more(struct env* e, uint32_t block);
/* true = pages of it may belong to the window; a merge wrote it, as page 0 says. */
bool scan_wants(struct env* e, uint32_t block);
bool scan_merged(struct env* e, uint32_t block);
/* true = a superblock whose pages are programmed in any order may not be as it was at the base. */
bool scan_may_differ(struct env* e, uint32_t block);
/* What a page that is not erased tells goes into the replay table. false = its words are damaged. A
 * page has this sequence. */
bool scan_words(struct env* e, const struct flash_request* r, uint32_t plane,
                const uint64_t* words);
void scan_sequence(struct env* e, uint32_t block, uint64_t sequence);

/* All has been read: which superblocks are written to their end (scan_whole). */
void scan_judge(struct env* e);
/* true = power-up found the block of the address erased. */
bool scan_erased(const struct env* e, uint64_t address);
/* true = of no address of the superblock, which the scan found written to its end. */
bool scan_whole(const struct env* e, uint32_t block);

/* A page that one of these has asked for (scan.c); words = NULL when it is unreadable. */
void scan_page_0_read(struct env* e, const struct flash_request* r, uint32_t plane,
                      const uint64_t* words);
void scan_page_read(struct env* e, const struct flash_request* r, uint32_t plane,
                    const uint64_t* words);

#endif
