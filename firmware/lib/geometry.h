/* SPDX-License-Identifier: Apache-2.0
 *
 * The part as firmware counts it, and the packed physical unit address.
 *
 * LUNs have one global index in stripe order: index = lun * channels + channel, so that
 * consecutive indices lie on different channels. A physical unit is
 *
 *     row = block * pages + page | lun | plane | unit in the page
 *
 * with row in the high bits; lun, plane and unit take whole bits each. Units of one page differ
 * in the unit bits only, pages of one multi-plane group in the plane bits only.
 *
 * Firmware counts the part as it is (`part`) where a superblock is a block of every plane of every
 * LUN. Where it is one block, firmware counts a part of one LUN of one plane with as many blocks as
 * there are; block n of it is that of LUN n % luns, plane n / luns % planes, with the number
 * n / (luns * planes), so that neighbours lie on different channels. ops/ring.c translates; what
 * lies above it knows the part only where it counts LUNs that work side by side.
 */
#ifndef SSDVP_FIRMWARE_LIB_GEOMETRY_H
#define SSDVP_FIRMWARE_LIB_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "models/regs/choices/stripe.h"

#define SECTOR_SHIFT 9u
#define SECTOR_SIZE 512u
#define GROUP_MAX 256u /* units in one multi-plane page group */

enum { DATA_NONE = 0, DATA_TAG = 1, DATA_FULL = 2 };

/* A drive that several cores with the ftl role share (boot_params.partition): each serves a
 * partition. Sectors of the drive go to the partitions in turn, a stripe at a time, so that what is
 * contiguous in the drive is contiguous within each partition:
 *
 *     sector = row of stripes | partition | sector in the stripe */
struct partition {
    uint32_t bits;   /* log2 of the number of partitions, 0 = the drive is not divided */
    uint32_t index;  /* this one */
    uint32_t stripe; /* log2 of its sectors */
};

static inline uint32_t partition_of(const struct partition* p, uint64_t sector)
{
    return (uint32_t)(sector >> p->stripe) & ((1u << p->bits) - 1u);
}

/* Sectors of partition `index` in front of a sector of the drive: of one that lies in it, its
 * number there. */
static inline uint64_t partition_before(const struct partition* p, uint32_t index, uint64_t sector)
{
    const uint64_t stripe = UINT64_C(1) << p->stripe;
    const uint64_t row = sector >> (p->stripe + p->bits);
    const uint64_t rest = sector & ((stripe << p->bits) - 1);
    const uint64_t begin = (uint64_t)index << p->stripe;
    const uint64_t part = rest <= begin ? 0 : rest - begin;
    return (row << p->stripe) + (part < stripe ? part : stripe);
}

/* The sector of the drive that is number `sector` of partition `index`. */
static inline uint64_t partition_sector(const struct partition* p, uint32_t index, uint64_t sector)
{
    const uint64_t within = sector & ((UINT64_C(1) << p->stripe) - 1);
    return sector >> p->stripe << (p->stripe + p->bits) | (uint64_t)index << p->stripe | within;
}

struct part { /* as it is, whatever a superblock is */
    uint32_t luns;
    uint32_t planes;
    uint32_t blocks; /* per plane */
};

struct geometry {
    uint32_t channels;
    uint32_t luns_per_channel;
    uint32_t luns; /* of a superblock, as planes */
    uint32_t planes;
    uint32_t plane_all; /* mask of every plane */
    uint32_t blocks;    /* number of superblocks */
    uint32_t pages;     /* per block */
    uint32_t page_size;
    uint32_t unit_size;
    uint32_t unit_shift;
    uint32_t unit_sectors;
    uint32_t sector_shift; /* log2 unit_sectors */
    uint32_t page_units;   /* map units per page */
    uint32_t group;        /* units per multi-plane page group */
    uint32_t oob_bytes;    /* that firmware uses, per page */
    uint32_t unit_bits;
    uint32_t lun_shift;
    uint32_t row_shift;
    uint32_t pages_shift; /* log2 pages, 32 when it is no power of two */
    uint32_t data_mode;
    uint32_t multi_plane;
    uint32_t lun_programs; /* in hardware at once */
    uint32_t word_line;    /* pages of one that is programmed in two passes; 0 = in one */
    uint32_t stripe;       /* enum stripe */
    struct part part;
    uint64_t unit_mask;   /* a bit for each sector of a unit */
    uint64_t user_units;  /* logical capacity */
    uint64_t sectors;     /* the same in sectors */
    uint64_t sectors_all; /* ... of the drive, where it is divided */
    struct partition partition;
};

