/* SPDX-License-Identifier: Apache-2.0
 *
 * A drive that several cores with the ftl role share (boot_params.partition): each serves a
 * partition. Sectors of the drive go to the partitions in turn, a stripe at a time, so that what is
 * contiguous in the drive is contiguous within each partition:
 *
 *     sector = row of stripes | partition | sector in the stripe
 */
#ifndef SSDVP_FIRMWARE_LIB_PARTITION_H
#define SSDVP_FIRMWARE_LIB_PARTITION_H

#include <stdint.h>

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

#endif
