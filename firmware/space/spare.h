/* SPDX-License-Identifier: Apache-2.0
 *
 * Spare (out-of-band) words of a page: what power-up recovery reads. One header word, then one word
 * per unit of the page, in their order; docs/SPEC.md shows them bit by bit.
 *
 * header: bits 0..7 format, 8..23 CRC-16 of everything else, 24..63 sequence of the program
 * unit:   bits 0..34 index, 35 lost, 36..39 kind, 40..63 check
 *
 * The sequence orders all programs of a drive: of two copies of a unit the one with the higher
 * sequence is the newer one, or the same. The format is never 00h, which is the maker's mark of a
 * bad block, nor FFh, which an erased page has there.
 */
#ifndef SSDVP_FIRMWARE_SPACE_SPARE_H
#define SSDVP_FIRMWARE_SPACE_SPARE_H

#include <stdbool.h>

#include "firmware/lib/crc.h"
#include "firmware/lib/env.h"
#include "firmware/lib/geometry.h"

#define SPARE_FORMAT 0xA2u
#define SPARE_INDEX_BITS 35u
#define SPARE_INDEXES (UINT64_C(1) << SPARE_INDEX_BITS)
#define SPARE_SEQUENCES (UINT64_C(1) << 40)

enum spare_kind {
    SPARE_PAD = 0,     /* nobody's data */
    SPARE_DATA = 1,    /* index = logical unit */
    SPARE_MAP = 2,     /* a page of a map: index = level << 32 | page; check = of its content */
    SPARE_JOURNAL = 3, /* index = journal unit */
    SPARE_ANCHOR = 4,  /* index = anchor record */
    SPARE_BLOCK = 5,   /* of a data block: index = logical unit; check = lost pages, in the last */
    /* Block mapping (blocks/blockmap.h), index = logical unit: by the role of the block. */
    SPARE_HOME = 6,
    SPARE_SECOND = 7,
    SPARE_SHARED = 8,
    SPARE_COPY = 9 /* written by a merge; check = 1 in the last page of it */
};

struct spare_unit {
    uint64_t index;
    uint32_t kind; /* enum spare_kind */
    uint32_t lost; /* 1 = the data of the unit are lost */
    uint32_t check;
};

/* The check of a unit's content, as the spare word of a map page or a journal unit carries it. */
uint32_t spare_check(const struct env* e, const void* data);
struct content_sums spare_sum(const struct env* e, const void* data); /* content_fold() of it */

/* Words of a page, and the word of the n-th unit of an operation whose planes follow each other. */
static inline uint32_t spare_words(const struct geometry* g)
{
    return 1 + g->page_units;
}

static inline uint32_t spare_word(const struct geometry* g, uint32_t n)
{
    return n / g->page_units * spare_words(g) + 1 + n % g->page_units;
}

static inline uint64_t spare_pack(uint32_t kind, uint64_t index)
{
    return index | ((uint64_t)kind << 36);
}

#define SPARE_LOST (UINT64_C(1) << SPARE_INDEX_BITS)
#define SPARE_CHECK_SHIFT 40u

static inline struct spare_unit spare_unpack(uint64_t word)
{
    const struct spare_unit u = {word & (SPARE_INDEXES - 1), (uint32_t)(word >> 36) & 0xFu,
                                 (uint32_t)(word >> SPARE_INDEX_BITS) & 1u,
                                 (uint32_t)(word >> SPARE_CHECK_SHIFT)};
    return u;
}

/* Writes the headers of `pages` pages whose unit words are in place. */
void spare_seal(struct env* e, uint64_t* words, uint32_t pages, uint64_t sequence);
/* true = a page of this format whose words are whole; its sequence. */
bool spare_read(const struct env* e, const uint64_t* words, uint64_t* sequence);

#endif
