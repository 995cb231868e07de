/* SPDX-License-Identifier: Apache-2.0
 *
 * The host role of a divided drive (lib/geometry.h): spreads commands over the partitions, and
 * joins what they do. A partition does not know of the others: it gets commands for sectors of its
 * own, and orders moves and completions as if the rings were its own.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_DIVIDED_H
#define SSDVP_FIRMWARE_HOST_CORE_DIVIDED_H

#include "firmware/host/core/host_core.h"

#define PARTITIONS_MAX (MAP_CORES_MAX - 1u)

struct joined {      /* a command, by its slot */
    uint64_t lba;    /* first sector, of the drive */
    uint32_t dw0;    /* of its completion: what the first partition says */
    uint16_t status; /* the first one that tells of an error */
    uint16_t sq_id;
    uint8_t left;   /* partitions that have yet to order the last of its moves, ... */
    uint8_t unseen; /* ... whose last move has not ended */
    bool striped;   /* its data go by stripes: it is in several partitions */
    bool counts;    /* somebody waits for it */
    bool broken;    /* the first piece of a move has failed */
    uint8_t reserved[3];
};

struct divided {
    struct env* part; /* by partition; the first one has rings and registers */
    uint32_t count;
    uint32_t cc; /* as told to the partitions */
    uint32_t csts;
    uint32_t csts_of[PARTITIONS_MAX];
    uint32_t unchecked; /* the line was pending, but rings explained it */
    uint32_t active;    /* commands whose completion entry is not ordered */
    uint32_t restarts;  /* bit n: partition n has nothing under way any more */
    struct host_core host[PARTITIONS_MAX];
};

/* 0 = done, -1 = memory. The first partition of a divided drive has room for what is joined. */
int divided_init(struct env* e);
/* The first round, and one of the others. */
void divided_start(struct divided* d, struct env* part, uint32_t count);
void divided_serve(struct divided* d, bool nvme_line);

#endif
