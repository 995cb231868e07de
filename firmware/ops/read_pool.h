/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the reads with a page buffer are free (ops alone includes this). They come in groups of
 * as many as a LUN has planes, whose buffers lie side by side, so that the pages of a multi-plane
 * read are one piece of memory. Single reads are taken from groups that are broken already.
 */
#ifndef SSDVP_FIRMWARE_OPS_READ_POOL_H
#define SSDVP_FIRMWARE_OPS_READ_POOL_H

#include "firmware/lib/list.h"

struct read_pool {
    uint64_t free;       /* uint8_t per group: bit n = its n-th read is free */
    uint64_t links;      /* struct link per group */
    struct chain whole;  /* groups all of whose reads are free */
    struct chain broken; /* those that have some */
    uint32_t each;       /* reads of a group */
    uint32_t count;      /* free ones */
};

/* Memory of so many reads, and all of them are free. */
void read_pool_init(struct env* e, struct read_pool* p, uint32_t reads, uint32_t each);
/* The first of so many that lie side by side, INDEX_NONE = there are none. */
uint32_t read_pool_take(struct env* e, struct read_pool* p, uint32_t reads);
void read_pool_free(struct env* e, struct read_pool* p, uint32_t first, uint32_t reads);

#endif
