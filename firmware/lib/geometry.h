/* SPDX-License-Identifier: Apache-2.0
 *
 * The part as firmware counts it, and the packed physical unit address.
 *
 * LUNs have one global index in stripe order: index = lun * channels + channel, so that
 * consecutive indices lie on different channels. A physical unit is
 *
 *     row = block * pages + page | lun | plane | slot
 *
 * with row in the high bits; lun, plane and slot take whole bits each. Units of one page differ
 * in the slot bits only, pages of one multi-plane group in the plane bits only.
 */
#ifndef SSDVP_FIRMWARE_LIB_GEOMETRY_H
#define SSDVP_FIRMWARE_LIB_GEOMETRY_H

#include <stdint.h>

#define SECTOR_SHIFT 9u
#define SECTOR_SIZE 512u
#define GROUP_MAX 256u /* units in one multi-plane page group */

enum { DATA_NONE = 0, DATA_TAG = 1, DATA_FULL = 2 };

struct geometry {
    uint32_t channels;
    uint32_t luns_per_channel;
    uint32_t luns; /* all of them */
    uint32_t planes;
    uint32_t plane_all; /* mask of every plane */
    uint32_t blocks;    /* per plane = number of superblocks */
    uint32_t pages;     /* per block */
    uint32_t page_size;
    uint32_t unit_size;
    uint32_t unit_shift;
    uint32_t unit_sectors;
    uint32_t sector_shift; /* log2 unit_sectors */
    uint32_t slots;        /* units per page */
    uint32_t group;        /* units per multi-plane page group */
    uint32_t oob_bytes;    /* that firmware uses, per page */
    uint32_t slot_bits;
    uint32_t lun_shift;
    uint32_t row_shift;
    uint32_t pages_shift; /* log2 pages, 32 when it is no power of two */
    uint32_t data_mode;
    uint32_t multi_plane;
    uint32_t lun_programs; /* in hardware at once */
    uint64_t user_units;   /* logical capacity */
    uint64_t sectors;      /* the same in sectors */
};

struct place { /* one page */
    uint32_t block;
    uint32_t page;
    uint32_t lun;
    uint32_t plane;
};

/* Rows have 32 bits, addresses 64. */
static inline uint64_t unit_address(const struct geometry* g, const struct place* p, uint32_t slot)
{
    return ((uint64_t)(p->block * g->pages + p->page) << g->row_shift) | (p->lun << g->lun_shift) |
           (p->plane << g->slot_bits) | slot;
}

static inline uint32_t row_block(const struct geometry* g, uint32_t row)
{
    return g->pages_shift < 32 ? row >> g->pages_shift : row / g->pages;
}

static inline uint32_t address_row(const struct geometry* g, uint64_t address)
{
    return (uint32_t)(address >> g->row_shift);
}

static inline uint32_t address_block(const struct geometry* g, uint64_t address)
{
    return row_block(g, address_row(g, address));
}

static inline uint32_t address_slot(const struct geometry* g, uint64_t address)
{
    return (uint32_t)address & ((1u << g->slot_bits) - 1u);
}

static inline struct place address_place(const struct geometry* g, uint64_t address)
{
    const uint32_t row = address_row(g, address);
    const uint32_t low = (uint32_t)address;
    struct place p;
    p.block = row_block(g, row);
    p.page = row - p.block * g->pages;
    p.lun = (low & ((1u << g->row_shift) - 1u)) >> g->lun_shift;
    p.plane = (low & ((1u << g->lun_shift) - 1u)) >> g->slot_bits;
    return p;
}

#endif