struct place { /* one page */
    uint32_t block;
    uint32_t page;
    uint32_t lun;
    uint32_t plane;
};

/* Rows have 32 bits, addresses 64. */
static inline uint64_t unit_address(const struct geometry* g, const struct place* p, uint32_t unit)
{
    return ((uint64_t)(p->block * g->pages + p->page) << g->row_shift) | (p->lun << g->lun_shift) |
           (p->plane << g->unit_bits) | unit;
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

static inline uint32_t address_unit(const struct geometry* g, uint64_t address)
{
    return (uint32_t)address & ((1u << g->unit_bits) - 1u);
}

static inline struct place address_place(const struct geometry* g, uint64_t address)
{
    const uint32_t row = address_row(g, address);
    const uint32_t low = (uint32_t)address;
    struct place p;
    p.block = row_block(g, row);
    p.page = row - p.block * g->pages;
    p.lun = (low & ((1u << g->row_shift) - 1u)) >> g->lun_shift;
    p.plane = (low & ((1u << g->lun_shift) - 1u)) >> g->unit_bits;
    return p;
}

/* true = a superblock is one block. */
/* Programs of a LUN that are under way: those that the hardware has at once, or those that word
 * lines hold until their fine pass: of one superblock two, and one that fills. */
#define WORD_LINES_HELD 3u
static inline uint32_t geometry_programs(const struct geometry* g)
{
    const uint32_t held = WORD_LINES_HELD * g->word_line * (g->multi_plane != 0 ? 1 : g->planes);
    return held > g->lun_programs ? held : g->lun_programs;
}

static inline bool geometry_narrow(const struct geometry* g)
{
    return g->stripe != STRIPE_DRIVE;
}

/* true = ... and each plane has its own free ones and its own collection. */
static inline bool geometry_planes(const struct geometry* g)
{
    return g->stripe == STRIPE_PLANE;
}

/* Planes of the drive. Each has a number, its lane (space/lanes.h): LUN * planes + plane. The
 * blocks of a lane are `first`, `first` + lanes, `first` + 2 * lanes ... */
static inline uint32_t part_lanes(const struct geometry* g)
{
    return g->part.luns * g->part.planes;
}

static inline uint32_t lane_of_block(const struct geometry* g, uint32_t block)
{
    const uint32_t stripe = block / g->part.luns;
    return (block - stripe * g->part.luns) * g->part.planes + stripe % g->part.planes;
}

static inline uint32_t lane_first_block(const struct geometry* g, uint32_t lane)
{
    const uint32_t lun = lane / g->part.planes;
    return (lane - lun * g->part.planes) * g->part.luns + lun;
}

/* The LUN of the part that a block lies on. */
static inline uint32_t part_lun(const struct geometry* g, uint32_t block, uint32_t lun)
{
    return geometry_narrow(g) ? block % g->part.luns : lun;
}

/* A page as the part counts it, and back. */
static inline struct place part_place(const struct geometry* g, const struct place* p)
{
    struct place at = *p;
    if (geometry_narrow(g)) {
        const uint32_t stripe = p->block / g->part.luns;
        at.lun = p->block - stripe * g->part.luns;
        at.block = stripe / g->part.planes;
        at.plane = stripe - at.block * g->part.planes;
    }
    return at;
}

static inline struct place place_of_part(const struct geometry* g, const struct place* at)
{
    struct place p = *at;
    if (geometry_narrow(g)) {
        p.block = (at->block * g->part.planes + at->plane) * g->part.luns + at->lun;
        p.lun = 0;
        p.plane = 0;
    }
    return p;
}

/* Planes that the part names in a completion. */
static inline uint32_t planes_of_part(const struct geometry* g, uint32_t planes)
{
    return geometry_narrow(g) ? (planes != 0 ? 1u : 0u) : planes;
}

#endif
